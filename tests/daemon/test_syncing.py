"""What the service says does not leave the daemon before the disk has what it tells of."""

import os
from collections.abc import Iterator
from math import inf
from pathlib import Path
from threading import Event, Timer

import pytest

from acey_daemon.answering import Connection
from acey_daemon.service import Output
from acey_daemon.store import Durability, Store, StoreError
from acey_daemon.syncing import MOST_HELD, Syncing

ALPHA = Connection(b"alpha")


def output(text: bytes, committed: bool = True, replies: int = 1) -> Output:
    return Output([(ALPHA, text)] * replies, [], committed)


class Disk:
    """A store whose disk takes as long as the test wants."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store = Store(folder / "store.sqlite", "disk")
        self.began, self.may_end, self.woken = Event(), Event(), Event()
        self.broken = False
        self.syncs = 0
        monkeypatch.setattr(self.store, "sync", self._sync)
        self.sent: list[bytes] = []
        self.syncing = Syncing(self.store, self._send, self.woken.set)

    def _sync(self) -> None:
        self.syncs += 1
        self.began.set()
        assert self.may_end.wait(10)
        if self.broken:
            raise StoreError("the disk is broken")

    def _send(self, output: Output) -> None:
        self.sent += [reply for _, reply in output.replies]

    def end_sync(self) -> None:
        """Let the disk be done, and send what may be sent."""
        self.may_end.set()
        assert self.woken.wait(10)
        self.woken.clear()
        self.syncing.release()


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk(tmp_path, monkeypatch)
    yield disk
    disk.may_end.set()
    disk.syncing.close()
    disk.store.close()


def test_nothing_is_sent_before_the_disk_has_it_and_all_in_order(disk: Disk) -> None:
    disk.syncing.put(output(b"before", committed=False))
    assert disk.sent == [b"before"]
    disk.syncing.put(output(b"first"))
    assert disk.began.wait(10)
    # Those that come while the disk is busy are brought there together, the next time.
    disk.syncing.put(output(b"second"))
    disk.syncing.put(output(b"told of the second", committed=False))
    disk.syncing.put(output(b"third"))
    disk.syncing.release()
    assert disk.sent == [b"before"]
    disk.end_sync()
    while len(disk.sent) < 5:
        disk.end_sync()
    assert disk.sent == [b"before", b"first", b"second", b"told of the second", b"third"]
    assert disk.syncs == disk.syncing.syncs == 2
    disk.syncing.put(output(b"after", committed=False))
    assert disk.sent[-1] == b"after"


def test_the_first_sync_lets_go_only_what_came_before_it(disk: Disk) -> None:
    disk.syncing.put(output(b"first"))
    assert disk.began.wait(10)
    disk.syncing.put(output(b"second"))
    disk.began.clear()
    disk.may_end.set()
    assert disk.woken.wait(10)
    disk.may_end.clear()
    if disk.began.wait(10):  # the second sync goes on, or has gone on while we looked
        disk.syncing.release()
    assert disk.sent in ([b"first"], [b"first", b"second"])
    disk.may_end.set()
    disk.syncing.flush()
    assert disk.sent == [b"first", b"second"]


def test_a_disk_that_fails_ends_it_and_nothing_is_told(disk: Disk) -> None:
    disk.broken = True
    disk.syncing.put(output(b"lost"))
    with pytest.raises(StoreError, match="the disk is broken"):
        disk.end_sync()
    with pytest.raises(StoreError, match="the disk is broken"):
        disk.syncing.flush()
    assert disk.sent == []


def test_a_thread_that_ends_lets_nothing_through(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault() -> None:
        raise ValueError("a fault of ours")

    monkeypatch.setattr(disk.store, "sync", fault)
    disk.syncing.put(output(b"lost"))
    with pytest.raises(ValueError, match="a fault of ours"):
        disk.end_sync()
    disk.syncing.close()
    disk.syncing.put(output(b"lost too"))
    assert disk.sent == []


def test_a_slow_disk_is_waited_for_and_that_time_is_told(disk: Disk) -> None:
    assert disk.syncing.wait_if_slow(0.0) == 0.0
    disk.syncing.put(output(b"first"))
    assert disk.began.wait(10)
    assert disk.syncing.holding
    assert disk.syncing.wait_if_slow(60.0) == 0.0
    assert disk.sent == []
    Timer(0.05, disk.may_end.set).start()
    assert disk.syncing.wait_if_slow(0.0) > 0.0
    assert disk.sent == [b"first"]
    assert not disk.syncing.holding


def quick_until(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a disk be called quick that takes so long."""
    monkeypatch.setattr("acey_daemon.syncing.QUICK_SECONDS", seconds)
    monkeypatch.setattr("acey_daemon.syncing.MAYBE_QUICK_SECONDS", seconds)


