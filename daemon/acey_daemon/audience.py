"""Who listens to which table. spec/protocol.md §1 and §7."""

import logging
from collections import Counter
from typing import TYPE_CHECKING, Final

import zmq

from acey_daemon.access import Wire, connection_of, cut
from acey_daemon.frames import drop
from acey_daemon.intake import Intake
from acey_daemon.listeners import Listeners
from acey_daemon.service import Service

if TYPE_CHECKING:
    from acey_daemon.access import Gate

log = logging.getLogger(__name__)

LISTENED_KEPT: Final = 100_000
"""Topics that are remembered as listened to before those of tables that are over are forgotten."""
SUBSCRIBE: Final = 10
"""Bytes of the word before a topic, as it is sent."""
SUBSCRIPTIONS: Final = 1024
"""Subscriptions looked at in one step."""
WELCOMED: Final = 16
"""Topics whose tables are looked up in one step; one that is over is read from the store."""
STRAYS: Final = 1000
"""Subscriptions to no topic of ours, after which a connection is cut: ZeroMQ keeps them all."""
STRAYING_KEPT: Final = 4096
"""Connections whose stray subscriptions are counted."""
ALL_TABLES: Final = frozenset((b"", b"table."))
"""Subscriptions to every table; they bring no state, only what happens."""


class Audience:
    """Lets subscribers in, and lets the service put out events of the tables they listen to."""

    def __init__(
        self,
        publisher: zmq.Socket[bytes],
        service: Service,
        gate: "Gate | None",
        intake: Intake,
        listeners: Listeners,
    ) -> None:
        """Nobody listens yet. ``publisher`` is an XPUB socket with XPUB_MANUAL set."""
        self._publisher = publisher
        self._service = service
        self._gate = gate
        self._intake = intake
        self._listeners = listeners
        self._listened: set[bytes] = set()
        """Topics that somebody has subscribed to. Who ends what is not to be trusted."""
        self._strays: Counter[Wire] = Counter()
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
            if len(topics) == WELCOMED:
                break
            try:
                frame = self._publisher.recv(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                break
            message = frame.bytes
            self._intake.sender(b"", frame).took(SUBSCRIBE + len(message))
            if frame.more:
                self._drop(frame)
                self._listeners.shut_doors(now)
                break  # it may have taken long
            if self._gate is not None and not self._gate.admits(frame):
                continue
            wanted, topic = message[:1] == b"\x01", message[1:]
            if not wanted:
                if topic in self._listened:
                    self._publisher.setsockopt(zmq.UNSUBSCRIBE, topic)
            elif topic in self._listened or topic in ALL_TABLES or self._knows(topic, frame):
                self._publisher.setsockopt(zmq.SUBSCRIBE, topic)
                self._listens(topic)
                topics.add(topic)
        for topic in topics - ALL_TABLES:
            line = self._service.welcome(topic, now)
            self._publisher.send_multipart((topic, line), zmq.NOBLOCK)

    def _drop(self, frame: zmq.Frame) -> None:
        """Drop a message of several frames, and cut whoever sends it.

        Of a message that is all subscriptions ZeroMQ does not say so.
        """
        wire = connection_of(frame)
        if wire is not None and cut(wire):
            log.warning("subscriber cut", extra={"fields": {"frames": "several"}})
        drop(self._publisher)

    def _knows(self, topic: bytes, frame: zmq.Frame) -> bool:
        """Whether a topic is that of a table. Cuts whoever asks for too many that are none."""
        wire = connection_of(frame)
        if wire is None or self._strays[wire] >= STRAYS:
            return False
        if self._service.knows(topic):
            return True
        self._strays[wire] += 1
        if self._strays[wire] == STRAYS:
            cut(wire)
            log.warning("subscriber cut", extra={"fields": {"subscriptions": STRAYS}})
        if len(self._strays) > STRAYING_KEPT:
            self._strays.clear()
        return False

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
