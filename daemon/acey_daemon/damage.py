"""What can be wrong with a store, where, and what helps. docs/operating.md, "The store".

Damage is told with the file, the place in it and a remedy. What merely stands in the way (a full
disk, a lock, a folder that cannot be written) is not called damage: nothing is to be put back then.
Nor is a file that was never a store (foreign.py).
"""

import os
import re
import sqlite3
from pathlib import Path
from typing import Final

from acey_daemon.rows import (
    COLUMNS,
    ESCAPED,
    SCHEMA,
    SCHEMA_VERSION,
    StoredRow,
    TableRow,
    shown,
)

SHARED_BYTES: Final = 32768
"""What SQLite needs beside a store to open it at all."""
_PAGE_SIZE_AT: Final = 16
_PAGES_AT: Final = 28
TABLE_DAMAGED: Final = "the checksum of its keys, secret and summary is wrong"
NOT_LISTED: Final = "the table is not in the list of tables"
LEAF: Final = 13
"""The kind of a page of a table that holds rows. SQLite file format, §1.6."""
SMALLEST: Final = 512
"""Bytes of the smallest page of SQLite; a shorter file was cut off."""


class StoreError(Exception):
    """The store cannot be read or written; the message says what is wrong and what helps."""


class StoreBusyError(StoreError):
    """A commit failed for a reason that may pass: a full disk, a locked file."""


class StoreDamagedError(StoreError):
    """The file is a store, and it is damaged."""


def damaged(path: Path, what: str, *, readable: bool = True) -> StoreDamagedError:
    """The error for a damaged store: the file, the place, and what helps.

    Of one that is not ``readable`` 'acey store export' can write out nothing.
    """
    rescue = f"'acey store export {path}' writes out what can still be read"
    rest = rescue if readable else "acey can read nothing of this one"
    return StoreDamagedError(
        f"{path}: the store is damaged: {what}. Put back a copy that was made before; {rest}"
    )


def version_of(db: sqlite3.Connection, path: Path) -> int:
    """Of which version a store is; 0 when nothing is in it.

    Raises StoreError: where not even that can be read, nothing can.
    """
    try:
        version: int = db.execute("PRAGMA user_version").fetchone()[0]
    except SQLITE_ERRORS as error:
        raise failed(path, error, readable=False) from error
    return version


def of_version(path: Path, version: int) -> StoreError:
    """The error for a store of a version that this program does not read."""
    return StoreError(f"{path}: a store of version {version}; this program reads {SCHEMA_VERSION}")


def too_short(path: Path) -> StoreError:
    """The error for a file that is shorter than any store."""
    size = path.stat().st_size
    if not size:
        return StoreError(
            f"{path}: the file is empty; remove it if nothing was ever stored there, and put back "
            "a copy otherwise"
        )
    what = f"it ends at offset {size}, before any store does"
    return damaged(path, what, readable=False)


SQLITE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What sqlite3 raises; the second where a message of its own quotes damaged bytes."""


def code_of(error: Exception) -> int:
    """What kind of error SQLite says it is."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF


def failed(path: Path, error: Exception, *, readable: bool = True) -> StoreError:
    """The error for what SQLite says of a store that cannot be opened."""
    code = code_of(error)
    if isinstance(error, UnicodeDecodeError):
        return damaged(path, "offset 0: malformed database schema", readable=readable)
    match code:
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path, f"{_place(path, code, str(error))}{error}", readable=readable)
        case sqlite3.SQLITE_ERROR:  # what the first page says is there, is not
            return damaged(path, f"offset 0: {error}", readable=readable)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(
                f"{path}: another program holds the store locked; end it and try again"
            )
        case _ if code == sqlite3.SQLITE_FULL or _is_full(path):
            return StoreError(
                f"{path}: the disk is full; make room and try again, nothing stored is lost"
            )
        case _:
            return StoreError(f"{path}: the store cannot be opened: {error}")


def _is_full(path: Path) -> bool:
    """Whether the disk has no room for what SQLite needs beside the store."""
    space = os.statvfs(path.resolve().parent)
    return space.f_bavail * space.f_frsize < SHARED_BYTES


def _place(path: Path, code: int, message: str) -> str:
    """Where a file that SQLite cannot read is damaged, as far as the file itself tells."""
    if code == sqlite3.SQLITE_NOTADB or "schema" in message:
        return "offset 0: "
    data = path.read_bytes()
    page = _page_size(data)
    whole = int.from_bytes(data[_PAGES_AT : _PAGES_AT + 4]) * page
    if len(data) < whole:
        return f"it ends at offset {len(data)}, of {whole} bytes: "
    for start in range(0, whole, page):
        if not _can_be(data[start : start + page], 100 if start == 0 else 0):
            return f"offset {start}: "
    return "offset 0: "  # all pages are in order but the first, which says what they hold


def _page_size(data: bytes) -> int:
    page = int.from_bytes(data[_PAGE_SIZE_AT : _PAGE_SIZE_AT + 2])
    return 65536 if page == 1 else page


