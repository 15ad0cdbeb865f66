"""Many requests in flight over one connection, for programs that play at many tables at once.

    with Pipeline(address) as pipeline:
        for line in ("ping", "hello"):
            pipeline.send(line)
        while pipeline.in_flight:
            for reply in pipeline.receive(5.0):
                ...

Nothing is sent again: what was in flight when a server went away is known by its ids.
"""

from time import monotonic
from types import TracebackType
from typing import Self

import zmq

from acey_protocol.client_link import CurveKeys, Link, resolve
from acey_protocol.errors import BadAddress, NoReply
from acey_protocol.lines import Reply, parse_reply


class Pipeline:
    """A connection on which requests do not wait for each other. Not thread-safe."""

    def __init__(self, address: str, *, curve: CurveKeys | None = None) -> None:
        """Connect; nothing is sent yet. Raises BadAddress."""
        self.address = address
        self.in_flight = 0
        """Requests that have not been answered."""
        self._last_id = 0
        resolve(address)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        try:
            self._link = Link(self._context, zmq.DEALER, address, curve)
        except BadAddress:
            self._context.term()
            raise
        self._poller = zmq.Poller()
        for each in (self._link.socket, self._link.monitor):
            self._poller.register(each, zmq.POLLIN)

    def __enter__(self) -> Self:
        """The pipeline itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def send(self, line: str) -> str:
        """Send a request, written without an id, and return the id it is given."""
        self._last_id += 1
        self.in_flight += 1
        self._link.socket.send(f"{self._last_id} {line}".encode())
        return str(self._last_id)

    def receive(self, timeout: float) -> list[Reply]:
        """The replies that are there, at least one, waited for up to ``timeout`` seconds.

        Raises NoReply when none comes, at once when the connection is lost, NotAdmitted when the
        server refuses one, ReplyError on bytes that are no reply.
        """
        link = self._link
        until = monotonic() + timeout
        while ready := dict(self._poller.poll(max(0, round((until - monotonic()) * 1000)))):
            if link.socket in ready:
                return self._replies()
            if link.look():
                raise NoReply(f"{self.address}: {link.trouble() or 'the connection was lost'}")
        raise NoReply(f"{self.address}: {link.trouble() or f'no reply within {timeout:g} s'}")

    def _replies(self) -> list[Reply]:
        """Every reply that has arrived."""
        replies: list[Reply] = []
        while True:
            try:
                replies.append(parse_reply(self._link.socket.recv(zmq.NOBLOCK)))
            except zmq.Again:
                self.in_flight -= len(replies)
                return replies

    def close(self) -> None:
        """Close the connection."""
        self._link.close()
        self._context.term()
