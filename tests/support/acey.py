"""``acey`` run as a process: alone, refused, or on a terminal."""

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

ACEY = Path(sys.executable).with_name("acey")
"""The command as it is installed."""
DEADLINE = 120
"""Seconds after which a process counts as hanging; a safety net, no assertion about time."""


def acey(
    *arguments: str, cwd: Path | None = None, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``acey`` to its end."""
    return subprocess.run(
        [ACEY, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        cwd=cwd,
        env=os.environ | environment,
        input=stdin,
    )


def refused(*arguments: str, status: int, stdin: str = "") -> str:
    """Run what is to be refused with one line on standard error; return that line."""
    result = acey(*arguments, stdin=stdin)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (status, "", 1)
    return result.stderr.rstrip("\n")


class Terminal:
    """``acey`` on a terminal: type keys, read what appears."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path | None = None,
        output: int | None = None,
        **environment: str,
    ) -> None:
        """Start it; ``output`` is where standard output goes instead of the terminal."""
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [ACEY, *arguments],
            stdin=theirs,
            stdout=theirs if output is None else output,
            stderr=theirs,
            cwd=cwd,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "30"} | environment,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def __enter__(self) -> Self:
        """The terminal itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process, if it did not end by itself."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._ours)

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self._ours, keys.encode())

    def read_until(self, text: str) -> str:
        """What appears up to and with ``text``, without terminal codes."""
        seen = ""
        while text not in seen:
            chunk = self._read()
            assert chunk, f"the terminal closed before {text!r} appeared; it showed {seen!r}"
            self.shown += chunk
            seen = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", seen + chunk)
        return seen

    def finish(self) -> int:
        """Read to the end and return the exit status."""
        while chunk := self._read():
            self.shown += chunk
        return self.process.wait(DEADLINE)

    def _read(self) -> str:
        ready, _, _ = select.select([self._ours], [], [], DEADLINE)
        assert ready, f"nothing more appeared; the terminal showed {self.shown!r}"
        try:
            return os.read(self._ours, 65536).decode(errors="replace")
        except OSError:  # how a terminal says that the other end is closed
            return ""