def _can_be(page: bytes, head: int) -> bool:
    """Whether a page of a tree points into itself. SQLite file format, §1.6."""
    kind = page[head]
    if kind not in (2, 5, 10, 13):  # no page of a tree, except the first, which is always one
        return head == 0
    cells = int.from_bytes(page[head + 3 : head + 5])
    content = int.from_bytes(page[head + 5 : head + 7]) or 65536
    first = head + (12 if kind in (2, 5) else 8)
    last = first + 2 * cells
    pointers = [int.from_bytes(page[at : at + 2]) for at in range(first, last, 2)]
    return last <= content and all(content <= pointer < len(page) for pointer in pointers)


def check_pages(db: sqlite3.Connection, path: Path) -> None:
    """Look through every page of a store. Raises StoreError naming the first that is damaged."""
    try:
        (first,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except SQLITE_ERRORS as error:
        check_rows(db, path)  # which tells the place, if a row has one
        raise failed(path, error) from error
    if first == "ok":
        _check_schema(db, path)
        return
    page = re.search(r"[Pp]age (\d+)", first)
    if page is None:
        check_rows(db, path)
        raise damaged(
            path, f"{_place(path, sqlite3.SQLITE_CORRUPT, first)}{' '.join(first.split())}"
        )
    size = db.execute("PRAGMA page_size").fetchone()[0]
    raise damaged(path, f"offset {(int(page[1]) - 1) * size}: {' '.join(first.split())}")


def _check_schema(db: sqlite3.Connection, path: Path) -> None:
    """Hold what the file says of its tables against what it should say, unless it says nothing."""
    found = db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    if found and [sql for (sql,) in found] != list(SCHEMA):
        raise damaged(path, "offset 0: its tables are not those of a store")


def check_rows(db: sqlite3.Connection, path: Path) -> None:
    """Hold every row against its checksums. Raises StoreError naming the first that is damaged."""
    _check_log(db, path, _check_tables(db, path))


def _check_tables(db: sqlite3.Connection, path: Path) -> set[str]:
    """Hold the rows of ``tables`` against their checksums, and tell which tables there are."""
    names: set[str] = set()
    try:
        for fields in db.execute(f"SELECT {COLUMNS} FROM tables"):
            row = TableRow(*fields)
            if not row.sound:
                raise damaged_table(path, row)
            names.add(row.id)
    except SQLITE_ERRORS as error:
        raise failed(path, error) from error
    return names


def _check_log(db: sqlite3.Connection, path: Path, names: set[str]) -> None:
    last: StoredRow | None = None
    try:
        for number, fields in enumerate(db.execute("SELECT * FROM log"), 1):
            last = StoredRow(*fields)
            if not last.sound:
                raise damaged_row(path, last)
            if last.table_id not in names:
                raise damaged_row(path, last, NOT_LISTED)
            if last.row != number:
                raise damaged_row(path, last, f"row {number}, before it, is missing")
    except SQLITE_ERRORS as error:
        if last is None:
            raise failed(path, error) from error
        raise damaged_row(path, last, f"the row after it cannot be read: {error}") from error


def damaged_table(path: Path, row: TableRow) -> StoreError:
    """The error for a row of ``tables`` that lacks its checksum, with where it lies in the file."""
    # What is read of the row lies there one after the other, unless a part of it is long.
    pieces = [field.encode("utf-8", ESCAPED) if isinstance(field, str) else field for field in row]
    texts = [piece for piece in pieces if isinstance(piece, bytes)]
    data = path.read_bytes()
    places = (data.find(piece) for piece in (b"".join(texts[:3]), *texts) if piece)
    offset = next((place for place in places if place >= 0), None)
    return damaged(path, f"table {shown(row.id)}{_at(offset)}: {TABLE_DAMAGED}")


def damaged_row(path: Path, row: StoredRow, what: str = "its checksum is wrong") -> StoreError:
    """The error for a row of ``log``, with where it lies in the file."""
    place = _at(_row_offset(path, row.row))
    return damaged(path, f"table {shown(row.table_id)}, event {shown(row.first)}{place}: {what}")


def _at(offset: int | None) -> str:
    return "" if offset is None else f" at offset {offset}"


def _row_offset(path: Path, row: int) -> int | None:
    """Where a row of ``log`` lies in the file; None when it is in the write-ahead log.

    SQLite file format, §1.6: a leaf of a table lists where its cells are; a cell begins with its
    size and the number of its row.
    """
    data = path.read_bytes()
    page = _page_size(data)
    for start in range(page, len(data), page):  # the first page holds the schema
        if data[start] != LEAF:
            continue
        cells = int.from_bytes(data[start + 3 : start + 5])
        for at in range(start + 8, start + 8 + 2 * cells, 2):
            cell = start + int.from_bytes(data[at : at + 2])
            _, number_at = _varint(data, cell)
            if _varint(data, number_at)[0] == row:
                return cell
    return None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of varying length, and where it ends. SQLite file format, §1.6."""
    value = 0
    for place in range(at, at + 8):
        byte = data[place] if place < len(data) else 0
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    last = data[at + 8] if at + 8 < len(data) else 0
    return value << 8 | last, at + 9
