"""Who meets whom: round robin, gauntlet, Swiss system, knockout. docs/tournaments.md §2.

A schedule is asked for one stage after another. A stage is a list of meetings that can be played
in any order; the next may depend on their results. What is scheduled follows from the plan and the
results alone, so that a resumed run schedules the same, and pairs are numbered in the order they
are scheduled.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

from acey_arena.plan import Plan
from acey_arena.results import PairResult

EXTRA_PAIRS: Final = 100
"""How many pairs a tied knockout meeting goes on for before the higher seed goes through."""


class Meeting(NamedTuple):
    """Two players, by index in the plan, who play a number of pairs."""

    round: int
    first: int
    second: int
    pairs: int


class Bye(NamedTuple):
    """A player who has no opponent in a round of a Swiss system."""

    round: int
    player: int


class Standing(NamedTuple):
    """What one player has of the meetings so far."""

    points: float
    """Meetings won, half a point for one that is level, a whole one for a bye."""
    margin: int
    """Points won less points lost in games."""


def next_stage(plan: Plan, played: Sequence[Sequence[tuple[Meeting, int]]]) -> list[Meeting]:
    """The meetings of the stage after those played; empty when the run is complete.

    ``played``: for each stage so far its meetings, each with the first player's margin: points in
    games, or legs won in matches.
    """
    match plan.format:
        case "round-robin":
            return [] if played else round_robin(plan)
        case "gauntlet":
            return [] if played else gauntlet(plan)
        case "swiss":
            return swiss(plan, [meeting for stage in played for meeting in stage])
        case "knockout":
            return knockout(plan, played)


def margin_of(plan: Plan, pairs: Sequence[PairResult]) -> int:
    """The first player's margin over pairs: points won less lost, or matches won less lost."""
    if not plan.match:
        return sum(game.points_of_first for pair in pairs for game in pair.games)
    total = 0
    for pair in pairs:
        for leg in (0, 1):
            points = sum(game.points_of_first for game in pair.leg(leg))
            total += (points > 0) - (points < 0)
    return total


def round_robin(plan: Plan) -> list[Meeting]:
    """Everybody against everybody, in the order of the plan, as often as it has rounds."""
    meetings = list(combinations(range(len(plan.players)), 2))
    return [
        Meeting(number, first, second, plan.pairs)
        for number in range(1, plan.rounds + 1)
        for first, second in meetings
    ]


def gauntlet(plan: Plan) -> list[Meeting]:
    """The first player against each other one."""
    return [
        Meeting(number, 0, other, plan.pairs)
        for number in range(1, plan.rounds + 1)
        for other in range(1, len(plan.players))
    ]


# --- Swiss system -------------------------------------------------------------------------------


def swiss(plan: Plan, played: Sequence[tuple[Meeting, int]]) -> list[Meeting]:
    """The next round: players of like standing who have not met.

    Players are ordered by points, then margin, then their order in the plan. With an odd number
    the lowest who has had no bye has one. The highest meets the next it has not met for whom the
    rest can still be paired; where nobody new can be found for all, meetings are repeated.
    """
    number = 1 + max((meeting.round for meeting, _ in played), default=0)
    if number > plan.rounds:
        return []
    order = swiss_order(plan, played)
    if len(order) % 2:
        order.remove(next_bye(plan, played))
    met = {frozenset((meeting.first, meeting.second)) for meeting, _ in played}
    pairing = _pair_off(order, met) or _pair_off(order, set())
    assert pairing is not None, "without meetings to avoid, everybody can be paired"
    return [Meeting(number, first, second, plan.pairs) for first, second in pairing]


def swiss_order(plan: Plan, played: Sequence[tuple[Meeting, int]]) -> list[int]:
    """The players, the best standing first."""
    standings = swiss_standings(plan, played)
    return sorted(
        range(len(plan.players)),
        key=lambda player: (-standings[player].points, -standings[player].margin, player),
    )


def swiss_standings(plan: Plan, played: Sequence[tuple[Meeting, int]]) -> list[Standing]:
    """Each player's points and margin, byes counted."""
    points = [0.0] * len(plan.players)
    margins = [0] * len(plan.players)
    for meeting, margin in played:
        points[meeting.first] += 0.5 + ((margin > 0) - (margin < 0)) / 2
        points[meeting.second] += 0.5 - ((margin > 0) - (margin < 0)) / 2
        margins[meeting.first] += margin
        margins[meeting.second] -= margin
    for bye in byes(plan, [meeting for meeting, _ in played]):
        points[bye.player] += 1
    return [Standing(*pair) for pair in zip(points, margins, strict=True)]


