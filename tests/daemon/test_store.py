"""Durability: a store that is killed over, full, locked, truncated or damaged."""

import json
import resource
import sqlite3
import struct
import time
from pathlib import Path
from random import Random

import pytest
from tests.support.acey import acey, refused
from tests.support.daemon import Daemon
from tests.support.load import Load
from tests.support.stores import checkpointed, filled
from tests.support.world import World

from acey_daemon.audit import audit
from acey_daemon.store import Group, LogRow, NewTable, Store, StoreBusyError, StoreError
from acey_daemon.wal import torn_tail
from acey_protocol.events import AnyEvent, Began, Opened, Opening, Played, Rolled, Seated
from acey_rules import AMERICAN, State

KEYS = bytes(32), bytes(range(32))


def group(table: str, first: int, *events: AnyEvent, new: bool = False) -> Group:
    opened = [NewTable(table, *KEYS, b"s" * 32, "")] if new else []
    return Group(opened, [LogRow(table, first, list(events))], [], 1_800_000_000_000)


def test_what_was_committed_is_there_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    opened = Opened(rules="american", dice="seed:1", x='a "b" \n é')
    with Store(path) as store:
        store.commit(group("t0000001", 1, opened, Seated("x"), new=True))
        store.commit(group("t0000001", 3, Seated("o")))
    with Store(path) as store:
        stored = store.load("t0000001")
        assert stored is not None
        assert stored.table == NewTable("t0000001", *KEYS, b"s" * 32, "")
        assert stored.events == [opened, Seated("x"), Seated("o")]
        assert [each.table.id for each in store.open_tables()] == ["t0000001"]
        assert store.load("t0000002") is None
        assert [seq for seq, _ in store.history("t0000001", 2, 1)] == [2]


def test_a_group_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite") as store:
        opened = Opened(rules="american", dice="seed:1")
        store.commit(group("t0000001", 1, opened, new=True))
        both = group("t0000002", 1, opened, new=True)
        both.opened.append(NewTable("t0000001", *KEYS, b"", ""))  # there is one of that name
        with pytest.raises(StoreBusyError):
            store.commit(both)
        assert store.load("t0000002") is None
        assert [seq for seq, _ in store.history("t0000001", 1, None)] == [1]
        store.commit(group("t0000001", 2, Seated("x")))


