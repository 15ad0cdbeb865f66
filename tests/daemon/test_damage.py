"""Damage is refused with file, place and remedy; what merely is in the way is not called damage."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.support.acey import acey, refused
from tests.support.daemon import Daemon
from tests.support.stores import checkpointed, filled

from acey_daemon.audit import audit
from acey_daemon.store import Store, StoreError

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


def events(path: Path) -> list[tuple[object, ...]]:
    """Every row of the log, as it is."""
    db = sqlite3.connect(path)
    rows = db.execute("SELECT row, previous, table_id, first, events, checksum FROM log").fetchall()
    db.close()
    return rows


def refusal(path: Path) -> str:
    """What is said of a store that cannot be opened; empty when it can be."""
    try:
        with Store(path):
            return ""
    except StoreError as error:
        return str(error)


def test_damage_anywhere_is_refused_with_its_place_or_hits_nothing(
    tmp_path: Path, sound: bytes
) -> None:
    path = tmp_path / "store.sqlite"
    put(path, sound)
    whole = events(path)
    random = Random()
    refusals = 0
    for _ in range(150):
        size = random.choice((1, 4, 64))
        at = random.randrange(len(sound) - size)
        data = sound[:at] + random.randbytes(size) + sound[at + size :]
        put(path, data)
        said = refusal(path)
        if "a store of version" in said:
            continue
        if not said:
            assert events(path) == whole, (at, size)
            continue
        refusals += 1
        assert said.startswith(f"{path}: the store is damaged: "), (at, size, said)
        assert re.search(r"offset \d+", said), (at, size, said)
        assert said.endswith(
            f"Put back a copy that was made before; 'acey store export {path}' writes out what "
            "can still be read"
        )
    assert refusals > 50


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
    flaws = audit(path).flaws
    assert f"table {table}: event {first} is missing" in [str(flaw) for flaw in flaws]
    assert "its checksum is wrong" in refusal(path)


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
    for command in ("check", "export"):
        assert refused("store", command, str(locked), status=1) == f"acey: {says}"


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
