"""Playing on a Dask cluster: pairs go to workers, each of which referees for itself.

Needs the extra ``[cluster]``. The run's folder stays with the process that hands the pairs out, and
what is played does not depend on who plays it. docs/tournaments.md §8.
"""

import atexit
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from importlib import import_module
from typing import Any, Final

import msgspec

from acey_arena.executor import AHEAD, Results, SeatPool, lost, play_here
from acey_arena.plan import Plan
from acey_arena.referee import PairTask
from acey_arena.results import PairResult
from acey_arena.table import RefereeError

SCHEME: Final = "dask://"
CONNECT_SECONDS: Final = 30


class ClusterError(Exception):
    """A cluster that cannot be played on; says why."""


class _Seats(threading.local):
    """The seats of one worker thread, for the plan it played last."""

    def __init__(self) -> None:
        self.plan = b""
        self.pool: SeatPool | None = None

    def of(self, encoded: bytes) -> tuple[Plan, SeatPool]:
        plan = msgspec.json.decode(encoded, type=Plan)
        if self.pool is None or self.plan != encoded:
            if self.pool is not None:
                self.pool.close()
            self.plan, self.pool = encoded, SeatPool(plan)
            atexit.register(self.pool.abandon)
        return plan, self.pool


_seats = _Seats()


def play_remote(encoded: bytes, task: tuple[int, int, int, int]) -> bytes:
    """Play a pair on a worker; plan and result travel as JSON."""
    plan, pool = _seats.of(encoded)
    return msgspec.json.encode(play_here(plan, pool, PairTask(*task)))


class ClusterExecutor:
    """Hands pairs to the workers of a cluster. One that dies costs its pairs nothing but time."""

    def __init__(self, plan: Plan, client: Any) -> None:
        """``client`` is a ``distributed.Client``; closing the executor closes it."""
        self._encoded = msgspec.json.encode(plan)
        self._client = client

    def play(self, tasks: Iterator[PairTask]) -> Results:
        """Keep all workers busy. Dask gives the pairs of a dead worker to others.

        Raises RefereeError when the scheduler itself is gone.
        """
        try:
            yield from self._play(tasks)
        except (OSError, CancelledError) as error:  # a closed connection, or all it had in hand
            reason = " ".join(str(error).split())
            raise RefereeError(f"the cluster's scheduler is gone: {reason}") from error

    def _play(self, tasks: Iterator[PairTask]) -> Results:
        running: dict[Any, PairTask] = {}
        done: Any = import_module("distributed").as_completed(loop=self._client.loop)

        def hand_out() -> None:
            room = AHEAD * max(1, sum(self._client.nthreads().values()))
            while len(running) < room and (task := next(tasks, None)) is not None:
                future = self._client.submit(
                    play_remote, self._encoded, tuple(task), pure=False, key=f"pair-{task.number}"
                )
                running[future] = task
                done.add(future)

        try:
            hand_out()
            while running:
                future = next(done)
                task = running.pop(future)
                error = future.exception()
                if error is None:
                    yield msgspec.json.decode(future.result(), type=PairResult)
                else:
                    yield lost(task, f"the cluster could not play it: {error}"[:500])
                future.release()
                hand_out()
        finally:
            for future in running:
                future.cancel()

    def close(self) -> None:
        """Leave the cluster."""
        self._client.close()


def cluster_executor(plan: Plan, address: str) -> ClusterExecutor:
    """Connect to a scheduler at ``dask://host:port``. Raises ClusterError."""
    if not address.startswith(SCHEME) or not address.removeprefix(SCHEME):
        raise ClusterError(f"a cluster is dask://host:port, not {address!r}")
    if plan.referee != "local":
        raise ClusterError("each worker of a cluster referees for itself; leave --referee away")
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        raise ClusterError(
            "playing on a cluster needs the extra: pip install 'aceydeucey[cluster]'"
        ) from error
    try:
        client = distributed.Client(
            f"tcp://{address.removeprefix(SCHEME)}", timeout=CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError) as error:
        raise ClusterError(f"{address}: {error}") from error
    return ClusterExecutor(plan, client)
