"""Many requests in flight over one connection, for programs that play at many tables at once.

    with Pipeline(address) as pipeline:
        for line in ("ping", "hello"):
            pipeline.send(line)
        while pipeline.in_flight:
            for reply in pipeline.receive(5.0):
                ...

Nothing is sent again: what was in flight when a server went away is known by its ids.
"""

from types import TracebackType
from typing import Self

import zmq

from acey_protocol.errors import NoReply
from acey_protocol.lines import Reply, parse_reply


class Pipeline:
    """A connection on which requests do not wait for each other. Not thread-safe."""

    def __init__(self, address: str) -> None:
        """Connect; nothing is sent yet."""
        self.address = address
        self.in_flight = 0
        """Requests that have not been answered."""
        self._last_id = 0
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.linger = 0
        self._socket.sndhwm = self._socket.rcvhwm = 0  # what is in flight is for the user to bound
        self._socket.connect(address)

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
        self._socket.send_string(f"{self._last_id} {line}")
        return str(self._last_id)

    def receive(self, timeout: float) -> list[Reply]:
        """The replies that are there, at least one, waited for up to ``timeout`` seconds.

        Raises NoReply when none comes, ReplyError on bytes that are no reply.
        """
        if not self._socket.poll(round(timeout * 1000)):
            raise NoReply(f"{self.address}: no reply within {timeout:g} s")
        replies: list[Reply] = []
        while True:
            try:
                replies.append(parse_reply(self._socket.recv(zmq.NOBLOCK)))
            except zmq.Again:
                self.in_flight -= len(replies)
                return replies

    def close(self) -> None:
        """Close the connection."""
        self._socket.close(linger=0)
        self._context.term()
