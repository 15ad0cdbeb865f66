"""An engine's process: lines to its standard input and from its output, each wait with a deadline.

No thread: one poll watches output and standard error together, so that an engine that writes much
to either is never blocked while it is waited for, and what it last said is at hand when it fails.
"""

import os
import select
import signal
import subprocess
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Final, Protocol

from acey_arena import keeper
from acey_arena.seat import Fault, FaultKind

LONGEST_LINE: Final = 64 * 1024
"""Bytes of a line; no answer is nearly as long."""
KEPT_LINES: Final = 20
"""How many lines of standard error are kept."""
KEPT_LENGTH: Final = 500
"""Characters kept of each."""
GRACE: Final = 0.5
"""Seconds an engine that closed its output, or was asked to quit, has to end by itself."""
_CHUNK: Final = 64 * 1024


class Channel(Protocol):
    """A peer that takes and gives lines: a process, or a connection."""

    def send(self, lines: Sequence[str], limit: float) -> None:
        """Send lines within ``limit`` seconds. Raises Fault."""
        ...

    def read_line(self, until: float) -> str:
        """The next line, waited for until that time of the monotonic clock. Raises Fault."""
        ...

    def end(self) -> None:
        """End it, whatever it is doing."""
        ...


class LineProcess:
    """A running engine. Every failure is a Fault that says what happened and after what."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the command in a process group of its own. Raises Fault (START)."""
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            words = error.strerror if isinstance(error, OSError) else None
            reason = f"{command[0]!r} does not start: {words or error}"
            raise Fault(FaultKind.START, reason) from error
        keeper.keep(self._process.pid)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe is not None)
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._buffer = b""
        self._lines: deque[str] = deque()
        self._errors = b""
        self._kept: deque[str] = deque(maxlen=KEPT_LINES)
        self._last_sent, self._sent_at = "", monotonic()
        self._last_read = ""

    # --- talking ---------------------------------------------------------------------------------

    def send(self, lines: Sequence[str], limit: float) -> None:
        """Write lines; an engine that does not read has ``limit`` seconds to take them."""
        data = "".join([f"{line}\n" for line in lines]).encode()
        self._last_sent, self._sent_at = lines[-1], monotonic()
        until = self._sent_at + limit
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                self._await_room(until)
            except BrokenPipeError:
                raise self._gone() from None

    def _await_room(self, until: float) -> None:
        left = until - monotonic()
        if left <= 0:
            raise self._fault(
                FaultKind.HANG, f"does not read its input; '{self._last_sent}' is due"
            )
        room = select.poll()
        room.register(self._in, select.POLLOUT)
        room.poll(_milliseconds(min(left, 0.1)))
        self._collect_errors()

    def read_line(self, until: float) -> str:
        """The next line of output, without its end."""
        while not self._lines:
            left = until - monotonic()
            if left <= 0:
                raise self._fault(FaultKind.HANG, self._silence(until))
            for descriptor, _ in self._poll.poll(_milliseconds(left)):
                if descriptor == self._out:
                    self._collect_output()
                else:
                    self._collect_errors()
        self._last_read = self._lines.popleft()
        return self._last_read

    def pending(self) -> list[str]:
        """The lines already there, without waiting."""
        for descriptor, _ in self._poll.poll(0):
            if descriptor == self._out:
                self._collect_output()
            else:
                self._collect_errors()
        lines = list(self._lines)
        self._lines.clear()
        return lines

    def _collect_output(self) -> None:
        data = os.read(self._out, _CHUNK)
        if not data:
            raise self._gone()
        *whole, self._buffer = (self._buffer + data).split(b"\n")
        self._lines.extend([line.decode("utf-8", "replace").rstrip("\r") for line in whole])
        if len(self._buffer) > LONGEST_LINE:
            self._buffer = b""
            reason = f"wrote more than {LONGEST_LINE} bytes without the end of a line"
            raise self._fault(FaultKind.BABBLE, reason)

    def _collect_errors(self) -> None:
        while True:
            try:
                data = os.read(self._err, _CHUNK)
            except BlockingIOError:
                return
            if not data:
                if self._errors:
                    self._keep(self._errors)
                    self._errors = b""
                self._poll.modify(self._err, 0)
                return
            *whole, rest = (self._errors + data).split(b"\n")
            self._errors = rest[-LONGEST_LINE:]
            for line in whole[-KEPT_LINES:]:
                self._keep(line)

    def _keep(self, line: bytes) -> None:
        self._kept.append(line.decode("utf-8", "replace").rstrip("\r")[:KEPT_LENGTH])

    # --- failing ---------------------------------------------------------------------------------

    def _silence(self, until: float) -> str:
        said = (
            f"its last line is '{self._last_read[:80]}'" if self._last_read else "it said nothing"
        )
        within = f"within {until - self._sent_at:.3g} s"
        return f"no answer to '{self._last_sent}' {within}; {said}"

    def _gone(self) -> Fault:
        """What to say of an engine that closed its output, or its input."""
        after = f" after '{self._last_sent}'" if self._last_sent else ""
        try:
            status = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return self._fault(FaultKind.CLOSED, f"closed its output and goes on{after}")
        return self._fault(FaultKind.CRASH, f"{ending(status)}{after}")

    def _fault(self, kind: FaultKind, reason: str) -> Fault:
        return Fault(kind, reason, self.last_lines)

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The last lines of its standard error up to now, the one not ended included."""
        self._collect_errors()
        rest = self._errors.decode("utf-8", "replace").rstrip("\r")[:KEPT_LENGTH]
        return (*self._kept, *([rest] if rest else []))[-KEPT_LINES:]

    # --- ending ----------------------------------------------------------------------------------

    def wait(self, limit: float) -> int | None:
        """The exit status, negative for a signal; None while it lives on after ``limit``."""
        try:
            return self._process.wait(limit)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """Kill it and whatever it started, and free what it held."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()
        keeper.release(self._process.pid)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()


def ending(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


def _milliseconds(seconds: float) -> int:
    """Rounded up, so that a poll never returns before its time."""
    return int(seconds * 1000) + 1
