"""Who meets whom in each format."""

from itertools import combinations
from random import Random

import pytest

from acey_arena.plan import Format, Plan, Player
from acey_arena.schedule import (
    EXTRA_PAIRS,
    Meeting,
    byes,
    knockout,
    next_stage,
    seeding,
    swiss,
    swiss_standings,
)

Played = list[list[tuple[Meeting, int]]]


def plan(players: int, form: Format, rounds: int = 1) -> Plan:
    entries = tuple(Player(name=f"p{index}", bot="pip") for index in range(players))
    return Plan(players=entries, seed=1, format=form, rounds=rounds, pairs=3)


def play_out(planned: Plan, strengths: list[int]) -> Played:
    """Let the stronger player win every meeting."""
    played: Played = []
    while stage := next_stage(planned, played):
        played.append([(m, strengths[m.first] - strengths[m.second]) for m in stage])
    return played


def test_a_round_robin_has_every_pair_once_a_round() -> None:
    (stage,) = play_out(plan(4, "round-robin", 2), [4, 3, 2, 1])
    meetings = [(m.first, m.second) for m, _ in stage]
    assert meetings == list(combinations(range(4), 2)) * 2
    assert {m.pairs for m, _ in stage} == {3}


def test_a_gauntlet_has_the_first_against_the_rest() -> None:
    (stage,) = play_out(plan(4, "gauntlet"), [4, 3, 2, 1])
    assert [(m.first, m.second) for m, _ in stage] == [(0, 1), (0, 2), (0, 3)]


@pytest.mark.parametrize("players", range(2, 10))
def test_a_swiss_system_never_repeats_a_meeting(players: int) -> None:
    rounds = players - 1 + players % 2
    planned = plan(players, "swiss", rounds)
    played = play_out(planned, list(range(players, 0, -1)))
    assert len(played) == rounds
    meetings = [frozenset((m.first, m.second)) for stage in played for m, _ in stage]
    assert len(set(meetings)) == len(meetings) == players * (players - 1) // 2
    had = byes(planned, [m for stage in played for m, _ in stage])
    assert sorted(bye.player for bye in had) == (list(range(players)) if players % 2 else [])


def test_nearly_as_many_rounds_as_players_are_paired() -> None:
    """Where few have not met yet, who cannot be paired is found without trying every order."""
    names = [Player(name=str(number), bot="pip") for number in range(30)]
    long = Plan(players=tuple(names), seed=1, format="swiss", rounds=26)
    random, played = Random(4), list[tuple[Meeting, int]]()
    for number in range(1, 27):
        meetings = swiss(long, played)
        assert sorted(p for m in meetings for p in (m.first, m.second)) == list(range(30))
        assert {meeting.round for meeting in meetings} == {number}
        played += [(meeting, random.choice((-5, 0, 5))) for meeting in meetings]


def test_a_swiss_system_pairs_like_with_like() -> None:
    planned = plan(4, "swiss", 2)
    first, second = play_out(planned, [4, 3, 2, 1])
    assert [(m.first, m.second) for m, _ in first] == [(0, 1), (2, 3)]
    assert [(m.first, m.second) for m, _ in second] == [(0, 2), (1, 3)]
    standings = swiss_standings(planned, [*first, *second])
    assert [standing.points for standing in standings] == [2, 1, 1, 0]


def test_a_bye_is_a_point() -> None:
    planned = plan(3, "swiss", 1)
    played = play_out(planned, [3, 2, 1])
    standings = swiss_standings(planned, played[0])
    assert [standing.points for standing in standings] == [1, 0, 1]


def test_the_bracket() -> None:
    assert seeding(2) == [0, 1]
    assert seeding(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert seeding(5) == [0, None, 3, 4, 1, None, 2, None]


@pytest.mark.parametrize("players", range(2, 12))
def test_the_strongest_wins_a_knockout(players: int) -> None:
    strengths = list(range(players))  # the lowest seed is the strongest
    played = play_out(plan(players, "knockout"), strengths)
    assert sum(len(stage) for stage in played) == players - 1
    assert players - 1 in (played[-1][0][0].first, played[-1][0][0].second)


def test_a_level_meeting_goes_on() -> None:
    planned = plan(4, "knockout")
    first = next_stage(planned, [])
    played: Played = [[(first[0], 0), (first[1], -2)]]
    second = next_stage(planned, played)
    assert second == [Meeting(1, 0, 3, 1)]
    played.append([(second[0], -1)])
    assert next_stage(planned, played) == [Meeting(2, 2, 3, 3)]


def test_the_higher_seed_goes_through_in_the_end() -> None:
    planned = plan(2, "knockout")
    played: Played = [[(Meeting(1, 0, 1, 3), 0)]]
    for _ in range(EXTRA_PAIRS):
        assert knockout(planned, played) == [Meeting(1, 0, 1, 1)]
        played.append([(Meeting(1, 0, 1, 1), 0)])
    assert knockout(planned, played) == []