def test_one_process_has_a_store(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon:
        message = refused(
            "serve", "--bind", "tcp://127.0.0.1:0", "--events", "tcp://127.0.0.1:0",
            "--store", str(daemon.store), status=2,
        )  # fmt: skip
        assert message == f"acey: {daemon.store}: another process has this store open"


def test_a_store_that_is_locked_makes_actions_busy_and_nothing_else(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon, daemon.client() as client:
        table = client.open(dice="manual")
        other = sqlite3.connect(daemon.store, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        seat = client.seat(table.table, table.x)
        assert client.request("ping").ok
        with pytest.raises(Exception, match="busy the store cannot be written now"):
            seat.wait(0)
        assert client.state(table.table).seated == "-"
        other.execute("ROLLBACK")
        other.close()
        assert seat.wait(0).due == "wait"
        assert client.state(table.table).seated == "x"


def test_a_full_disk_makes_actions_busy_until_there_is_room(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the disk."""
    with Daemon(tmp_path) as daemon, daemon.client() as client:
        assert daemon.process is not None
        table = client.open(dice="manual")
        client.seat(table.table, table.x).wait(0)
        client.seat(table.table, table.o).wait(0)
        before = client.state(table.table)
        pid = daemon.process.pid
        soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        size = Path(f"{daemon.store}-wal").stat().st_size
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))
        with pytest.raises(Exception, match="busy the store cannot be written now"):
            client.seat(table.table, table.x).roll(1, "61")
        assert client.state(table.table) == before
        assert client.hello().protocol == "acey/1"
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))
        assert client.seat(table.table, table.x).roll(1, "61").ply == 1
        daemon.kill()
        daemon.start()
        assert client.state(table.table).ply == 2


def test_a_torn_tail_is_dropped_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, names = filled(tmp_path, 1)
    log = Path(f"{path}-wal")
    whole = log.read_bytes()
    assert torn_tail(path) is None
    expected = audit(path)
    assert expected.flaws == ()
    page = struct.unpack(">I", whole[8:12])[0]
    frames = (len(whole) - 32) // (24 + page)
    assert frames > 10
    # The last commit frame is cut in its middle: it and what its group wrote before are lost.
    log.write_bytes(whole[: len(whole) - page // 2])
    torn = torn_tail(path)
    assert torn is not None
    assert torn.offset + torn.size == len(whole) - page // 2
    with Store(path) as store:
        assert store.torn == torn
        (told,) = (record.__dict__["fields"]["what"] for record in caplog.records)
        assert "a group that was not written to its end" in told
        assert f"after offset {torn.offset}" in told
        found = [each.table.id for each in store.open_tables()]
    assert set(found) <= set(names)
    assert audit(path).flaws == ()


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_log_cut_anywhere_loses_nothing_but_its_end(tmp_path: Path, cut: int) -> None:
    path, _ = filled(tmp_path, 1)
    log = Path(f"{path}-wal")
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) * cut // 12])
    with Store(path) as store:
        events = sum(len(each.events) for each in store.open_tables())
    found = audit(path)
    assert found.flaws == ()
    assert found.events >= events


def test_damage_in_the_middle_is_refused_with_its_place_and_a_remedy(tmp_path: Path) -> None:
    path, _ = filled(tmp_path)
    checkpointed(path)
    data = bytearray(path.read_bytes())
    page = 4096
    assert len(data) > 5 * page
    data[3 * page : 3 * page + 16] = b"\xff" * 16
    path.write_bytes(data)
    with pytest.raises(StoreError) as caught:
        Store(path)
    message = str(caught.value)
    assert f"{path}: the store is damaged: offset {3 * page}: " in message
    assert f"acey store export {path}" in message
    line = refused(
        "serve", "--bind", "tcp://127.0.0.1:0", "--events", "tcp://127.0.0.1:0",
        "--store", str(path), status=2,
    )  # fmt: skip
    assert line == f"acey: {message}"


def test_a_flipped_bit_in_a_row_is_found(tmp_path: Path) -> None:
    path, names = filled(tmp_path)
    checkpointed(path)
    data = path.read_bytes()
    at = data.index(b'"event":"seated"') + 11
    path.write_bytes(data[:at] + b"r" + data[at + 1 :])
    found = audit(path)
    assert len(found.flaws) == 1
    assert "the checksum is wrong" in found.flaws[0].message
    assert found.flaws[0].table in names
    result = acey("store", "check", str(path))
    assert (result.returncode, "1 flaw" in result.stdout) == (1, True)
    exported = acey("store", "export", str(path))
    assert exported.returncode == 1
    assert len(exported.stdout.splitlines()) == len(names) - 1
    assert "the checksum is wrong" in exported.stderr


def test_a_damaged_row_of_an_open_table_keeps_the_daemon_from_starting(tmp_path: Path) -> None:
    world = World(tmp_path)
    table, x, _ = world.open()
    world.ask(f"await {table} {x} timeout=0")
    world.store.close()
    path = checkpointed(tmp_path / "store.sqlite")
    data = path.read_bytes()
    at = data.index(b'"event":"seated"') + 11
    path.write_bytes(data[:at] + b"r" + data[at + 1 :])
    with pytest.raises(StoreError, match=rf"table {table}, event 2 at offset \d+: its checksum"):
        World(tmp_path)


@pytest.mark.parametrize("size", [1, 100, 4096, 10_000])
def test_a_truncated_store_is_refused(tmp_path: Path, size: int) -> None:
    path, _ = filled(tmp_path)
    checkpointed(path)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(StoreError, match="the store is damaged"):
        Store(path)


def test_an_empty_file_and_another_kind_of_file_are_no_store(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="the file is empty; remove it if nothing was ever stored"):
        Store(path)
    path.write_bytes(b"[X] this is a game\n" * 500)
    with pytest.raises(StoreError, match="this is no store of acey; name another file"):
        Store(path)
    with pytest.raises(StoreError, match="No such file or directory"):
        Store(tmp_path / "nowhere" / "store.sqlite")
    path.unlink()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=99")
    db.execute("CREATE TABLE x (y)")
    db.close()
    with pytest.raises(StoreError, match="this is no store of acey; name another file"):
        Store(path)
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE log (y)")
    db.close()
    says = "a store of version 99; this program reads 3"
    with pytest.raises(StoreError, match=says):
        Store(path)
    for command in ("check", "export", "vacuum"):
        assert says in refused("store", command, str(path), status=2)


def test_events_that_the_rules_do_not_allow_are_found(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    start = State.start(AMERICAN, (6, 1))
    rolled = Rolled("x", "63", "--------------------------:15:15:x:63", 2)
    with Store(path) as store:
        store.commit(
            group(
                "t0000001",
                1,
                Opened(rules="american", dice="seed:1"),
                Opening("61", 1),
                Began(1, 0, 0, start.line),
                rolled,
                Played("x", "off/18", "------------------A-------:14:15:o:R", 3),
                new=True,
            )
        )
    (flaw,) = audit(path).flaws
    assert flaw.message == "event 5: 'off/18' is no legal play"


def test_check_export_and_vacuum(tmp_path: Path) -> None:
    path, names = filled(tmp_path)
    result = acey("store", "check", str(path))
    assert (result.returncode, result.stdout.endswith(": good\n")) == (0, True)
    assert json.loads(acey("store", "check", "--json", str(path)).stdout)["tables"] == len(names)
    exported = acey("store", "export", str(path))
    assert exported.returncode == 0
    assert len(exported.stdout.splitlines()) == len(names)
    text = acey("store", "export", "--format", "acey", str(path))
    assert acey("validate", "-", stdin=text.stdout).returncode == 0
    assert acey("store", "vacuum", str(path)).returncode == 0
    assert acey("store", "export", str(path)).stdout == exported.stdout
    assert refused("store", "vacuum", str(tmp_path / "no"), status=2).endswith("no such file")


def test_a_store_that_a_daemon_has_is_read_by_others_and_left_to_it(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon, daemon.client() as client:
        client.open()
        for command in ("check", "export"):
            assert acey("store", command, str(daemon.store)).returncode == 0
        assert refused("store", "vacuum", str(daemon.store), status=2) == (
            f"acey: {daemon.store}: another process has this store open"
        )


def torture(folder: Path, rounds: int) -> None:
    random = Random()
    with Daemon(folder) as daemon:
        load = Load(daemon, 8, random)
        acknowledged = 0
        for number in range(rounds):
            acknowledged += load.run(time.monotonic() + random.uniform(0.02, 0.4))
            daemon.kill()
            daemon.start()
            load.resend()
            if number % 10 == 9 or number == rounds - 1:
                assert load.check(daemon) <= acknowledged
        assert acknowledged > rounds
        assert daemon.stop() == 0
        assert audit(daemon.store).flaws == ()
        load.close()


def test_being_killed_under_load_loses_nothing(tmp_path: Path) -> None:
    torture(tmp_path, 3)


@pytest.mark.slow
def test_being_killed_two_hundred_times_under_load_loses_nothing(tmp_path: Path) -> None:
    torture(tmp_path, 200)