def test_a_quick_disk_is_waited_for_at_once(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    quick_until(inf, monkeypatch)
    disk.syncing.put(output(b"first"))
    disk.end_sync()
    disk.syncing.put(output(b"second"))
    assert disk.sent == [b"first", b"second"]
    assert disk.syncs == 2
    # When it is quick no more, that is seen the first time it takes long; then the thread has it.
    quick_until(-inf, monkeypatch)
    disk.syncing.put(output(b"third"))
    assert disk.sent[2:] == [b"third"]
    disk.may_end.clear()
    disk.syncing.put(output(b"fourth"))
    assert disk.sent[3:] == []
    disk.end_sync()
    assert disk.sent[3:] == [b"fourth"]


def test_what_waits_for_the_thread_goes_before_what_the_disk_is_waited_for(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.syncing.put(output(b"first"))
    assert disk.began.wait(10)
    disk.syncing.put(output(b"second"))
    quick_until(inf, monkeypatch)
    monkeypatch.setattr(disk.syncing, "_quick", True)
    disk.may_end.set()
    disk.syncing.put(output(b"third"))
    assert disk.sent == [b"first", b"second", b"third"]
    disk.syncing.put(output(b"told of all", committed=False))
    assert disk.sent[3:] == [b"told of all"]


def test_a_disk_that_fails_while_it_is_waited_for_ends_it_too(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick_until(inf, monkeypatch)
    disk.syncing.put(output(b"first"))
    disk.end_sync()
    disk.broken = True
    with pytest.raises(StoreError, match="the disk is broken"):
        disk.syncing.put(output(b"lost"))
    with pytest.raises(StoreError, match="the disk is broken"):
        disk.syncing.put(output(b"lost too"))
    assert disk.sent == [b"first"]


def test_what_is_held_back_is_bounded(disk: Disk) -> None:
    disk.may_end.set()
    disk.syncing.put(output(b"many", replies=MOST_HELD + 1))
    assert len(disk.sent) == MOST_HELD + 1


def test_with_durability_process_nothing_is_held_back(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite", "process") as store:
        sent: list[Output] = []
        syncing = Syncing(store, sent.append, lambda: None)
        syncing.put(output(b"first"))
        assert len(sent) == 1
        assert syncing.syncs == 0
        syncing.close()


def test_the_store_says_what_a_broken_disk_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_file: int) -> None:
        raise OSError(5, "Input/output error")

    with Store(tmp_path / "store.sqlite", "disk") as store:
        monkeypatch.setattr("acey_daemon.store._sync_file", broken)
        with pytest.raises(StoreError, match="does not take what was written: Input/output error"):
            store.sync()
    with Store(tmp_path / "store.sqlite", "process") as store:
        store.sync()


@pytest.mark.parametrize(("durability", "synced"), [("disk", True), ("process", False)])
def test_the_names_of_the_stores_files_are_on_the_disk_before_anything_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durability: Durability, synced: bool
) -> None:
    folders: list[list[str]] = []
    sync = os.fsync

    def watched(file: int) -> None:
        folders.append(sorted(each.name for each in Path(f"/proc/self/fd/{file}").iterdir()))
        sync(file)

    monkeypatch.setattr("os.fsync", watched)
    with Store(tmp_path / "store.sqlite", durability):
        names = [f"store.sqlite{suffix}" for suffix in ("", "-shm", "-wal", ".lock")]
        assert folders == [sorted(names)] * synced
