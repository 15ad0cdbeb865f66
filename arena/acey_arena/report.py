"""The report of a run as data. docs/tournaments.md §6.

Everything but ``timing`` follows from the plan and the results: a run that was killed and resumed
has the same report as one that was not.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from acey_arena.intervals import CONFIDENCE, estimate
from acey_arena.plan import Plan, Player
from acey_arena.results import PairResult
from acey_arena.run import Progress, pair_score
from acey_arena.sprt import count_scores
from acey_arena.standings import Cell, Lengths, Row, Tally, TimeUse, number
from acey_grammar.write import write_games

REPORT_VERSION: Final = 1
POINTS_OF_A_LINE: Final = 160
"""How many values of the score over time are kept for a player."""


class Test(Struct, frozen=True):
    """The SPRT of a duel."""

    hypotheses: str
    """The test in words."""
    verdict: str
    """``H0``, ``H1`` or ``open``."""
    log_ratio: float
    lower: float
    upper: float
    pairs: int
    """How many pairs it looked at."""
    scores: dict[str, int]
    """How many pairs gave the first player 0, 0.5 and 1 of the pair."""


class Point(Struct, frozen=True):
    """The score of a player after so many of its pairs."""

    pairs: int
    mean: float
    margin: float | None


class Line(Struct, frozen=True):
    """The points a game of a player over the run."""

    player: int
    points: tuple[Point, ...]


class FaultCount(Struct, frozen=True):
    """How often a player failed in one way, and the first time it did."""

    player: int
    kind: str
    count: int
    voided: int
    """How many of these did not lose the game."""
    first: str
    """What happened the first time."""


class Report(Struct, frozen=True):
    """What a run says."""

    name: str
    format: str
    rules: str
    seed: int
    match: int
    clock: str
    players: tuple[Player, ...]
    pairs: int
    """Pairs that count."""
    games: int
    confidence: float
    order_rule: str
    standings: tuple[Row, ...]
    crosstable: tuple[Cell, ...]
    lengths: Lengths
    lines: tuple[Line, ...]
    faults: tuple[FaultCount, ...]
    void_pairs: tuple[str, ...]
    """Pairs that could not be played, and why."""
    byes: dict[str, list[int]]
    sprt: Test | None
    timing: tuple[TimeUse, ...]
    """How long players thought: the one part that differs from run to run."""
    version: int = REPORT_VERSION


def make_report(plan: Plan, progress: Progress, lost: Sequence[PairResult] = ()) -> Report:
    """The report of what counts; ``lost``: pairs that could not be played."""
    tally = Tally(plan, progress)
    pairs = progress.counted
    return Report(
        plan.name,
        plan.format,
        plan.rules,
        plan.seed,
        plan.match,
        plan.clock,
        plan.players,
        len(pairs),
        sum(len(pair.games) for pair in pairs),
        CONFIDENCE,
        tally.order_rule,
        tuple(tally.rows()),
        tuple(tally.cells()),
        tally.lengths(),
        tuple(_line(player, pairs) for player in range(len(plan.players))),
        tuple(_faults(pairs)),
        tuple(f"pair {pair.number}: {pair.lost}" for pair in lost),
        {plan.players[player].name: rounds for player, rounds in tally.bye_rounds().items()},
        _test(plan, progress),
        tuple(tally.time_use(player) for player in range(len(plan.players))),
    )


def _test(plan: Plan, progress: Progress) -> Test | None:
    if plan.sprt is None or progress.verdict is None:
        return None
    scores = [pair_score(pair) for pair in progress.counted]
    counts = count_scores(scores)
    lower, upper = plan.sprt.bounds
    return Test(
        plan.sprt.describe(),
        progress.verdict.value,
        round(plan.sprt.log_ratio(counts), 4),
        round(lower, 4),
        round(upper, 4),
        len(scores),
        {f"{score:g}": int(count) for score, count in sorted(counts.items())},
    )


def _line(player: int, pairs: Sequence[PairResult]) -> Line:
    """The player's points a game after each of its pairs, thinned out evenly."""
    values: list[float] = []
    for pair in pairs:
        if player in (pair.first, pair.second):
            points = sum(game.points_of_first for game in pair.games) / len(pair.games)
            values.append(points if pair.first == player else -points)
    count = len(values)
    kept = min(count, POINTS_OF_A_LINE)
    places = sorted({max(1, round(count * (step + 1) / kept)) for step in range(kept)})
    curve: list[Point] = []
    for place in places:
        so_far = number(estimate(values[:place]))
        if so_far.mean is not None:
            curve.append(Point(place, so_far.mean, so_far.margin))
    return Line(player, tuple(curve))


def _faults(pairs: Sequence[PairResult]) -> list[FaultCount]:
    found: dict[tuple[int, str], list[tuple[bool, str]]] = {}
    for pair in pairs:
        for fault in pair.faults:
            found.setdefault((fault.player, fault.kind), []).append((fault.void, fault.reason))
    return [
        FaultCount(player, kind, len(seen), sum(void for void, _ in seen), seen[0][1])
        for (player, kind), seen in sorted(found.items())
    ]


def report_json(report: Report) -> str:
    """The report as JSON, indented; every number in it is finite."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


def records_text(pairs: Sequence[PairResult]) -> str:
    """All games as one file of notation, in the order of their pairs."""
    return write_games(game.record for pair in pairs for game in pair.games)
