"""The demonstration: a daemon of its own, two bots in processes of their own, one match.

What it starts stays in its process group, so that an interrupt from the terminal reaches all of it,
and is ended before ``play_match`` returns, whatever happens.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from acey_protocol.client import Client
from acey_protocol.errors import NoReply
from acey_protocol.events import Began
from acey_protocol.records import MatchRecord
from acey_protocol.replies import OpenedTable, TableState

ACEY: Final = (sys.executable, "-P", "-m", "acey_daemon")
"""``acey`` of this very installation; -P keeps the current folder out of its imports."""
STARTS: Final = 5
"""How often the daemon is started before the demonstration gives up."""
START_SECONDS: Final = 30.0
"""Seconds the daemon may take to say where it listens."""
LOOK_SECONDS: Final = 0.2
"""Seconds between two looks at how the match stands."""
LOOK_TIMEOUT: Final = 2.0
"""Seconds after which a look has failed, and the daemon itself is looked at."""
END_SECONDS: Final = 10.0
"""Seconds a process may take to end when told to, before it is killed."""
FREE_PORT: Final = "tcp://127.0.0.1:0"


class DemoError(Exception):
    """Why the demonstration could not go on, in the user's words."""


class Plan(NamedTuple):
    """What is to be played, and where it is kept meanwhile."""

    x: str
    """Name of the bot on X's side."""
    o: str
    match: int
    """Points the match goes to."""
    rules: str
    seed: int | None
    """Makes the whole match repeatable; None leaves dice and bots to chance."""
    folder: Path
    """Where the daemon's store and the logs go; it must exist."""


class Played(NamedTuple):
    """What came of it."""

    record: MatchRecord
    text: str
    """The record as notation."""


class _Process:
    """A process of ours, what it says on standard error kept in a log."""

    def __init__(
        self, name: str, words: Sequence[str], log: Path, secret: Mapping[str, str]
    ) -> None:
        """Start ``acey`` with these words; ``secret`` is added to its environment."""
        self.name = name
        self._log = log
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [*ACEY, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=os.environ | secret,
            )

    @property
    def failed(self) -> bool:
        """Whether it has ended otherwise than well."""
        return self.process.poll() not in (None, 0)

    def ended_with(self, seconds: float) -> int | None:
        """Its exit status, waited for; None when it runs on."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def first_lines(self, count: int) -> list[str]:
        """The first lines it writes to standard output. Raises DemoError when they do not come."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + START_SECONDS
        output = self.process.stdout.fileno()
        read = b""
        while read.count(b"\n") < count:
            ready, _, _ = select.select([output], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(output, 4096) if ready else b""
            if not chunk:
                raise DemoError(f"the {self.name} does not start: {self.last_words()}")
            read += chunk
        return read.decode().splitlines()[:count]

    def last_words(self) -> str:
        """How it ended and the last line of its log."""
        lines = self._log.read_text("utf-8", "replace").strip().splitlines()
        status = self.process.poll()
        if status is None:
            ended = "it still runs"
        elif status < 0:
            ended = f"killed by {signal.Signals(-status).name}"
        else:
            ended = f"exit status {status}"
        return f"{ended}; its last words: {lines[-1] if lines else 'none'}"

    def end(self) -> None:
        """End it, by force if it does not end when told to."""
        self.process.terminate()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


class _Stage:
    """Everything that runs for the demonstration; nothing of it outlives the ``with``."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._running: list[_Process] = []
        self._starts = 0
        self._bound = (FREE_PORT, FREE_PORT)
        self.daemon: _Process
        self.bots: list[_Process] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End what runs, the bots first; a second interrupt does not stop that."""
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for process in reversed(self._running):
            process.end()
        signal.signal(signal.SIGINT, before)

    @property
    def address(self) -> str:
        """Where the daemon takes requests."""
        return self._bound[0]

    def start_daemon(self) -> None:
        """Start the daemon on free ports, or again on those it had. Raises DemoError."""
        if self._starts == STARTS:
            raise DemoError(f"the daemon ended {STARTS} times; {self.daemon.last_words()}")
        self._starts += 1
        requests, events = self._bound
        store = str(self._plan.folder / "demo.sqlite")
        words = ["serve", "--bind", requests, "--events", events, "--store", store]
        self.daemon = self._start("daemon", words, "daemon.log", {})
        announced = dict(line.split(" ", 1) for line in self.daemon.first_lines(2))
        self._bound = (announced["requests"], announced["events"])

    def start_bots(self, table: OpenedTable) -> None:
        """Seat both bots, each in a process of its own."""
        for side, bot, token in (("X", self._plan.x, table.x), ("O", self._plan.o, table.o)):
            words = ["bot", "--name", bot, "--table", table.table, "--address", self.address]
            if self._plan.seed is not None:
                words += ["--seed", str(2 * self._plan.seed + (side == "O"))]
            name, log = f"bot {bot} ({side})", f"bot-{side.lower()}.log"
            self.bots.append(self._start(name, words, log, {"ACEY_TOKEN": token}))

    def _start(
        self, name: str, words: Sequence[str], log: str, secret: Mapping[str, str]
    ) -> _Process:
        process = _Process(name, words, self._plan.folder / log, secret)
        self._running.append(process)
        return process


def play_match(
    plan: Plan, look: Callable[[TableState, list[Began]], None], say: Callable[[str], None]
) -> Played:
    """Play the match and return its record.

    ``look`` is called again and again with how the match stands and the games that have begun since
    the last time, ``say`` with what should be known besides. A daemon that dies is started again,
    and the match goes on. Raises DemoError, and AceyError where the daemon answers what it should
    not.
    """
    with _Stage(plan) as stage:
        stage.start_daemon()
        say(f"daemon at {stage.address}, store and logs in {plan.folder}")
        # Looking must not take long, or a dead daemon is noticed late; the rest may.
        with (
            Client(stage.address, timeout=LOOK_TIMEOUT, attempts=1) as watcher,
            Client(stage.address, timeout=START_SECONDS, attempts=1) as client,
        ):
            dice = "fair" if plan.seed is None else f"seed:{plan.seed}"
            table = client.open(rules=plan.rules, x=plan.x, o=plan.o, match=plan.match, dice=dice)
            stage.start_bots(table)
            following = _Following(watcher, table.table, look)
            while not following.over():
                for bot in stage.bots:
                    if bot.failed:
                        raise DemoError(f"the {bot.name} ended early: {bot.last_words()}")
                if stage.daemon.process.poll() is not None:
                    say(f"the daemon ended: {stage.daemon.last_words()}; it is started again")
                    stage.start_daemon()
                time.sleep(LOOK_SECONDS)
            for bot in stage.bots:
                if bot.ended_with(START_SECONDS) != 0:
                    raise DemoError(f"the {bot.name} ended badly: {bot.last_words()}")
            return Played(client.record(table.table), client.record_text(table.table))


class _Following:
    """Looks at a table and misses no game, however fast they are played."""

    def __init__(
        self, client: Client, table: str, look: Callable[[TableState, list[Began]], None]
    ) -> None:
        self._client = client
        self._table = table
        self._look = look
        self._next = 1

    def over(self) -> bool:
        """Look once; whether the match is over. A silent daemon is looked at later."""
        try:
            state = self._client.state(self._table)
            # After the state, so that a match that is over has begun all its games in here.
            events = self._client.history(self._table, self._next)
        except NoReply:
            return False
        self._next += len(events)
        self._look(state, [event for _, event in events if isinstance(event, Began)])
        return state.status == "over"
