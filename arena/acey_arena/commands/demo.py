"""``acey demo``: two bots play a match through a daemon; the record is saved and validated."""

import os
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from acey_arena.bots import BOTS
from acey_arena.demo import DemoError, Plan, Played, play_match
from acey_daemon import cli
from acey_daemon.commands.archive_report import Counts
from acey_daemon.commands.console import (
    CommandError,
    RulesOption,
    cannot_read,
    note,
    out,
    rules_named,
)
from acey_grammar import parse_games, validate
from acey_protocol.errors import AceyError
from acey_protocol.events import Began
from acey_protocol.records import MatchRecord, decode_json, encode_json
from acey_protocol.replies import TableState

TEXT_FILE = Path("demo.acey")
JSON_FILE = Path("demo.json")


def demo(
    match: Annotated[
        int, typer.Option("--match", min=1, max=999, metavar="POINTS", help="Length of the match.")
    ] = 15,
    rules: RulesOption = "american",
    x: Annotated[
        str, typer.Option("--x", metavar="BOT", help=f"Who plays X: {', '.join(BOTS)}.")
    ] = "random",
    o: Annotated[str, typer.Option("--o", metavar="BOT", help="Who plays O.")] = "pip",
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, metavar="N", help="Play the match of that number again."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            metavar="DIR",
            help="Keep the daemon's store and the logs there.  [default: a temporary folder]",
        ),
    ] = None,
) -> int:
    """Let two bots play a match over ZeroMQ, and save and validate the record.

    A daemon is started on free ports with a store of its own; the bots run in processes of their
    own. The record goes to demo.acey (notation) and demo.json (JSON) in the current folder.

    For example:

        acey demo

        acey demo --match 30 --rules european --seed 7 --folder kept
    """
    rules_named(rules)
    for name in (x, o):
        if name not in BOTS:
            raise CommandError(f"there is no bot {name!r}; there are {', '.join(BOTS)}")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    if not os.access(Path.cwd(), os.W_OK):
        raise CommandError(f"{TEXT_FILE} goes to the current folder, which cannot be written to")
    with ExitStack() as stack:
        kept = _folder(folder, stack)
        watch = stack.enter_context(_Watch(match))
        try:
            played = play_match(Plan(x, o, match, rules, seed, kept), watch.look, watch.say)
        except (DemoError, AceyError) as error:
            raise CommandError(f"the demonstration stopped: {error}", cli.INTERNAL) from error
    return _keep(played)


def _folder(named: Path | None, stack: ExitStack) -> Path:
    """The folder of the store: a temporary one, or the one named, made where it does not exist."""
    if named is None:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="acey-demo-")))
    try:
        named.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cannot_read(named, error)
    return named


class _Watch:
    """Shows how the match stands: a bar on a terminal, a line a game elsewhere."""

    def __init__(self, match: int) -> None:
        console = Console(stderr=True)
        self._bar: Progress | None = None
        self._task = TaskID(0)
        if console.is_terminal:
            columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=console, transient=True)
            self._task = self._bar.add_task("starting", total=match)

    def __enter__(self) -> Self:
        """Start to show."""
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """Leave the terminal as it was."""
        if self._bar is not None:
            self._bar.stop()

    def say(self, text: str) -> None:
        """Show a line that stays."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            note(text)

    def look(self, state: TableState, begun: list[Began]) -> None:
        """Show a state of the table, and the games that have begun since the last one."""
        if self._bar is not None:
            score = f"{state.x} {state.score[0]}-{state.score[1]} {state.o}"
            place = f"game {state.game}, ply {state.ply}" if state.game else "taking seats"
            text = f"{place}: {score}"
            self._bar.update(self._task, description=text, completed=max(state.score))
        for game in begun:
            score = f"{state.x} {game.x_score}-{game.o_score} {state.o}"
            self.say(f"game {game.game} starts at {score}")


def _keep(played: Played) -> int:
    """Write both files, read them back, validate them and tell the result."""
    record = played.record
    try:
        TEXT_FILE.write_text(played.text, "utf-8")
        JSON_FILE.write_bytes(encode_json(record, indent=2) + b"\n")
        from_text = tuple(read.record for read in parse_games(TEXT_FILE.read_text("utf-8")))
        from_json = decode_json(JSON_FILE.read_bytes())
    except OSError as error:
        cannot_read(Path(error.filename or TEXT_FILE), error)
    if from_json != record or from_text != record.games:
        raise CommandError("what was read back is not what was played", cli.INTERNAL)
    out(_result(record))
    good = True
    for path, games in ((TEXT_FILE, from_text), (JSON_FILE, record.games)):
        counts = Counts()
        for game in games:
            judged = validate(game)
            counts.add(judged.turns, judged.faults)
        out(f"{path}: {counts}")
        good = good and not counts.faults
    acey = sys.argv[0] if "/" in sys.argv[0] and not sys.argv[0].endswith(".py") else "acey"
    out(f"step through it with: {acey} replay {TEXT_FILE}")
    return cli.GOOD if good else cli.BAD_INPUT


def _result(record: MatchRecord) -> str:
    """Who beat whom, and by how much."""
    names = {"X": record.x, "O": record.o}
    x_points, o_points = record.score
    if record.winner is None:
        raise CommandError("the match was not played to its end", cli.INTERNAL)
    loser = "O" if record.winner == "X" else "X"
    score = f"{max(x_points, o_points)}-{min(x_points, o_points)}"
    return f"{names[record.winner]} ({record.winner}) beats {names[loser]} ({loser}) {score}"
