"""Looking through a store: every page, every row, every event held against the rules.

``acey store check`` tells what ``audit`` finds; ``acey store export`` writes out what ``matches``
can read. Both only read.
"""

import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from acey_daemon.damage import (
    NOT_LISTED,
    SMALLEST,
    SQLITE_ERRORS,
    TABLE_DAMAGED,
    StoreError,
    check_pages,
    failed,
    of_version,
    too_short,
    version_of,
)
from acey_daemon.foreign import check_kind, has_other_tables, is_bare, no_store
from acey_daemon.recording import match_of
from acey_daemon.registry import table_of
from acey_daemon.rows import COLUMNS, SCHEMA_VERSION, NewTable, StoredRow, TableRow, shown
from acey_daemon.store import Stored, connect
from acey_daemon.table import Table
from acey_daemon.wal import torn_tail
from acey_protocol.events import AnyEvent, Named, Opened, Over, Played, Rolled, decode_events
from acey_protocol.fairness import verify_match
from acey_protocol.records import MatchRecord
from acey_rules import Name, Roll, RulesError, State

LEAST_ROW: Final = 40
"""Bytes that no row of the log is shorter than."""
NAME_A_STORE: Final = "name the file that a daemon has as its store"
"""What helps where a store is to be read, and the file is none."""
BLOCK: Final = 4096
"""Rows of the log read at once; where one of them cannot be, they are tried one by one."""


class Read(NamedTuple):
    """A table as it was read from a store."""

    table: Table
    record: MatchRecord


class Flaw(NamedTuple):
    """Something in a store that should not be."""

    table: str
    """The table's name; empty where it concerns the file."""
    message: str

    def __str__(self) -> str:
        """``table <name>: …``."""
        return f"table {self.table}: {self.message}" if self.table else self.message


class Audit(NamedTuple):
    """What came of looking through a store."""

    tables: int
    events: int
    flaws: tuple[Flaw, ...]
    torn: str
    """What was cut off at the end of the log, which is no flaw; empty when nothing was."""


def audit(path: Path) -> Audit:
    """Look through a store. Raises StoreError when it cannot be read at all."""
    flaws: list[Flaw] = []
    tables = events = 0
    torn = torn_tail(path)
    with _Reader(path) as reader:
        try:
            check_pages(reader.db, path)
        except StoreError as error:
            flaws.append(Flaw("", str(error)))
        for item in reader.tables():
            if isinstance(item, Flaw):
                flaws.append(item)
                continue
            tables += 1
            events += item.table.seq
            flaws += [Flaw(item.table.id, message) for message in reader.held_to_rules(item)]
    return Audit(tables, events, tuple(flaws), "" if torn is None else str(torn))


