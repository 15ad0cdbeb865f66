"""How pairs are played: one after another in this process, or by several processes.

What is played does not depend on it: dice and seeds come from the plan and the pair's number.
"""

import atexit
import multiprocessing
import os
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Final, Protocol

from acey_arena.plan import Plan
from acey_arena.referee import PairTask, play_pair
from acey_arena.results import PairResult
from acey_arena.roster import make_seat
from acey_arena.seat import Seat

TRIES: Final = 3
"""How often a pair is handed out whose worker died with it before it is void."""
AHEAD: Final = 2
"""Pairs handed out for each worker, so that none waits for its next."""

Results = Generator[PairResult, None, None]


class Executor(Protocol):
    """Plays tasks, in any order."""

    def play(self, tasks: Iterator[PairTask]) -> Results:
        """Take tasks as there is room and give results as they come; closing it gives up."""
        ...

    def close(self) -> None:
        """End everything that was started."""
        ...


class SeatPool:
    """The seats of one process: an engine is started once for each chair it is needed in."""

    def __init__(self, plan: Plan) -> None:
        """Seats are made when they are first needed."""
        self._plan = plan
        self._seats: dict[tuple[int, int], Seat] = {}

    def pair(self, task: PairTask) -> tuple[Seat, Seat]:
        """The seats of a pair's first and second player."""
        return self._seat(task.first, 0), self._seat(task.second, 1)

    def _seat(self, player: int, chair: int) -> Seat:
        if (player, chair) not in self._seats:
            self._seats[player, chair] = make_seat(self._plan.players[player])
        return self._seats[player, chair]

    def abandon(self) -> None:
        """End the engines at once."""
        for seat in self._seats.values():
            seat.abandon()

    def close(self) -> None:
        """Let the engines quit."""
        for seat in self._seats.values():
            seat.close()
        self._seats.clear()


class InlineExecutor:
    """Plays one pair after another in this process."""

    def __init__(self, plan: Plan) -> None:
        """Nothing is started before the first pair."""
        self._plan = plan
        self._pool = SeatPool(plan)

    def play(self, tasks: Iterator[PairTask]) -> Results:
        """Play them in their order."""
        for task in tasks:
            yield play_here(self._plan, self._pool, task)

    def close(self) -> None:
        """Let the engines quit."""
        self._pool.close()


PlayPair = Callable[[Plan, SeatPool, PairTask], PairResult]
"""How a process plays a pair; a worker is handed it pickled."""


def play_here(plan: Plan, pool: SeatPool, task: PairTask) -> PairResult:
    """Play a pair with the referee in this process."""
    return play_pair(plan, task, pool.pair(task))


class _Worker:
    """What a worker process has; made by ``_begin``."""

    plan: Plan
    play: PlayPair
    pool: SeatPool


def _begin(plan: Plan, play: PlayPair) -> None:
    _Worker.plan, _Worker.play, _Worker.pool = plan, play, SeatPool(plan)
    atexit.register(_Worker.pool.close)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End with the process that hands out the work, however that one ends."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _Worker.pool.abandon()
        os._exit(1)


def _play(task: PairTask) -> PairResult:
    return _Worker.play(_Worker.plan, _Worker.pool, task)


class PoolExecutor:
    """Plays pairs in several processes. A worker that dies costs its pairs nothing but time."""

    def __init__(self, plan: Plan, workers: int, play: PlayPair = play_here) -> None:
        """``workers``: how many processes."""
        self._plan = plan
        self._play = play
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def _start(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(self._plan, self._play),
            )
        return self._pool

    def play(self, tasks: Iterator[PairTask]) -> Results:
        """Keep all workers busy."""
        tries: dict[int, int] = {}
        again: list[PairTask] = []
        running: dict[Future[PairResult], tuple[PairTask, ProcessPoolExecutor]] = {}
        while True:
            while len(running) < AHEAD * self._workers:
                task = again.pop() if again else next(tasks, None)
                if task is None:
                    break
                pool = self._start()
                running[pool.submit(_play, task)] = task, pool
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                task, pool = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    # Every pair in flight fails with the pool; which one ended it is not known.
                    self._drop(pool)
                    tries[task.number] = tries.get(task.number, 0) + 1
                    if tries[task.number] < TRIES:
                        again.append(task)
                    else:
                        yield lost(task, f"the process playing it died {TRIES} times")

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        if self._pool is pool:
            pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def close(self) -> None:
        """End the workers; pairs not handed out yet are given up."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def lost(task: PairTask, reason: str) -> PairResult:
    """The result of a pair that could not be played."""
    return PairResult(task.number, task.round, task.first, task.second, (), (), reason)


MakeExecutor = Callable[[Plan], Executor]


def local_executor(plan: Plan) -> Executor:
    """The executor for the plan's concurrency, refereeing in the playing processes."""
    return InlineExecutor(plan) if plan.concurrency == 1 else PoolExecutor(plan, plan.concurrency)
