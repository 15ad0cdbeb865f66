"""The kernel and the reference agree: the same plays, written alike, in the same order."""

import ast
import copy
import inspect
import pickle
from array import array
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.random_positions import random_position
from tests.support.vectors import play_vectors

from acey_rules import PRESETS, Play, Position, PositionError, Side, State, generator, plays
from acey_rules.ruleset import Overshoot
from acey_rules.stage import ROLLS

if not generator.compiled():
    pytest.skip("the kernel was not compiled here", allow_module_level=True)

from acey_rules import kernel

OVERSHOOTS: tuple[Overshoot, ...] = get_args(Overshoot)


def told(found: list[Play]) -> list[object]:
    """Everything a play says, in comparable form."""
    return [(play.text, play.moves, play.after, play.wins) for play in found]


def check(position: Position, side: Side, dice: tuple[int, int], overshoot: Overshoot) -> None:
    """Every way in which the kernel answers for a roll, against the reference."""
    roll = (position, side, *dice, overshoot)
    reference = plays.legal_plays(*roll)
    found = kernel.legal_plays(*roll)
    assert told(list(found)) == told(reference), roll
    packed = (position.packed, side, *dice, overshoot)
    assert kernel.count(*packed) == len(reference)
    assert kernel.results(*packed) == b"".join(play.after.packed for play in reference)


@given(
    st.randoms(use_true_random=False).map(random_position),
    st.sampled_from(Side),
    st.sampled_from(ROLLS),
    st.sampled_from(OVERSHOOTS),
)
def test_the_kernel_finds_what_the_reference_finds(
    position: Position, side: Side, dice: tuple[int, int], overshoot: Overshoot
) -> None:
    check(position, side, dice, overshoot)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_they_agree_on_ten_thousand_positions(seed: int) -> None:
    rng = Random(seed)
    for _ in range(10_000):
        check(
            random_position(rng), rng.choice(tuple(Side)), rng.choice(ROLLS), rng.choice(OVERSHOOTS)
        )


@pytest.mark.parametrize("rules", PRESETS)
def test_they_agree_on_every_vector(rules: str) -> None:
    rows = [row for row in play_vectors() if row.rules == rules]
    assert len(rows) > 200
    for row in rows:
        state = State.parse(row.position, PRESETS[rules])
        assert state.dice is not None
        check(state.position, state.turn, state.dice, state.rules.overshoot)


# --- the list of plays ------------------------------------------------------------------------

LINE = "-b----E-C---eE---c-e----B-:0:0:x:63"


@pytest.fixture
def state() -> State:
    return State.parse(LINE, PRESETS["backgammon"])


def test_the_list_is_a_sequence(state: State) -> None:
    listed = kernel.legal_plays(state.position, state.turn, 6, 3, "highest")
    texts = [play.text for play in plays.legal_plays(state.position, state.turn, 6, 3, "highest")]
    assert len(listed) == len(texts) == 14
    assert [play.text for play in listed] == texts
    assert [play.text for play in reversed(listed)] == texts[::-1]
    assert [play.text for play in listed[2:9:3]] == texts[2:9:3]
    assert listed[-1].text == texts[-1]
    assert listed.index(listed[3]) == 3
    assert listed.count(listed[3]) == 1
    assert listed[3] in listed
    with pytest.raises(IndexError):
        listed[14]
    with pytest.raises(IndexError):
        listed[-15]


def test_a_play_equals_the_same_play_of_the_reference(state: State) -> None:
    found = kernel.legal_plays(state.position, state.turn, 6, 3, "highest")
    reference = plays.legal_plays(state.position, state.turn, 6, 3, "highest")
    assert list(found) == reference
    assert reference == list(found)
    assert {hash(play) for play in found} == {hash(play) for play in reference}
    assert found[0] != reference[1]
    assert found[0] != found[1]
    assert found[0] != "24/18 24/21"
    assert repr(found[0]) == f"<Play {found[0]}>" == f"<Play {reference[0].text}>"


