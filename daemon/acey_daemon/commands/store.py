"""``acey store``: check, export and vacuum a daemon's store."""

import sqlite3
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from acey_daemon import cli
from acey_daemon.audit import Flaw, audit, matches, open_to_read
from acey_daemon.commands.console import (
    CommandError,
    JsonOption,
    counted,
    note,
    out,
    out_data,
    out_json,
)
from acey_daemon.damage import failed
from acey_daemon.store import StoreError, connect, lock_store
from acey_grammar import write_games
from acey_protocol.records import encode_json

StoreArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The store of a daemon.")]


class Form(StrEnum):
    """How matches are written out."""

    ACEY = "acey"
    JSON = "json"


def check(store: StoreArgument, json: JsonOption = False) -> int:
    """Look through a store: every page, every row, every event held against the rules.

    It only reads, and may run while a daemon has the store open. Exit status 1 when something is
    wrong. A group that was cut off when the daemon ended is told and is no fault.

    For example:

        acey store check acey.sqlite
    """
    _must_be_file(store)
    try:
        found = audit(store)
    except StoreError as error:
        raise CommandError(str(error), cli.BAD_INPUT) from error
    if json:
        out_json(
            {
                "tables": found.tables,
                "events": found.events,
                "torn": found.torn,
                "flaws": [flaw._asdict() for flaw in found.flaws],
            }
        )
    else:
        for flaw in found.flaws:
            out(str(flaw))
        if found.torn:
            out(found.torn)
        verdict = counted(len(found.flaws), "flaw") if found.flaws else "good"
        counts = f"{counted(found.tables, 'table')}, {counted(found.events, 'event')}"
        out(f"{store}: {counts}: {verdict}")
    return cli.BAD_INPUT if found.flaws else cli.GOOD


def export(
    store: StoreArgument,
    form: Annotated[
        Form, typer.Option("--format", help="acey: notation; json: a match record a line.")
    ] = Form.JSON,
) -> int:
    """Write the record of every match in a store to standard output, those unfinished too.

    It only reads. What cannot be read is told on standard error, and the exit status is 1: this is
    also the way to save what is left of a damaged store.

    For example:

        acey store export acey.sqlite > matches.jsonl
    """
    _must_be_file(store)
    good = True
    try:
        for item in matches(store):
            if isinstance(item, Flaw):
                note(str(item))
                good = False
            elif form is Form.JSON:
                out_data(encode_json(item).decode())
            elif item.games:
                out_data(write_games(item.games))
    except StoreError as error:
        raise CommandError(str(error), cli.BAD_INPUT) from error
    return cli.GOOD if good else cli.BAD_INPUT


def vacuum(store: StoreArgument) -> int:
    """Give the unused space of a store back. No daemon may have it open.

    For example:

        acey store vacuum acey.sqlite
    """
    _must_be_file(store)
    before = store.stat().st_size
    try:
        open_to_read(store).close()
        with lock_store(store):
            db = connect(store)
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            db.close()
    except StoreError as error:
        raise CommandError(str(error), cli.BAD_INPUT) from error
    except sqlite3.Error as error:
        raise CommandError(str(failed(store, error)), cli.BAD_INPUT) from error
    out(f"{store}: {before} bytes before, {store.stat().st_size} after")
    return cli.GOOD


def _must_be_file(store: Path) -> None:
    """Raise CommandError (usage) for a store that is not there."""
    if store.is_dir():
        raise CommandError(f"{store}: is a directory")
    if not store.is_file():
        raise CommandError(f"{store}: there is no such file")
