"""A daemon and a web server as processes, as their commands start them."""

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.acey import ACEY, DEADLINE

from acey_protocol.client import Client


class Server:
    """A process that says where it listens on its first lines."""

    def __init__(self, words: Sequence[str], log: Path) -> None:
        self._log = log
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [ACEY, *words], stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL
            )

    def line(self) -> str:
        """The next line it says."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode().strip()
        assert line, f"it did not start: {self._log.read_text('utf-8', 'replace')[-2000:]}"
        return line

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it and return its exit status."""
        os.kill(self.process.pid, number)
        status = self.process.wait(DEADLINE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


class Daemon:
    """``acey serve`` on free ports; it can be killed and started again on the same ones."""

    def __init__(self, folder: Path, *options: str) -> None:
        """Start it; its store and log go into ``folder``."""
        self._folder = folder
        self._options = options
        self.address = self.events = "tcp://127.0.0.1:0"
        self.start()

    def start(self) -> None:
        """Start it, again if it was killed."""
        store = str(self._folder / "tables.sqlite")
        words = ["serve", "--bind", self.address, "--events", self.events, "--store", store]
        words += self._options
        self._server = Server(words, self._folder / "daemon.log")
        announced = dict(self._server.line().split(" ", 1) for _ in range(2))
        self.address, self.events = announced["requests"], announced["events"]

    def kill(self) -> None:
        """Kill it without warning."""
        self._server.end(signal.SIGKILL)

    def client(self) -> Client:
        """A client of it."""
        return Client(self.address)

    def __enter__(self) -> Self:
        """The daemon itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        if self._server.process.poll() is None:
            self._server.end()


class Web:
    """``acey web`` before a daemon, on a free port."""

    def __init__(self, daemon: Daemon, folder: Path, *, published: bool = True) -> None:
        """Start it; ``published`` is whether it listens to the daemon's events."""
        events = daemon.events if published else ""
        self._words = ["--connect", daemon.address, "--events", events]
        self.log = folder / "web.log"
        self._listen = "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        """Start it, again if it was ended."""
        self._server = Server(["web", "--listen", self._listen, *self._words], self.log)
        self.url = self._server.line()
        self._listen = self.url.removeprefix("http://").rstrip("/")

    def end(self) -> None:
        """End it."""
        assert self._server.end() == 0

    def __enter__(self) -> Self:
        """The server itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        if self._server.process.poll() is None:
            self._server.end()
