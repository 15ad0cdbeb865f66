"""The store: tables and their events in SQLite. docs/operating.md, "The store".

One row of ``log`` holds what happened at a table within one commit: consecutive events as a JSON
array. Nothing else is kept of a game. Rows are only ever added at the end, so that a group touches
few pages however many tables it tells of; each names the row before it of its table.

``commit`` writes a whole group at once. When it returns, the group survives a killed daemon; when
``sync`` returns after it, a power cut too. ``sync`` may run in another thread (syncing.py).
"""

import fcntl
import logging
import os
import sqlite3
from bisect import bisect_left
from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple, Self
from urllib.parse import quote

import msgspec

from acey_daemon.acknowledged import Mark
from acey_daemon.damage import (
    SMALLEST,
    SQLITE_ERRORS,
    StoreBusyError,
    StoreError,
    check_pages,
    check_rows,
    damaged,
    damaged_row,
    damaged_table,
    failed,
    of_version,
    too_short,
    version_of,
)
from acey_daemon.foreign import check_kind, has_other_tables, no_store
from acey_daemon.rows import (
    COLUMNS,
    SCHEMA,
    SCHEMA_VERSION,
    Field,
    NewTable,
    StoredRow,
    TableRow,
    decoded,
    log_checksum,
    table_checksum,
)
from acey_daemon.wal import torn_tail
from acey_protocol.events import AnyEvent, decode_events, encode_events
from acey_protocol.replies import Listed

log = logging.getLogger(__name__)

Durability = Literal["disk", "process"]

NAME_ANOTHER: Final = "name another file, or one that is not there yet"
"""What helps where a store is to be opened or made, and the file is none."""
BUSY_SECONDS: Final = 1.0
"""How long another process may hold the store locked before an action is refused as busy."""
CHECKPOINT_PAGES: Final = 4000
"""Pages of the write-ahead log after which they are moved into the file: 16 MB."""

_ADD_ROW: Final = "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)"
_ADD_TABLE: Final = "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_CLOSE_TABLE: Final = (
    "UPDATE tables SET closed_ms = ?, summary = ?, last_row = ?, closed_sum = ? WHERE id = ?"
)
_BACKWARDS: Final = """
WITH RECURSIVE back AS (
    SELECT * FROM log WHERE row = ?
    UNION ALL
    SELECT log.* FROM back JOIN log ON log.row = back.previous WHERE back.first > ?
)
SELECT * FROM back ORDER BY first
"""
"""A table's rows from the one that holds an event on, found from the last one back."""


def lock_store(path: Path) -> IO[str]:
    """Keep other processes from opening the store; closing the file lets go.

    The file tells besides how far the store was acknowledged (acknowledged.py). Raises StoreError
    when another process has it, or the folder cannot be written.
    """
    path = path.resolve()  # a link to a store is that store
    try:
        lock = path.with_name(path.name + ".lock")
        file = os.fdopen(os.open(lock, os.O_RDWR | os.O_CREAT, 0o666), "r+")
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise StoreError(f"{path}: another process has this store open") from error
    return file


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection without implicit transactions, which reads any text. Raises sqlite3.Error."""
    uri = f"file:{quote(str(path.absolute()))}{'?mode=ro' if read_only else ''}"
    db = sqlite3.connect(
        uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    db.text_factory = decoded
    return db


def _remove(path: Path) -> None:
    """Leave nothing of a store that could not be made."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


class LogRow(NamedTuple):
    """Consecutive events of one table."""

    table: str
    first: int
    events: list[AnyEvent]


class Group(NamedTuple):
    """What one commit writes."""

    opened: list[NewTable]
    rows: list[LogRow]
    closed: list[Listed]
    at_ms: int
    """Wall-clock time, milliseconds since 1970."""


class Stored(NamedTuple):
    """A table as the store has it."""

    table: NewTable
    opened_ms: int
    events: list[AnyEvent]


