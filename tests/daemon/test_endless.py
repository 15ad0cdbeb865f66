"""Messages that never end harm only who sends them. spec/protocol.md §9."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest
import zmq
from tests.support.daemon import DEADLINE, Daemon
from tests.support.zmtp import MORE, framed, messages, raw_peer

from acey_daemon import intake as intake_module
from acey_daemon.access import make_client_keys, make_server_keys
from acey_daemon.intake import SHORT, Intake

MEGABYTE = 1024 * 1024
LARGE = framed(b"x" * MEGABYTE, MORE)
TOPICS = framed(b"\x01" + b"x" * 1000, MORE) * 1000
EMPTY = framed(b"", MORE) * (MEGABYTE // 2)
SETTINGS = "requests_per_second = 0\nmax_line = 65536\nmax_payload = 1048576\n"
"""Limits by which a message that is coming may have two megabytes."""
TRIES = 2000


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    (tmp_path / "acey.toml").write_text(SETTINGS)
    with Daemon(tmp_path, "--config", str(tmp_path / "acey.toml")) as daemon:
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
        before = daemon.memory()
        address = daemon.events if kind == "SUB" else daemon.requests
        with raw_peer(address, kind) as hostile:
            assert sent(hostile, data) < TRIES
        daemon.logged("endless message cut", 1)
        assert daemon.memory() - before < 500 * MEGABYTE
        other.ping()


@pytest.mark.parametrize("name", [b"", b"gamma"])
def test_it_is_cut_after_whole_ones_too(daemon: Daemon, name: bytes) -> None:
    with raw_peer(daemon.requests, "DEALER", name) as hostile:
        hostile.sendall(framed(b"ping" + b" " * 200) * 1000)
        assert messages(hostile, 1000) == [b"="] * 1000
        assert sent(hostile, LARGE) < TRIES
    daemon.logged("endless message cut", 1)


def test_it_is_cut_while_others_leave_no_pause_too(daemon: Daemon) -> None:
    with raw_peer(daemon.requests, "DEALER") as hostile, ExitStack() as stack:
        over = Event()
        for _ in range(3):
            busy = stack.enter_context(raw_peer(daemon.requests, "DEALER"))
            Thread(target=_flood, args=(busy, over)).start()
        stack.callback(over.set)
        assert sent(hostile, LARGE) < TRIES
        daemon.logged("endless message cut", 1)


def _flood(busy: socket.socket, over: Event) -> None:
    """Send small requests and read no reply."""
    with suppress(OSError):
        while not over.is_set():
            busy.sendall(framed(b"ping") * 100)


def test_whoever_sends_most_is_cut_when_memory_runs_out(tmp_path: Path) -> None:
    """The largest request of a daemon's own limits may be long; as empty frames it is too much."""
    with Daemon(tmp_path) as daemon, raw_peer(daemon.requests, "DEALER") as slow:
        data = b"1 validate\n" + b" " * (2 * MEGABYTE)
        request = framed(data)
        slow.sendall(request[:MEGABYTE])
        with raw_peer(daemon.requests, "DEALER") as hostile:
            assert sent(hostile, EMPTY) < 33
        daemon.logged("endless message cut", 1)
        slow.sendall(request[MEGABYTE:])
        (reply,) = messages(slow, 1)
        assert reply.startswith(b"?1 bad-record ")


def test_a_request_that_comes_slowly_is_waited_for(daemon: Daemon) -> None:
    with raw_peer(daemon.requests, "DEALER") as slow:
        request = framed(b"1 validate\n" + b" " * (MEGABYTE - 20))
        slow.sendall(request[: MEGABYTE - 100])
        for _ in range(3):
            with raw_peer(daemon.requests, "DEALER") as hostile:
                assert sent(hostile, LARGE) < TRIES
        slow.sendall(request[MEGABYTE - 100 :])
        (reply,) = messages(slow, 1)
        assert reply.startswith(b"?1 bad-record ")


def test_requests_that_are_whole_are_never_cut(daemon: Daemon) -> None:
    request = framed(b"1 validate\n" + b" " * (MEGABYTE - 20))
    with raw_peer(daemon.requests, "DEALER") as keen:
        for _ in range(300):
            keen.sendall(request)
        replies = messages(keen, 300)
    assert {reply.split()[1] for reply in replies} <= {b"bad-record", b"rate-limited", b"busy"}
    assert "endless" not in daemon.log.read_text()


