"""``acey serve`` as a process that a test starts, kills and starts again."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.acey import ACEY

from acey_protocol.client import Client

DEADLINE = 120
"""Seconds after which a process counts as hanging; a safety net, no assertion about time."""


class Daemon:
    """A daemon with a store of its own; started anew it listens where it did before."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        bind: str = "tcp://127.0.0.1:0",
        store: Path | None = None,
        program: Sequence[str | Path] = (ACEY,),
    ) -> None:
        """Start it, on free ports; its log lies in the folder, and its store unless it is given."""
        self.folder = folder
        self.store = store or folder / "store.sqlite"
        self.options = options
        self.program = program
        self.requests = bind
        self.events = "tcp://127.0.0.1:0"
        self.log = folder / "daemon.log"
        self.process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start it and wait until it listens."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [
                    *self.program,
                    "serve",
                    *("--bind", self.requests),
                    *("--events", self.events),
                    *("--store", str(self.store)),
                    *self.options,
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        guard = threading.Timer(DEADLINE, self.process.kill)
        guard.start()
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline().split() for _ in range(2)]
        guard.cancel()
        assert [line[:1] for line in lines] == [["requests"], ["events"]], self.log.read_text()
        self.requests, self.events = (line[1].replace("0.0.0.0", "127.0.0.1") for line in lines)

    def logged(self, event: str, times: int) -> None:
        """Wait until the log tells of an event so many times."""
        deadline = time.monotonic() + DEADLINE
        while self.log.read_text().count(event) < times:
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.02)

    def client(self, **options: float) -> Client:
        """A client of it."""
        return Client(self.requests, timeout=options.get("timeout", 10.0), attempts=3)

    def kill(self) -> None:
        """End it without a word."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ask it to stop and return its exit status."""
        return self._end(signal.SIGTERM)

    def _end(self, number: int) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        status = self.process.wait(DEADLINE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None
        return status

    def memory(self) -> int:
        """Bytes of it that are in memory."""
        assert self.process is not None
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def most_memory(self) -> int:
        """Bytes of it that have been in memory at most."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024

    def __enter__(self) -> Self:
        """The daemon itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Kill it, if it runs."""
        if self.process is not None:
            self.kill()


def witness(daemon: Daemon, table: str, token: str, seed: int, log: Path) -> subprocess.Popen[str]:
    """Start a random bot as a process that writes down every action acknowledged to it."""
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.support.witness",
            daemon.requests,
            table,
            str(seed),
            str(log),
        ],
        env=os.environ | {"ACEY_TOKEN": token},
        cwd=Path(__file__).parents[2],
        stderr=subprocess.PIPE,
        text=True,
    )
