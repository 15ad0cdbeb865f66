"""How pairs are played: one after another in this process, or by several processes.

What is played does not depend on it: dice and seeds come from the plan and the pair's number.
"""

import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from types import FrameType
from typing import Final, NamedTuple, Protocol

from acey_arena.plan import Plan
from acey_arena.referee import PairTask, play_pair
from acey_arena.results import PairResult
from acey_arena.roster import make_seat
from acey_arena.seat import Seat
from acey_protocol.errors import NoReply

TRIES: Final = 3
"""How often a pair is handed out whose worker or daemon died with it before it is void."""
AHEAD: Final = 2
"""Pairs handed out for each worker, so that none waits for its next."""

Results = Generator[PairResult, None, None]
Tell = Callable[[str], None]
"""Told in words of what died and was replaced, for the log: no result says it."""


def untold(text: str) -> None:
    """For who keeps no log."""
    del text


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
"""How a process plays a pair; a worker is handed it pickled. Raises NoReply when the daemon that
referees is gone."""


def play_here(plan: Plan, pool: SeatPool, task: PairTask) -> PairResult:
    """Play a pair with the referee in this process."""
    return play_pair(plan, task, pool.pair(task))


class Referee(Protocol):
    """Who applies the rules for worker processes, and is replaced when it is gone."""

    def way(self) -> PlayPair:
        """How a pair is played now. Raises RefereeError."""
        ...

    def failed(self, way: PlayPair, error: NoReply) -> None:
        """What was played that way came to no end; it is not given by ``way`` again."""
        ...


class HereReferee:
    """The worker processes themselves."""

    def way(self) -> PlayPair:
        """Play where the pair is handed to."""
        return play_here

    def failed(self, way: PlayPair, error: NoReply) -> None:
        """Nobody else is asked, so nobody can fail to reply."""
        raise AssertionError(way) from error


class _Leash(Protocol):
    """An end of a pipe that nothing is written to; the other end closed is the sign."""

    def poll(self, timeout: float | None) -> bool: ...
    def close(self) -> None: ...


class _Worker:
    """What a worker process has; made by ``_begin``."""

    plan: Plan
    pool: SeatPool


def _begin(plan: Plan, leash: _Leash) -> None:
    """``leash``: its other end is closed when the worker is to end at once."""
    # Ctrl-C goes to every process of a terminal; what it means here is the parent's to say. A
    # handler, and not SIG_IGN, which the engines would inherit.
    signal.signal(signal.SIGINT, _leave_it)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _Worker.plan, _Worker.pool = plan, SeatPool(plan)
    atexit.register(_Worker.pool.close)
    threading.Thread(target=_end_with, args=(leash,), daemon=True).start()


def _leave_it(number: int, frame: FrameType | None) -> None:
    del number, frame


def _end_with(leash: _Leash) -> None:
    """End when the process that hands out the work says so, or has ended, however that was."""
    leash.poll(None)
    _Worker.pool.abandon()
    os._exit(1)


def _play(way: PlayPair, task: PairTask) -> PairResult:
    return way(_Worker.plan, _Worker.pool, task)


class _HandedOut(NamedTuple):
    """A pair that is being played."""

    task: PairTask
    pool: ProcessPoolExecutor
    way: PlayPair


class PoolExecutor:
    """Plays pairs in several processes.

    A worker or a referee that dies costs its pairs nothing but time.
    """

    def __init__(
        self, plan: Plan, workers: int, referee: Referee | None = None, tell: Tell = untold
    ) -> None:
        """``workers``: how many processes; ``referee``: they themselves, if none is given."""
        self._plan = plan
        self._tell = tell
        self._referee = referee or HereReferee()
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._leash: _Leash | None = None
        self._given_up = False

    def _start(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            theirs, self._leash = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(
                self._workers,
                mp_context=context,
                initializer=_begin,
                initargs=(self._plan, theirs),
            )
        return self._pool

    def play(self, tasks: Iterator[PairTask]) -> Results:
        """Keep all workers busy. Raises RefereeError when no referee can be had any more."""
        self._given_up = True  # unless this is carried to its end
        yield from self._play(tasks)
        self._given_up = False

    def _play(self, tasks: Iterator[PairTask]) -> Results:
        tries: dict[int, int] = {}
        again: list[PairTask] = []
        running: dict[Future[PairResult], _HandedOut] = {}
        while True:
            while len(running) < AHEAD * self._workers:
                task = again.pop() if again else next(tasks, None)
                if task is None:
                    break
                handed, future = self._hand_out(task)
                running[future] = handed
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                handed = running.pop(future)
                task = handed.task
                try:
                    result = future.result()
                except BrokenProcessPool:
                    # Every pair in flight fails with the pool; which one ended it is not known.
                    self._drop(handed.pool)
                    reason = f"the process playing it died, as it was tried {TRIES} times"
                except NoReply as error:
                    self._referee.failed(handed.way, error)
                    reason = f"its daemon ended, as it was tried {TRIES} times: {error}"
                else:
                    yield result
                    continue
                tries[task.number] = tries.get(task.number, 0) + 1
                if tries[task.number] < TRIES:
                    again.append(task)
                else:
                    yield lost(task, reason)

    def _hand_out(self, task: PairTask) -> tuple[_HandedOut, Future[PairResult]]:
        while True:
            handed = _HandedOut(task, self._start(), self._referee.way())
            # Workers start here, and are deaf to Ctrl-C until they have a handler for it.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return handed, handed.pool.submit(_play, handed.way, task)
            except BrokenProcessPool:  # a worker died since the last result came
                self._drop(handed.pool)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        if self._pool is pool:
            self._tell("a process that plays pairs died; others are started")
            pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
            self._let_go()

    def close(self) -> None:
        """End the workers, at once when pairs are given up that are being played."""
        if self._given_up:
            self._let_go()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        self._let_go()

    def _let_go(self) -> None:
        """End the workers of the pool, whatever they are doing."""
        if self._leash is not None:
            self._leash.close()
            self._leash = None


def lost(task: PairTask, reason: str) -> PairResult:
    """The result of a pair that could not be played."""
    return PairResult(task.number, task.round, task.first, task.second, (), (), reason)


def local_executor(plan: Plan, tell: Tell = untold) -> Executor:
    """The executor for the plan's concurrency, refereeing in the playing processes."""
    if plan.concurrency == 1:
        return InlineExecutor(plan)
    return PoolExecutor(plan, plan.concurrency, tell=tell)
