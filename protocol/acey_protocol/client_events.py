"""A subscriber to the events of a server's tables. spec/protocol.md §7.

    with Subscriber("tcp://127.0.0.1:5859") as subscriber:
        while True:
            heard = subscriber.hear(timeout=30)
            ...

Events may be lost on the way, as with any subscription: ``seq`` counts the events of each table
without gaps, so that whoever needs all of them asks the server's ``history`` for what is missing.
"""

from types import TracebackType
from typing import Final, NamedTuple, Self

import zmq

from acey_protocol.errors import ReplyError

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
        context: "zmq.Context[zmq.Socket[bytes]] | None" = None,
    ) -> None:
        """Subscribe to the table, or without one to every table there is."""
        self._own_context = context is None
        self._context = context or zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.linger = 0
        self._socket.subscribe(f"{TOPIC}{table}")
        self._socket.connect(address)

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
        self._socket.close(linger=0)
        if self._own_context:
            self._context.term()

    def hear(self, timeout: float) -> Heard | None:
        """The next event, or None when none comes within ``timeout`` seconds.

        Raises ReplyError for what is no event.
        """
        if not self._socket.poll(int(timeout * 1000)):
            return None
        frames = self._socket.recv_multipart()
        try:
            topic, line = (frame.decode() for frame in frames)
            seq, _, text = line.partition(" ")
            return Heard(topic.removeprefix(TOPIC), int(seq), text)
        except ValueError as error:
            raise ReplyError(f"{frames!r:.80} is no event") from error