def byes(plan: Plan, meetings: Sequence[Meeting]) -> list[Bye]:
    """Who had no opponent in the rounds of these meetings."""
    if len(plan.players) % 2 == 0 or plan.format != "swiss":
        return []
    found: list[Bye] = []
    for number in sorted({meeting.round for meeting in meetings}):
        busy = {
            player
            for meeting in meetings
            if meeting.round == number
            for player in (meeting.first, meeting.second)
        }
        found += [Bye(number, player) for player in range(len(plan.players)) if player not in busy]
    return found


def next_bye(plan: Plan, played: Sequence[tuple[Meeting, int]]) -> int:
    """The lowest player who has had no bye, or the lowest of all when everybody had one."""
    had = {bye.player for bye in byes(plan, [meeting for meeting, _ in played])}
    order = swiss_order(plan, played)
    return next((player for player in reversed(order) if player not in had), order[-1])


def _pair_off(
    order: Sequence[int], met: set[frozenset[int]], hopeless: set[tuple[int, ...]] | None = None
) -> list[tuple[int, int]] | None:
    """Pair the highest with the next it has not met such that the rest can be paired too.

    ``hopeless``: those of whom it is known already that they cannot be paired among themselves.
    """
    hopeless = set() if hopeless is None else hopeless
    if not order:
        return []
    if tuple(order) in hopeless or _somebody_met_all(order, met):
        return None
    first, *rest = order
    for other in rest:
        if frozenset((first, other)) in met:
            continue
        others = _pair_off([player for player in rest if player != other], met, hopeless)
        if others is not None:
            return [(first, other), *others]
    hopeless.add(tuple(order))
    return None


def _somebody_met_all(players: Sequence[int], met: set[frozenset[int]]) -> bool:
    """Whether one of them has met each of the others."""
    return any(
        all(frozenset((player, other)) in met for other in players if other != player)
        for player in players
    )


# --- knockout -----------------------------------------------------------------------------------


def knockout(plan: Plan, played: Sequence[Sequence[tuple[Meeting, int]]]) -> list[Meeting]:
    """The next round of the bracket, or more pairs for the meetings of this one that are level.

    The plan's order is the seeding; the highest seeds have byes when the number of players is no
    power of two. A meeting that stays level over ``EXTRA_PAIRS`` further pairs goes to the higher
    seed.
    """
    bracket = seeding(len(plan.players))
    number = 1
    remaining = list(played)
    while True:
        meetings = _meetings(bracket, number, plan.pairs)
        if not remaining:
            return meetings
        margins: dict[tuple[int, int], int] = {}
        extra = 0
        while remaining and remaining[0][0][0].round == number:
            stage = remaining.pop(0)
            extra += 1
            for meeting, margin in stage:
                key = (meeting.first, meeting.second)
                margins[key] = margins.get(key, 0) + margin
        level = [meeting for meeting in meetings if not margins[meeting.first, meeting.second]]
        if level and not remaining and extra <= EXTRA_PAIRS:
            return [meeting._replace(pairs=1) for meeting in level]
        bracket = [
            _winner(first, second, margins)
            for first, second in zip(bracket[::2], bracket[1::2], strict=True)
        ]
        if len(bracket) == 1:
            return []
        number += 1


def _meetings(bracket: Sequence[int | None], number: int, pairs: int) -> list[Meeting]:
    """A round's meetings, the higher seed first; who has a bye meets nobody."""
    return [
        Meeting(number, min(first, second), max(first, second), pairs)
        for first, second in zip(bracket[::2], bracket[1::2], strict=True)
        if first is not None and second is not None
    ]


def _winner(
    first: int | None, second: int | None, margins: dict[tuple[int, int], int]
) -> int | None:
    """Who goes through: the one there is, the one that won, or the higher seed."""
    if first is None or second is None:
        return second if first is None else first
    higher, lower = min(first, second), max(first, second)
    return lower if margins[higher, lower] < 0 else higher


def seeding(players: int) -> list[int | None]:
    """The first round of a bracket, two by two: 1 meets the last, and meets 2 in the final.

    None is a bye.
    """
    order = [0]
    while len(order) < players:
        size = 2 * len(order)
        order = [seed for high in order for seed in (high, size - 1 - high)]
    return [seed if seed < players else None for seed in order]
