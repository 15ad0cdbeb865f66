"""What a daemon is measured beside: bare loops that know no rule. bench/README.md."""

import sqlite3
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import zmq

if TYPE_CHECKING:
    from multiprocessing.connection import Connection as Pipe

    from acey_daemon.store import Durability

_CONTEXT = zmq.Context()

Row = tuple[str | int, ...]

_ADD: Final = "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)"
MOST: Final = 512
"""Messages that one group holds, as in the daemon."""


def _router(pipe: "Pipe") -> zmq.Socket[bytes]:
    """A ROUTER socket whose port the parent is told."""
    router = _CONTEXT.socket(zmq.ROUTER)
    pipe.send(router.bind_to_random_port("tcp://127.0.0.1"))
    return router


def bare_echo(pipe: "Pipe", reply: bytes) -> None:
    """Answer whatever comes with the same bytes, in the plainest way."""
    router = _router(pipe)
    poller = zmq.Poller()
    poller.register(router, zmq.POLLIN)
    while True:
        poller.poll()
        try:
            while True:
                frames = router.recv_multipart(zmq.NOBLOCK)
                router.send_multipart((frames[0], reply), zmq.NOBLOCK)
        except zmq.Again:
            pass


def storing_echo(
    pipe: "Pipe",
    reply: bytes,
    path: str,
    rows: list[Row],
    durability: "Durability",
    pause: float = 0.0,
) -> None:
    """The same, but a row is stored for each message before it is answered, in groups.

    A commit takes ``pause`` seconds longer than the disk does.
    """
    router, db = _router(pipe), _database(path, durability)
    poller = zmq.Poller()
    poller.register(router, zmq.POLLIN)
    number = rows[-1][0]
    assert isinstance(number, int)
    while True:
        poller.poll()
        names: list[bytes] = []
        try:
            while len(names) < MOST:
                names.append(router.recv_multipart(zmq.NOBLOCK)[0])
        except zmq.Again:
            pass
        group = [(number + at, *rows[(number + at) % len(rows)][1:]) for at in range(len(names))]
        number += len(names)
        _write(db, group, pause)
        for name in names:
            router.send_multipart((name, reply), zmq.NOBLOCK)


def raw_commits(
    path: str, rows: Sequence[Row], batch: int, durability: "Durability", pause: float = 0.0
) -> float:
    """Rows a second that SQLite alone writes in groups of ``batch``.

    A commit takes ``pause`` seconds longer than the disk does.
    """
    db = _database(path, durability)
    begin = time.perf_counter()
    for at in range(0, len(rows), batch):
        _write(db, rows[at : at + batch], pause)
    took = time.perf_counter() - begin
    db.close()
    return len(rows) / took


def _database(path: str, durability: "Durability") -> sqlite3.Connection:
    """A database with a log like that of a store."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute(f"PRAGMA synchronous={'FULL' if durability == 'disk' else 'NORMAL'}")
    db.execute(
        "CREATE TABLE log (row INTEGER PRIMARY KEY, previous INTEGER NOT NULL, "
        "table_id TEXT NOT NULL, first INTEGER NOT NULL, at_ms INTEGER NOT NULL, "
        "events TEXT NOT NULL, checksum INTEGER NOT NULL)"
    )
    return db


def _write(db: sqlite3.Connection, group: Sequence[Row], pause: float) -> None:
    db.execute("BEGIN IMMEDIATE")
    db.executemany(_ADD, group)
    db.execute("COMMIT")
    if pause:
        time.sleep(pause)
