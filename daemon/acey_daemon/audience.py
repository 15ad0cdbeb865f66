"""Who listens to which table. spec/protocol.md §1 and §7."""

from typing import TYPE_CHECKING, Final

import zmq

from acey_daemon.service import Service

if TYPE_CHECKING:
    from acey_daemon.access import Gate

LISTENED_KEPT: Final = 100_000
"""Topics that are remembered as listened to before those of tables that are over are forgotten."""
SUBSCRIPTIONS: Final = 256
"""Subscriptions looked at in one step."""
ALL_TABLES: Final = frozenset((b"", b"table."))
"""Subscriptions to every table; they bring no state, only what happens."""


class Audience:
    """Lets subscribers in, and lets the service put out events of the tables they listen to."""

    def __init__(self, publisher: zmq.Socket[bytes], service: Service, gate: "Gate | None") -> None:
        """Nobody listens yet. ``publisher`` is an XPUB socket with XPUB_MANUAL set."""
        self._publisher = publisher
        self._service = service
        self._gate = gate
        self._listened: set[bytes] = set()
        """Topics that somebody has subscribed to. Who ends what is not to be trusted."""
        service.wanted = self.wanted

    def wanted(self, table: str) -> bool:
        """Whether anybody may listen to a table."""
        listened = self._listened
        return bool(listened) and (
            f"table.{table}".encode() in listened or not listened.isdisjoint(ALL_TABLES)
        )

    def welcome(self, now: float) -> None:
        """Let new subscribers in, and tell them where their tables stand.

        A subscription counts from here on, so that the state is the first thing it brings. What is
        no topic of ours is not kept.
        """
        topics: set[bytes] = set()
        for _ in range(SUBSCRIPTIONS):
            try:
                frame = self._publisher.recv(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                break
            if self._gate is not None and not self._gate.admits(frame):
                continue
            message = frame.bytes
            wanted, topic = message[:1] == b"\x01", message[1:]
            if not wanted:
                self._publisher.setsockopt(zmq.UNSUBSCRIBE, topic)
            elif topic in ALL_TABLES or self._service.knows(topic):
                self._publisher.setsockopt(zmq.SUBSCRIBE, topic)
                self._listens(topic)
                topics.add(topic)
        for topic in topics - ALL_TABLES:
            line = self._service.welcome(topic, now)
            self._publisher.send_multipart((topic, line), zmq.NOBLOCK)

    def _listens(self, topic: bytes) -> None:
        """Somebody listens from now on; forget tables that are over before there are too many."""
        self._listened.add(topic)
        if len(self._listened) > LISTENED_KEPT:
            tables = self._service.tables
            self._listened = {
                each
                for each in self._listened
                if each in ALL_TABLES or tables.in_memory(each.decode().partition(".")[2])
            }