def test_plays_and_their_list_survive_copying_and_pickling(state: State) -> None:
    listed = kernel.legal_plays(state.position, state.turn, 6, 3, "highest")
    for again in (pickle.loads(pickle.dumps(listed)), copy.deepcopy(listed)):
        assert list(again) == list(listed)
    for again in (pickle.loads(pickle.dumps(listed[2])), copy.copy(listed[2])):
        assert told([again]) == told([listed[2]])


def test_a_play_knows_the_roll_it_was_found_for(state: State) -> None:
    play = kernel.legal_plays(state.position, state.turn, 6, 3, "highest")[0]
    assert play.is_of(state.position, Side.X, (6, 3), "highest")
    assert not play.is_of(state.position, Side.O, (6, 3), "highest")
    assert not play.is_of(state.position, Side.X, (6, 2), "highest")
    assert not play.is_of(state.position, Side.X, (6, 3), "exact")
    assert not play.is_of(play.after, Side.X, (6, 3), "highest")


@given(
    st.randoms(use_true_random=False).map(random_position),
    st.sampled_from(Side),
    st.sampled_from(ROLLS),
    st.sampled_from(OVERSHOOTS),
)
def test_a_play_is_found_by_its_canonical_text_alone(
    position: Position, side: Side, dice: tuple[int, int], overshoot: Overshoot
) -> None:
    roll = (position, side, *dice, overshoot)
    found = kernel.legal_plays(*roll)
    for play in plays.legal_plays(*roll):
        assert kernel.find_text(found, play.text) == play
        assert kernel.find_result(found, play.after.packed) == play
        for other in (f"{play.text} ", play.text[:-1], f"{play.text}é", ""):
            assert kernel.find_text(found, other) is None
    for packed in (bytes(28), position.packed[:27], b""):
        assert kernel.find_result(found, packed) is None


# --- many positions at once -------------------------------------------------------------------

BATCH = [
    (position, Side(number % 2), ROLLS[number % 21])
    for number, position in enumerate(random_position(Random(7)) for _ in range(100))
]
POSITIONS = b"".join(position.packed for position, _, _ in BATCH)
DICE = bytes(number for _, side, dice in BATCH for number in (side, *dice))
RESULTS = [kernel.results(position.packed, side, *dice, "any") for position, side, dice in BATCH]


