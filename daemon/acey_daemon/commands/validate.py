"""``acey validate``: every fault of files of games, each with its place."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec
import typer
from msgspec.structs import replace

from acey_daemon import cli
from acey_daemon.commands.console import (
    CommandError,
    JsonOption,
    counted,
    note,
    out,
    out_json,
    rules_named,
)
from acey_daemon.commands.files import games_of
from acey_grammar import Fault
from acey_grammar import validate as validate_game
from acey_rules import RuleSet


class GameReport(msgspec.Struct, frozen=True, kw_only=True):
    """One game as it was judged; with ``--json`` a line of its own."""

    file: str
    game: int
    """Number of the game in its file, from 1."""
    format: str
    rules: str | None
    """The rule set it was replayed by; None when it names none."""
    players: tuple[str, str]
    """X and O; empty where the game does not name them."""
    winner: str | None
    """``X`` or ``O``; None when the game is not finished or was not replayed to its end."""
    points: int | None
    how: str | None
    """How it ended, empty when the winner bore off."""
    turns: int
    final: str | None
    """The last position line reached; None when nothing could be replayed."""
    faults: tuple[Fault, ...]


def validate(
    paths: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Files of games; - is standard input.")
    ],
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="RULES", help="Replay by this rule set, whatever the games name."
        ),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Read files of games, replay every game and report every fault with its line and column.

    An illegal play is shown with the position before it and what would have been legal. The exit
    status is 1 when anything is wrong.

    For example:

        acey validate demo.acey

        acey validate --json games/*.acey

        acey validate --rules dice-board - < demo.acey
    """
    chosen = None if rules is None else rules_named(rules)
    status = cli.GOOD
    for path in paths:
        try:
            good = _judge(path, chosen, json)
        except CommandError as error:
            note(f"acey: {error}")
            status = max(status, error.status)
        else:
            status = status if good else max(status, cli.BAD_INPUT)
    return status


def _judge(path: str, rules: RuleSet | None, json: bool) -> bool:
    """Write the reports of a file; whether nothing is wrong with it."""
    counts = Counts()
    for report in reports_of(path, rules):
        counts.add(report.turns, report.faults)
        if json:
            out_json(report)
        else:
            for fault in report.faults:
                out(fault_text(fault))
    if not counts.games:
        raise CommandError(f"{path}: there is no game in it", cli.BAD_INPUT)
    if not json:
        out(f"{path}: {counts}")
    return not counts.faults


class Counts:
    """What a file came to."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self.games = self.turns = self.faults = 0

    def add(self, turns: int, faults: Sequence[Fault]) -> None:
        """Count one game more."""
        self.games += 1
        self.turns += turns
        self.faults += len(faults)

    def __str__(self) -> str:
        """``1 game, 62 turns, no fault``."""
        parts = ((self.games, "game"), (self.turns, "turn"), (self.faults, "fault"))
        return ", ".join(counted(count, thing) for count, thing in parts)


def reports_of(path: str, rules: RuleSet | None) -> Iterator[GameReport]:
    """The report of every game of a file. Raises CommandError when it cannot be read."""
    for number, read in enumerate(games_of(path), 1):
        judged = validate_game(read, rules)
        state = judged.state
        outcome = None if state is None else state.outcome
        yield GameReport(
            file=path,
            game=number,
            format=read.format,
            rules=None if judged.rules is None else judged.rules.name,
            players=(read.record.tag("X") or "", read.record.tag("O") or ""),
            winner=None if outcome is None else outcome.winner.name,
            points=None if outcome is None else outcome.points,
            how=None if outcome is None else outcome.how.value,
            turns=judged.turns,
            final=None if state is None else state.line,
            faults=tuple(replace(fault, file=path) for fault in judged.faults),
        )


def fault_text(fault: Fault) -> str:
    """A fault as a line with its place, and lines that help to understand it."""
    rule = f" ({fault.rule})" if fault.rule and fault.rule not in fault.message else ""
    lines = [f"{fault}{rule}"]
    if fault.position:
        lines.append(f"    position before  {fault.position}")
    if fault.legal is not None:
        more = ", …" if fault.legal > len(fault.alternatives) else ""
        lines.append(
            f"    {counted(fault.legal, 'legal play'):<15}  {', '.join(fault.alternatives)}{more}"
        )
    return "\n".join(lines)