def test_it_is_cut_where_connections_are_encrypted(tmp_path: Path) -> None:
    (tmp_path / "acey.toml").write_text(SETTINGS)
    keys = tmp_path / "keys"
    server = make_server_keys(keys)
    client = make_client_keys(keys, "alpha")
    options = ("--config", str(tmp_path / "acey.toml"), "--curve", str(keys))
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
        for _ in range(100):
            sock.send(b"x" * MEGABYTE, zmq.SNDMORE)
        sock.send(b"x")  # ZeroMQ's own clients send nothing of a message that is not whole
        daemon.logged("endless message cut", 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "data", "peers"),
    [("DEALER", LARGE, 2), ("DEALER", EMPTY, 4), ("SUB", EMPTY, 2), ("DEALER", EMPTY[:20_000], 20)],
)
def test_whoever_comes_again_and_again_is_cut_as_often(
    tmp_path: Path, kind: str, data: bytes, peers: int
) -> None:
    with Daemon(tmp_path) as daemon, daemon.client() as other, ExitStack() as stack:
        over = Event()
        address = daemon.events if kind == "SUB" else daemon.requests
        before = daemon.memory()
        for _ in range(peers):
            thread = Thread(target=_come_again, args=(address, kind, data, over))
            thread.start()
            stack.callback(thread.join)
        stack.callback(over.set)
        for _ in range(1000):
            other.ping()
            assert daemon.memory() - before < 2000 * MEGABYTE
            over.wait(0.01)
        daemon.logged("endless message cut", 4)


def _come_again(address: str, kind: str, data: bytes, over: Event) -> None:
    """Send without end, on one connection after the other."""
    while not over.is_set():
        with suppress(OSError), raw_peer(address, kind) as hostile:
            while not over.is_set():
                hostile.sendall(data)


@pytest.fixture
def router() -> Iterator[tuple[zmq.Socket[bytes], str]]:
    """A socket in this process, and where it listens."""
    with zmq.Context.instance().socket(zmq.ROUTER) as router:
        router.rcvtimeo = DEADLINE * 1000
        yield router, f"tcp://127.0.0.1:{router.bind_to_random_port('tcp://127.0.0.1')}"


@pytest.fixture
def intake(router: tuple[zmq.Socket[bytes], str], monkeypatch: pytest.MonkeyPatch) -> Intake:
    """What watches it, and takes its memory for grown whenever it looks."""
    monkeypatch.setattr(intake_module, "GROWTH", -(2**60))
    monkeypatch.setattr(intake_module, "KEPT", 20)
    intake = Intake(0)
    intake.watch([router[1]])
    return intake


def took(intake: Intake, router: zmq.Socket[bytes], messages: int) -> None:
    """Take so many messages and count them."""
    for _ in range(messages):
        name, frame = router.recv_multipart(copy=False)
        intake.sender(name.bytes, frame).delivered += len(frame)


def test_what_is_whole_and_was_not_taken_yet_is_not_cut(
    router: tuple[zmq.Socket[bytes], str], intake: Intake
) -> None:
    sock, address = router
    with raw_peer(address, "DEALER") as keen, raw_peer(address, "DEALER") as idle:
        for peer in (idle, keen):
            peer.sendall(framed(b"x"))
        took(intake, sock, 2)
        times = count(1.0)
        for _ in range(5):
            keen.sendall(framed(b"x" * MEGABYTE) * 4)
            while intake.seconds:
                intake.look(next(times), 0, drained=True)
            took(intake, sock, 3)
            intake.look(next(times), 3, drained=False)
            assert not intake.seconds, "somebody may not have had a turn"
            took(intake, sock, 1)
            intake.look(next(times), 1, drained=False)
            assert intake.seconds
        keen.sendall(framed(b"y"))
        took(intake, sock, 1)


def test_a_client_in_the_same_process_is_none_of_its_business(
    router: tuple[zmq.Socket[bytes], str], intake: Intake
) -> None:
    sock, address = router
    with zmq.Context.instance().socket(zmq.DEALER) as client:
        client.connect(address)
        for number in range(10):
            client.send(b"x" * SHORT)
            name, frame = sock.recv_multipart(copy=False)
            intake.sender(name.bytes, frame).delivered += len(frame)
            sock.send_multipart([name.bytes, b"y" * MEGABYTE])
            assert len(client.recv()) == MEGABYTE
            intake.look(number, 0, drained=True)
            assert intake.seconds, "nothing is coming"


def test_connections_that_are_gone_are_forgotten(
    router: tuple[zmq.Socket[bytes], str], intake: Intake
) -> None:
    for _ in range(100):
        with raw_peer(router[1], "DEALER") as peer:
            peer.sendall(framed(b"x"))
            took(intake, router[0], 1)
    assert len(intake.senders) < 50
