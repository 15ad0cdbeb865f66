"""GNU Backgammon position IDs and XGIDs, encoded and decoded exactly. spec/engines.md §4.

Both know the bar, the points and what has left the board, but nothing of unentered checkers: they
are for positions in which every checker is in play or borne off.
"""

from base64 import b64decode, b64encode
from binascii import Error
from typing import Final

from acey_rules import CHECKERS, UNENTERED, Position, PositionError, Side

ID_LENGTH: Final = 14
"""Characters of a position ID: 80 bits in base 64."""


class PositionIdError(ValueError):
    """Text that is no position ID or XGID, or a position that has none."""


def encode_gnubg(position: Position, roller: Side) -> str:
    """The position ID, 14 characters; ``roller`` is the side on roll.

    The bits are, for each side, for its points 1-24 and its bar, as many 1s as it has checkers
    there and a 0; the first bit is the lowest of the first byte. The side *not* on roll comes
    first: so GNU Backgammon reads and writes them, although its manual says the reverse. Raises
    PositionIdError when a checker is unentered.
    """
    bits: list[int] = []
    for side in (roller.other, roller):
        _all_entered(position, side)
        for point in (*range(1, 25), UNENTERED + 1):
            bits += [1] * position.count(side, point) + [0]
    number = sum(bit << index for index, bit in enumerate(bits))
    return b64encode(number.to_bytes(10, "little")).decode()[:ID_LENGTH]


def decode_gnubg(text: str, roller: Side) -> Position:
    """The position of an ID, with ``roller`` on roll. Raises PositionIdError."""
    try:
        if len(text) != ID_LENGTH:
            raise PositionIdError(f"a position ID has {ID_LENGTH} characters, not {len(text)}")
        number = int.from_bytes(b64decode(f"{text}==", validate=True), "little")
    except (Error, ValueError) as error:
        raise PositionIdError(f"{text!r} is no position ID: {error}") from error
    counts: dict[Side, list[int]] = {}
    for side in (roller.other, roller):
        counts[side] = []
        for _ in range(25):
            count = 0
            while number & 1:
                count += 1
                number >>= 1
            counts[side].append(count)
            number >>= 1
    if number:
        raise PositionIdError(f"{text!r} is no position ID: bits are left after both sides")
    return _position(counts[Side.X], counts[Side.O], text)


def _position(x_counts: list[int], o_counts: list[int], text: str) -> Position:
    """The position of counts on points 1-24 and the bar, each in the side's own numbering."""
    packed = bytearray(28)
    for point in range(1, 25):
        mine, theirs = x_counts[point - 1], o_counts[24 - point]
        if mine and theirs:
            raise PositionIdError(f"{text!r} has both sides on X's point {point}")
        packed[point] = (mine - theirs) & 0xFF
    packed[0], packed[25] = -o_counts[24] & 0xFF, x_counts[24]
    for name, counts in (("X", x_counts), ("O", o_counts)):
        if sum(counts) > CHECKERS:
            raise PositionIdError(f"{text!r} gives {name} {sum(counts)} checkers, more than 15")
    return Position(bytes(packed))


def _all_entered(position: Position, side: Side) -> None:
    if position.unentered(side):
        raise PositionIdError(f"{side.name} has unentered checkers; a position ID cannot say so")


def encode_xgid(
    position: Position,
    roller: Side,
    dice: tuple[int, int] | None,
    score: tuple[int, int] = (0, 0),
    length: int = 0,
) -> str:
    """The XGID, cube in the middle at 1: ``XGID=-b----E-C---eE---c-e----B-:0:0:1:63:0:0:0:0:10``.

    ``dice``: the dice to play, or None before the roll; ``score``: X's and O's points in a match
    to ``length`` points, 0 for money. X is the player with capital letters. Raises
    PositionIdError when a checker is unentered.
    """
    for side in Side:
        _all_entered(position, side)
    board = str(position).partition(":")[0]
    turn = 1 if roller is Side.X else -1
    rolled = f"{dice[0]}{dice[1]}" if dice else "00"
    return f"XGID={board}:0:0:{turn}:{rolled}:{score[0]}:{score[1]}:0:{length}:10"


def decode_xgid(text: str) -> tuple[Position, Side, tuple[int, int] | None]:
    """The position of an XGID, the side on roll and its dice, None before the roll.

    What it says of the cube, the score and the match is checked for form only. Raises
    PositionIdError.
    """
    fields = text.removeprefix("XGID=").split(":")
    if len(fields) != 10:
        raise PositionIdError(f"an XGID has 10 fields separated by ':', not {len(fields)}")
    try:
        position = Position.parse(f"{fields[0]}:0:0")
        numbers = [int(field) for field in (*fields[1:4], *fields[5:])]
    except (PositionError, ValueError) as error:
        raise PositionIdError(f"{text!r} is no XGID: {error}") from error
    if numbers[2] not in (1, -1):
        raise PositionIdError(f"the turn of an XGID is 1 or -1, not {fields[3]}")
    return position, Side.X if numbers[2] == 1 else Side.O, _dice(fields[4])


def _dice(field: str) -> tuple[int, int] | None:
    if field == "00":
        return None
    if len(field) != 2 or not set(field) <= set("123456"):
        raise PositionIdError(f"the dice of an XGID are two digits 1-6 or 00, not {field!r}")
    return int(field[0]), int(field[1])
