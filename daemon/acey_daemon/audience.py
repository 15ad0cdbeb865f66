"""Who listens to which table. spec/protocol.md §1 and §7."""

import logging
from collections import Counter
from typing import TYPE_CHECKING, Final

import zmq

from acey_daemon.access import Wire, cut
from acey_daemon.frames import drop_rest
from acey_daemon.listeners import Listeners
from acey_daemon.memory import Account, Memory
from acey_daemon.service import Service

if TYPE_CHECKING:
    from acey_daemon.access import Gate

log = logging.getLogger(__name__)

LISTENED_KEPT: Final = 100_000
"""Topics that are remembered as listened to before those of tables that are over are forgotten."""
SUBSCRIBE: Final = b"\x01"
SUBSCRIPTION: Final = (b"\x00", SUBSCRIBE)
"""How a message begins that ends or begins a subscription."""
COMMAND: Final = 9
"""Bytes by which the word before a topic is longer, as most peers send it, than ZeroMQ tells it."""
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
        memory: Memory,
        listeners: Listeners,
    ) -> None:
        """Nobody listens yet. ``publisher`` is an XPUB socket with XPUB_MANUAL set."""
        self._publisher = publisher
        self._service = service
        self._gate = gate
        self._memory = memory
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
            account = self._memory.account(b"", frame)
            message = frame.bytes
            wanted, topic = message[:1] == SUBSCRIBE, message[1:]
            if frame.more or message[:1] not in SUBSCRIPTION:
                account.taken += account.sent(len(message))
                self._end(account, "sends what is no subscription")
                if drop_rest(self._publisher, account, self._memory, self._listeners):
                    break  # others should have their turn
                continue
            account.taken += account.sent(COMMAND + len(message))
            if self._gate is not None and not self._gate.admits(frame):
                continue
            if not wanted:
                if topic in self._listened:
                    self._publisher.setsockopt(zmq.UNSUBSCRIBE, topic)
            elif topic in self._listened or topic in ALL_TABLES or self._knows(topic, account):
                self._publisher.setsockopt(zmq.SUBSCRIBE, topic)
                self._listens(topic)
                topics.add(topic)
        for topic in topics - ALL_TABLES:
            line = self._service.welcome(topic, now)
            self._publisher.send_multipart((topic, line), zmq.NOBLOCK)

    def _knows(self, topic: bytes, account: Account) -> bool:
        """Whether a topic is that of a table. Cuts whoever asks for too many that are none."""
        if account.wire is None or self._strays[account.wire] >= STRAYS:
            return False
        if self._service.knows(topic):
            return True
        self._strays[account.wire] += 1
        if self._strays[account.wire] == STRAYS:
            self._end(account, "subscribes to what is not there")
        if len(self._strays) > STRAYING_KEPT:
            self._strays.clear()
        return False

    def _end(self, account: Account, why: str) -> None:
        """Cut a subscriber, and let it come again later.

        Before a message that is no subscription ZeroMQ (libzmq 4.3.5) goes on to the next
        connection all the same, so that the subscriptions that arrive with it may be given to
        others than have asked for them. So there should be few.
        """
        if account.wire is not None and cut(account.wire):
            log.warning("subscriber cut", extra={"fields": {"why": why}})
        self._listeners.shut_doors()

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
