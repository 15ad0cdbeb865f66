"""What a position is worth: points held, primes, blots, entering. The judgement of two bots.

The value is in pips: what lead in a plain race a position is worth to a side that has just moved.
It is a sum of

- the race: the pips each side still has to go;
- where checkers stand: a stack is worth less than its checkers spread out, a point held in the
  home board more than elsewhere, because the opponent has all fifteen checkers to enter there;
- blots: the chance that one is hit next roll, times the pips it would lose and what the opponent
  gains by it;
- blockades: for each group of opposing checkers, the bar and those still to enter included, how
  many of the six numbers in front of it are points held.

The same position seen from the other side has exactly the same value: the weights are fractions
with a power of two below, which add up without rounding.

All of it is computed on 26 bytes of a position at once: a board turned into a number with one byte
a point can be shifted by a die for all points together.
"""

from collections.abc import Sequence
from operator import getitem
from typing import Final

from acey_rules import Position, Side

BAR_LOSS: Final = 7.0
"""A checker on the bar, beyond its pips: it must enter before anything else moves."""
UNENTERED_LOSS: Final = 1.0
"""A checker not in play, beyond its pips: it holds nothing."""
STACK_LOSS: Final = 0.75
"""Each checker above three on a point."""
POINT_GAIN: Final = (0.0, 2.0, 2.5, 3.0, 4.0, 5.0, 5.0, 4.0, 3.0, 2.0, 1.5, 1.0, 1.0)
"""Holding a point, by the holder's own number; beyond 12: ``FAR_GAIN``."""
FAR_GAIN: Final = 1.0
HIT_GAIN: Final = 5.0
"""What a hit is worth to who hits, beyond the pips the checker loses."""
HIT_CHANCE: Final = tuple(ways / 36 for ways in (0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3))
"""The chance that one checker hits at a distance of 0-12 pips, nothing in its way."""
WAITING: Final = 0.35
"""How much a shot counts for the side that does not roll next, against one that does."""
BLOCKED: Final = (0.0, 0.25, 0.75, 1.75, 3.25, 5.5, 8.0)
"""The worth of 0-6 points held among the six in front of an opposing checker, for one checker."""
CROWD: Final = (
    0,
    1,
    1.625,
    2,
    2.25,
    2.5,
    2.75,
    2.875,
    3,
    3.125,
    3.25,
    3.375,
    3.5,
    3.625,
    3.75,
    3.875,
)
"""How much more a blockade is worth against several checkers than against one."""

_SIX: Final = 0x010101010101


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _place_value(own_point: int, count: int) -> float:
    """What ``count`` checkers of one side on its own point are worth, apart from the opponent."""
    value = -float(own_point * count)
    if count >= 2:
        value += POINT_GAIN[own_point] if own_point < len(POINT_GAIN) else FAR_GAIN
    return value - STACK_LOSS * max(count - 3, 0)


def _place_table(index: int) -> list[float]:
    """By the byte at ``index`` of the packed position: its worth to X less its worth to O."""
    table: list[float] = []
    for byte in range(256):
        count = _signed(byte)
        if abs(count) > 15:
            table.append(0.0)
        elif index in (0, 25):
            table.append(-(25 + BAR_LOSS) * count)
        elif index >= 26:
            table.append((-1 if index == 26 else 1) * (25 + UNENTERED_LOSS) * count)
        elif count >= 0:
            table.append(_place_value(index, count))
        else:
            table.append(-_place_value(25 - index, -count))
    return table


_PLACES: Final = [_place_table(index) for index in range(28)]
_X_ANY: Final = bytes(_signed(byte) > 0 for byte in range(256))
_X_BLOT: Final = bytes(_signed(byte) == 1 for byte in range(256))
_X_HELD: Final = bytes(_signed(byte) >= 2 for byte in range(256))
_O_ANY: Final = bytes(_signed(byte) < 0 for byte in range(256))
_O_BLOT: Final = bytes(_signed(byte) == -1 for byte in range(256))
_O_HELD: Final = bytes(_signed(byte) <= -2 for byte in range(256))


def quick_value(position: Position, side: Side) -> float:
    """The part of the value that looks at each point alone; several times as fast."""
    value: float = sum(map(getitem, _PLACES, position.packed))
    return value if side is Side.X else -value


def value(position: Position, side: Side) -> float:
    """The worth to ``side``, in pips, of a position in which the other side is to roll."""
    packed = position.packed
    board = packed[1:25]
    mine, theirs = (_X_HELD, _O_HELD) if side is Side.X else (_O_HELD, _X_HELD)
    x_moves = side is Side.X
    blockades = _blockade(board.translate(mine), packed, up=x_moves)
    blockades -= _blockade(board.translate(theirs), packed, up=not x_moves)
    # Who rolls next hits at once; the other's shots come a roll later and often are gone by then.
    shots = WAITING * _risk(packed, x_hits=x_moves) - _risk(packed, x_hits=not x_moves)
    return quick_value(position, side) + blockades + shots


def _risk(packed: bytes, *, x_hits: bool) -> float:
    """What the blots of one side stand to lose to the other's next roll.

    Byte 0 of the numbers is where the hitter's entering checkers come from, 1-24 are the points
    in the order the hitter passes them.
    """
    board = packed[1:25]
    if x_hits:
        blots = int.from_bytes(board.translate(_O_BLOT), "big") << 8
        hitters = int.from_bytes(board.translate(_X_ANY), "big") << 8
        hitters |= bool(packed[25] or packed[26])
    else:
        blots = int.from_bytes(board.translate(_X_BLOT), "little") << 8
        hitters = int.from_bytes(board.translate(_O_ANY), "little") << 8
        hitters |= bool(packed[0] or packed[27])
    if not blots:
        return 0.0
    risk = 0.0
    safe: dict[int, float] = {}
    for distance in range(1, 13):
        shots = (hitters << 8 * distance) & blots
        while shots:
            low = shots & -shots
            shots ^= low
            safe[low] = safe.get(low, 1.0) * (1 - HIT_CHANCE[distance])
    for blot, missed in safe.items():
        own_point = blot.bit_length() // 8  # the hitter's p-th point is the blot's own point p
        risk += (1 - missed) * (25 - own_point + HIT_GAIN)
    return risk


def _blockade(held: bytes, packed: bytes, *, up: bool) -> float:
    """What the points in ``held`` are worth against the checkers that have to pass them."""
    if up:
        wall = int.from_bytes(held, "little")
        waiting = packed[27] + (256 - packed[0] if packed[0] else 0)
        movers: Sequence[int] = packed[1:25]
    else:
        wall = int.from_bytes(held, "big")
        waiting = packed[26] + packed[25]
        movers = packed[24:0:-1]
    if not wall:
        return 0.0
    worth = 0.0
    if waiting:
        worth = BLOCKED[(wall & _SIX).bit_count()] * CROWD[min(waiting, 15)]
    for point, byte in enumerate(movers, 1):
        count = (256 - byte if byte > 127 else 0) if up else (byte if byte < 128 else 0)
        if count:
            front = (wall >> 8 * point) & _SIX
            if front:
                worth += BLOCKED[front.bit_count()] * CROWD[count]
    return worth
