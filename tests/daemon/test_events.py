"""Events over a socket: first the state, then numbers without gaps. spec/protocol.md §1.2."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import zmq
from tests.support.daemon import DEADLINE, Daemon
from tests.support.world import World
from tests.support.zmtp import framed, raw_peer

from acey_daemon.audience import STRAYS, WELCOMED, Audience
from acey_daemon.listeners import Listeners
from acey_daemon.memory import Memory
from acey_daemon.service import Service
from acey_protocol.client import Client


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    with Daemon(tmp_path, "--rate", "0", "--durability", "process") as daemon:
        yield daemon


def subscriber(daemon: Daemon, topic: str, high_water: int = 0) -> zmq.Socket[bytes]:
    sock = zmq.Context.instance().socket(zmq.SUB)
    sock.linger = 0
    sock.rcvhwm = high_water
    if high_water:
        sock.rcvbuf = 4096  # what the system keeps does not hide that nobody reads
    sock.rcvtimeo = DEADLINE * 1000
    sock.subscribe(topic)
    sock.connect(daemon.events)
    return sock


def next_event(sock: zmq.Socket[bytes], topic: str) -> tuple[int, str]:
    got, line = sock.recv_multipart()
    assert got.decode() == topic
    seq, _, event = line.decode().partition(" ")
    return int(seq), event


def manual_game(client: Client, rules: str = "american") -> tuple[str, str, str]:
    """A table with dice by hand, X to play 6-3."""
    table = client.open(dice="manual", match=999, rules=rules)
    x, o = client.seat(table.table, table.x), client.seat(table.table, table.o)
    x.wait(0)
    o.wait(0)
    x.roll(None, "61")
    x.roll(None, "63")
    return table.table, table.x, table.o


def test_a_subscriber_in_mid_game_gets_the_state_and_then_everything(daemon: Daemon) -> None:
    with daemon.client() as client:
        table, x, o = manual_game(client)
        topic = f"table.{table}"
        with subscriber(daemon, topic) as sock:
            seq, event = next_event(sock, topic)
            state = client.state(table)
            assert (seq, event) == (
                state.seq,
                "state 1 0-0 --------------------------:15:15:x:63",
            )
            client.seat(table, x).play(None, "off/19 off/22")
            client.seat(table, o).roll(None, "11")
            client.seat(table, o).resign()
            expected = [(number, event.text()) for number, event in client.history(table, seq + 1)]
            assert [event.split()[0] for _, event in expected] == ["played", "rolled", "over"]
            assert [next_event(sock, topic) for _ in expected] == expected
            with subscriber(daemon, topic) as second:
                assert next_event(second, topic) == (
                    seq + 3,
                    "state 1 15-0 -------------------A--A---:13:15:o:11",
                )
            # The first subscriber sees that state too, with a number it has reached.
            assert next_event(sock, topic)[0] == seq + 3


def test_who_ends_what_it_never_began_silences_nobody(daemon: Daemon) -> None:
    with daemon.client() as client:
        table, x, _ = manual_game(client)
        topic = f"table.{table}"
        with subscriber(daemon, topic) as sock, raw_peer(daemon.events, "SUB") as hostile:
            assert next_event(sock, topic)[1].startswith("state ")
            for _ in range(3):
                hostile.sendall(framed(b"\x00" + topic.encode()))
            # Whatever it sent has been read when a subscription to another table is answered.
            other = client.open().table
            hostile.sendall(framed(b"\x01table." + other.encode()))
            heard = b""
            while b" state " not in heard:
                heard += hostile.recv(65536)
            client.seat(table, x).play(None, "off/19 off/22")
            assert next_event(sock, topic)[1].startswith("played x ")


def test_who_subscribes_to_what_is_not_there_again_and_again_is_cut(daemon: Daemon) -> None:
    with daemon.client() as client:
        table, x, _ = manual_game(client)
        topic = f"table.{table}"
        with subscriber(daemon, topic) as sock, raw_peer(daemon.events, "SUB") as hostile:
            assert next_event(sock, topic)[1].startswith("state ")
            # What is there may be subscribed to as often as one likes.
            there = framed(b"\x01" + topic.encode()) + framed(b"\x00" + topic.encode())
            hostile.sendall(there * 2 * STRAYS)
            hostile.sendall(b"".join(framed(b"\x01table.%08d" % n) for n in range(STRAYS - 1)))
            other = client.open().table.encode()
            hostile.sendall(framed(b"\x01table." + other))
            heard = b""
            while other not in heard:
                heard = heard[-20:] + hostile.recv(65536)
            assert "subscriber cut" not in daemon.log.read_text()
            hostile.sendall(framed(b"\x01nothing"))
            daemon.logged("subscriber cut", 1)
            with suppress(ConnectionResetError):
                while hostile.recv(65536):
                    pass
            client.seat(table, x).resign()
            while (event := next_event(sock, topic)[1]).startswith("state "):
                pass
            assert event.startswith("over o ")


def test_few_tables_are_looked_up_in_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each may have to be read from the store, while everybody else waits."""
    world = World(tmp_path)
    welcomed: list[bytes] = []

    def welcome(topic: bytes, now: float) -> bytes:
        welcomed.append(topic)
        return Service.welcome(world.service, topic, now)

    monkeypatch.setattr(world.service, "welcome", welcome)
    topics = {f"table.{world.open()[0]}".encode() for _ in range(3 * WELCOMED)}
    context = zmq.Context.instance()
    with context.socket(zmq.XPUB) as publisher, context.socket(zmq.SUB) as sock:
        publisher.setsockopt(zmq.XPUB_MANUAL, 1)
        port = publisher.bind_to_random_port("tcp://127.0.0.1")
        for topic in topics:
            sock.subscribe(topic)
        sock.connect(f"tcp://127.0.0.1:{port}")
        audience = Audience(
            publisher, world.service, None, Memory(0, sock.close, encrypted=False), Listeners(())
        )
        while len(welcomed) < len(topics):
            assert publisher.poll(DEADLINE * 1000)
            before = len(welcomed)
            audience.welcome(world.now)
            assert len(welcomed) - before <= WELCOMED
        sock.rcvtimeo = DEADLINE * 1000
        assert {sock.recv_multipart()[0] for _ in topics} == topics
    world.store.close()


