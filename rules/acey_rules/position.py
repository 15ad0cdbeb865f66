"""Where the checkers stand: a value, and the first three fields of a position line.

The turn and the agenda, which complete a position line, belong to a State (turn.py).
spec/notation.md §2.
"""

from enum import IntEnum
from operator import getitem
from typing import Final

from acey_rules.errors import PositionError, shown
from acey_rules.ruleset import Setup

CHECKERS: Final = 15
"""Checkers a side has."""
POINTS: Final = 24
"""Points on the board."""
PACKED: Final = 28
"""Bytes of a packed position."""
OFF: Final = 0
"""Target of a move that bears off."""
UNENTERED: Final = 25
"""Source of a move that enters a checker not yet in play."""
BAR: Final = 26
"""Source of a move that enters a hit checker. Sources are tried from the highest down."""

_EMPTY = "-"
_X_LETTERS = "ABCDEFGHIJKLMNO"
_O_LETTERS = _X_LETTERS.lower()
_VALUES = (
    {_EMPTY: 0}
    | {letter: count for count, letter in enumerate(_X_LETTERS, 1)}
    | {letter: -count for count, letter in enumerate(_O_LETTERS, 1)}
)
_LETTERS = {count: letter for letter, count in _VALUES.items()}


class Side(IntEnum):
    """A player: X counts the points as the position line does, O from the other end."""

    X = 0
    O = 1  # noqa: E741 - the players are called X and O

    @property
    def other(self) -> "Side":
        """The opponent."""
        return Side.O if self is Side.X else Side.X

    @property
    def letter(self) -> str:
        """``x`` or ``o``, as position lines and events write it."""
        return "xo"[self]