def matches(path: Path) -> Iterator[MatchRecord | Flaw]:
    """The record of every match that can be read, and what keeps the others from being read.

    Raises StoreError when nothing can be read at all.
    """
    with _Reader(path) as reader:
        for item in reader.tables():
            yield item if isinstance(item, Flaw) else item.record


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that only reads. Raises StoreError for what is no store of this version."""
    if not path.is_file():
        raise StoreError(f"{path}: there is no such file")
    check_kind(path, NAME_A_STORE)
    with ExitStack() as opened:
        try:
            db = opened.enter_context(closing(connect(path, read_only=True)))
            # All is read as it is now, whatever a daemon that has the store open adds meanwhile.
            db.execute("BEGIN")
        except SQLITE_ERRORS as error:
            raise failed(path, error, readable=False) from error
        if path.stat().st_size < SMALLEST:
            raise too_short(path)
        version = version_of(db, path)
        if has_other_tables(db) or (not version and is_bare(db)):
            raise no_store(path, NAME_A_STORE)
        if version != SCHEMA_VERSION:
            raise of_version(path, version)
        opened.pop_all()
    return db


class _Reader:
    """Reads a store that may be damaged, table by table."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.db = open_to_read(path)
        self._rows: dict[str, array[int]] = {}
        for row, table in self._readable():
            self._rows.setdefault(shown(table), array("q")).append(row)

    def __enter__(self) -> "_Reader":
        return self

    def __exit__(self, *exc: object) -> None:
        self.db.close()

    def _readable(self) -> Iterator[tuple[int, str]]:
        """Every row of the log that can be read, and its table, in order."""
        query = "SELECT row, table_id FROM log WHERE row BETWEEN ? AND ?"
        # Rows are numbered from 1 without a gap, so a number that the file has no room for is none.
        last = sum(file.stat().st_size for file in self._files()) // LEAST_ROW
        for start in range(1, last + 1, BLOCK):
            try:
                yield from self.db.execute(query, (start, start + BLOCK - 1)).fetchall()
            except SQLITE_ERRORS:
                for row in range(start, start + BLOCK):
                    with suppress(*SQLITE_ERRORS):
                        yield from self.db.execute(query, (row, row)).fetchall()

    def _files(self) -> list[Path]:
        """The file and its log, as far as they are there."""
        real = self._path.resolve()
        return [file for file in (real, real.with_name(f"{real.name}-wal")) if file.exists()]

    def _log(self, name: str) -> Iterator[tuple[int, int, str]]:
        """The rows of a table: first event, time, text. Raises StoreError for damaged ones."""
        for row in self._rows.get(name, ()):
            found = self.db.execute("SELECT * FROM log WHERE row = ?", (row,)).fetchone()
            if found is None:
                raise StoreError(f"row {row} of the log is not where it should be")
            each = StoredRow(*found)
            if not each.sound:
                raise StoreError(f"event {shown(each.first)}: the checksum is wrong")
            yield each.first, each.at_ms, each.events

    def tables(self) -> Iterator[Read | Flaw]:
        """Every table, by name: what is wrong with its row, then what its events tell."""
        names: set[str] = set()
        try:
            for fields in self.db.execute(f"SELECT {COLUMNS} FROM tables"):
                row = TableRow(*fields)
                names.add(shown(row.id))
                if not row.sound:
                    yield Flaw(shown(row.id), TABLE_DAMAGED)
        except SQLITE_ERRORS as error:
            yield Flaw("", f"the list of tables cannot be read: {error}")
        for name in sorted(names | set(self._rows)):
            if name not in names:
                yield Flaw(name, NOT_LISTED)
            try:
                yield self._table(name)
            except (StoreError, *SQLITE_ERRORS, msgspec.MsgspecError, RulesError) as error:
                yield Flaw(name, str(error))

    def _table(self, name: str) -> Read:
        times: list[tuple[int, int]] = []
        events: list[AnyEvent] = []
        for first, at_ms, text in self._log(name):
            if first != len(events) + 1:
                raise StoreError(f"event {len(events) + 1} is missing")
            times.append((first, at_ms))
            events += decode_events(text)
        if not events or not isinstance(events[0], Opened):
            raise StoreError("event 1 is missing")
        # Its keys and its secret are not needed to tell what happened.
        table = table_of(Stored(NewTable(name, b"", b"", b"", ""), times[0][1], events))
        return Read(table, match_of(table, list(enumerate(events, 1)), times))

    def held_to_rules(self, read: Read) -> Iterator[str]:
        """What of a table's events the rules, or its own dice, do not allow."""
        rules = read.table.rules
        state: State | None = None
        for first, _, text in self._log(read.table.id):
            for seq, event in enumerate(decode_events(text), first):
                message = _against_rules(event, state)
                if message:
                    yield f"event {seq}: {message}"
                position = getattr(event, "position", None)
                if position is not None:
                    state = State.parse(position, rules)
        end = read.table.over or read.table.stopped
        if end is not None and end.secret and read.table.opened.dice == "fair":
            for problem in verify_match(read.record).problems:
                yield f"game {problem.game}: {problem.message}"


def _against_rules(event: AnyEvent, state: State | None) -> str:
    """Why an event cannot follow a state; empty when it can."""
    try:
        match event:
            case Rolled():
                after = _of(state).apply(Roll(int(event.dice[0]), int(event.dice[1])))
            case Named():
                after = _of(state).apply(Name(event.number))
            case Played():
                play = _of(state).find_text(event.play)
                if play is None:
                    return f"'{event.play}' is no legal play"
                after = _of(state).apply(play)
            case Over(how=""):
                outcome = _of(state).outcome
                if outcome is None or outcome.points != event.points:
                    return f"the position does not say '{event.text()}'"
                return ""
            case _:
                return ""
    except RulesError as error:
        return str(error)
    return "" if after.line == event.position else f"the position after it is {after.line}"


def _of(state: State | None) -> State:
    if state is None:
        raise RulesError("no game has begun")
    return state
