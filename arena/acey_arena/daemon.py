"""A daemon of the arena's own to referee a run, and the executors that play through it.

Bots of ours are played at many tables at once over one connection, each with one request in flight.
Engines block while they think: they are played by worker processes, one table at a time each.
"""

import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from acey_arena import keeper
from acey_arena.executor import (
    Executor,
    PlayPair,
    PoolExecutor,
    Results,
    SeatPool,
    Tell,
    lost,
    untold,
)
from acey_arena.plan import Plan
from acey_arena.referee import PairTask, pair_script
from acey_arena.results import PairResult
from acey_arena.roster import make_seat
from acey_arena.seat import Seat
from acey_arena.table import RefereeError, Script
from acey_protocol.client_pipeline import Pipeline
from acey_protocol.errors import NoReply
from acey_protocol.lines import Reply

SERVE: Final = (sys.executable, "-P", "-m", "acey_daemon", "serve")
TABLES: Final = 256
"""Most tables played at once where only bots play: a daemon is the faster the more it does."""
FIRST_TABLES: Final = 16
QUICK_SECONDS: Final = 4.0
"""Tables are added while pairs take less than that; of slow bots, few are played at once."""
_SETTINGS: Final = f"""\
durability = "process"
requests_per_second = 0  # nobody else is there to be protected
max_arrived = {TABLES}
"""
START_SECONDS: Final = 30.0
END_SECONDS: Final = 10.0
REPLY_SECONDS: Final = 60.0
"""How long a daemon may be silent before it is given up."""
LOOK_SECONDS: Final = 0.5
"""How often it is looked whether a silent daemon still runs."""
TRIES: Final = 3
"""How often a pair is begun whose daemon ended under it, before it is void."""


class RefereeDaemon:
    """A daemon with a store of its own in a temporary folder.

    Its durability is ``process``: what a run keeps is in the run's folder, not in that store.
    """

    def __init__(self) -> None:
        """Start it. Raises RefereeError."""
        self._folder = tempfile.TemporaryDirectory(prefix="acey-arena-")
        where = Path(self._folder.name)
        self.address = f"ipc://{where / 'requests'}"
        self._log = where / "log"
        command = (
            *SERVE,
            *("--bind", self.address),
            *("--events", f"ipc://{where / 'events'}"),
            *("--store", str(where / "store.sqlite")),
            *("--config", str(where / "acey.toml")),
        )
        (where / "acey.toml").write_text(_SETTINGS)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, start_new_session=True
            )
        keeper.keep(self._process.pid, self._folder.name)
        try:
            self._await_start()
        except RefereeError:
            self.close()
            raise

    def _await_start(self) -> None:
        """Read what it announces: ``requests`` and ``events``, a line each."""
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        until, said = monotonic() + START_SECONDS, b""
        while said.count(b"\n") < 2:
            ready, _, _ = select.select([output], [], [], max(0.0, until - monotonic()))
            part = os.read(output, 4096) if ready else b""
            if not part:
                raise RefereeError(f"the daemon does not start: {self.last_words}")
            said += part

    @property
    def last_words(self) -> str:
        """The last line it wrote for people."""
        lines = self._log.read_text("utf-8", "replace").splitlines()
        return lines[-1] if lines else "it said nothing"

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it has ended, by itself or by force."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it and its folder."""
        self._process.terminate()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        keeper.release(self._process.pid)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()


class ManyTables:
    """Plays bots at many tables at once through one daemon."""

    def __init__(self, plan: Plan, tables: int = TABLES, tell: Tell = untold) -> None:
        """The daemon starts with the first pair."""
        self._plan = plan
        self._tell = tell
        self._tables = tables
        self._daemon: RefereeDaemon | None = None

    def play(self, tasks: Iterator[PairTask]) -> Results:
        """Keep the tables busy. When the daemon ends, its pairs are begun again at another."""
        tries: dict[int, int] = {}
        again: list[PairTask] = []
        while True:
            floor = _Floor(self._plan, self._start(), self._tables)
            try:
                with floor.pipeline:
                    yield from floor.play(again, tasks)
                return
            except NoReply as error:
                self._tell(gone(self._start(), error))
                self._stop()
                for task in floor.unfinished():
                    tries[task.number] = tries.get(task.number, 0) + 1
                    if tries[task.number] < TRIES:
                        again.append(task)
                    else:
                        yield lost(task, f"its daemon ended {TRIES} times: {error}")

    def _start(self) -> RefereeDaemon:
        if self._daemon is None:
            self._daemon = RefereeDaemon()
        return self._daemon

    def _stop(self) -> None:
        if self._daemon is not None:
            self._daemon.close()
            self._daemon = None

    def close(self) -> None:
        """End the daemon."""
        self._stop()


def gone(daemon: RefereeDaemon, error: NoReply | None = None) -> str:
    """What to say of a daemon that is replaced."""
    how = f"does not answer: {error}" if error is not None and not daemon.ended else "ended"
    return f"the daemon {how}; its last words: {daemon.last_words}; another is started"


def receive(pipeline: Pipeline, ended: Callable[[], bool]) -> list[Reply]:
    """The next replies. Raises NoReply when the daemon has ended or is silent for long."""
    until = monotonic() + REPLY_SECONDS
    while True:
        try:
            return pipeline.receive(LOOK_SECONDS)
        except NoReply:
            if ended() or monotonic() >= until:
                raise


