"""Rows of the store, and the checksums that each of them carries. docs/operating.md, "The store".

A row of ``tables`` is written twice: when the table is opened, and when it is over. Each time it
gets a checksum of what is written then, and the other part is left as it is, so that the second
writing cannot make damage of the first pass for sound.
"""

from typing import Final, NamedTuple, Self
from zlib import crc32

SCHEMA_VERSION: Final = 3
SCHEMA: Final = (
    """CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    x_key BLOB NOT NULL,
    o_key BLOB NOT NULL,
    secret BLOB NOT NULL,
    script TEXT NOT NULL,
    opened_ms INTEGER NOT NULL,
    opened_sum INTEGER NOT NULL,
    closed_ms INTEGER,
    summary TEXT,
    last_row INTEGER,
    closed_sum INTEGER NOT NULL
) WITHOUT ROWID""",
    """CREATE TABLE log (
    row INTEGER PRIMARY KEY,
    previous INTEGER NOT NULL,
    table_id TEXT NOT NULL REFERENCES tables (id),
    first INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    events TEXT NOT NULL,
    checksum INTEGER NOT NULL
)""",
)
"""The tables of a store, as SQLite keeps their text."""

Field = str | bytes | int | None
"""What SQLite holds in a column. In a damaged row any of them may stand for any other."""


class NewTable(NamedTuple):
    """A table to be stored for the first time."""

    id: str
    x_key: bytes
    o_key: bytes
    secret: bytes
    script: str


class TableRow(NamedTuple):
    """A row of ``tables``, in the order of its columns."""

    id: str
    x_key: bytes
    o_key: bytes
    secret: bytes
    script: str
    opened_ms: int
    opened_sum: int
    closed_ms: int | None
    summary: str | None
    last_row: int | None
    closed_sum: int

    @classmethod
    def opened(cls, table: NewTable, at_ms: int) -> Self:
        """The row of a table that has just been opened."""
        opened = table_checksum(*table, at_ms)
        return cls(*table, at_ms, opened, None, None, None, table_checksum(table.id, *[None] * 3))

    @property
    def sound(self) -> bool:
        """Whether both parts of the row have their checksums."""
        closing = (self.closed_ms, self.summary, self.last_row)
        return (
            table_checksum(*self.new, self.opened_ms) == self.opened_sum
            and table_checksum(self.id, *closing) == self.closed_sum
        )

    @property
    def new(self) -> NewTable:
        """What was written when the table was opened."""
        return NewTable(*self[:5])


COLUMNS: Final = ", ".join(TableRow._fields)
"""The columns of a row of ``tables``."""
ESCAPED: Final = "surrogateescape"
"""How texts that are no UTF-8 any more are read all the same."""


def decoded(data: bytes) -> str:
    """A text of the store, damaged or not."""
    return data.decode("utf-8", ESCAPED)


def shown(field: Field) -> str:
    """What a column holds, fit to be shown."""
    text = field if isinstance(field, str) else ascii(field)
    return text.encode("utf-8", ESCAPED).decode("utf-8", "replace")


def table_checksum(*fields: Field) -> int:
    """The CRC-32 of fields of a row of ``tables``."""
    return crc32(ascii(fields).encode())


def log_checksum(row: int, previous: int, table: str, first: int, at_ms: int, text: bytes) -> int:
    """The CRC-32 of a row of ``log``: of its place and its time as well as of its text."""
    return crc32(text, crc32(f"{row} {previous} {table} {first} {at_ms} ".encode("utf-8", ESCAPED)))


class StoredRow(NamedTuple):
    """A row of ``log``, in the order of its columns."""

    row: int
    previous: int
    table_id: str
    first: int
    at_ms: int
    events: str
    checksum: int

    @property
    def sound(self) -> bool:
        """Whether the row has its checksum."""
        text = self.events
        return type(text) is str and self.checksum == log_checksum(
            *self[:5], text.encode("utf-8", ESCAPED)
        )
