"""What every subcommand says and how: results to standard output, the rest to standard error."""

import json
import sys
from pathlib import Path
from typing import Annotated, Final, Never

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
SHOWN: Final = 40
"""Characters of a value that are repeated to whoever typed it."""


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


def number_fault(error: typer.TyperException) -> str:
    """What is wrong with a number among a command's options; empty when that is not the error.

    Typer has numbers judged by its validator. What that found hangs on the error as its cause.
    """
    param, cause = getattr(error, "param", None), error.__cause__
    find_errors = getattr(cause, "errors", None)
    if param is None or find_errors is None:
        return ""
    found = find_errors()[0]
    kind: str = found["type"]
    typed = str(found["input"])
    typed = typed if len(typed) <= SHOWN else f"{typed[:SHOWN]}…"
    if kind == "int_parsing_size":
        return f"a number of fewer digits is expected, not {typed}"
    if kind.startswith(("int_", "float_")):
        wanted = "a whole number" if kind.startswith("int_") else "a number"
        return f"{wanted} is expected, not {typed!r}"
    if kind not in ("greater_than_equal", "less_than_equal"):
        return ""
    least, most = param.min, param.max
    if least is None or most is None:
        return f"{f'at most {most}' if least is None else f'{least} or more'}, not {typed}"
    return f"{least} to {most}, not {typed}"


def cannot_read(path: Path, error: OSError) -> Never:
    """Raise CommandError for a file that cannot be read or written."""
    why = error.strerror or str(error)
    raise CommandError(f"{path}: {why[:1].lower()}{why[1:]}") from error
