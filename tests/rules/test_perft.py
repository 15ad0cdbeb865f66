"""Counts and random games are those of spec/vectors, by the reference and by the kernel."""

import signal
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.random_positions import random_position
from tests.support.vectors import PerftVector, PlayoutVector, perft_vectors, playout_vectors

from acey_rules import PRESETS, ROLL, Position, RulesError, Side, State, generator
from acey_rules import perft as counting
from acey_rules import playout as playing
from acey_rules.perft import perft
from acey_rules.playout import Playout, Policy, playout

SMALL = 3_000
"""Counts up to this take the reference a second or so."""
MEDIUM = 1_000_000
LARGE = 500_000_000
"""Counts up to this take the kernel a second or so."""

SHORT = 70
"""Games of fewer plays take the reference a second or so."""

kernel_serves = pytest.mark.skipif(generator.NAME != "kernel", reason="the reference serves")


def state_of(row: PerftVector | PlayoutVector) -> State:
    return State.parse(row.position, PRESETS[row.rules])


def reference(row: PerftVector) -> int:
    state = state_of(row)
    return counting.reference(state, row.depth if state.agenda[0] is ROLL else row.depth - 1)


def kernel(row: PerftVector) -> int:
    return perft(state_of(row), row.depth)


def kernel_made(row: PerftVector) -> int:
    return perft(state_of(row), row.depth, made=True)


def wrong(count: Callable[[PerftVector], int], rows: list[PerftVector]) -> list[str]:
    told = [(row, count(row)) for row in rows]
    return [f"{row.place} {row.count}, not {found}" for row, found in told if found != row.count]


def rows_of(rules: str, least: int, most: int) -> list[PerftVector]:
    rows = [row for row in perft_vectors() if row.rules == rules and least < row.count <= most]
    assert rows
    return rows


@pytest.mark.parametrize("rules", PRESETS)
def test_the_reference_counts_as_the_vectors_say(rules: str) -> None:
    assert wrong(reference, rows_of(rules, 0, SMALL)) == []


@pytest.mark.slow
@pytest.mark.parametrize("rules", PRESETS)
def test_the_reference_counts_deeper(rules: str) -> None:
    assert wrong(reference, rows_of(rules, SMALL, MEDIUM)) == []


@kernel_serves
@pytest.mark.parametrize("count", [kernel, kernel_made])
@pytest.mark.parametrize("rules", PRESETS)
def test_the_kernel_counts_as_the_vectors_say(
    rules: str, count: Callable[[PerftVector], int]
) -> None:
    assert wrong(count, rows_of(rules, 0, MEDIUM)) == []


@kernel_serves
@pytest.mark.parametrize("rules", PRESETS)
def test_the_kernel_counts_deeper(rules: str) -> None:
    assert wrong(kernel, rows_of(rules, MEDIUM, LARGE)) == []


@pytest.mark.slow
@kernel_serves
@pytest.mark.parametrize("rules", ["american", "dice-board", "european", "bgammon"])
def test_the_kernel_counts_deepest(rules: str) -> None:
    assert wrong(kernel, rows_of(rules, LARGE, 1 << 63)) == []


@kernel_serves
@settings(max_examples=30)
@given(
    st.randoms(use_true_random=False).map(random_position),
    st.sampled_from(Side),
    st.sampled_from(sorted(PRESETS)),
)
def test_the_kernel_counts_a_ply_as_the_reference_does(
    position: Position, side: Side, rules: str
) -> None:
    state = State(PRESETS[rules], position, side, (ROLL,))
    if rules == "european" and position.unentered(side) > 4:
        return  # the reference takes minutes for a named double and its complement
    assert perft(state, 1) == perft(state, 1, made=True) == counting.reference(state, 1)


def test_a_finished_game_leads_nowhere() -> None:
    over = State.parse("------A-------------------:0:0:o:-", PRESETS["american"])
    assert perft(over, 1) == 0


