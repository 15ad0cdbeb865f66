"""Carrying out what was written on a board, whether or not the rules allow it.

A replay goes on after an illegal play from the position that the checkers reached, so that one run
lists every fault. And a play written die by die is found among the legal ones by where it leads,
which is much faster than looking for every way to read it.
"""

from typing import NamedTuple

from acey_rules import BAR, OFF, UNENTERED, Play, Position, Side, State, WrittenMove, WrittenPlay


class Carried(NamedTuple):
    """The board after what was written has been done on it."""

    position: Position
    hits: frozenset[int]
    """The mover's points on which a checker was hit."""
    pips: tuple[int, ...]
    """How far each written step goes; bearing off counts from the point to the edge."""


def carry_out(position: Position, side: Side, moves: tuple[WrittenMove, ...]) -> Carried | None:
    """Move the checkers as written, in any order that works.

    None when the board cannot do it: no checker is there, or the point is held, on which no
    second side can stand.
    """
    board = _Hands(position, side)
    left = [
        (source, target)
        for move in moves
        for _ in range(move.times)
        for source, target in zip((move.source, *move.stops), move.stops, strict=False)
    ]
    pips = tuple(min(source, UNENTERED) - target for source, target in left)
    while left:
        step = next((step for step in left if board.can(*step)), None)
        if step is None:
            return None
        left.remove(step)
        board.move(*step)
    return Carried(board.position, frozenset(board.hits), pips)


def moves_between(before: Position, after: Position, side: Side) -> tuple[WrittenMove, ...] | None:
    """Moves of one side that lead from a position to another, whatever the dice.

    None when there are none: a checker has gone backward, or the other side moved by itself.
    """
    was, now = _Hands(before, side), _Hands(after, side)
    gone: list[int] = []
    come: list[int] = []
    for point in (BAR, *range(24, 0, -1)):
        more = max(now.mine(point), 0) - max(was.mine(point), 0)
        (come if more > 0 else gone).extend([point] * abs(more))
    come += [OFF] * (after.borne_off(side) - before.borne_off(side))
    struck = [p for p in range(24, 0, -1) if was.mine(p) == -1 and now.mine(p) >= 0]
    moves: list[WrittenMove] = []
    for source, target in zip(gone, come, strict=False):
        # What was hit where nobody stayed was hit in passing.
        stops = [p for p in struck if source > p > target and p not in come]
        stops.append(target)
        struck = [p for p in struck if p not in stops or p in come]
        moves.append(WrittenMove(source, tuple(stops)))
    forward = len(gone) == len(come) and all(move.source > move.stops[-1] for move in moves)
    carried = carry_out(before, side, tuple(moves)) if forward else None
    if carried is None or carried.position != after:
        return None
    hits = carried.hits
    return tuple(
        move._replace(hits=tuple(stop for stop in move.stops if stop in hits)) for move in moves
    )


def find_play(state: State, moves: tuple[WrittenMove, ...]) -> Play:
    """The legal play that the moves mean. Raises as ``State.find`` does.

    Moves that say each die are looked up by where they lead; everything else is for ``find``.
    """
    dice = state.dice
    if dice is not None:
        carried = carry_out(state.position, state.turn, moves)
        if carried is not None and _says_each_die(carried.pips, dice):
            marked = {stop for move in moves for stop in move.hits}
            packed = carried.position.packed
            for play in state.legal_plays():
                if play.after.packed == packed and marked <= carried.hits:
                    return play
    return state.find(WrittenPlay(moves))


def _says_each_die(pips: tuple[int, ...], dice: tuple[int, int]) -> bool:
    high, low = dice
    if high == low:
        return all(step == high for step in pips) and len(pips) <= 4
    return pips in ((high, low), (low, high), (high,), (low,), ())


class _Hands:
    """A board whose checkers can be moved about, in the mover's numbering."""

    def __init__(self, position: Position, side: Side) -> None:
        self.side = side
        self.packed = bytearray(position.packed)
        self.hits: set[int] = set()

    def _index(self, point: int) -> int:
        if point == UNENTERED:
            return 26 + self.side
        own = 25 if point == BAR else point
        return own if self.side is Side.X else 25 - own

    def mine(self, point: int) -> int:
        """The mover's checkers on a point; opposing ones are negative."""
        byte = self.packed[self._index(point)]
        value = byte - 256 if byte > 127 else byte
        return value if self.side is Side.X or point == UNENTERED else -value

    def _add(self, index: int, number: int) -> None:
        self.packed[index] = (self.packed[index] + number) & 0xFF

    def can(self, source: int, target: int) -> bool:
        """Whether a checker stands there and may be put down there."""
        return self.mine(source) > 0 and (target == OFF or self.mine(target) >= -1)

    def move(self, source: int, target: int) -> None:
        """Take a checker and put it down, sending one that it hits to the bar."""
        mine = 1 if self.side is Side.X else -1
        self._add(self._index(source), -1 if source == UNENTERED else -mine)
        if target == OFF:
            return
        if self.mine(target) == -1:
            self.packed[self._index(target)] = 0
            self._add(0 if self.side is Side.X else 25, -mine)
            self.hits.add(target)
        self._add(self._index(target), mine)

    @property
    def position(self) -> Position:
        """The position now."""
        return Position(bytes(self.packed))
