"""Damage is refused with file, place and remedy; what merely is in the way is not called damage."""

import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from tests.support.acey import acey, refused
from tests.support.daemon import Daemon
from tests.support.stores import checkpointed, filled
from tests.support.world import World

from acey_daemon.audit import Flaw, audit, matches
from acey_daemon.damage import LEAF, check_pages
from acey_daemon.store import Store, StoreError
from acey_protocol.records import MatchRecord

PAGE = 4096


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A store that is all in one file."""
    path, _ = filled(tmp_path_factory.mktemp("sound"))
    return checkpointed(path).read_bytes()


def put(path: Path, data: bytes) -> None:
    """Make a store of these bytes, whatever was there."""
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    path.write_bytes(data)


def content(path: Path) -> list[tuple[object, ...]]:
    """Every row of a store, as it is."""
    db = sqlite3.connect(path)
    rows = [row for table in ("tables", "log") for row in db.execute(f"SELECT * FROM {table}")]
    db.close()
    return rows


def refusal(path: Path) -> str:
    """What is said of a store that cannot be opened; empty when it can be."""
    try:
        with Store(path) as store:
            assert len([*store.open_tables(), *store.closed_tables("", 100)]) == 4
            return ""
    except StoreError as error:
        return str(error)


def rest(path: Path) -> str:
    """What is said of the rest of a damaged store: a command is named exactly where it can work."""
    try:
        list(matches(path))
    except StoreError:
        return "acey can read nothing of this one"
    return f"'acey store export {path}' writes out what can still be read"


def flaws(path: Path) -> list[str]:
    """What ``acey store check`` finds."""
    try:
        return [str(flaw) for flaw in audit(path).flaws]
    except StoreError as error:
        return [str(error)]


def test_damage_anywhere_is_refused_with_its_place_or_hits_nothing(
    tmp_path: Path, sound: bytes
) -> None:
    path = tmp_path / "store.sqlite"
    put(path, sound)
    whole = content(path)
    random = Random()
    refusals = 0
    for number in range(150):
        size = random.choice((1, 1, 4, 64))
        # Every other time in the page that lists the tables, which is a small part of the file.
        at = random.randrange(PAGE, 2 * PAGE) if number % 2 else random.randrange(len(sound) - size)
        some = random.randbytes(size) if size > 1 else bytes([sound[at] ^ 1 << random.randrange(8)])
        put(path, sound[:at] + some + sound[at + size :])
        said = refusal(path)
        if "a store of version" in said:
            continue
        if not said:
            assert content(path) == whole, (at, size)
            continue
        refusals += 1
        assert said.startswith(f"{path}: the store is damaged: "), (at, size, said)
        assert re.search(r"offset \d+", said), (at, size, said)
        assert said.endswith(f". Put back a copy that was made before; {rest(path)}"), (at, size)
        assert flaws(path), (at, size, said)
    assert refusals > 50


CHANGES = {
    "x_key": "zeroblob(32)",
    "o_key": "zeroblob(32)",
    "secret": "zeroblob(32)",
    "script": "'6 1'",
    "opened_ms": "opened_ms + 1",
    "opened_sum": "opened_sum + 1",
    "closed_ms": "closed_ms + 1",
    "summary": "replace(summary, 'over', 'open')",
    "last_row": "last_row - 1",
    "closed_sum": "closed_sum + 1",
    "id": "CAST(id AS BLOB)",
}
"""A wrong value for each column of a table's row."""


@pytest.mark.parametrize("column", CHANGES)
def test_a_wrong_value_in_the_list_of_tables_is_found(
    tmp_path: Path, sound: bytes, column: str
) -> None:
    path = tmp_path / "store.sqlite"
    put(path, sound)
    whole = list(matches(path))
    db = sqlite3.connect(path)
    (table,) = db.execute("SELECT id FROM tables WHERE closed_ms IS NOT NULL").fetchone()
    with db:
        db.execute(f"UPDATE tables SET {column} = {CHANGES[column]} WHERE id = ?", (table,))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    name = str(table.encode()) if column == "id" else table
    what = "the checksum of its keys, secret and summary is wrong"
    said = refusal(path)
    assert re.search(rf"table {name} at offset \d+: {what}\. Put back a copy", said), said
    assert f"'acey store export {path}' writes out what can still be read" in said
    flaw = f"table {name}: {what}"
    assert flaw in flaws(path)
    # What happened at the table is told by the log alone.
    found = list(matches(path))
    assert [item for item in found if isinstance(item, MatchRecord)] == whole
    assert flaw in [str(item) for item in found if isinstance(item, Flaw)]
    if column == "x_key":
        assert said in serve(path)
        checked = acey("store", "check", str(path))
        assert (checked.returncode, checked.stdout.splitlines()[0]) == (1, flaw)
        exported = acey("store", "export", str(path))
        assert (exported.returncode, exported.stderr) == (1, f"{flaw}\n")