class Store:
    """A store in a file. One process at a time has it open; others may read it meanwhile."""

    def __init__(self, path: Path, durability: Durability = "disk", *, check: bool = True) -> None:
        """Open the store, or make it.

        ``check`` looks through the whole file for damage first. Raises StoreError for a store that
        another process has open, of another version, or damaged, and for what is no store.
        """
        self.path = path
        self.durability: Durability = durability
        check_kind(path, NAME_ANOTHER)  # before a lock file is left beside it
        self._lock = lock_store(path)
        new = not path.exists()
        with ExitStack() as opened:
            opened.callback(self._lock.close)
            if not new and path.stat().st_size < SMALLEST:
                raise too_short(path)
            self.torn = torn_tail(path)
            self._mark = Mark(path, self._lock.fileno(), new=new)
            if new:
                opened.callback(_remove, path)
            try:
                if not new:
                    self._examine(check)
                self._db = connect(path)
                opened.callback(self._db.close)
                self._prepare()
                if check:
                    check_rows(self._db, path)
                self._log_file = self._open_log(opened)
                self.sync()
            except SQLITE_ERRORS as error:
                raise failed(path, error) from error
            opened.pop_all()

    def _examine(self, check: bool) -> None:
        """Look for what is wrong before anything is written. Raises StoreError, SQLITE_ERRORS."""
        with closing(connect(self.path, read_only=True)) as db:
            # Another program's tables may be in its write-ahead log as yet.
            if has_other_tables(db):
                raise no_store(self.path, NAME_ANOTHER)
            version = self._version(db)
            if check:
                check_pages(db, self.path)
            query = "SELECT coalesce(max(row), 0) FROM log"
            self._mark.check(db.execute(query).fetchone()[0] if version else 0, self.torn)
        if self.torn is not None:
            log.warning("torn tail", extra={"fields": {"what": str(self.torn)}})

    def _version(self, db: sqlite3.Connection) -> int:
        """Of which version the store is; 0 when nothing is in it. Raises StoreError for others."""
        version = version_of(db, self.path)
        if version not in (0, SCHEMA_VERSION):
            raise of_version(self.path, version)
        return version

    def _prepare(self) -> None:
        db = self._db
        version = self._version(db)
        db.execute("PRAGMA journal_mode=WAL")
        # What is committed is brought to the disk by `sync`, for all groups since the last time at
        # once. A checkpoint syncs by itself before it lets the log begin anew.
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        if version == 0:
            tables = ";".join(SCHEMA)
            db.executescript(f"BEGIN IMMEDIATE; {tables}; PRAGMA user_version={SCHEMA_VERSION};")
            db.execute("COMMIT")
        self._next: int = db.execute("SELECT coalesce(max(row), 0) + 1 FROM log").fetchone()[0]
        self._tails: dict[str, int] = {
            table: row
            for row, table in db.execute(
                "SELECT row, table_id FROM log WHERE table_id IN "
                "(SELECT id FROM tables WHERE closed_ms IS NULL) ORDER BY row"
            )
        }
        """The last row of each open table."""

    def _open_log(self, opened: ExitStack) -> IO[bytes] | None:
        """The write-ahead log, for `sync`; None when there is nothing to sync."""
        if self.durability == "process":
            return None
        real = self.path.resolve()  # as SQLite does
        log_file = opened.enter_context(real.with_name(real.name + "-wal").open("rb"))
        folder = os.open(real.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # a power cut must not take the name of what is synced later
        finally:
            os.close(folder)
        return log_file

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._log_file is not None:
            self._log_file.close()
        self._db.close()
        self._lock.close()

    def commit(self, group: Group) -> None:
        """Write a group. Raises StoreBusyError; then nothing of it was written."""
        db = self._db
        tails: dict[str, int] = {}
        log_rows: list[tuple[int, int, str, int, int, str, int]] = []
        for row, each in enumerate(group.rows, self._next):
            table, first, events = each
            data, previous = encode_events(events), self._tails.get(table, 0)
            checksum = log_checksum(row, previous, table, first, group.at_ms, data)
            log_rows.append((row, previous, table, first, group.at_ms, data.decode(), checksum))
            tails[table] = row
        try:
            db.execute("BEGIN IMMEDIATE")
            try:
                if group.opened:
                    opened = [TableRow.opened(table, group.at_ms) for table in group.opened]
                    db.executemany(_ADD_TABLE, opened)
                db.executemany(_ADD_ROW, log_rows)
                if group.closed:
                    tails_now = ChainMap(tails, self._tails)
                    closed = [_closing(each, group.at_ms, tails_now) for each in group.closed]
                    db.executemany(_CLOSE_TABLE, closed)
                db.execute("COMMIT")
            except sqlite3.Error:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise StoreBusyError(f"{self.path}: {error}") from error
        self._next += len(log_rows)
        self._tails |= tails
        for listed in group.closed:
            del self._tails[listed.table]
        if self._log_file is None:
            self._mark.put(self._next - 1)

    def sync(self) -> None:
        """Bring all that was committed to the disk; any thread may ask. Raises StoreError.

        With durability ``process`` there is nothing to do.
        """
        if self._log_file is None:
            return
        last = self._next - 1
        try:
            _sync_file(self._log_file.fileno())
        except OSError as error:
            raise StoreError(
                f"{self.path}: the disk does not take what was written: {error.strerror}. What was "
                "acknowledged is safe; see to the disk, then start the daemon again"
            ) from error
        self._mark.put(last)

    def open_tables(self) -> Iterator[Stored]:
        """Every table that is not over. Raises StoreError."""
        for row in self._tables("closed_ms IS NULL ORDER BY id"):
            yield self._stored(row)

    def untouched(self, since_ms: int) -> Iterator[str]:
        """Open tables where nothing was written at ``since_ms`` (since 1970) or later.

        Raises StoreError.
        """
        first = bisect_left(range(1, self._next), since_ms, key=self._written) + 1
        for table, row in self._tails.items():
            # Where the time of day was set back, rows are not in its order.
            if row < first and self._written(row) < since_ms:
                yield table

    def _written(self, row: int) -> int:
        """When a row was written."""
        found = self._all("SELECT at_ms FROM log WHERE row = ?", row)
        if not found:
            raise damaged(self.path, f"row {row} of log is not there")
        written: int = found[0][0]
        return written

    def load(self, id: str) -> Stored | None:
        """One table, or None when there is none of that name. Raises StoreError."""
        for row in self._tables("id = ?", id):
            return self._stored(row)
        return None

    def _stored(self, row: TableRow) -> Stored:
        events = [event for _, event in self.history(row.id, 1, None)]
        return Stored(row.new, row.opened_ms, events)

    def history(self, id: str, start: int, limit: int | None) -> Iterator[tuple[int, AnyEvent]]:
        """Events of a table from ``start`` on, each with its number. Raises StoreError."""
        given = 0
        for first, _, events in self.rows(id, start):
            for seq, event in enumerate(events, first):
                if seq >= start and (limit is None or given < limit):
                    given += 1
                    yield seq, event

    def rows(self, id: str, start: int) -> Iterator[tuple[int, int, tuple[AnyEvent, ...]]]:
        """Rows of a table from the one with event ``start`` on. Raises StoreError.

        Each is the number of its first event, when it was written (ms since 1970), and its events.
        """
        for row in self._rows(id, start):
            if not row.sound or row.table_id != id:
                raise damaged_row(self.path, row)
            yield row.first, row.at_ms, decode_events(row.events)

    def _rows(self, id: str, start: int) -> list[StoredRow]:
        """Rows of a table from the one with event ``start`` on.

        Raises StoreError where one of them is missing.
        """
        tail = self._tails.get(id)
        if tail is None:
            found = self._tables("id = ?", id)
            tail = found[0].last_row if found else None
        rows = [StoredRow(*each) for each in self._all(_BACKWARDS, tail or 0, start)]
        first = rows[0].first if rows else 0
        if not 0 < first <= max(start, 1):
            missing = f"nothing before event {first}" if first else "nothing of it"
            raise damaged(self.path, f"table {id}: {missing} is there")
        return rows

    def closed_tables(self, start: str, limit: int) -> list[Listed]:
        """Tables that are over, by name, from ``start`` on. Raises StoreError."""
        rows = self._tables("closed_ms IS NOT NULL AND id >= ? ORDER BY id LIMIT ?", start, limit)
        return [msgspec.json.decode(row.summary or "", type=Listed) for row in rows]

    def exists(self, id: str) -> bool:
        """Whether there is a table of that name."""
        return bool(self._all("SELECT 1 FROM tables WHERE id = ?", id))

    def _tables(self, where: str, *values: str | int) -> list[TableRow]:
        """Rows of ``tables``. Raises StoreError when one of them is damaged."""
        found = self._all(f"SELECT {COLUMNS} FROM tables WHERE {where}", *values)
        rows = [TableRow(*each) for each in found]
        for row in rows:
            if not row.sound:
                raise damaged_table(self.path, row)
        return rows

    def _all(self, sql: str, *values: str | int) -> list[Any]:
        """The rows of a query, as tuples whose types the query says."""
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from error


def _closing(listed: Listed, at_ms: int, last_rows: Mapping[str, int]) -> tuple[Field, ...]:
    """What a table that is over gets written into its row, and which row."""
    fields = at_ms, msgspec.json.encode(listed).decode(), last_rows[listed.table]
    return *fields, table_checksum(listed.table, *fields), listed.table


# The file's size is all of its other data that counts; some systems bring only everything there.
_sync_file = getattr(os, "fdatasync", os.fsync)
