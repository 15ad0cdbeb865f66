"""``acey show``: a position as a board of text, an SVG picture or a PNG picture."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from acey_daemon.commands.console import (
    CommandError,
    PositionArgument,
    RulesOption,
    rules_named,
)
from acey_daemon.commands.files import whole_file
from acey_grammar.board import text_board
from acey_rules import Side, State
from acey_viewer.png import PngError, fixed, png_bytes
from acey_viewer.svg import svg_board

STDOUT = Path("-")
"""The path that stands for standard output."""
WIDTH: Final = 1088
"""Pixels of a PNG picture for which nobody said a width."""


class View(StrEnum):
    """Who sits at the bottom of a board."""

    X = "x"
    O = "o"  # noqa: E741 - the players are called X and O


class ThemeName(StrEnum):
    """The colours of a picture."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


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
    svg: Annotated[bool, typer.Option("--svg", help="Draw an SVG picture.")] = False,
    png: Annotated[bool, typer.Option("--png", help="Draw a PNG picture.")] = False,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where to; - is standard output."),
    ] = STDOUT,
    theme: Annotated[
        ThemeName | None,
        typer.Option(
            "--theme", help="The picture's colours; auto, as its reader's, is the default."
        ),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(
            "--width",
            min=64,
            max=8192,
            metavar="PIXELS",
            help=f"The width of a PNG picture; {WIDTH} if not given.",
        ),
    ] = None,
) -> None:
    """Draw a position, seen by the side to move: as text, or as a picture.

    The rule set says which agendas a position can have and what a finished game is worth. PNG needs
    the extra: pip install 'aceydeucey[png]'.

    For example:

        acey show --------------------------:15:15:x:63

        acey show -b----E-C---eE---c-e----B-:0:0:o:62 --rules backgammon --view x

        acey show --svg --------------------------:15:15:x:21.N.R > board.svg

        acey show --png -o board.png --theme dark --------------------------:15:15:x:21.N.R
    """
    if svg and png:
        raise CommandError("a picture is --svg or --png, not both")
    picture = svg or png
    for given, name, applies, what in (
        (theme is not None, "--theme", picture, "a picture; say --svg or --png"),
        (width is not None, "--width", png, "a PNG picture; say --png"),
        (ascii_only, "--ascii", not picture, "a board of text, not for a picture"),
    ):
        if given and not applies:
            raise CommandError(f"{name} is for {what}")
    state = State.parse(position, rules_named(rules))
    side = None if view is None else Side[view.name]
    colours = (theme or ThemeName.AUTO).value
    if svg:
        _write(svg_board(state, side, theme=colours).encode(), output)
    elif png:
        if output == STDOUT and sys.stdout.isatty():
            raise CommandError("a PNG picture is not for a terminal; say -o board.png")
        try:
            data = png_bytes(svg_board(state, side, theme=fixed(colours)), width=width or WIDTH)
        except PngError as error:
            raise CommandError(str(error)) from error
        _write(data, output)
    else:
        _write(f"{board(state, view, ascii_only)}\n".encode(), output)


def _write(data: bytes, output: Path) -> None:
    """Write a result. Raises CommandError when that cannot be done."""
    if output == STDOUT:
        sys.stdout.buffer.write(data)
        return
    with whole_file(output) as file:
        file.write(data)


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
        colour=coloured(ascii_only),
    )


def coloured(ascii_only: bool) -> bool:
    """Whether boards have colours: on a terminal that has some, unless NO_COLOR is set."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return sys.stdout.isatty() and wanted and not ascii_only
