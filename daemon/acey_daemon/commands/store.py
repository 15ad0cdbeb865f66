"""``acey store``: check, export and vacuum a daemon's store."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from acey_daemon import cli
from acey_daemon.audit import Flaw, audit, matches, open_to_read
from acey_daemon.commands.console import (
    CommandError,
    JsonOption,
    cannot_read,
    counted,
    note,
    out,
    out_data,
    out_json,
)
from acey_daemon.damage import SQLITE_ERRORS, StoreDamagedError, failed
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
    wrong with it, 2 when the file is no store or cannot be read. A group that was cut off when the
    daemon ended is told and is no fault.

    For example:

        acey store check acey.sqlite
    """
    _must_be_file(store)
    with _refusals(store):
        found = audit(store)
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

    It only reads. What is damaged is told on standard error, and the exit status is 1: this is also
    the way to save what is left of a damaged store. It is 2 when the file is no store or cannot be
    read.

    For example:

        acey store export acey.sqlite > matches.jsonl
    """
    _must_be_file(store)
    good = True
    with _refusals(store):
        for item in matches(store):
            if isinstance(item, Flaw):
                note(str(item))
                good = False
            elif form is Form.JSON:
                out_data(encode_json(item).decode())
            elif item.games:
                out_data(write_games(item.games))
    return cli.GOOD if good else cli.BAD_INPUT


def vacuum(store: StoreArgument) -> int:
    """Give the unused space of a store back. No daemon may have it open.

    Exit status 1 when the store is damaged, 2 when the file is no store, or a daemon has it.

    For example:

        acey store vacuum acey.sqlite
    """
    _must_be_file(store)
    before = store.stat().st_size
    with _refusals(store):
        open_to_read(store).close()
        with lock_store(store), closing(connect(store)) as db:
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    out(f"{store}: {before} bytes before, {store.stat().st_size} after")
    return cli.GOOD


@contextmanager
def _refusals(store: Path) -> Generator[None]:
    """Raise CommandError for what stops a command: bad input for damage, usage for the rest."""
    try:
        yield
    except (StoreError, *SQLITE_ERRORS) as error:
        refusal = error if isinstance(error, StoreError) else failed(store, error)
        status = cli.BAD_INPUT if isinstance(refusal, StoreDamagedError) else cli.USAGE
        raise CommandError(str(refusal), status) from error


def _must_be_file(store: Path) -> None:
    """Raise CommandError (usage) for a store that is not there."""
    try:
        if store.is_dir():
            raise CommandError(f"{store}: is a directory")
        if not store.is_file():
            raise CommandError(f"{store}: there is no such file")
    except OSError as error:
        cannot_read(store, error)
