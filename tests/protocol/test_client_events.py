"""The subscriber: the state first, then every event of the table, numbered without a gap."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import zmq

from acey_daemon.server import Server
from acey_daemon.settings import Settings
from acey_daemon.store import Store
from acey_protocol.client import Client
from acey_protocol.client_events import Heard, Subscriber
from acey_protocol.errors import ReplyError

FREE = "tcp://127.0.0.1:0"
PATIENCE = 30.0
"""Seconds before a wait is given up: a net for what never comes, no assertion about time."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    settings = Settings(bind=(FREE,), events=(FREE,), store=str(tmp_path / "tables.sqlite"))
    with Server(settings) as running:
        thread = threading.Thread(target=running.run)
        thread.start()
        yield running
        running.stop()
        thread.join()


def heard(subscriber: Subscriber) -> Heard:
    found = subscriber.hear(PATIENCE)
    assert found is not None
    return found


def test_the_state_comes_first_and_then_every_event(server: Server) -> None:
    with Client(server.bound.requests[0]) as client:
        table = client.open(x="alpha", o="beta", dice="seed:7")
        for token in (table.x, table.o):
            client.seat(table.table, token).wait(0)
        with Subscriber(server.bound.events[0], table.table) as subscriber:
            first = heard(subscriber)
            assert first.table == table.table
            assert first.text.startswith("state 1 0-0 ")
            client.seat(table.table, table.x).resign()
            last = client.state(table.table).seq
            events = [first]
            while events[-1].seq < last:
                events.append(heard(subscriber))
        assert [event.seq for event in events] == list(range(first.seq, last + 1))
        told = {seq: event.text() for seq, event in client.history(table.table)}
        assert {event.seq: event.text for event in events[1:]} == {
            seq: text for seq, text in told.items() if seq > first.seq
        }


def test_a_state_tells_nothing_that_comes_again_however_slow_the_disk_is(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "sync", lambda _store: time.sleep(0.2))
    with Client(server.bound.requests[0]) as client:
        table = client.open(x="alpha", o="beta", dice="seed:7")
        with (
            zmq.Context() as context,
            closing(context.socket(zmq.DEALER)) as sock,
            Subscriber(server.bound.events[0], table.table) as other,
        ):
            heard(other)  # so that events are told
            for token in (table.x, table.o):
                client.seat(table.table, token).wait(0)
            sock.linger = 0
            sock.connect(server.bound.requests[0])
            sock.send(f"resign {table.table} {table.x}".encode())
            with Subscriber(server.bound.events[0], table.table) as subscriber:
                numbers = [heard(subscriber).seq]
                sock.recv()
                last = client.state(table.table).seq
                while numbers[-1] < last:
                    numbers.append(heard(subscriber).seq)
                assert subscriber.hear(0.3) is None
            assert numbers == list(range(numbers[0], last + 1))


def test_without_a_table_all_are_heard(server: Server) -> None:
    with (
        Client(server.bound.requests[0]) as client,
        Subscriber(server.bound.events[0]) as subscriber,
    ):
        opened: set[str] = set()
        names: set[str] = set()
        # A subscription takes effect some time after it was made; tables are opened until then.
        while not names or not names <= opened:
            opened.add(client.open(x="a", o="b").table)
            event = subscriber.hear(0.1)
            names |= {event.table} if event is not None else set()
        assert names <= opened


def test_silence_is_told(server: Server) -> None:
    with Subscriber(server.bound.events[0], "nowhere") as subscriber:
        assert subscriber.hear(0) is None


def test_what_is_no_event_is_refused() -> None:
    with zmq.Context() as context, context.socket(zmq.XPUB) as publisher:
        publisher.linger = 0
        port = publisher.bind_to_random_port("tcp://127.0.0.1")
        with Subscriber(f"tcp://127.0.0.1:{port}") as subscriber:
            assert publisher.recv() == b"\x01table."
            publisher.send_multipart([b"table.7", b"no number"])
            with pytest.raises(ReplyError, match="is no event"):
                subscriber.hear(PATIENCE)
