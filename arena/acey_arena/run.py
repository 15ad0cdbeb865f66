"""A run from its plan to its end: stage by stage, pair by pair, stopped early or resumed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from acey_arena.executor import Executor
from acey_arena.folder import RunFolder
from acey_arena.plan import Plan
from acey_arena.referee import PairTask
from acey_arena.results import PairResult
from acey_arena.schedule import Meeting, margin_of, next_stage
from acey_arena.sprt import Sprt, Verdict, count_scores

Observer = Callable[[PairResult], None]
"""Told of each pair as it is finished."""


class Progress(NamedTuple):
    """Where a run stands."""

    counted: tuple[PairResult, ...]
    """The pairs that count, by number."""
    meetings: tuple[tuple[Meeting, int], ...]
    """The meetings whose pairs are all played, each with its first player's margin."""
    verdict: Verdict | None
    """What the SPRT says; None without one."""


def pair_score(pair: PairResult) -> float:
    """The first player's share of the legs of a pair: 0, a half, or 1."""
    won = 0
    for leg in (0, 1):
        won += sum(game.points_of_first for game in pair.leg(leg)) > 0
    return won / 2


def play_run(folder: RunFolder, executor: Executor, observe: Observer) -> Progress:
    """Play what is missing of the run and return what counts. Raises what the executor raises."""
    plan = folder.plan
    played: list[list[tuple[Meeting, int]]] = []
    counted: list[PairResult] = []
    verdict: Verdict | None = None
    number = 1
    while stage := next_stage(plan, played):
        tasks = list(_tasks(stage, number))
        number += len(tasks)
        tasks, verdict = _play_stage(folder, executor, observe, tasks)
        results = [folder.results[task.number] for task in tasks]
        counted += [result for result in results if not result.lost]
        played.append(_margins(plan, stage, results))
    meetings = tuple(meeting for row in played for meeting in row)
    return Progress(tuple(counted), meetings, verdict)


def _tasks(stage: list[Meeting], number: int) -> Iterator[PairTask]:
    """The pairs of a stage. The meetings take turns, so that all grow together."""
    longest = max(meeting.pairs for meeting in stage)
    for index in range(longest):
        for meeting in stage:
            if index < meeting.pairs:
                yield PairTask(number, meeting.round, meeting.first, meeting.second)
                number += 1


def _margins(
    plan: Plan, stage: list[Meeting], results: list[PairResult]
) -> list[tuple[Meeting, int]]:
    by_meeting: dict[tuple[int, int, int], list[PairResult]] = {}
    for result in results:
        key = (result.round, result.first, result.second)
        by_meeting.setdefault(key, []).append(result)
    return [
        (
            meeting,
            margin_of(plan, by_meeting.get((meeting.round, meeting.first, meeting.second), [])),
        )
        for meeting in stage
    ]


class SprtWatch:
    """Looks at the pairs of a duel in the order of their numbers, up to the first one missing.

    So where the test stops depends on nothing but the results, whatever order they came in; pairs
    that were played beyond do not count.
    """

    def __init__(self, sprt: Sprt, numbers: Sequence[int]) -> None:
        """``numbers``: the pairs of the duel, in order."""
        self._sprt = sprt
        self._numbers = numbers
        self._scores: list[float] = []
        self.looked_at = 0
        """How many pairs have been looked at."""
        self.verdict = Verdict.OPEN

    def look(self, results: Mapping[int, PairResult]) -> Verdict:
        """Look at the pairs that are there by now."""
        while self.verdict is Verdict.OPEN and self.looked_at < len(self._numbers):
            result = results.get(self._numbers[self.looked_at])
            if result is None:
                break
            self.looked_at += 1
            if result.lost:
                continue
            self._scores.append(pair_score(result))
            self.verdict = self._sprt.verdict(self._sprt.log_ratio(count_scores(self._scores)))
        return self.verdict


def _play_stage(
    folder: RunFolder, executor: Executor, observe: Observer, tasks: list[PairTask]
) -> tuple[list[PairTask], Verdict | None]:
    """Play what is missing of a stage; what counts of it, and what the SPRT said of it."""
    sprt = folder.plan.sprt
    watch = SprtWatch(sprt, [task.number for task in tasks]) if sprt else None
    missing = (task for task in tasks if task.number not in folder.results)
    if watch is None or watch.look(folder.results) is Verdict.OPEN:
        results = executor.play(missing)
        for result in results:
            folder.add(result)
            observe(result)
            if watch is not None and watch.look(folder.results) is not Verdict.OPEN:
                results.close()
                break
    if watch is None:
        return tasks, None
    return tasks[: watch.looked_at], watch.verdict
