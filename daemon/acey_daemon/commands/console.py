"""What every subcommand says and how: results to standard output, the rest to standard error."""

import json
import sys
from pathlib import Path
from typing import Annotated, Never

import msgspec
import typer

from acey_daemon import cli
from acey_rules import PRESETS, RuleSet, RuleSetError, rule_set

PositionArgument = Annotated[
    str, typer.Argument(metavar="POSITION", help="A position line (spec/notation.md §2).")
]
RulesOption = Annotated[
    str,
    typer.Option(
        "--rules",
        metavar="RULES",
        help=f"The rule set: {', '.join(PRESETS)}, or every field as field=value.",
        autocompletion=lambda: list(PRESETS),
    ),
]
AddressOption = Annotated[
    str,
    typer.Option(
        "--address", envvar="ACEY_ADDRESS", metavar="ADDRESS", help="Where the daemon listens."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON, for programs to read.")]


class CommandError(Exception):
    """What stops a command, in the user's words, and the exit status that goes with it."""

    def __init__(self, message: str, status: int = cli.USAGE, command: str = "acey") -> None:
        """Say what is wrong; ``status`` is one of those of cli.py, ``command`` who says it."""
        super().__init__(message)
        self.status = status
        self.command = command


def out(text: str) -> None:
    """Write a result, a line end added, to standard output."""
    sys.stdout.write(f"{text}\n")


def out_data(text: str) -> None:
    """Write what programs read, a line end added, to standard output: UTF-8 in every locale."""
    if text.isascii():
        out(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}\n".encode())


def out_json(value: object) -> None:
    """Write a result as one line of JSON to standard output."""
    try:
        text = msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # the name of a file that is no text in UTF-8; escaped, it can stay
        text = json.dumps(msgspec.to_builtins(value), separators=(",", ":"))
    out_data(text)


def note(text: str) -> None:
    """Write what is no result, a line end added, to standard error."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def counted(count: int, thing: str) -> str:
    """``1 game``, ``2 games``, ``no fault``."""
    return f"{count or 'no'} {thing}{'' if count in (0, 1) else 's'}"


def rules_named(text: str) -> RuleSet:
    """The rule set an option spells. Raises CommandError (usage)."""
    try:
        return rule_set(text)
    except RuleSetError as error:
        raise CommandError(str(error)) from error


def cannot_read(path: Path, error: OSError) -> Never:
    """Raise CommandError for a file that cannot be read or written."""
    why = error.strerror or str(error)
    raise CommandError(f"{path}: {why[:1].lower()}{why[1:]}") from error
