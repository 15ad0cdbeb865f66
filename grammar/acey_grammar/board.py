"""The text board: a diagram as 15 lines of at most 80 columns.

In Unicode or plain ASCII, with or without terminal colours. Columns are four wide, so that a
two-digit point number, a checker and the count of a tall stack line up.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from acey_grammar.diagram import BOTTOM, TALLEST, TOP, Diagram, Seat, Stack, diagram
from acey_grammar.printable import printable
from acey_rules import CHECKERS, Side, State

WIDTH: Final = 80
"""Columns of the widest line."""
_PANEL = 21
_BAR = 5
_SGR = {"X": "1;31", "O": "1;36", "dim": "2", "dice": "1", "": ""}


class Charset(NamedTuple):
    """The characters a board is drawn with."""

    checkers: tuple[str, str]
    corners: str
    """Top left, top joint, top right, bottom left, bottom joint, bottom right."""
    across: str
    down: str
    empty: str
    mover: str


UNICODE: Final = Charset(("●", "○"), "┌┬┐└┴┘", "─", "│", "·", "▸")
ASCII: Final = Charset(("X", "O"), "++++++", "-", "|", ".", ">")


class _Painter(NamedTuple):
    """Draws with a character set, in colour or not."""

    chars: Charset
    colour: bool

    def paint(self, text: str, role: str) -> str:
        """The text in the colour of a role: ``X``, ``O``, ``dim``, ``dice`` or none."""
        code = _SGR[role] if self.colour else ""
        return f"\x1b[{code}m{text}\x1b[0m" if code and text.strip() else text

    def cell(self, text: str, width: int, role: str) -> str:
        """The text right of the middle of a cell, where the digits of a point number stand."""
        return self.paint(text.rjust(width // 2 + 1).ljust(width), role)

    def checkers(self, side: Side, count: int) -> str:
        """So many checkers in a row, painted."""
        return self.paint(self.chars.checkers[side] * count, side.name)

    def level(self, stack: Stack, level: int, width: int) -> str:
        """What a stack shows at a level: 0 is where it stands, TALLEST - 1 its top."""
        if stack.side is None or level >= stack.height:
            return self.cell(self.chars.empty if level == 0 and width < _BAR else "", width, "dim")
        if level == TALLEST - 1 and stack.height > TALLEST:
            return self.cell(str(stack.height), width, stack.side.name)
        return self.cell(self.chars.checkers[stack.side], width, stack.side.name)


def text_board(
    state: State,
    view: Side | None = None,
    *,
    names: tuple[str, str] = ("", ""),
    ascii_only: bool = False,
    colour: bool = False,
) -> str:
    """A state as lines of text without the last line end.

    ``view`` sits at the bottom and numbers the points: the side to move unless given. ``names`` are
    those of X and O, of any origin; they are made harmless and cut to fit. ``ascii_only`` keeps to
    ASCII; ``colour`` adds terminal colours.
    """
    return draw_text(diagram(state, view), names=names, ascii_only=ascii_only, colour=colour)


def draw_text(
    board: Diagram,
    *,
    names: tuple[str, str] = ("", ""),
    ascii_only: bool = False,
    colour: bool = False,
) -> str:
    """A diagram as ``text_board`` draws it."""
    pen = _Painter(ASCII if ascii_only else UNICODE, colour)
    shown = [printable(name, _PANEL - 6, ascii_only=ascii_only) for name in names]
    lines = [_edge(pen, TOP, pen.chars.corners[:3])]
    lines += [_row(pen, board, TOP, level) for level in range(TALLEST)]
    lines.append(_middle(pen, board))
    lines += [_row(pen, board, BOTTOM, level) for level in range(TALLEST - 1, -1, -1)]
    lines.append(_edge(pen, BOTTOM, pen.chars.corners[3:]))
    panel = ["", *_panel(pen, board, board.far, shown[board.far.side]), ""]
    panel += [*_panel(pen, board, board.near, shown[board.near.side]), ""]
    beside = [f"{line}  {text}".rstrip() for line, text in zip(lines, panel, strict=True)]
    return "\n".join([*beside, f"{board.due}."])


def _edge(pen: _Painter, halves: Sequence[Sequence[int]], corners: str) -> str:
    """The upper or lower edge, which holds the point numbers."""
    left, right = ("".join(_label(pen, point) for point in half) for half in halves)
    across = pen.chars.across
    text = f"{corners[0]}{left}{corners[1]}{across * _BAR}{corners[1]}{right}{corners[2]}"
    return pen.paint(text, "dim")


def _label(pen: _Painter, point: int) -> str:
    return f"{point:{pen.chars.across}>3}{pen.chars.across}"


def _row(pen: _Painter, board: Diagram, halves: Sequence[Sequence[int]], level: int) -> str:
    """One row of points: level 0 lies at the edge, the highest level in the middle."""
    left, right = (
        "".join(pen.level(board.stack(point), level, 4) for point in half) for half in halves
    )
    # The viewing side enters at the top, so its checkers on the bar wait in the upper half; on
    # the bar a stack stands in the middle of the board and grows outwards.
    seat = board.near if halves is TOP else board.far
    bar = pen.level(Stack(seat.side, seat.bar), TALLEST - 1 - level, _BAR)
    return _framed(pen, left, bar, right)


def _framed(pen: _Painter, left: str, bar: str, right: str) -> str:
    down = pen.paint(pen.chars.down, "dim")
    return f"{down}{left}{down}{bar}{down}{right}{down}"


def _middle(pen: _Painter, board: Diagram) -> str:
    """The row between the halves: the dice, to the right of the side that has them to play."""
    dice = " ".join(f"[{die}]" for die in board.dice)
    halves = [pen.paint(text.center(24), "dice") for text in (dice, "")]
    right, left = halves if board.turn is board.view else reversed(halves)
    return _framed(pen, left, pen.paint("BAR".center(_BAR), "dim"), right)


def _panel(pen: _Painter, board: Diagram, seat: Seat, name: str) -> Iterable[str]:
    """Five lines beside a side's half of the board."""
    mover = pen.chars.mover if board.turn is seat.side else " "
    tray = pen.checkers(seat.side, seat.unentered)
    letter = seat.side.name
    mark = "" if pen.chars is ASCII else pen.chars.checkers[seat.side]
    who = pen.paint(f"{letter}{mark and ' '}{mark}", letter)
    return (
        f"{mover} {who} {name}".rstrip(),
        f"  pips {seat.pips}, bar {seat.bar}",
        f"  unentered {seat.unentered}",
        f"  {tray}{pen.paint(pen.chars.empty * (CHECKERS - seat.unentered), 'dim')}",
        f"  borne off {seat.off}",
    )


__all__ = ["ASCII", "UNICODE", "WIDTH", "Charset", "draw_text", "text_board"]
