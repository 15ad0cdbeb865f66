"""A disk that is really full: a small tmpfs. docs/operating.md, "The store"."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
import zmq
from tests.support.acey import refused
from tests.support.daemon import DEADLINE, Daemon
from tests.support.disk import SmallDisk
from tests.support.load import Load

from acey_daemon.audit import audit
from acey_protocol.client import Client
from acey_protocol.errors import Busy


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with SmallDisk(tmp_path / "disk") as disk:
        yield disk


def every_event(daemon: Daemon) -> zmq.Socket[bytes]:
    """A subscriber to all tables that misses nothing."""
    sock = zmq.Context.instance().socket(zmq.SUB)
    sock.linger = 0
    sock.rcvhwm = 0
    sock.rcvtimeo = 500
    sock.subscribe("table.")
    sock.connect(daemon.events)
    return sock


def published(sock: zmq.Socket[bytes]) -> Iterator[tuple[str, str]]:
    """Table and line of every event that has come."""
    while True:
        try:
            topic, line = sock.recv_multipart()
        except zmq.Again:
            return
        yield topic.decode().removeprefix("table."), line.decode()


def until(reached: Callable[[], bool]) -> Callable[[], bool]:
    """Wanted until something is reached; it counts as hanging when that takes too long."""
    deadline = time.monotonic() + DEADLINE

    def wanted() -> bool:
        assert time.monotonic() < deadline
        return not reached()

    return wanted


def open_until_refused(client: Client) -> list[str]:
    """Open tables until one is refused: the log may still have had room for a small group."""
    opened: list[str] = []
    why = ""
    while not why:
        try:
            opened.append(client.open().table)
        except Busy as error:
            why = str(error)
    assert why == "busy the store cannot be written now; nothing was changed"
    return opened


def test_a_disk_that_fills_under_load_loses_nothing_and_does_nothing_by_half(
    tmp_path: Path, disk: SmallDisk
) -> None:
    store = disk.folder / "store.sqlite"
    with ExitStack() as closing, Daemon(tmp_path, store=store) as daemon:
        load = Load(daemon, 8, Random())
        closing.callback(load.close)
        with every_event(daemon) as sock, daemon.client() as client:
            acknowledged = load.run_while(until(lambda: load.busy >= 8))
            disk.fill()  # the last page too
            load.resend()
            acknowledged += load.run_while(until(lambda: load.busy >= 16))
            assert load.check(daemon) <= acknowledged

            # Whatever changes nothing is answered; whatever does is refused, and leaves no trace.
            assert client.hello().protocol == "acey/1"
            assert client.request("legal", "--------------------------:15:15:x:63").text == "2"
            opened = open_until_refused(client)
            listed = {each.table for each in client.tables().tables}
            assert listed == {*load.acknowledged, *opened}
            stored = {table: client.history(table) for table in listed}
            for table, line in published(sock):
                seq, _, event = line.partition(" ")
                if not event.startswith("state "):
                    assert stored[table][int(seq) - 1][1].text() == event

        # Killed and started again while the disk is full, it knows what it knew.
        daemon.kill()
        daemon.start()
        assert load.check(daemon) <= acknowledged
        with daemon.client() as client:
            assert {table: client.history(table) for table in stored} == stored
            opened += open_until_refused(client)
            assert {each.table for each in client.tables().tables} == {*load.acknowledged, *opened}
        assert 'event="not stored"' in daemon.log.read_text()

        # There is room again: play goes on by itself.
        disk.make_room()
        load.resend()
        goal = load.done + 200
        acknowledged += load.run_while(until(lambda: load.done >= goal))
        assert load.check(daemon) <= acknowledged
        assert daemon.stop() == 0
    assert audit(store).flaws == ()


def serve(store: Path, status: int = 2) -> str:
    """Start a daemon that is to be refused; what it says."""
    listen = ("--bind", "tcp://127.0.0.1:0", "--events", "tcp://127.0.0.1:0")
    return refused("serve", *listen, "--store", str(store), status=status)


def test_a_daemon_that_finds_the_disk_full_says_so_and_starts_when_there_is_room(
    tmp_path: Path, disk: SmallDisk
) -> None:
    store = disk.folder / "store.sqlite"
    with Daemon(tmp_path) as elsewhere:
        with elsewhere.client() as client:
            table = client.open(x="alpha").table
        assert elsewhere.stop() == 0
        shutil.copy(elsewhere.store, store)
    disk.fill()
    full = f"acey: {store}: the disk is full; make room and try again, nothing stored is lost"
    assert serve(store) == full
    disk.make_room()
    with Daemon(tmp_path, store=store) as daemon, daemon.client() as client:
        assert client.state(table).x == "alpha"


def test_a_store_that_could_not_be_made_leaves_nothing_behind(
    tmp_path: Path, disk: SmallDisk
) -> None:
    store = disk.folder / "store.sqlite"
    disk.fill()
    assert "the disk is full; make room and try again" in serve(store)
    assert not store.exists()
    disk.make_room()
    with Daemon(tmp_path, store=store) as daemon, daemon.client() as client:
        assert client.state(client.open(x="alpha").table).x == "alpha"