def test_a_wrong_time_in_the_log_is_found(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "store.sqlite"
    put(path, sound)
    db = sqlite3.connect(path)
    table, first = db.execute("SELECT table_id, first FROM log WHERE row = 3").fetchone()
    with db:
        db.execute("UPDATE log SET at_ms = at_ms + 1 WHERE row = 3")
    db.close()
    assert re.search(rf"table {table}, event {first} at offset \d+: its checksum", refusal(path))
    assert flaws(path) == [f"table {table}: event {first}: the checksum is wrong"]


def test_rows_that_are_gone_are_missed(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "store.sqlite"
    for sql, said, found in (
        ("DELETE FROM log WHERE row = 9", "row 9, before it, is missing", "event {} is missing"),
        ("DELETE FROM tables", "not in the list of tables", "not in the list of tables"),
    ):
        put(path, sound)
        db = sqlite3.connect(path)
        table, first = db.execute("SELECT table_id, first FROM log WHERE row = 9").fetchone()
        with db:
            db.execute(sql)
        db.close()
        assert said in refusal(path)
        assert any(table in flaw and found.format(first) in flaw for flaw in flaws(path))


def database(path: Path, *commands: str) -> None:
    """Another program's database, as it lies there when that program was killed."""
    made = path.with_name("made")
    db = sqlite3.connect(made, isolation_level=None)
    for command in commands:
        db.execute(command)
    for suffix in ("", "-wal"):
        if Path(f"{made}{suffix}").exists():
            shutil.copy(f"{made}{suffix}", f"{path}{suffix}")
    db.close()
    made.unlink()


FOREIGN: dict[str, Callable[[Path], object]] = {
    "16 bytes of text": lambda path: path.write_text("just 16 letters."),
    "one byte": lambda path: path.write_text("x"),
    "a long text": lambda path: path.write_text("[X] this is a game\n" * 1000),
    "bytes": lambda path: path.write_bytes(Random(7).randbytes(10_000)),
    "records": lambda path: path.write_text('{"format":"acey-match/1","games":[]}\n' * 100),
    "another file of SQLite": lambda path: path.write_bytes(b"SQLite format 2\0" * 1000),
    "a database": lambda path: database(path, "CREATE TABLE games (id)"),
    "one of some version": lambda path: database(
        path, "PRAGMA user_version=3", "CREATE TABLE games (id)"
    ),
    "one with a log": lambda path: database(
        path, "PRAGMA journal_mode=WAL", "CREATE TABLE games (id)", "PRAGMA wal_checkpoint"
    ),
}
"""What no daemon has ever made."""


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_was_never_a_store_is_called_that_and_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "store.sqlite"
    FOREIGN[kind](path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    says = f"acey: {path}: this is no store of acey; name "
    assert serve(path) == f"{says}another file, or one that is not there yet"
    for command in ("check", "export", "vacuum"):
        line = refused("store", command, str(path), status=2)
        assert line == f"{says}the file that a daemon has as its store"
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_database_whose_tables_are_in_its_log_as_yet_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    database(path, "PRAGMA journal_mode=WAL", "CREATE TABLE games (id)")
    assert b"games" not in path.read_bytes()
    before = files(path)
    assert refusal(path).startswith(f"{path}: this is no store of acey; name another file")
    for command in ("check", "export", "vacuum"):
        assert "this is no store of acey" in refused("store", command, str(path), status=2)
    assert files(path) == before


def test_a_database_with_nothing_in_it_is_made_a_store_by_a_daemon_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    database(path, "PRAGMA journal_mode=WAL")  # a daemon that was killed at once leaves that
    Path(f"{path}-wal").unlink(missing_ok=True)
    for command in ("check", "export", "vacuum"):
        assert "this is no store of acey" in refused("store", command, str(path), status=2)
    Store(path).close()
    assert acey("store", "check", str(path)).returncode == 0


@pytest.mark.parametrize("file", ["a pipe", "a folder"])
def test_what_is_no_file_is_no_store(tmp_path: Path, file: str) -> None:
    path = tmp_path / "store.sqlite"
    os.mkfifo(path) if file == "a pipe" else path.mkdir()
    assert "this is no store of acey" in serve(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_damaged_store_is_never_called_none(tmp_path: Path, sound: bytes) -> None:
    """What may have been a store keeps its remedies: a copy, and the command where it can help."""
    path = tmp_path / "store.sqlite"
    garbage = Random(7).randbytes
    damages = {
        "its header is overwritten": garbage(16) + sound[16:],
        "a letter of its header": sound[:3] + b"x" + sound[4:],
        "zeros in its header": bytes(16) + sound[16:],
        "its first page": garbage(PAGE) + sound[PAGE:],
        "all but its first page": sound[:PAGE] + garbage(len(sound) - PAGE),
        "garbage in its middle": sound[: 3 * PAGE] + garbage(PAGE) + sound[4 * PAGE :],
        "its header, and its end is gone": garbage(16) + sound[16 : 5 * PAGE],
        "all is zeros": bytes(len(sound)),
        **{f"it ends after {size}": sound[:size] for size in (1, 15, 16, 100, 512, PAGE, 10_000)},
    }
    for what, data in damages.items():
        put(path, data)
        Path(f"{path}.lock").unlink(missing_ok=True)
        said = refusal(path)
        assert said.startswith(f"{path}: the store is damaged: "), (what, said)
        assert said.endswith(f". Put back a copy that was made before; {rest(path)}"), (what, said)
        for command in ("check", "export", "vacuum"):
            result = acey("store", command, str(path))
            assert result.returncode == 1, (what, command, result)
            assert "no store of acey" not in result.stdout + result.stderr
            if command == "export":
                assert "store export" not in result.stderr, what


@pytest.mark.parametrize(
    ("suffix", "left"), [(".lock", b"00000000000000000007\n"), ("-wal", b""), ("-wal", b"x" * 100)]
)
def test_what_a_daemon_has_left_beside_a_file_makes_it_a_store(
    tmp_path: Path, suffix: str, left: bytes
) -> None:
    path = tmp_path / "store.sqlite"
    link = tmp_path / "elsewhere" / "link.sqlite"
    link.parent.mkdir()
    link.symlink_to(path)
    path.write_bytes(b"all is overwritten" * 1000)
    Path(f"{path}.lock").write_bytes(b"")  # which an attempt to serve it leaves
    assert "this is no store of acey" in refusal(path)
    Path(f"{path}{suffix}").write_bytes(left)
    for each in (path, link):
        assert refusal(each).startswith(f"{each}: the store is damaged: offset 0: ")
        for command in ("check", "export", "vacuum"):
            assert "the store is damaged" in refused("store", command, str(each), status=1)


def test_a_row_that_is_found_by_looking_through_but_not_by_its_number(
    tmp_path: Path, sound: bytes
) -> None:
    path = tmp_path / "store.sqlite"
    put(path, sound)
    db = sqlite3.connect(path)
    ((names,),) = db.execute("SELECT count(DISTINCT table_id) FROM log").fetchall()
    db.close()
    # The first and the last cell of a leaf change places, so that their rows are out of order.
    start = next(at for at in range(PAGE, len(sound), PAGE) if sound[at] == LEAF)
    one, two = start + 8, start + 6 + 2 * int.from_bytes(sound[start + 3 : start + 5])
    data = bytearray(sound)
    data[one : one + 2], data[two : two + 2] = sound[two : two + 2], sound[one : one + 2]
    put(path, bytes(data))
    found = flaws(path)
    assert any("is not where it should be" in flaw for flaw in found), found
    assert len(found) <= 1 + names
    assert "offset" in refusal(path)


def test_a_store_is_checked_while_a_daemon_adds_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is read as it is at one moment: what comes meanwhile is no flaw."""
    world = World(tmp_path)
    world.open()

    def meanwhile(db: sqlite3.Connection, path: Path) -> None:
        world.open()
        check_pages(db, path)

    monkeypatch.setattr("acey_daemon.audit.check_pages", meanwhile)
    found = audit(tmp_path / "store.sqlite")
    world.store.close()
    assert (found.tables, found.flaws) == (1, ())


def test_a_store_cut_short_is_refused_with_where_it_ends(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "store.sqlite"
    for size in (PAGE, 2 * PAGE, 10_000, len(sound) - PAGE):
        put(path, sound[:size])
        assert f"it ends at offset {size}, of {len(sound)} bytes: " in refusal(path)
    put(path, sound[:100])
    assert "it ends at offset 100, before any store does" in refusal(path)


def test_a_damaged_event_of_a_finished_match_is_found_when_the_daemon_starts(
    tmp_path: Path, sound: bytes
) -> None:
    path = tmp_path / "store.sqlite"
    at = sound.index(b'"event":"played"') + 10
    put(path, sound[:at] + b"q" + sound[at + 1 :])
    line = refused(
        "serve", "--bind", "tcp://127.0.0.1:0", "--events", "tcp://127.0.0.1:0",
        "--store", str(path), status=2,
    )  # fmt: skip
    found = re.search(r"table (\w+), event (\d+) at offset (\d+): its checksum is wrong", line)
    assert found is not None, line
    assert 0 <= at - int(found[3]) < 2000
    # What the damage spared can be had.
    spared = acey("store", "export", str(path))
    assert spared.returncode == 1
    assert found[1] in spared.stderr
    assert len(spared.stdout.splitlines()) == 3


def test_a_row_with_a_number_beyond_all_is_found_missing(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "store.sqlite"
    put(path, sound)
    db = sqlite3.connect(path)
    (table, first) = db.execute("SELECT table_id, first FROM log WHERE row = 9").fetchone()
    db.execute("UPDATE log SET row = ? WHERE row = 9", (2**62,))
    db.commit()
    db.close()
    assert f"table {table}: event {first} is missing" in flaws(path)
    assert "row 9, before it, is missing" in refusal(path)


@pytest.fixture
def locked(tmp_path: Path, sound: bytes) -> Iterator[Path]:
    """A store that another program has for itself."""
    path = tmp_path / "store.sqlite"
    put(path, sound)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    yield path
    other.close()


def test_a_lock_is_not_called_damage(locked: Path) -> None:
    says = f"{locked}: another program holds the store locked; end it and try again"
    assert refusal(locked) == says
    for command in ("check", "export", "vacuum"):
        assert refused("store", command, str(locked), status=2) == f"acey: {says}"


def test_a_second_daemon_is_kept_out_by_whatever_name_the_store_has(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon:
        link = tmp_path / "elsewhere" / "link.sqlite"
        link.parent.mkdir()
        link.symlink_to(daemon.store)
        for path in (daemon.store, link):
            line = refused(
                "serve", "--bind", "tcp://127.0.0.1:0", "--events", "tcp://127.0.0.1:0",
                "--store", str(path), status=2,
            )  # fmt: skip
            assert line == f"acey: {daemon.store}: another process has this store open"
        with daemon.client() as client:
            table = client.open(x="alpha").table
        # A lock that a killed daemon left behind keeps nobody out.
        daemon.kill()
        assert Path(f"{daemon.store}.lock").exists()
        with Daemon(tmp_path, store=link) as other, other.client() as client:
            assert client.state(table).x == "alpha"


def played(daemon: Daemon) -> None:
    """Let much happen at a table."""
    with daemon.client() as client:
        table = client.open(dice="manual", match=999)
        x, o = client.seat(table.table, table.x), client.seat(table.table, table.o)
        x.wait(0)
        o.wait(0)
        for _ in range(30):
            x.roll(None, "61")
            x.resign()


def files(path: Path) -> dict[str, bytes]:
    """What lies in a store and its log."""
    return {suffix: Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal")}


def serve(path: Path) -> str:
    """Start a daemon that is to be refused; what it says."""
    listen = ("--bind", "tcp://127.0.0.1:0", "--events", "tcp://127.0.0.1:0")
    return refused("serve", *listen, "--store", str(path), status=2)


@pytest.mark.parametrize("durability", ["disk", "process"])
def test_a_log_damaged_in_the_middle_is_refused_and_left_as_it_is(
    tmp_path: Path, durability: str
) -> None:
    with Daemon(tmp_path, "--durability", durability) as daemon:
        played(daemon)
        daemon.kill()
        path = daemon.store
        whole = files(path)
        middle = 32 + (24 + PAGE) * ((len(whole["-wal"]) - 32) // (24 + PAGE) // 2)
        log = Path(f"{path}-wal")
        for at in (middle + 100, middle + 10, 8):  # in a page, in the header of one, in the log's
            damaged = bytearray(whole["-wal"])
            damaged[at] ^= 0xFF
            log.write_bytes(damaged)
            said = serve(path)
            assert re.search(
                r"the store is damaged: rows \d+ to \d+, which were acknowledged, are missing", said
            )
            assert f"{log} " in said
            if at == middle + 100:
                offset = int(re.findall(r"at offset (\d+)", said)[0])
                assert 32 <= offset <= middle
            assert files(path) == {"": whole[""], "-wal": bytes(damaged)}
        log.unlink()
        assert f"{log} is gone or older" in serve(path)
        put(path, whole[""])
        log.write_bytes(whole["-wal"] + b"\0" * 1000)  # which nobody was told of
        daemon.start()
        with daemon.client() as client:
            (table,) = client.tables().tables
            assert table.score == (0, 450)


def test_a_store_that_has_lost_its_end_is_opened_when_that_is_wanted(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon:
        played(daemon)
        daemon.kill()
        log = Path(f"{daemon.store}-wal")
        log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
        said = serve(daemon.store)
        assert f"either way remove {daemon.store}.lock" in said
        Path(f"{daemon.store}.lock").unlink()
        daemon.start()
        with daemon.client() as client:
            (table,) = client.tables().tables
            assert 0 < sum(table.score) < 450