def test_depths_beyond_reason_are_refused() -> None:
    state = State.parse("--------------------------:15:15:x:R", PRESETS["american"])
    for depth in (0, -1, 13):
        with pytest.raises(RulesError, match=f"1 to 12 plies deep, not {depth}"):
            perft(state, depth)


@kernel_serves
def test_an_alarm_ends_a_count_that_would_take_for_ever() -> None:
    state = State.parse("--------------------------:15:15:x:R", PRESETS["american"])

    def ring(number: int, frame: object) -> None:
        del number, frame
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(TimeoutError, match="enough"):
            perft(state, 8)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- random games -----------------------------------------------------------------------------


def policy_of(row: PlayoutVector) -> Policy | None:
    policy = row.policy
    return policy and Policy(policy.mine, policy.theirs, policy.halving)


def ended(row: PlayoutVector) -> Playout:
    return Playout(Side("xo".index(row.winner)), row.points, row.rolls, row.plays)


@pytest.mark.parametrize("rules", PRESETS)
def test_random_games_end_as_the_vectors_say(rules: str) -> None:
    rows = [row for row in playout_vectors() if row.rules == rules]
    assert len(rows) > 10
    if generator.NAME == "reference":
        rows = [row for row in rows if row.plays < SHORT]
        assert rows
    for row in rows:
        assert playout(state_of(row), row.seed, policy_of(row)) == ended(row), row.place


@kernel_serves
@settings(max_examples=20)
@given(
    st.randoms(use_true_random=False).map(random_position),
    st.sampled_from(sorted(PRESETS)),
    st.integers(0, 2**64 - 1),
    st.none()
    | st.builds(
        Policy,
        st.tuples(*[st.integers(-1000, 1000)] * 27),
        st.tuples(*[st.integers(-1000, 1000)] * 27),
        st.integers(1, 2000),
    ),
)
def test_kernel_and_reference_play_the_same_game(
    position: Position, rules: str, seed: int, policy: Policy | None
) -> None:
    state = State(PRESETS[rules], position, Side.X, (ROLL,))
    assert playout(state, seed, policy) == playing.reference(state, seed, policy)


def test_a_seed_counts_modulo_two_to_the_sixty_fourth() -> None:
    state = State.parse("-DABEA----A-A----------de-:0:0:o:R", PRESETS["american"])
    assert playout(state, -1) == playout(state, 2**64 - 1)
    assert playout(state, 0) != playout(state, 1)


def test_a_finished_game_ends_as_it_has() -> None:
    over = State.parse("------A-------------------:2:0:o:-", PRESETS["american"])
    assert over.outcome is not None
    assert playout(over, 1) == Playout(Side.O, 3, 0, 0)


def test_the_kernel_gives_up_a_game_that_is_too_long() -> None:
    if generator.NAME != "kernel":
        pytest.skip("the reference serves")
    from acey_rules import kernel as compiled  # noqa: PLC0415 - there only then

    state = State.parse("--------------------------:15:15:x:R", PRESETS["american"])
    whole = playout(state, 7)
    assert compiled.playout(state, 7, None, whole.rolls) == tuple(whole)
    assert compiled.playout(state, 7, None, whole.rolls - 1) is None


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Policy((0,) * 26, (0,) * 27, 1), "27 weights for mine, not 26"),
        (Policy((0,) * 27, (0,) * 28, 1), "27 weights for theirs, not 28"),
        (Policy((0,) * 26 + (1_000_001,), (0,) * 27, 1), "within 1000000 of 0, not 1000001"),
        (Policy((0,) * 27, (0,) * 27, 0), "a halving is 1 to 1000000, not 0"),
    ],
)
def test_a_policy_that_is_none_is_refused(policy: Policy, message: str) -> None:
    state = State.parse("--------------------------:15:15:x:R", PRESETS["american"])
    with pytest.raises(RulesError, match=message):
        playout(state, 1, policy)
