"""The subcommands of ``acey``: their names, and where each is found.

A subcommand is a function whose parameters typer reads, or a ``typer.Typer`` application. The
module that holds it is imported only when it runs, so that no command pays for another.

Those of the daemon stand in ``COMMANDS``; components above it, which it may not import, name theirs
in the entry-point group ``aceydeucey.commands`` of pyproject.toml. A name with a dot is a command
of a group: ``bench.perft`` is ``acey bench perft``.
"""

from importlib import import_module
from importlib.metadata import entry_points
from typing import Final, NamedTuple


class Command(NamedTuple):
    """Where a subcommand is found."""

    target: str
    """``module:attribute``."""
    summary: str = ""
    """One line for the list of commands; without it, the first of the docstring is taken."""

    def load(self) -> object:
        """The function or application itself. Raises what importing its module raises."""
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module), attribute)


_HERE = "acey_daemon.commands"
COMMANDS: Final = {
    "serve": Command(f"{_HERE}.serve:serve", "Serve tables and the rules oracle over ZeroMQ."),
    "stdio": Command(f"{_HERE}.stdio:stdio", "Answer as a rules oracle over standard input."),
    "ask": Command(f"{_HERE}.ask:ask", "Send one request to a daemon and show its reply."),
    "legal": Command(f"{_HERE}.legal:legal", "List the legal plays of a position."),
    "validate": Command(f"{_HERE}.validate:validate", "Find every fault in files of games."),
    "convert": Command(f"{_HERE}.convert:convert", "Convert files of games between formats."),
    "schema": Command(f"{_HERE}.schema:schema", "Print JSON Schemas of records and replies."),
    "verify-dice": Command(f"{_HERE}.verify_dice:verify_dice", "Prove or refute a record's dice."),
    "keygen": Command(f"{_HERE}.keygen:keygen", "Make CURVE keys for a daemon and its clients."),
    "conform": Command(f"{_HERE}.conform:conform", "Play recorded dialogues against a server."),
    "bench.daemon": Command(f"{_HERE}.bench_daemon:daemon", "The daemon beside a bare echo."),
    "store.check": Command(f"{_HERE}.store:check", "Look through a store for damage."),
    "store.export": Command(f"{_HERE}.store:export", "Write out the record of every match."),
    "store.vacuum": Command(f"{_HERE}.store:vacuum", "Give unused space of a store back."),
    "bench.perft": Command(f"{_HERE}.bench:perft", "Count positions to a depth."),
    "bench.archive": Command(
        f"{_HERE}.bench_archive:archive", "Read and validate games, beside python-chess."
    ),
}
"""The daemon's own subcommands, in the order they are listed."""
GROUPS: Final = {"bench": "Measure how fast things are.", "store": "Look after a daemon's store."}
"""What the groups of commands are for."""
ENTRY_POINTS: Final = "aceydeucey.commands"


def find(name: str) -> Command | None:
    """The subcommand of that name, dots for spaces; None when there is none."""
    return COMMANDS.get(name) or _others().get(name)


def all_commands() -> dict[str, Command]:
    """Every subcommand by its name: the daemon's own first, the others by name."""
    return COMMANDS | _others()


def _others() -> dict[str, Command]:
    found = sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)
    return {entry.name: Command(entry.value) for entry in found if entry.name not in COMMANDS}