class Position:
    """All 30 checkers, as a value: compared and hashed by what it says.

    ``packed`` holds 28 signed bytes: 0 is O's bar, 1-24 are the points in X's numbering and 25
    is X's bar, with X's checkers positive and O's negative; 26 and 27 are the unentered checkers
    of X and of O, both positive.
    """

    __slots__ = ("packed",)

    packed: bytes

    def __init__(self, packed: bytes) -> None:
        """Take 28 packed bytes as they are; ``parse`` is the way in for text.

        Raises PositionError on another number of bytes, which the kernel would read beyond.
        """
        if len(packed) != PACKED:
            raise PositionError("board", f"{PACKED} bytes are needed, {len(packed)} are given")
        self.packed = packed

    @classmethod
    def parse(cls, text: str) -> "Position":
        """Read ``<26 characters>:<X unentered>:<O unentered>``.

        Raises PositionError naming the field at fault.
        """
        fields = text.split(":")
        if len(fields) != 3:
            raise PositionError(
                "fields", f"a board and two counts make 3 fields, not {len(fields)}"
            )
        board = _parse_board(fields[0])
        return cls(board + _parse_counts(board, fields[1:]))

    @classmethod
    def start(cls, setup: Setup) -> "Position":
        """The position a game of that setup starts from (spec/rules.md §2)."""
        return cls.parse(_STARTS[setup])

    def __str__(self) -> str:
        """The first three fields of the position line."""
        packed = self.packed
        board = "".join([_LETTERS[byte - 256 if byte > 127 else byte] for byte in packed[:26]])
        return f"{board}:{packed[26]}:{packed[27]}"

    def __repr__(self) -> str:
        """The text that parses to this position."""
        return f"Position.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        """Positions are equal when every checker stands alike."""
        return isinstance(other, Position) and self.packed == other.packed

    def __hash__(self) -> int:
        """Consistent with equality."""
        return hash(self.packed)

    def count(self, side: Side, point: int) -> int:
        """Checkers of ``side`` on its own ``point``: 1-24, UNENTERED or BAR."""
        if point == UNENTERED:
            return self.packed[26 + side]
        index = 25 if point == BAR else point
        byte = self.packed[index if side is Side.X else 25 - index]
        value = byte - 256 if byte > 127 else byte
        return max(value if side is Side.X else -value, 0)

    def on_bar(self, side: Side) -> int:
        """Checkers of ``side`` on the bar, 0-15."""
        return self.count(side, BAR)

    def unentered(self, side: Side) -> int:
        """Checkers of ``side`` not yet in play, 0-15."""
        return self.count(side, UNENTERED)

    def borne_off(self, side: Side) -> int:
        """Checkers of ``side`` that have left the board, 0-15."""
        packed = self.packed
        return CHECKERS - packed[26 + side] - _on_board(packed[:26], side)

    def pips(self, side: Side) -> int:
        """Pips ``side`` still has to go; a checker on the bar or unentered counts 25."""
        return sum(map(getitem, _PIPS[side], self.packed))

    def mirrored(self) -> "Position":
        """The same position with the sides exchanged."""
        packed = self.packed
        board = bytes((-byte) & 0xFF for byte in packed[25::-1])
        return Position(board + bytes((packed[27], packed[26])))


_STARTS: dict[Setup, str] = {
    "empty": "--------------------------:15:15",
    "backgammon": "-b----E-C---eE---c-e----B-:0:0",
}


def _pip_table(side: Side) -> list[list[int]]:
    """By index and byte of ``packed``: the pips of the checkers there that are of ``side``."""
    sign = 1 if side is Side.X else -1
    table: list[list[int]] = []
    for index in range(28):
        if index < 26:
            distance = index if side is Side.X else 25 - index
            counts = [max(sign * (byte - 256 if byte > 127 else byte), 0) for byte in range(256)]
        else:
            distance = 25 if index == 26 + side else 0
            counts = list(range(256))
        table.append([distance * count for count in counts])
    return table


_PIPS: Final = [_pip_table(side) for side in Side]
"""Bots ask for pips many thousand times a second."""


def _count_table(side: Side) -> bytes:
    """By byte of ``packed``: the checkers that are of ``side``."""
    sign = 1 if side is Side.X else -1
    return bytes(max(sign * (byte - 256 if byte > 127 else byte), 0) for byte in range(256))


_COUNTS: Final = [_count_table(side) for side in Side]
_PACKED: Final = bytes(_VALUES.get(chr(byte), 0) & 0xFF for byte in range(256))
"""By letter: the byte of ``packed``. Boards are read many thousand times a second."""


def _on_board(board: bytes, side: Side) -> int:
    """Checkers of ``side`` on points and bar, from the first 26 bytes of ``packed``."""
    return sum(board.translate(_COUNTS[side]))


def _parse_board(text: str) -> bytes:
    if len(text) != 26:
        raise PositionError("board", f"26 characters are needed, {len(text)} are given")
    if not _VALUES.keys() >= set(text):
        index, letter = next((i, each) for i, each in enumerate(text) if each not in _VALUES)
        raise PositionError("board", f"{letter!r} at index {index} is none of -, A-O, a-o")
    if text[0] in _X_LETTERS:
        raise PositionError("board", f"index 0 is the bar of O; {text[0]!r} is of X")
    if text[25] in _O_LETTERS:
        raise PositionError("board", f"index 25 is the bar of X; {text[25]!r} is of O")
    return text.encode().translate(_PACKED)


def _parse_counts(board: bytes, fields: list[str]) -> bytes:
    counts: list[int] = []
    for side, text in zip(Side, fields, strict=True):
        name = side.name
        field = f"{name} unentered"
        if not (text.isascii() and text.isdigit()) or (len(text) > 1 and text[0] == "0"):
            raise PositionError(field, f"{shown(text)} is no number from 0 to {CHECKERS}")
        on_board = _on_board(board, side)
        if on_board > CHECKERS:
            raise PositionError("board", f"{name} has {on_board} checkers; a side has {CHECKERS}")
        if len(text) > 2 or int(text) > CHECKERS:
            raise PositionError(field, f"{shown(text)} is no number from 0 to {CHECKERS}")
        if on_board + int(text) > CHECKERS:
            raise PositionError(
                field, f"{name} has {on_board} on board and {text} unentered; a side has {CHECKERS}"
            )
        counts.append(int(text))
    return bytes(counts)
