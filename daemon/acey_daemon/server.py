"""``acey serve``: the sockets around the service. spec/protocol.md §1.

One thread around one poller: take what has arrived, let the service do it and commit it, then send
the replies and publish the events. Nothing here knows a verb.
"""

import gc
import logging
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from math import ceil
from pathlib import Path
from typing import Final, NamedTuple, Self

import zmq

from acey_daemon.access import AccessError, Gate, check_addresses
from acey_daemon.answering import Connection
from acey_daemon.audience import Audience
from acey_daemon.desk import Desk
from acey_daemon.frames import MOST_FRAMES, drop_rest, received
from acey_daemon.listeners import SHUT_SECONDS, Listeners
from acey_daemon.mailbox import RETRY_SECONDS, Mailbox
from acey_daemon.memory import HIGH_WATER, Memory
from acey_daemon.metrics import Metrics
from acey_daemon.service import Output, Service, Sources
from acey_daemon.settings import Settings
from acey_daemon.store import Store
from acey_daemon.syncing import Syncing
from acey_grammar import parse_play
from acey_protocol.lines import id_of

log = logging.getLogger(__name__)

MAX_POLL: Final = 60.0
"""Seconds after which the loop looks up even if nothing happens."""
BATCH: Final = 512
"""Requests taken into one step: what one commit may hold."""
BATCH_BYTES: Final = 32 * 1024 * 1024
"""Bytes of requests taken into one step."""
STEP_SECONDS: Final = 0.02
"""Processor time that the requests of one step should take: others wait that long for theirs."""
FEW: Final = 4
"""Requests of a step that nobody waits long for, so that what they cost is not looked at."""
FORGET: Final = 0.9
"""How much of what requests have cost is still expected after a step of cheaper ones."""
LONG_STEP: Final = 0.5
"""Seconds of a step that is not charged to any clock; a disk slower than that is waited for."""
SUBSCRIBER_BUFFER: Final = 256 * 1024
"""Bytes the system keeps for a subscriber, besides the 1000 events that ZeroMQ keeps."""
TOPIC_BYTES: Final = 1024
"""Bytes of a message from a subscriber; the handshake of CURVE needs half of them."""


class Bound(NamedTuple):
    """Where a server listens, free ports filled in."""

    requests: tuple[str, ...]
    events: tuple[str, ...]


