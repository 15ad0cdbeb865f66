"""The tables in memory: all that are open, and those over that were asked for lately."""

from collections import OrderedDict
from collections.abc import Iterator
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from acey_daemon.store import NewTable, Store, Stored
from acey_daemon.table import Private, Table
from acey_protocol.errors import Code, refused
from acey_protocol.events import Opened
from acey_rules import Side

FINISHED_KEPT: Final = 64
"""Tables that are over and stay in memory, the last asked for."""
ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Digits of a table's name: five bits each, none that is easily taken for another."""
NAME_DIGITS: Final = 8
"""All names have one length, so that no topic is the beginning of another."""


def table_name(entropy: bytes) -> str:
    """A table's name from five random bytes."""
    number = int.from_bytes(entropy)
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(NAME_DIGITS))


def key_of(token: str) -> bytes:
    """What is kept of a token: it opens the seat, and cannot be had from the store."""
    return sha256(token.encode()).digest()


class Registry:
    """Finds tables by name and seats by token."""

    def __init__(self, store: Store) -> None:
        """Nothing in memory yet; ``restore`` brings the open tables back."""
        self._store = store
        self._open: dict[str, Table] = {}
        self._finished: OrderedDict[str, Table] = OrderedDict()

    def restore(self) -> list[Table]:
        """Bring every open table back from the store. Raises StoreError."""
        for stored in self._store.open_tables():
            self._open[stored.table.id] = table_of(stored)
        return list(self._open.values())

    def __len__(self) -> int:
        """How many tables are open."""
        return len(self._open)

    def live(self) -> Iterator[Table]:
        """The open tables."""
        return iter(self._open.values())

    def add(self, table: Table) -> None:
        """Take a new table in."""
        self._open[table.id] = table

    def in_memory(self, id: str) -> Table | None:
        """An open table, or None."""
        return self._open.get(id)

    def known(self, id: str) -> bool:
        """Whether the name is taken."""
        return id in self._open or self._store.exists(id)

    def find(self, id: str) -> Table:
        """A table, open or over. Raises NoSuchTable."""
        table = self._open.get(id) or self._finished.get(id)
        if table is None:
            stored = self._store.load(id)
            if stored is None:
                raise refused(Code.NO_SUCH_TABLE, f"there is no table {id[:40]!r}")
            table = table_of(stored)
            self._keep(table)
        return table

    def seat(self, id: str, token: str) -> tuple[Table, Side]:
        """The table and the side a token opens. Raises NoSuchTable, BadToken."""
        table = self.find(id)
        key = key_of(token)
        # Both keys are compared, so that the time tells nothing of which was nearer.
        keys = table.private.keys
        x, o = compare_digest(key, keys[0]), compare_digest(key, keys[1])
        if not (x or o):
            raise refused(Code.BAD_TOKEN, f"the token opens no seat of table {id}")
        return table, Side.X if x else Side.O

    def settled(self, table: Table) -> None:
        """A table is on disk; one that is over need not stay."""
        if table.status == "over" and self._open.pop(table.id, None):
            self._keep(table)

    def reload(self, id: str) -> Table | None:
        """Forget what memory says of a table and read the store; None if it is not there."""
        self._open.pop(id, None)
        self._finished.pop(id, None)
        stored = self._store.load(id)
        if stored is None:
            return None
        table = table_of(stored)
        if table.status == "over":
            self._keep(table)
        else:
            self._open[id] = table
        return table

    def _keep(self, table: Table) -> None:
        self._finished[table.id] = table
        self._finished.move_to_end(table.id)
        while len(self._finished) > FINISHED_KEPT:
            self._finished.popitem(last=False)


def new_row(table: Table) -> NewTable:
    """What the store keeps of a new table besides its events."""
    private = table.private
    return NewTable(table.id, *private.keys, private.secret, private.script)


def table_of(stored: Stored) -> Table:
    """The table that its stored events make."""
    first, *others = stored.events
    assert isinstance(first, Opened)
    row = stored.table
    private = Private((row.x_key, row.o_key), row.secret, row.script)
    table = Table(row.id, private, first)
    for event in others:
        table.fold(event)
    return table
