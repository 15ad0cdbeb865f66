"""What can be wrong with a store, where, and what helps. docs/operating.md, "The store".

Damage is told with the file, the place in it and a remedy. What merely stands in the way (a full
disk, a lock, a folder that cannot be written) is not called damage: nothing is to be put back then.
"""

import os
import re
import sqlite3
from pathlib import Path
from typing import Final
from zlib import crc32

SHARED_BYTES: Final = 32768
"""What SQLite needs beside a store to open it at all."""
_PAGE_SIZE_AT: Final = 16
_PAGES_AT: Final = 28
_ALIKE: Final = 160
"""Bytes in which the events of two rows differ."""


class StoreError(Exception):
    """The store cannot be read or written; the message says what is wrong and what helps."""


class StoreBusyError(StoreError):
    """A commit failed for a reason that may pass: a full disk, a locked file."""


def damaged(path: Path, what: str) -> StoreError:
    """The error for a damaged store: the file, the place, and what helps."""
    return StoreError(
        f"{path}: the store is damaged: {what}. Put back a copy that was made before; "
        f"'acey store export {path}' writes out what can still be read"
    )


def too_short(path: Path) -> StoreError:
    """The error for a file that is shorter than any store."""
    size = path.stat().st_size
    if not size:
        return StoreError(
            f"{path}: the file is empty; remove it if nothing was ever stored there, and put back "
            "a copy otherwise"
        )
    return damaged(path, f"it ends at offset {size}, before any store does")


SQLITE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What sqlite3 raises; the second where a message of its own quotes damaged bytes."""


def failed(path: Path, error: Exception) -> StoreError:
    """The error for what SQLite says of a store that cannot be opened."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if isinstance(error, UnicodeDecodeError):
        return damaged(path, "offset 0: malformed database schema")
    match code:
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path, f"{_place(path, code, str(error))}{error}")
        case sqlite3.SQLITE_ERROR:  # what the first page says is there, is not
            return damaged(path, f"offset 0: {error}")
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
    page = int.from_bytes(data[_PAGE_SIZE_AT : _PAGE_SIZE_AT + 2])
    page = 65536 if page == 1 else page
    whole = int.from_bytes(data[_PAGES_AT : _PAGES_AT + 4]) * page
    if len(data) < whole:
        return f"it ends at offset {len(data)}, of {whole} bytes: "
    for start in range(0, whole, page):
        if not _can_be(data[start : start + page], 100 if start == 0 else 0):
            return f"offset {start}: "
    return "offset 0: "  # all pages are in order but the first, which says what they hold


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
        return
    page = re.search(r"[Pp]age (\d+)", first)
    if page is None:
        check_rows(db, path)
        raise damaged(
            path, f"{_place(path, sqlite3.SQLITE_CORRUPT, first)}{' '.join(first.split())}"
        )
    size = db.execute("PRAGMA page_size").fetchone()[0]
    raise damaged(path, f"offset {(int(page[1]) - 1) * size}: {' '.join(first.split())}")


def check_rows(db: sqlite3.Connection, path: Path) -> None:
    """Hold every row of the log against its checksum. Raises StoreError naming the first."""
    sql = (
        "SELECT row, previous, CAST(table_id AS BLOB), first, CAST(events AS BLOB), checksum "
        "FROM log"
    )
    table, first, text = "", 0, b""
    try:
        for row, previous, name, first, text, checksum in db.execute(sql):
            table = name.decode("utf-8", "replace")
            if checksum_of(row, previous, table, first, text) != checksum:
                raise damaged_row(path, table, first, text)
    except SQLITE_ERRORS as error:
        offset = row_offset(path, table, first, text)
        if offset is None:
            raise failed(path, error) from error
        raise damaged(
            path, f"the row after table {table}, event {first}, at offset {offset}: {error}"
        ) from error


def damaged_row(path: Path, table: str, first: int, text: bytes) -> StoreError:
    """The error for a row whose checksum is wrong, with where its events lie in the file."""
    offset = row_offset(path, table, first, text)
    where = "" if offset is None else f" at offset {offset}"
    return damaged(path, f"table {table}, event {first}{where}: its checksum is wrong")


def row_offset(path: Path, table: str, first: int, text: bytes) -> int | None:
    """Where the events of a row lie in the file; None when they are not found, or in the log."""
    if not text:
        return None
    data = path.read_bytes()
    # A row is the row before it, its table's name, its first number, its time and its events.
    head = re.escape(table.encode() + _stored(first))
    row = re.compile(head + b".{0,8}?(" + re.escape(text[:32]) + b")", re.DOTALL)
    found = row.search(data)
    if found is not None:
        return found.start(1)
    offset = data.find(text[:_ALIKE])  # the name or the number is what is damaged
    return offset if offset >= 0 else None


def _stored(number: object) -> bytes:
    """A number as SQLite stores it in a row: 0 and 1 take no byte. SQLite file format, §2.1."""
    if not isinstance(number, int) or number in (0, 1):
        return b""
    size = next(
        size for size in (1, 2, 3, 4, 6, 8) if -(1 << 8 * size - 1) <= number < 1 << 8 * size - 1
    )
    return number.to_bytes(size, signed=True)


def checksum_of(row: int, previous: int, table: str, first: int, text: str | bytes) -> int:
    """The CRC-32 of a row of the log: of its place as well as of its text."""
    data = text.encode() if isinstance(text, str) else text
    return crc32(data, crc32(f"{row} {previous} {table} {first} ".encode()))
