"""Whether a file is a store at all, or one of another program. docs/operating.md, "The store".

Nothing is changed of a file that is none. Where it is in doubt the file is a store, and damaged.
"""

import mmap
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from acey_daemon.damage import SMALLEST, SQLITE_ERRORS, StoreError, code_of
from acey_daemon.rows import SCHEMA

_MAGIC: Final = b"SQLite format 3\0"
"""How every file of SQLite begins. SQLite file format, §1.3.1."""
_TABLES: Final = frozenset(("tables", "log"))
"""What a store holds."""
_TRACES: Final = (*(sql.encode() for sql in SCHEMA), b'[{"event":"')
"""What lies somewhere in every store that holds anything: what its tables are, and their events."""


def no_store(path: Path, remedy: str) -> StoreError:
    """The error for a file that was never a store."""
    return StoreError(f"{path}: this is no store of acey; {remedy}")


def check_kind(path: Path, remedy: str) -> None:
    """Raise StoreError for a file that was never a store, or cannot be read. Changes nothing.

    Whatever may be a store that is damaged passes, and so does what is not there.
    """
    try:
        if not path.exists():
            return
        if not path.is_file() or _is_other(path):
            raise no_store(path, remedy)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error


def _is_other(path: Path) -> bool:
    """Whether a file is no store, and was none before any damage. Raises OSError."""
    if path.stat().st_size >= SMALLEST:
        # SQLite is asked first: a file that is opened and closed by hand loses the locks that this
        # process has on it. As it lies there, for its write-ahead log would get files beside it.
        uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(uri, uri=True)) as db:
                return _are_others(_names(db))
        except SQLITE_ERRORS as error:
            if code_of(error) != sqlite3.SQLITE_NOTADB:
                return False
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
        # A power cut may leave zeros of a file. An empty one is told as that.
        if _MAGIC.startswith(head) or not head.strip(b"\0") or _was_served(path):
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return all(data.find(trace) < 0 for trace in _TRACES)


def _was_served(path: Path) -> bool:
    """Whether beside a file lies what a daemon leaves beside its store."""
    real = path.resolve()
    lock, log = (real.with_name(real.name + suffix) for suffix in (".lock", "-wal"))
    # A lock file in which nothing is acknowledged may come from an attempt to serve the file.
    return log.exists() or (lock.exists() and lock.stat().st_size > 0)


def has_other_tables(db: sqlite3.Connection) -> bool:
    """Whether a database holds something and nothing of it is ours: another program's."""
    with suppress(*SQLITE_ERRORS):  # whoever goes on to read it will tell
        return _are_others(_names(db))
    return False


def is_bare(db: sqlite3.Connection) -> bool:
    """Whether nothing was ever put into a database."""
    with suppress(*SQLITE_ERRORS):
        return not _names(db)
    return False


def _are_others(names: list[object]) -> bool:
    return bool(names) and _TABLES.isdisjoint(names)


def _names(db: sqlite3.Connection) -> list[object]:
    """What a database holds. Raises SQLITE_ERRORS."""
    return [name for (name,) in db.execute("SELECT name FROM sqlite_master")]