def refuses(address: str) -> bool:
    """Whether nobody listens any more at an ``ipc://`` address, as a worker process can see it."""
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(address.removeprefix("ipc://"))
    except (ConnectionRefusedError, FileNotFoundError):
        return True
    return False


class _Floor:
    """The tables of one connection."""

    def __init__(self, plan: Plan, daemon: RefereeDaemon, tables: int) -> None:
        self.pipeline = Pipeline(daemon.address)
        self._daemon = daemon
        self._plan = plan
        self._most = tables
        self._tables = min(FIRST_TABLES, tables)
        self._waiting: dict[str, tuple[PairTask, Script[PairResult]]] = {}
        self._ready: list[tuple[str, PairTask, Script[PairResult]]] = []
        """Requests to be sent, and who asks."""
        self._began: dict[int, float] = {}
        """When each pair in play was begun, by its number."""

    def unfinished(self) -> list[PairTask]:
        return [task for task, _ in self._waiting.values()]

    def play(self, again: list[PairTask], tasks: Iterator[PairTask]) -> Results:
        while True:
            while len(self._waiting) < self._tables:
                task = again.pop() if again else next(tasks, None)
                if task is None:
                    break
                seats = _seats(self._plan, task)
                script = pair_script(self._plan, task, seats, at_daemon=True)
                self._began[task.number] = monotonic()
                self._waiting[self.pipeline.send(next(script))] = task, script
            if not self._waiting:
                return
            replies = receive(self.pipeline, lambda: self._daemon.ended)
            # All that is to be sent is sent together: to wake ZeroMQ's thread again and again takes
            # longer than anything else here.
            results = [self._advance(reply) for reply in replies]
            for request, task, script in self._ready:
                self._waiting[self.pipeline.send(request)] = task, script
            self._ready.clear()
            for result in results:
                if result is not None:
                    if monotonic() - self._began.pop(result.number) < QUICK_SECONDS:
                        self._tables = min(self._tables + 1, self._most)
                    yield result

    def _advance(self, reply: Reply) -> PairResult | None:
        """Let the script that asked go on; its result when that was its end."""
        task, script = self._waiting.pop(reply.id)
        try:
            request = script.send(reply)
        except StopIteration as end:
            return end.value
        except RefereeError as error:
            return lost(task, str(error))
        self._ready.append((request, task, script))
        return None


def _seats(plan: Plan, task: PairTask) -> tuple[Seat, Seat]:
    return make_seat(plan.players[task.first]), make_seat(plan.players[task.second])


def play_through(pipeline: Pipeline, script: Script[PairResult], task: PairTask) -> PairResult:
    """Play one pair, one request after another. Raises NoReply."""
    try:
        request = next(script)
        while True:
            pipeline.send(request)
            (reply,) = receive(pipeline, lambda: refuses(pipeline.address))
            request = script.send(reply)
    except StopIteration as end:
        return end.value
    except RefereeError as error:
        return lost(task, str(error))


class _Connected:
    """The connection of a worker process, made with its first pair."""

    pipeline: Pipeline | None = None


def play_at(address: str, plan: Plan, pool: SeatPool, task: PairTask) -> PairResult:
    """Play a pair in a worker process. Raises NoReply when the daemon is gone."""
    pipeline = _Connected.pipeline
    if pipeline is None or pipeline.address != address:
        if pipeline is not None:
            pipeline.close()
        pipeline = _Connected.pipeline = Pipeline(address)
    script = pair_script(plan, task, pool.pair(task), at_daemon=True)
    return play_through(pipeline, script, task)


class DaemonPool:
    """Worker processes that play at one daemon, and at another when that one ends."""

    def __init__(self, plan: Plan, tell: Tell = untold) -> None:
        """Start the daemon; the workers start with the first pairs. Raises RefereeError."""
        self._tell = tell
        self._begin()
        self._pool = PoolExecutor(plan, plan.concurrency, self, tell)

    def _begin(self) -> None:
        self._daemon = RefereeDaemon()
        self._way = partial(play_at, self._daemon.address)

    def play(self, tasks: Iterator[PairTask]) -> Results:
        """Keep all workers busy. Raises RefereeError when another daemon does not start."""
        return self._pool.play(tasks)

    def way(self) -> PlayPair:
        """Play at the daemon; at another when it has ended. Raises RefereeError."""
        if self._daemon.ended:
            self._replace(None)
        return self._way

    def failed(self, way: PlayPair, error: NoReply) -> None:
        """Start another daemon, unless that was done when another pair said the same."""
        if way is self._way:
            self._replace(error)

    def _replace(self, error: NoReply | None) -> None:
        self._tell(gone(self._daemon, error))
        self._daemon.close()
        self._begin()

    def close(self) -> None:
        """End the workers and the daemon."""
        self._pool.close()
        self._daemon.close()


def daemon_executor(plan: Plan, tell: Tell = untold) -> Executor:
    """Who plays the plan through a daemon. Raises RefereeError."""
    if all(player.bot for player in plan.players) and not plan.clock:
        return ManyTables(plan, tell=tell)
    return DaemonPool(plan, tell)
