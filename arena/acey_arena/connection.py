"""A connection to an engine that listens on TCP: lines with deadlines, like process.py."""

import select
import socket
from collections import deque
from collections.abc import Sequence
from time import monotonic

from acey_arena.process import LONGEST_LINE
from acey_arena.seat import Fault, FaultKind


class LineConnection:
    """A connected peer. Every failure is a Fault."""

    def __init__(self, address: str, limit: float) -> None:
        """Connect to ``host:port`` within ``limit`` seconds. Raises Fault (START)."""
        host, _, port = address.rpartition(":")
        try:
            self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout=limit)
        except (OSError, ValueError) as error:
            raise Fault(FaultKind.START, f"cannot connect to {address}: {error}") from error
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._address = address
        self._buffer = b""
        self._lines: deque[str] = deque()
        self._last_sent = ""

    def send(self, lines: Sequence[str], limit: float) -> None:
        """Write lines; a peer that does not read has ``limit`` seconds to take them."""
        data = "".join([f"{line}\n" for line in lines]).encode()
        self._last_sent = lines[-1].partition(" ")[0]
        until = monotonic() + limit
        while data:
            try:
                data = data[self._socket.send(data) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, until, "does not read its input")
            except OSError as error:
                raise Fault(FaultKind.CRASH, f"the connection is gone: {error}") from error

    def read_line(self, until: float) -> str:
        """The next line, waited for until that time of the monotonic clock."""
        while not self._lines:
            self._wait(select.POLLIN, until, f"no answer to '{self._last_sent}' in time")
            try:
                data = self._socket.recv(LONGEST_LINE)
            except OSError as error:
                raise Fault(FaultKind.CRASH, f"the connection is gone: {error}") from error
            if not data:
                raise Fault(FaultKind.CRASH, f"hung up after '{self._last_sent}'")
            *whole, self._buffer = (self._buffer + data).split(b"\n")
            self._lines.extend([line.decode("utf-8", "replace").rstrip("\r") for line in whole])
            if len(self._buffer) > LONGEST_LINE:
                reason = f"wrote more than {LONGEST_LINE} bytes without the end of a line"
                raise Fault(FaultKind.BABBLE, reason)
        return self._lines.popleft()

    def _wait(self, event: int, until: float, reason: str) -> None:
        ready = select.poll()
        ready.register(self._socket, event)
        left = until - monotonic()
        if left <= 0 or not ready.poll(int(left * 1000) + 1):
            raise Fault(FaultKind.HANG, reason)

    def end(self) -> None:
        """Hang up."""
        self._socket.close()
