"""A subscriber to the events of a server's tables. spec/protocol.md §7.

    with Subscriber("tcp://127.0.0.1:5859") as subscriber:
        while True:
            heard = subscriber.hear(timeout=30)
            ...

Events may be lost on the way, as with any subscription: ``seq`` counts the events of each table
without gaps, so that whoever needs all of them asks the server's ``history`` for what is missing. A
subscription whose connection is lost is made again, and begins with the state again.
"""

from time import monotonic
from types import TracebackType
from typing import Final, NamedTuple, Self

import zmq

from acey_protocol.client_link import CurveKeys, Link, resolve
from acey_protocol.errors import BadAddress, NoReply, ReplyError

DEFAULT_EVENTS: Final = "tcp://127.0.0.1:5859"
TOPIC: Final = "table."
"""What the topic of a table's events starts with; the table's name follows."""


class Heard(NamedTuple):
    """One event as it was heard."""

    table: str
    seq: int
    """Its number at the table; of the first one heard, which tells the table's state, the number
    of the last event before it."""
    text: str
    """The event as its line says it."""


class Subscriber:
    """A subscription to one table, or to all. Not thread-safe."""

    def __init__(
        self,
        address: str = DEFAULT_EVENTS,
        table: str = "",
        *,
        curve: CurveKeys | None = None,
        context: "zmq.Context[zmq.Socket[bytes]] | None" = None,
    ) -> None:
        """Subscribe to the table, or without one to every table there is.

        ``curve`` is needed where the server encrypts. Raises BadAddress.
        """
        self.address = address
        resolve(address)
        self._own_context = context is None
        self._context = context or zmq.Context()
        try:
            self._link = Link(self._context, zmq.SUB, address, curve)
        except BadAddress:
            if self._own_context:
                self._context.term()
            raise
        self._link.socket.subscribe(f"{TOPIC}{table}")
        self._poller = zmq.Poller()
        for each in (self._link.socket, self._link.monitor):
            self._poller.register(each, zmq.POLLIN)

    def __enter__(self) -> Self:
        """The subscriber itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the subscription."""
        self._link.close()
        if self._own_context:
            self._context.term()

    @property
    def reached(self) -> bool:
        """Whether there ever was a connection, as far as ``hear`` has noticed."""
        return self._link.reached

    def hear(self, timeout: float) -> Heard | None:
        """The next event, or None when none comes within ``timeout`` seconds.

        Raises NoReply when none came and there is no connection, NotAdmitted when the server
        refuses one, ReplyError for what is no event. After NoReply it may be asked again.
        """
        link = self._link
        until = monotonic() + timeout
        while ready := dict(self._poller.poll(max(0, round((until - monotonic()) * 1000)))):
            if link.socket in ready:
                return read_event(link.socket.recv_multipart())
            link.look()
        if link.failing:
            raise NoReply(f"{self.address}: no events: {link.trouble()}")
        return None


def read_event(frames: list[bytes]) -> Heard:
    """An event from its frames. Raises ReplyError."""
    try:
        topic, line = (frame.decode() for frame in frames)
        seq, _, text = line.partition(" ")
        return Heard(topic.removeprefix(TOPIC), int(seq), text)
    except ValueError as error:
        raise ReplyError(f"{frames!r:.80} is no event") from error
