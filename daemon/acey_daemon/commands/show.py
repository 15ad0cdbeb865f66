"""``acey show``: a position as a text board."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from acey_daemon.commands.console import PositionArgument, RulesOption, out, rules_named
from acey_grammar.board import text_board
from acey_rules import Side, State


class View(StrEnum):
    """Who sits at the bottom of a board."""

    X = "x"
    O = "o"  # noqa: E741 - the players are called X and O


ViewOption = Annotated[
    View | None,
    typer.Option("--view", help="Who sits at the bottom, where the points are that side's own."),
]
AsciiOption = Annotated[bool, typer.Option("--ascii", help="Draw with plain ASCII characters.")]


def show(
    position: PositionArgument,
    rules: RulesOption = "american",
    view: ViewOption = None,
    ascii_only: AsciiOption = False,
) -> None:
    """Draw a position as a board of text, seen by the side to move.

    The rule set says which agendas a position can have and what a finished game is worth.

    For example:

        acey show --------------------------:15:15:x:63

        acey show -b----E-C---eE---c-e----B-:0:0:o:62 --rules backgammon --view x
    """
    state = State.parse(position, rules_named(rules))
    out(board(state, view, ascii_only))


def board(
    state: State, view: View | None, ascii_only: bool, names: tuple[str, str] = ("", "")
) -> str:
    """The board as standard output can show it: colour only on a terminal, ASCII where it must."""
    encoding = sys.stdout.encoding.lower().replace("-", "")
    return text_board(
        state,
        None if view is None else Side[view.name],
        names=names,
        ascii_only=ascii_only or not encoding.startswith("utf"),
        colour=sys.stdout.isatty() and not ascii_only,
    )
