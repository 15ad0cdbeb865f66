"""A Prometheus endpoint inside the daemon's poller: GET anything, get the counters. Optional.

Only as much HTTP as a scraper speaks: one request a connection, answered and closed. A connection
that sends too much or is one too many is closed without an answer.
"""

import socket
from contextlib import suppress
from typing import Final

import zmq

REQUEST_BYTES: Final = 8192
CONNECTIONS: Final = 16
GAUGES: Final = ("tables_open", "waiting", "held", "uptime_seconds")
"""What can become less; everything else is counted from the start."""


def exposition(values: dict[str, float]) -> str:
    """Counters in Prometheus' text format."""
    lines: list[str] = []
    for name, value in values.items():
        full = f"acey_{name}"
        kind = "gauge" if name in GAUGES else "counter"
        lines += [f"# TYPE {full} {kind}", f"{full} {value:.15g}"]
    return "\n".join(lines) + "\n"


def _listener(address: str) -> socket.socket:
    """A socket that listens at ``<host>:<port>``. Raises OSError, ValueError."""
    host, _, port = address.rpartition(":")
    try:
        return socket.create_server((host.strip("[]"), int(port)))
    except OSError as error:
        # The library adds the address in its own form.
        why = (error.strerror or str(error)).partition(" (while ")[0]
        raise OSError(error.errno, f"metrics {address}: {why}") from error


class Metrics:
    """The endpoint."""

    def __init__(self, address: str, poller: zmq.Poller) -> None:
        """Listen at ``<host>:<port>``. Raises OSError, which names it, and ValueError."""
        self._poller = poller
        self._listener = _listener(address)
        self._listener.setblocking(False)
        self._poller.register(self._listener.fileno(), zmq.POLLIN)
        self._open: dict[int, tuple[socket.socket, bytes]] = {}
        name = self._listener.getsockname()
        self.address = f"{name[0]}:{name[1]}"
        """Where it listens, a free port filled in."""

    def close(self) -> None:
        """Stop listening."""
        for fd in list(self._open):
            self._drop(fd)
        self._poller.unregister(self._listener.fileno())
        self._listener.close()

    def serve(self, ready: dict[object, int], values: dict[str, float]) -> None:
        """Answer whoever has asked."""
        if self._listener.fileno() in ready:
            self._accept()
        for fd in [fd for fd in self._open if fd in ready]:
            self._read(fd, values)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        if len(self._open) >= CONNECTIONS:
            connection.close()
            return
        connection.setblocking(False)
        self._open[connection.fileno()] = (connection, b"")
        self._poller.register(connection.fileno(), zmq.POLLIN)

    def _read(self, fd: int, values: dict[str, float]) -> None:
        connection, got = self._open[fd]
        try:
            data = connection.recv(REQUEST_BYTES)
        except OSError:
            data = b""
        got += data
        if data and b"\r\n\r\n" not in got and len(got) < REQUEST_BYTES:
            self._open[fd] = (connection, got)
            return
        if got.startswith(b"GET ") and b"\r\n\r\n" in got:
            body = exposition(values).encode()
            head = (
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            with suppress(OSError):
                connection.send(head.encode() + body)
        self._drop(fd)

    def _drop(self, fd: int) -> None:
        connection, _ = self._open.pop(fd)
        self._poller.unregister(fd)
        connection.close()
