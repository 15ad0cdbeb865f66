"""``acey schema``: the JSON Schemas of records, reports and replies."""

from typing import Annotated

import typer

from acey_daemon.commands.console import CommandError, out, out_data
from acey_protocol import records, reference


def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Which schema; without it, their names are listed."),
    ] = None,
) -> None:
    """Print the JSON Schema of a record, of a report, or of a verb's reply with format=json.

    For example:

        acey schema

        acey schema game-record
    """
    files = records.schema_files() | reference.schema_files()
    schemas = {file.removesuffix(".json"): text for file, text in files.items()}
    if name is None:
        for known in schemas:
            out(known)
        return
    text = schemas.get(name.removesuffix(".json"))
    if text is None:
        raise CommandError(f"there is no schema {name!r}; there are {', '.join(schemas)}")
    out_data(text.rstrip("\n"))
