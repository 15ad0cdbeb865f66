"""Small runs for the tests of the arena."""

from pathlib import Path

from msgspec.structs import replace

from acey_arena.executor import Executor, InlineExecutor, PoolExecutor
from acey_arena.folder import RunFolder
from acey_arena.plan import Plan, Player
from acey_arena.report import Report, make_report
from acey_arena.results import PairResult
from acey_arena.run import Progress, play_run

PIP = Player(name="pip", bot="pip")
BLOCKADE = Player(name="blockade", bot="blockade")
RANDOM = Player(name="random", bot="random")


def small_plan(**changes: object) -> Plan:
    """Pip against blockade, three pairs."""
    return replace(Plan(players=(PIP, BLOCKADE), seed=7, pairs=3), **changes)


def run(plan: Plan, path: Path, executor: Executor | None = None) -> Progress:
    """Play a plan in a new folder."""
    return play_on(RunFolder.create(path, plan), executor)


def resume(path: Path, executor: Executor | None = None) -> Progress:
    """Go on with a run."""
    return play_on(RunFolder.resume(path), executor)


def play_on(folder: RunFolder, executor: Executor | None) -> Progress:
    plan = folder.plan
    playing = executor or (
        InlineExecutor(plan) if plan.concurrency == 1 else PoolExecutor(plan, plan.concurrency)
    )
    try:
        return play_run(folder, playing, lambda _result: None)
    finally:
        playing.close()
        folder.close()


def timeless(pairs: tuple[PairResult, ...]) -> list[PairResult]:
    """The results without how long anything took."""
    return [
        replace(pair, games=tuple(replace(game, seconds=(0.0, 0.0)) for game in pair.games))
        for pair in pairs
    ]


def report_of(plan: Plan, progress: Progress) -> Report:
    """The report without how long anything took."""
    return replace(make_report(plan, progress), timing=())