def test_many_positions_are_answered_in_one_buffer() -> None:
    out, ends = bytearray(28 * 30_000), array("q", bytes(8 * 100))
    assert kernel.results_into(POSITIONS, DICE, "any", out, ends) == 100
    assert list(ends) == list(accumulate(len(results) // 28 for results in RESULTS))
    assert out[: 28 * ends[-1]] == b"".join(RESULTS)
    assert not any(out[28 * ends[-1] :])


def test_what_does_not_fit_is_left_for_the_next_call() -> None:
    fits = sum(map(len, RESULTS[:40]))
    out, ends = bytearray(fits + 27), array("q", [-1] * 100)
    assert kernel.results_into(memoryview(POSITIONS), DICE, "any", out, ends) == 40
    assert out[:fits] == b"".join(RESULTS[:40])
    assert list(ends[40:]) == [-1] * 60
    assert kernel.results_into(POSITIONS[28 * 40 :], DICE[3 * 40 :], "any", out, ends) > 0


@pytest.mark.parametrize(
    ("positions", "rolls", "out", "ends", "message"),
    [
        (bytes(27), bytes((0, 6, 5)), bytearray(280), bytearray(8), "27 bytes of positions"),
        (bytes(28), bytes((0, 6)), bytearray(280), bytearray(8), "2 of rolls"),
        (bytes(28), bytes((0, 6, 5)), bytearray(280), bytearray(7), "7 of ends"),
        (bytes(28), bytes((2, 6, 5)), bytearray(280), bytearray(8), "a side is 0 or 1, not 2"),
        (bytes(28), bytes((0, 5, 6)), bytearray(280), bytearray(8), "higher first, not 5 and 6"),
        (bytes(28), bytes((0, 7, 6)), bytearray(280), bytearray(8), "not 7 and 6"),
        (bytes(28), bytes((0, 6, 0)), bytearray(280), bytearray(8), "not 6 and 0"),
    ],
)
def test_buffers_that_do_not_go_together_are_refused(
    positions: bytes, rolls: bytes, out: bytearray, ends: bytearray, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        kernel.results_into(positions, rolls, "any", out, ends)


def test_a_buffer_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(BufferError):
        kernel.results_into(bytes(28), bytes((0, 6, 5)), "any", bytes(280), bytearray(8))


def test_arguments_that_are_no_roll_are_refused() -> None:
    packed = Position.start("empty").packed
    for function in (kernel.count, kernel.results):
        for arguments, message in (
            ((packed[1:], 0, 6, 5, "any"), "28 bytes, not 27"),
            ((packed, -1, 6, 5, "any"), "a side is 0 or 1"),
            ((packed, 0, 6, 7, "any"), "two numbers from 1 to 6"),
            ((packed, 0, 6, 5, "all"), "highest, any or exact, not 'all'"),
        ):
            with pytest.raises(ValueError, match=message):
                function(*arguments)


@given(st.binary(min_size=28, max_size=28), st.sampled_from(Side), st.sampled_from(ROLLS))
def test_bytes_that_are_no_position_do_no_harm(
    packed: bytes, side: Side, dice: tuple[int, int]
) -> None:
    for overshoot in OVERSHOOTS:
        results = kernel.results(packed, side, *dice, overshoot)
        assert len(results) >= 28
        assert len(results) % 28 == 0


# --- what is declared -------------------------------------------------------------------------


def test_the_stub_declares_what_the_kernel_offers() -> None:
    stub = Path(plays.__file__).with_name("kernel.pyi").read_text("utf-8")
    tree = ast.parse(stub)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert set(functions) == set(kernel.__all__)
    for name, declared in functions.items():
        offered = getattr(kernel, name)
        parameters = [argument.arg for argument in declared.args.args]
        assert list(inspect.signature(offered).parameters) == parameters
        assert offered.__doc__.partition("\n")[0] == ast.get_docstring(declared)


def test_the_generator_knows_every_module_of_the_kernel() -> None:
    files = Path(plays.__file__).parent.glob("kernel*.py")
    assert sorted(generator.KERNEL) == sorted(file.stem for file in files)


# --- position lines ---------------------------------------------------------------------------


@given(
    st.randoms(use_true_random=False).map(random_position),
    st.sampled_from(["x:63", "o:R", "x:21.N.R", "x:-", "", "x:63 ", "é", "\udce9"]),
)
def test_a_position_is_written_and_read_as_the_reference_does(
    position: Position, rest: str
) -> None:
    text = str(position)
    assert kernel.position_text(position.packed) == text
    done = any(position.borne_off(side) == 15 for side in Side)
    read = None if done or not rest.isascii() else (position.packed, rest)
    assert kernel.read_position(f"{text}:{rest}") == read


@given(
    st.randoms(use_true_random=False).map(random_position),
    st.randoms(use_true_random=False),
)
def test_a_line_that_the_reference_refuses_is_not_read(position: Position, random: Random) -> None:
    line = list(f"{position}:x:63")
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(line))
        match random.randrange(3):
            case 0:
                line[place] = random.choice("-AOPaop:0123456 é\x00\udce9")
            case 1:
                line.insert(place, random.choice("-Aa:01"))
            case _:
                del line[place]
    read = kernel.read_position("".join(line))
    try:
        expected = Position.parse(":".join("".join(line).split(":")[:3]))
    except PositionError:
        assert read is None
    else:
        assert read is None or read[0] == expected.packed


@pytest.mark.parametrize("size", [0, 27, 29])
def test_another_number_of_bytes_is_no_position(size: int) -> None:
    with pytest.raises(ValueError, match=f"has 28 bytes, not {size}"):
        kernel.position_text(bytes(size))
