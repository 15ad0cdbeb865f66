"""Messages that never end harm only who sends them. docs/operating.md."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event, Thread

import pytest
import zmq
from tests.support.acey import ACEY
from tests.support.daemon import DEADLINE, Daemon
from tests.support.zmtp import MORE, framed, messages, raw_peer

from acey_daemon.access import make_client_keys, make_server_keys
from acey_daemon.answering import Connection
from acey_daemon.frames import LONG, MOST_FRAMES
from acey_daemon.mailbox import Mailbox
from acey_daemon.memory import KEPT, Memory

MEGABYTE = 1024 * 1024
LARGE = framed(b"x" * MEGABYTE, MORE)
TOPICS = framed(b"\x01" + b"x" * 1000, MORE) * 1000
EMPTY = framed(b"", MORE) * (MEGABYTE // 2)
MOST = 200 * MEGABYTE
SETTINGS = f"max_memory = {MOST}\nrequests_per_second = 0\n"
TRIES = 2000


def never() -> None:
    raise AssertionError("the thread that looks has failed")


@pytest.fixture
def config(tmp_path: Path) -> tuple[str, str]:
    """What lets a daemon have little memory."""
    (tmp_path / "acey.toml").write_text(SETTINGS)
    return "--config", str(tmp_path / "acey.toml")


@pytest.fixture
def daemon(tmp_path: Path, config: tuple[str, str]) -> Iterator[Daemon]:
    with Daemon(tmp_path, *config) as daemon:
        yield daemon


def sent(hostile: socket.socket, data: bytes) -> int:
    """How often something can be sent before the connection is cut."""
    for number in range(TRIES):
        try:
            hostile.sendall(data)
        except ConnectionError:
            return number
    return TRIES


@pytest.mark.parametrize(
    ("kind", "data"),
    [("DEALER", LARGE), ("REQ", LARGE), ("SUB", TOPICS), ("DEALER", EMPTY), ("SUB", EMPTY)],
)
def test_a_message_without_end_is_cut(daemon: Daemon, kind: str, data: bytes) -> None:
    with daemon.client() as other:
        other.ping()
        address = daemon.events if kind == "SUB" else daemon.requests
        with raw_peer(address, kind) as hostile:
            assert sent(hostile, data) < TRIES
        daemon.logged("connections_cut=1", 1)
        assert daemon.memory() < MOST + 500 * MEGABYTE
        other.ping()


@pytest.mark.parametrize("name", [b"", b"gamma", b"\0abcd"])
def test_it_is_cut_after_whole_ones_too(daemon: Daemon, name: bytes) -> None:
    with raw_peer(daemon.requests, "DEALER", name) as hostile:
        hostile.sendall(framed(b"ping" + b" " * 200) * 1000)
        assert messages(hostile, 1000) == [b"="] * 1000
        assert sent(hostile, LARGE) < TRIES
    daemon.logged("connections_cut=1", 1)


def test_it_is_cut_while_others_leave_no_pause_too(daemon: Daemon) -> None:
    with raw_peer(daemon.requests, "DEALER") as hostile, ExitStack() as stack:
        over = Event()
        for _ in range(3):
            busy = stack.enter_context(raw_peer(daemon.requests, "DEALER"))
            Thread(target=_flood, args=(busy, over)).start()
        stack.callback(over.set)
        assert sent(hostile, LARGE) < TRIES
        daemon.logged("too much memory", 1)


def _flood(busy: socket.socket, over: Event) -> None:
    """Send small requests and read no reply."""
    with suppress(OSError):
        while not over.is_set():
            busy.sendall(framed(b"ping") * 100)


@pytest.mark.parametrize("data", [LARGE, EMPTY])
def test_only_those_who_have_sent_most_are_cut(daemon: Daemon, data: bytes) -> None:
    """Those who wait, however much they have asked before, and whose request comes slowly."""
    request = framed(b"1 validate\n" + b" " * (MEGABYTE - 20))
    with raw_peer(daemon.requests, "DEALER") as slow, raw_peer(daemon.requests, "DEALER") as old:
        for _ in range(100):
            old.sendall(request)
            assert b" bad-record " in messages(old, 1)[0]
        slow.sendall(request[:-100])
        with raw_peer(daemon.requests, "DEALER") as hostile:
            assert sent(hostile, data) < TRIES
        daemon.logged("connections_cut=1", 1)
        slow.sendall(request[-100:])
        old.sendall(framed(b"ping"))
        assert b" bad-record " in messages(slow, 1)[0]
        assert messages(old, 1) == [b"="]


def test_nobody_is_cut_for_memory_that_others_take(tmp_path: Path) -> None:
    """With no memory at all allowed, those who have sent nothing that waits are left alone."""
    (tmp_path / "acey.toml").write_text("max_memory = 1\n")
    options = ("--config", str(tmp_path / "acey.toml"))
    with Daemon(tmp_path, *options) as daemon, raw_peer(daemon.requests, "DEALER") as peer:
        for _ in range(20):
            peer.sendall(framed(b"ping") + framed(b"x" * 1000)[:500])
            time.sleep(0.1)
            peer.sendall(framed(b"x" * 1000)[500:])
            assert messages(peer, 2)[0] == b"="
        assert "too much memory" not in daemon.log.read_text()


def test_it_is_cut_where_connections_are_encrypted(tmp_path: Path, config: tuple[str, str]) -> None:
    keys = tmp_path / "keys"
    server = make_server_keys(keys)
    client = make_client_keys(keys, "alpha")
    options = (*config, "--curve", str(keys))
    with Daemon(tmp_path, *options) as daemon, zmq.Context.instance().socket(zmq.DEALER) as sock:
        sock.linger = 0
        sock.sndhwm = 0
        sock.reconnect_ivl = -1
        sock.rcvtimeo = DEADLINE * 1000
        sock.curve_serverkey = server.public.encode()
        sock.curve_publickey, sock.curve_secretkey = (key.encode() for key in client)
        sock.connect(daemon.requests)
        for _ in range(100):
            sock.send(b"ping")
        assert {sock.recv() for _ in range(100)} == {b"="}
        for _ in range(400):
            sock.send(b"x" * MEGABYTE, zmq.SNDMORE)
        sock.send(b"x")  # ZeroMQ's own clients send nothing of a message that is not whole
        daemon.logged("connections_cut=1", 1)


def test_it_is_cut_when_no_descriptor_is_left(tmp_path: Path, config: tuple[str, str]) -> None:
    few = ("sh", "-c", 'ulimit -n 64 && exec "$0" "$@"', ACEY)
    with Daemon(tmp_path, *config, program=few) as daemon, ExitStack() as opened:
        hostile = opened.enter_context(raw_peer(daemon.requests, "DEALER"))
        host, _, port = daemon.requests.removeprefix("tcp://").partition(":")
        for _ in range(100):
            opened.enter_context(socket.create_connection((host, int(port))))
        assert sent(hostile, LARGE) < TRIES
        daemon.logged("connections_cut=1", 1)


@pytest.mark.parametrize("name", [b"", b"gamma"])
def test_a_whole_message_of_many_frames_ends_its_connection(daemon: Daemon, name: bytes) -> None:
    with raw_peer(daemon.requests, "DEALER", name) as hostile, daemon.client() as other:
        hostile.sendall(framed(b"1 ping"))
        assert messages(hostile, 1) == [b"=1"]
        hostile.sendall(framed(b"", MORE) * 200_000 + framed(b""))
        with pytest.raises(ConnectionError):
            messages(hostile, 1)
        other.ping()


@pytest.mark.parametrize("frames", [MOST_FRAMES, MOST_FRAMES + 1, MOST_FRAMES + LONG // 2])
def test_one_that_is_short_is_refused(daemon: Daemon, frames: int) -> None:
    with raw_peer(daemon.requests, "DEALER") as peer:
        peer.sendall(framed(b"1 ping", MORE) + framed(b"", MORE) * (frames - 2) + framed(b""))
        peer.sendall(framed(b"2 ping"))
        count = b"8" if frames == MOST_FRAMES else b"so many"
        refusal = b"?1 syntax a request is one frame, not " + count
        assert messages(peer, 2) == [refusal, b"=2"]


def test_others_have_their_turn_while_peers_come_again_with_long_messages(daemon: Daemon) -> None:
    """ZeroMQ puts each new connection behind all others, and takes from one after the other."""
    message = framed(b"", MORE) * 100_000 + framed(b"")
    with daemon.client() as other, ExitStack() as stack:
        over = Event()
        for _ in range(8):
            thread = Thread(target=_send_once, args=(daemon.requests, message, over))
            thread.start()
            stack.callback(thread.join)
        stack.callback(over.set)
        daemon.logged("long message", 20)
        for _ in range(200):
            other.ping()
    with daemon.client() as new:  # and the doors are open
        new.ping()


def _send_once(address: str, message: bytes, over: Event) -> None:
    """Send a message on each of many connections, one after the other."""
    while not over.is_set():
        with suppress(OSError), raw_peer(address, "DEALER") as hostile:
            hostile.sendall(message)
            hostile.recv(1)


def test_what_subscribers_send_does_not_take_twice_what_is_allowed(daemon: Daemon) -> None:
    """ZeroMQ copies it, all at once, when its last frame has come."""
    with raw_peer(daemon.events, "SUB") as hostile:
        whole = framed(b"", MORE) * 6_000_000 + framed(b"")
        with suppress(ConnectionError):
            hostile.sendall(whole)
        with pytest.raises(ConnectionError):
            messages(hostile, 1)
    daemon.logged("too much memory", 1)
    assert daemon.most_memory() < 2 * MOST


@pytest.mark.parametrize(
    "data", [framed(b"x"), framed(b"") * 2, framed(b"", MORE) * LONG + framed(b"x")]
)
def test_a_subscriber_that_sends_what_is_no_subscription_is_cut(
    daemon: Daemon, data: bytes
) -> None:
    with raw_peer(daemon.events, "SUB") as hostile, raw_peer(daemon.events, "SUB") as other:
        hostile.sendall(data)
        daemon.logged("subscriber cut", 1)
        with pytest.raises(ConnectionError):
            messages(hostile, 1)
        with daemon.client() as client:
            table = client.open().table
        other.sendall(framed(b"\x01table." + table.encode()))
        assert messages(other, 1)


def test_replies_that_nobody_reads_do_not_fill_it(daemon: Daemon) -> None:
    """Those go who have most of them, and nobody who reads or sends."""
    with ExitStack() as stack:
        slow = stack.enter_context(raw_peer(daemon.requests, "DEALER"))
        slow.sendall(framed(b"1 validate\n" + b" " * MEGABYTE)[:-100])
        other = stack.enter_context(raw_peer(daemon.requests, "DEALER"))
        other.sendall(framed(b"open x=" + b"x" * 64 + b" o=" + b"o" * 64) * 1000)
        messages(other, 1000)
        for name in (b"", b"gamma", b"delta", *[b""] * 17):
            deaf = stack.enter_context(raw_peer(daemon.requests, "DEALER", name))
            deaf.sendall(framed(b"tables format=json") * 300)
        daemon.logged("too much memory", 1)
        for _ in range(100):
            other.sendall(framed(b"tables format=json"))
            assert len(messages(other, 1)[0]) > 100_000
        slow.sendall(b" " * 100)
        assert b" bad-record " in messages(slow, 1)[0]
        assert daemon.most_memory() < MOST + 500 * MEGABYTE


def test_what_was_given_is_what_arrives() -> None:
    """Counted to the byte: else whoever has read much for long would count as reading nothing."""
    with zmq.Context.instance().socket(zmq.ROUTER) as router:
        router.rcvtimeo = DEADLINE * 1000
        port = router.bind_to_random_port("tcp://127.0.0.1")
        memory = Memory(MOST, never, encrypted=False)
        memory._ports = {port: False}
        mailbox = Mailbox(router, MEGABYTE, memory)
        with raw_peer(f"tcp://127.0.0.1:{port}", "DEALER") as peer:
            peer.sendall(framed(b"x"))
            name, frame = router.recv_multipart(copy=False)
            account = memory.account(name.bytes, frame)
            assert account.wire is not None
            for delimited in (False, True):
                for size in (0, 1, 254, 255, 256, 257, 10_000):
                    for _ in range(100):
                        mailbox.send(Connection(name.bytes, delimited), b"x" * size)
                        messages(peer, 2 if delimited else 1)
            held = memory._held_by(account.wire.fd)
            assert held is not None
            assert -200 < held.unread <= 0, "the handshake alone"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "data", "peers"),
    [("DEALER", LARGE, 2), ("DEALER", EMPTY, 4), ("SUB", EMPTY, 2), ("DEALER", EMPTY[:20_000], 20)],
)
def test_whoever_comes_again_and_again_is_cut_as_often(
    daemon: Daemon, kind: str, data: bytes, peers: int
) -> None:
    with daemon.client() as other, ExitStack() as stack:
        over = Event()
        address = daemon.events if kind == "SUB" else daemon.requests
        for _ in range(peers):
            thread = Thread(target=_come_again, args=(address, kind, data, over))
            thread.start()
            stack.callback(thread.join)
        stack.callback(over.set)
        for _ in range(1000):
            other.ping()
            assert daemon.memory() < MOST + 1000 * MEGABYTE
            over.wait(0.01)
        daemon.logged("too much memory", 4)


def _come_again(address: str, kind: str, data: bytes, over: Event) -> None:
    """Send without end, on one connection after the other."""
    while not over.is_set():
        with suppress(OSError), raw_peer(address, kind) as hostile:
            while not over.is_set():
                hostile.sendall(data)


def test_whoever_looks_no_more_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    woken = Event()
    memory = Memory(MOST, woken.set, encrypted=False)
    memory.watch([], [])
    memory.check()
    monkeypatch.setattr(Memory, "_resident", lambda _: 1 / 0)
    assert woken.wait(DEADLINE)
    with pytest.raises(ZeroDivisionError):
        memory.check()
    memory.close()


def test_where_the_system_does_not_say_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acey_daemon.memory._FILES", ("/proc/self/cmdline", "/proc/self/status"))
    memory = Memory(MOST, never, encrypted=False)
    memory.watch([], [])
    memory.close()
    assert not memory._thread.is_alive()


def test_connections_that_are_gone_are_forgotten() -> None:
    with zmq.Context.instance().socket(zmq.ROUTER) as router:
        router.rcvtimeo = DEADLINE * 1000
        port = router.bind_to_random_port("tcp://127.0.0.1")
        memory = Memory(0, never, encrypted=False)
        for _ in range(KEPT + 100):
            with raw_peer(f"tcp://127.0.0.1:{port}", "DEALER") as peer:
                peer.sendall(framed(b"x"))
                name, frame = router.recv_multipart(copy=False)
                memory.account(name.bytes, frame)
        assert len(memory.accounts) < KEPT


def test_what_was_taken_is_what_was_sent() -> None:
    """Counted to the byte: else whoever has sent much for long would count as holding it."""
    with zmq.Context.instance().socket(zmq.ROUTER) as router:
        router.rcvtimeo = DEADLINE * 1000
        port = router.bind_to_random_port("tcp://127.0.0.1")
        memory = Memory(MOST, never, encrypted=False)
        memory.watch([f"tcp://127.0.0.1:{port}"], [])
        with raw_peer(f"tcp://127.0.0.1:{port}", "DEALER") as peer:
            for size in (0, 1, 254, 255, 256, 257, 10_000):
                for _ in range(200):
                    peer.sendall(framed(b"x" * size))
                    name, frame = router.recv_multipart(copy=False)
                    account = memory.account(name.bytes, frame)
                    account.taken += account.sent(len(frame))
            (account,) = memory._by_wire.values()
            assert memory.holds(account, 1)
            assert not memory.holds(account, 200), "the handshake alone"
        memory.close()