def check_slow_subscriber(daemon: Daemon, tables: int, games: int) -> int:
    """Events pass while a subscriber sleeps; the gaps show, and history fills them exactly."""
    with daemon.client() as client, subscriber(daemon, "table.", high_water=1) as slow:
        made: list[tuple[str, str]] = []
        while len(made) < tables or not slow.poll(10):  # its subscription may take a while
            made.append(manual_game(client, "dice-board")[:2])
        first = next_line(slow)  # it listens from here on
        before = daemon.memory()
        for table, x in made:
            pump(daemon, table, x, games)
        assert daemon.memory() - before < 40_000_000
        for table, x in made:
            client.seat(table, x).resign()
        last = {table: client.state(table).seq for table, _ in made}
        seen: dict[str, dict[int, str]] = {table: {} for table, _ in made}
        seen[first[0]][first[1]] = first[2]
        slow.rcvtimeo = 1000
        while True:
            try:
                table, number, event = next_line(slow)
            except zmq.Again:
                break
            assert number > max(seen[table], default=0)
            seen[table][number] = event
        missed = 0
        for table, _ in made:
            history = {number: event.text() for number, event in client.history(table)}
            assert set(history) == set(range(1, last[table] + 1))
            assert all(history[number] == event for number, event in seen[table].items())
            missed += len(set(history) - set(seen[table]))
        return missed


def test_a_flood_of_subscriptions_takes_no_memory(tmp_path: Path) -> None:
    with Daemon(tmp_path, "--durability", "process") as daemon:
        before = daemon.memory()
        count = 0
        for _ in range(10):
            with raw_peer(daemon.events, "SUB") as hostile, suppress(OSError):
                for _ in range(300):
                    numbers = range(count, count + 1000)
                    hostile.sendall(b"".join(framed(b"\x01table.%08d" % n) for n in numbers))
                    count += 1000
        assert daemon.memory() - before < 16 * 1024 * 1024


def test_a_topic_longer_than_any_ends_its_connection(tmp_path: Path) -> None:
    with Daemon(tmp_path, "--durability", "process") as daemon:
        before = daemon.memory()
        with raw_peer(daemon.events, "SUB") as hostile, suppress(ConnectionError):
            topic = b"\x01" + bytes(4_000_000)
            hostile.sendall(framed(topic))
            hostile.settimeout(DEADLINE)
            while hostile.recv(65536):
                pass
        assert daemon.memory() - before < 16 * 1024 * 1024


def next_line(sock: zmq.Socket[bytes]) -> tuple[str, int, str]:
    topic, line = sock.recv_multipart()
    seq, _, event = line.decode().partition(" ")
    return topic.decode().removeprefix("table."), int(seq), event


def test_what_a_slow_subscriber_missed_is_in_the_history(daemon: Daemon) -> None:
    assert check_slow_subscriber(daemon, 4, 950) > 100


@pytest.mark.slow
def test_a_hundred_thousand_events_pass_a_sleeping_subscriber(daemon: Daemon) -> None:
    assert check_slow_subscriber(daemon, 36, 950) > 10_000


def pump(daemon: Daemon, table: str, x: str, games: int) -> None:
    """Begin and resign many games without awaiting each reply."""
    with zmq.Context.instance().socket(zmq.DEALER) as sock:
        sock.linger = 0
        sock.rcvtimeo = DEADLINE * 1000
        sock.connect(daemon.requests)
        for begin in range(0, games, 50):
            for _ in range(begin, begin + 50):
                sock.send(f"resign {table} {x}".encode())
                sock.send(f"roll {table} {x} 61".encode())
            for _ in range(100):
                reply = sock.recv()
                assert reply.startswith(b"= "), reply
