"""Positions that .mat files carry in brackets after ``Illegal play``. spec/formats/mat.md §4.

Two notations occur: a row of numbers separated by ``;``, and GNU Backgammon's position ID.
"""

import base64
import binascii
import re
from typing import Final

from acey_rules import Position, PositionError, Side

_ID: Final = re.compile(r"[A-Za-z0-9+/]{14}(?::[A-Za-z0-9+/]{12})?$")
_BOARD_FROM: Final = 12
"""Before it: match length, Jacoby, two unused, who is on roll, two names, Crawford, two scores, the
cube and its owner."""


def reached_position(text: str, players: tuple[str, str], mover: Side | None) -> str | None:
    """The first three fields of the position line that ``mover`` reached; None: it is none."""
    text = text.strip()
    if _ID.match(text):
        return from_position_id(text.partition(":")[0], roller_is_o=mover is Side.X)
    return _from_numbers(text, players)


def _from_numbers(text: str, players: tuple[str, str]) -> str | None:
    fields = [field.strip() for field in text.rstrip(";").split(";")]
    if len(fields) < _BOARD_FROM + 26 or fields[4] not in ("0", "1"):
        return None
    try:
        points = [int(field) for field in fields[_BOARD_FROM : _BOARD_FROM + 26]]
    except ValueError:
        return None
    # The board is the one of the player on roll, whose name stands first.
    if fields[5] in players and fields[5] != fields[6]:
        roller_is_o = fields[5] == players[1]
    else:
        roller_is_o = fields[4] == "1"
    return _line(points, roller_is_o)


def from_position_id(text: str, roller_is_o: bool = False) -> str | None:
    """A position ID: the checkers of the one not on roll, then of the one on roll, in bits."""
    try:
        data = base64.b64decode(text + "==", validate=True)
    except (binascii.Error, ValueError):
        return None
    bits = "".join(f"{byte:08b}"[::-1] for byte in data)
    runs = [len(run) for run in bits.split("0")]
    if len(runs) < 50:
        return None
    theirs, mine = runs[:25], runs[25:50]
    points = [-theirs[24], *(mine[i] - theirs[23 - i] for i in range(24)), mine[24]]
    return _line(points, roller_is_o)


def _line(points: list[int], roller_is_o: bool) -> str | None:
    """The board that the player on roll counts, as X sees it."""
    board = "".join(_letter(number) for number in points)
    try:
        position = Position.parse(f"{board}:0:0")
    except PositionError:
        return None
    return str(position.mirrored() if roller_is_o else position)


def _letter(number: int) -> str:
    if not -15 <= number <= 15:
        return "?"
    if number == 0:
        return "-"
    return chr(ord("A") + number - 1) if number > 0 else chr(ord("a") - number - 1)