class Server:
    """A daemon's sockets, bound; ``run`` serves them until ``stop``."""

    def __init__(self, settings: Settings) -> None:
        """Open the store and bind. Raises StoreError, AccessError, zmq.ZMQError, OSError."""
        check_addresses(
            (*settings.bind, *settings.events),
            curve=bool(settings.curve),
            insecure=settings.insecure,
        )
        self.settings = settings
        self._stopping = self._reloading = False
        self._cost = STEP_SECONDS / BATCH
        """Seconds of processor time that a request is expected to take."""
        self._stalled = 0.0
        """Seconds that long steps took: like the time a daemon is down, they are nobody's."""
        with ExitStack() as opened:
            self._store = Store(Path(settings.store), settings.durability)
            opened.callback(self._store.close)
            sources = Sources(secrets.token_bytes, lambda: time.time_ns() // 1_000_000)
            self.service = Service(settings, self._store, sources, self._now())
            self._context = zmq.Context()
            opened.callback(self._context.destroy, linger=1000)
            self._poller = zmq.Poller()
            self._wake_in, self._wake_out = socket.socketpair()
            for each in (self._wake_in, self._wake_out):
                each.setblocking(False)
                opened.callback(each.close)
            self._poller.register(self._wake_in.fileno(), zmq.POLLIN)
            self._gate = Gate(self._context, Path(settings.curve)) if settings.curve else None
            if self._gate is not None:
                self._poller.register(self._gate.socket, zmq.POLLIN)
            self._memory = Memory(settings.max_memory, self._wake, encrypted=bool(settings.curve))
            opened.callback(self._memory.close)
            self._router = self._socket(zmq.ROUTER)
            self._publisher = self._socket(zmq.XPUB)
            self.bound = Bound(
                self._bind(self._router, settings.bind),
                self._bind(self._publisher, settings.events),
            )
            self._memory.watch(*self.bound)
            self._listeners = Listeners((*self.bound.requests, *self.bound.events))
            opened.callback(self._listeners.close)
            self._mailbox = Mailbox(self._router, settings.max_backlog, self._memory)
            self._desk = Desk(settings, self.service.quota, self.service.counters, self._wake)
            opened.callback(self._desk.close)
            self._syncing = Syncing(self._store, self._send, self._wake)
            opened.callback(self._syncing.close)
            self._audience = Audience(
                self._publisher, self.service, self._gate, self._memory, self._listeners
            )
            self._metrics = Metrics(settings.metrics, self._poller) if settings.metrics else None
            if self._metrics is not None:
                opened.callback(self._metrics.close)
            self._closing = opened.pop_all()
        parse_play("-")  # the grammar is built now, and not in the middle of somebody's game
        log.info("serving", extra={"fields": self._facts()})

    def _facts(self) -> dict[str, object]:
        """What the log says of a daemon that has started."""
        facts: dict[str, object] = {
            "requests": ",".join(self.bound.requests),
            "events": ",".join(self.bound.events),
            "store": self.settings.store,
            "durability": self.settings.durability,
            "tables": len(self.service.tables),
            "curve": "on" if self._gate is not None else "off",
        }
        if self._metrics is not None:
            facts["metrics"] = self._metrics.address
        return facts

    def _socket(self, kind: int) -> zmq.Socket[bytes]:
        """A socket that is not bound yet."""
        sock = self._context.socket(kind)
        sock.linger = 0
        if kind == zmq.ROUTER:
            sock.setsockopt(zmq.ROUTER_MANDATORY, 1)
            sock.setsockopt(zmq.SNDHWM, HIGH_WATER)
            sock.setsockopt(zmq.RCVHWM, self.settings.max_arrived)
        else:
            sock.setsockopt(zmq.XPUB_MANUAL, 1)
            sock.setsockopt(zmq.SNDBUF, SUBSCRIBER_BUFFER)
            # Subscriptions are taken no faster than they are looked at; with 1, CURVE stands still.
            sock.setsockopt(zmq.RCVHWM, 2)
        # A request beyond its limits is answered; one beyond twice of them ends its connection, and
        # so does a topic that is longer than any: ZeroMQ keeps 45 bytes for each of its own.
        requests = 2 * (self.settings.max_line + self.settings.max_payload)
        sock.setsockopt(zmq.MAXMSGSIZE, requests if kind == zmq.ROUTER else TOPIC_BYTES)
        if self._gate is not None:
            self._gate.secure(sock)
        self._poller.register(sock, zmq.POLLIN)
        return sock

    def _bind(self, sock: zmq.Socket[bytes], addresses: tuple[str, ...]) -> tuple[str, ...]:
        """Bind, and say where."""
        bound: list[str] = []
        for address in addresses:
            sock.ipv6 = "[" in address
            try:
                sock.bind(_bindable(address))
            except zmq.ZMQError as error:
                why = f"{address}: {os.strerror(error.errno or 0)}"
                raise OSError(error.errno, why) from error
            bound.append(sock.getsockopt_string(zmq.LAST_ENDPOINT))
        return tuple(bound)

    def __enter__(self) -> Self:
        """The server itself."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close sockets and store; what was sent before is delivered within a second."""
        self._closing.close()

    def stop(self) -> None:
        """Let ``run`` return soon; for other threads and signal handlers."""
        self._stopping = True
        self._wake()

    def reload(self) -> None:
        """Let ``run`` read the list of client keys anew; for signal handlers."""
        self._reloading = True
        self._wake()

    def _wake(self) -> None:
        with suppress(BlockingIOError):
            self._wake_out.send(b"\0")

    @property
    def wake_fd(self) -> int:
        """A descriptor that ends the poller's wait when a byte is written to it."""
        return self._wake_out.fileno()

    def run(self) -> None:
        """Serve until ``stop``; then write the clocks down and tell whoever waits.

        Raises StoreError when the disk does not take what was committed; none of that was told.
        """
        while not self._stopping:
            self._turn()
        self._desk.stop()
        while self._desk.waiting:
            self._step([], self._now())
        self._syncing.put(self.service.drain(self._now()))
        self._syncing.flush()
        self._mailbox.flush()
        log.info("stopped", extra={"fields": {"tables": len(self.service.tables)}})

    def _now(self) -> float:
        """The time of all clocks: monotonic, long steps left out."""
        return time.monotonic() - self._stalled

    def _turn(self) -> None:
        """One turn of the loop."""
        ready: dict[object, int] = dict(self._poller.poll(self._patience()))
        if self._wake_in.fileno() in ready:
            self._woken()
        if self._gate is not None and self._gate.socket in ready:
            self._gate.answer()
        if self._mailbox.waiting:
            self._mailbox.flush()
        self._memory.check()
        self._syncing.release()
        self._stalled += self._syncing.wait_if_slow(LONG_STEP)
        began = self._now()
        arrived: list[tuple[Connection, bytes]] = []
        if self._router in ready:
            self._receive(arrived)
        self._memory.answering = True
        self._step(arrived, began)
        self._memory.answering = False
        if self._publisher in ready:
            self._syncing.flush()  # a state tells of nothing that is held back
            self._audience.welcome(self._now())
        if self._metrics is not None:
            self._metrics.serve(ready, self.values())
        if self._listeners.shut:
            waiting = self._router.poll(0) or self._publisher.poll(0)
            self._listeners.open_doors(all_received=not waiting)
        took = self._now() - began
        if took > LONG_STEP:
            self._stalled += took

    def _step(self, arrived: list[tuple[Connection, bytes]], now: float) -> None:
        """Do what has arrived, records aside, and what waited behind a record."""
        requests: list[tuple[Connection, bytes]] = []
        if self._desk.waiting:
            judged, requests = self._desk.finished(now)
            if judged:
                self._syncing.put(Output(judged, [], committed=False))
        requests += self._desk.sort(arrived, now)
        self.service.counters["replies_lost"] = self._mailbox.lost
        self.service.counters["syncs"] = self._syncing.syncs
        if len(requests) <= FEW:
            self._syncing.put(self.service.step(requests, now))
            return
        began = time.thread_time()
        output = self.service.step(requests, now)
        took = (time.thread_time() - began) / len(requests)
        self._cost = max(took, FORGET * self._cost, STEP_SECONDS / BATCH)
        self._syncing.put(output)

    def values(self) -> dict[str, float]:
        """All counters."""
        return self.service.stats(self._now())

    def _patience(self) -> int:
        """Milliseconds the poller may wait."""
        deadline = self.service.next_deadline()
        seconds = MAX_POLL if deadline is None else min(deadline - self._now(), MAX_POLL)
        if self._mailbox.waiting:
            seconds = min(seconds, RETRY_SECONDS)
        if self._listeners.shut:
            seconds = min(seconds, SHUT_SECONDS)
        if self._syncing.holding:
            seconds = min(seconds, LONG_STEP)
        return ceil(max(0.0, seconds) * 1000)

    def _woken(self) -> None:
        """A signal or another thread wants something."""
        with suppress(BlockingIOError):
            while self._wake_in.recv(4096):
                pass
        if self._reloading and self._gate is not None:
            self._reloading = False
            try:
                clients, cut = self._gate.reload()
                fields = {"clients": clients, "connections_cut": cut}
                log.info("client keys read", extra={"fields": fields})
            except AccessError as error:
                log.error("client keys not read", extra={"fields": {"why": str(error)}})

    def _receive(self, requests: list[tuple[Connection, bytes]]) -> None:
        """Take what has arrived, as much as one step should do."""
        size, long = 0, False
        router, gate, memory = self._router, self._gate, self._memory
        receive = router.recv
        for _ in range(int(STEP_SECONDS / self._cost) + 1):
            if size >= BATCH_BYTES or long:
                return
            # To ask after one request costs less than to try in vain for another.
            if len(requests) == 1 and not int(router.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
                return
            try:
                name = receive(zmq.NOBLOCK)
            except zmq.Again:
                return
            # After the name of the connection there is always a frame, mostly one.
            account = memory.accounts.get(name)
            if account is None or gate is not None:
                frame = receive(copy=False)
                account = memory.account(name, frame)
                admitted = gate is None or gate.admits(frame)
                data = frame.bytes
            else:
                admitted = True
                data = receive()
            account.taken += account.sent(len(data))
            connection = Connection(name)
            if router.get(zmq.RCVMORE):
                frames = received(router, data, account)
                long = drop_rest(router, account, memory, self._listeners)
                connection, data = _addressed(name, frames)
            if not admitted or account.over or self._mailbox.deaf(name):
                self.service.counters["requests_ignored"] += 1
                continue
            size += len(data)
            requests.append((connection, data))

    def _send(self, output: Output) -> None:
        # A connection's replies in a row: ZeroMQ's thread is woken once for them, not for each.
        for connection, reply in sorted(output.replies, key=_name):
            self._mailbox.send(connection, reply)
        for topic, line in output.events:
            self._publisher.send_multipart((topic.encode(), line), zmq.NOBLOCK)


def serve(settings: Settings, ready: Callable[[Bound], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT. ``ready`` is told where. Raises as ``Server`` does."""
    with Server(settings) as server:

        def stop(number: int, frame: object) -> None:
            del number, frame
            server.stop()

        def reload(number: int, frame: object) -> None:
            del number, frame
            server.reload()

        handlers = {signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: reload}
        previous = {number: signal.signal(number, each) for number, each in handlers.items()}
        wake = signal.set_wakeup_fd(server.wake_fd, warn_on_full_buffer=False)
        try:
            if ready is not None:
                ready(server.bound)
            gc.freeze()  # what is there from the start need not be looked through again and again
            server.run()
        finally:
            signal.set_wakeup_fd(wake)
            for number, handler in previous.items():
                signal.signal(number, handler)


def _addressed(name: bytes, frames: list[bytes]) -> tuple[Connection, bytes]:
    """A request of more frames than one; of one that is refused for that, its id alone."""
    delimited = not frames[0]
    parts = frames[1:] if delimited else frames
    data = parts[0] if len(parts) == 1 else id_of(parts[0]).encode()
    return Connection(name, delimited, len(parts) if len(frames) <= MOST_FRAMES else 0), data


def _name(addressed: tuple[Connection, bytes]) -> bytes:
    """Whose reply it is."""
    return addressed[0].name


def _bindable(address: str) -> str:
    """The address as ZeroMQ takes it: a port 0 is any free one."""
    return (
        f"{address[:-1]}*" if address.startswith("tcp://") and address.endswith(":0") else address
    )
