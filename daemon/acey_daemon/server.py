"""``acey serve``: the sockets around the service. spec/protocol.md §1.

One thread around one poller: take what has arrived, let the service do it and commit it, then send
the replies and publish the events. Nothing here knows a verb.
"""

import logging
import secrets
import signal
import socket
import time
from collections.abc import Callable
from typing import Final, NamedTuple, Self

import zmq

from acey_daemon.answering import Connection
from acey_daemon.service import Output, Service, Sources
from acey_daemon.settings import Settings
from acey_daemon.store import Store
from acey_protocol.errors import Code, refused
from acey_protocol.lines import write_error

log = logging.getLogger(__name__)

BATCH: Final = 512
"""Requests taken into one step: what one commit may hold."""
SUBSCRIPTIONS: Final = 256
"""Subscriptions looked at in one step."""
MAX_POLL: Final = 60.0
"""Seconds after which the loop looks up even if nothing happens."""
TOPIC: Final = "table."


class Bound(NamedTuple):
    """Where a server listens, free ports filled in."""

    requests: tuple[str, ...]
    events: tuple[str, ...]


class Server:
    """A daemon's sockets, bound; ``run`` serves them until ``stop``."""

    def __init__(self, settings: Settings) -> None:
        """Open the store and bind. Raises StoreError, zmq.ZMQError, OSError."""
        self.settings = settings
        self._store = Store(settings.store, settings.durability)
        sources = Sources(secrets.token_bytes, lambda: time.time_ns() // 1_000_000)
        try:
            self.service = Service(settings, self._store, sources, time.monotonic())
        except BaseException:
            self._store.close()
            raise
        self._context = zmq.Context()
        self._poller = zmq.Poller()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._poller.register(self._wake_in.fileno(), zmq.POLLIN)
        self._stopping = False
        try:
            self._router, requests = self._bind(zmq.ROUTER, settings.bind)
            self._publisher, events = self._bind(zmq.XPUB, settings.events)
        except BaseException:
            self.close()
            raise
        self.bound = Bound(requests, events)

    def _bind(
        self, kind: int, addresses: tuple[str, ...]
    ) -> tuple[zmq.Socket[bytes], tuple[str, ...]]:
        sock = self._context.socket(kind)
        sock.linger = 0
        if kind == zmq.ROUTER:
            sock.setsockopt(zmq.ROUTER_MANDATORY, 1)
        else:
            sock.setsockopt(zmq.XPUB_VERBOSE, 1)
        # A peer may send whole messages of a payload and a line; more is cut off by the sockets.
        sock.setsockopt(zmq.MAXMSGSIZE, self.settings.max_line + 4 * self.settings.max_payload)
        bound: list[str] = []
        for address in addresses:
            sock.bind(_bindable(address))
            bound.append(sock.getsockopt_string(zmq.LAST_ENDPOINT))
        self._poller.register(sock, zmq.POLLIN)
        return sock, tuple(bound)

    def __enter__(self) -> Self:
        """The server itself."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close sockets and store; what was sent before is delivered within a second."""
        self._context.destroy(linger=1000)
        self._wake_in.close()
        self._wake_out.close()
        self._store.close()

    def stop(self) -> None:
        """Let ``run`` return soon; for other threads and signal handlers."""
        self._stopping = True
        self._wake_out.send(b"\0")

    @property
    def wake_fd(self) -> int:
        """A descriptor that ends the poller's wait when a byte is written to it."""
        return self._wake_out.fileno()

    def run(self) -> None:
        """Serve until ``stop``; then write the clocks down and tell whoever waits."""
        while not self._stopping:
            self._turn()
        self._send(self.service.drain(time.monotonic()))

    def _turn(self) -> None:
        """One turn of the loop."""
        ready = dict(self._poller.poll(self._patience()))
        if self._wake_in.fileno() in ready:
            self._drain_wake()
        requests: list[tuple[Connection, bytes]] = []
        refusals: list[tuple[Connection, bytes]] = []
        if self._router in ready:
            self._receive(requests, refusals)
        output = self.service.step(requests, time.monotonic())
        self._send(output)
        self._send(Output(refusals, []))
        if self._publisher in ready:
            self._welcome()

    def _patience(self) -> int:
        """Milliseconds the poller may wait."""
        deadline = self.service.next_deadline()
        if deadline is None:
            return int(MAX_POLL * 1000)
        return int(max(0.0, min(deadline - time.monotonic(), MAX_POLL)) * 1000) + 1

    def _drain_wake(self) -> None:
        try:
            while self._wake_in.recv(4096):
                pass
        except BlockingIOError:
            pass

    def _receive(
        self, requests: list[tuple[Connection, bytes]], refusals: list[tuple[Connection, bytes]]
    ) -> None:
        """Take what has arrived: an identity, REQ's empty frame perhaps, and one frame."""
        router = self._router
        for _ in range(BATCH):
            try:
                frames = router.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            name = frames[0]
            if len(frames) == 2:
                requests.append((Connection(name), frames[1]))
            elif len(frames) == 3 and not frames[1]:
                requests.append((Connection(name, True), frames[2]))
            else:
                error = refused(
                    Code.SYNTAX, f"a request is one frame, not {max(len(frames) - 1, 0)}"
                )
                refusals.append((Connection(name), write_error(error)))

    def _send(self, output: Output) -> None:
        router, publisher = self._router, self._publisher
        for connection, reply in output.replies:
            frames = (
                [connection.name, b"", reply] if connection.delimited else [connection.name, reply]
            )
            try:
                router.send_multipart(frames, zmq.NOBLOCK)
            except zmq.ZMQError:
                self.service.counters["replies_lost"] += 1
        for topic, line in output.events:
            publisher.send_multipart((topic.encode(), line), zmq.NOBLOCK)

    def _welcome(self) -> None:
        """Tell new subscribers where their tables stand."""
        topics: set[bytes] = set()
        for _ in range(SUBSCRIPTIONS):
            try:
                message = self._publisher.recv(zmq.NOBLOCK)
            except zmq.Again:
                break
            if message[:1] == b"\x01":
                topics.add(message[1:])
        for topic in topics:
            line = self.service.welcome(topic.decode("ascii", "replace"), time.monotonic())
            if line is not None:
                self._publisher.send_multipart((topic, line), zmq.NOBLOCK)


def serve(settings: Settings, ready: Callable[[Bound], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT. ``ready`` is told where. Raises as ``Server`` does."""
    with Server(settings) as server:

        def stop(number: int, frame: object) -> None:
            del frame
            log.info("stopping: %s", signal.Signals(number).name)
            server.stop()

        previous = {
            number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)
        }
        wake = signal.set_wakeup_fd(server.wake_fd, warn_on_full_buffer=False)
        try:
            if ready is not None:
                ready(server.bound)
            server.run()
        finally:
            signal.set_wakeup_fd(wake)
            for number, handler in previous.items():
                signal.signal(number, handler)


def _bindable(address: str) -> str:
    """The address as ZeroMQ takes it: a port 0 is any free one."""
    return (
        f"{address[:-1]}*" if address.startswith("tcp://") and address.endswith(":0") else address
    )
