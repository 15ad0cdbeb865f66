"""Part of a turn, move by move: following the daemon's graph of single moves in notation.

``legal format=json`` gives the moves that can come first and, for each, those that can come next.
Whoever types a turn in parts walks along that graph; no rule is known here.
"""

from collections.abc import Iterator
from typing import NamedTuple

from acey_protocol.replies import LegalPlays, NextStep
from acey_rules import BAR, OFF, UNENTERED, Position, Side, WrittenPlay

Steps = tuple[NextStep, ...]
_SOURCES = {"bar": BAR, "off": UNENTERED}
_TARGETS = {"off": OFF}


class Partway(NamedTuple):
    """A turn that was begun."""

    position: Position
    dice: tuple[int, ...]
    """The dice still to play."""
    moves: Steps
    """The moves that were made."""


def follow(legal: LegalPlays, written: WrittenPlay) -> Steps | None:
    """The single moves a written part of a play stands for; None when they cannot be made so."""
    made: Steps = ()
    for move in written.moves:
        for _ in range(move.times):
            source = move.source
            for stop in move.stops:
                way = next(_ways(legal, _next(legal, made), source, stop), None)
                if way is None:
                    return None
                made += way
                source = stop
    return made


def _next(legal: LegalPlays, made: Steps) -> Steps:
    return legal.steps[made[-1].step if made else 0]


def _ways(legal: LegalPlays, moves: Steps, source: int, target: int) -> Iterator[Steps]:
    """Every way one checker goes from a place to another, fewest moves first."""
    from_there = [move for move in moves if source_of(move) == source]
    for move in from_there:
        if target_of(move) == target:
            yield (move,)
    for move in from_there:
        if target_of(move) > target:
            for rest in _ways(legal, legal.steps[move.step], target_of(move), target):
                yield (move, *rest)


def source_of(move: NextStep) -> int:
    """Where a move starts, as acey_rules numbers places."""
    return _SOURCES.get(move.source) or int(move.source)


def target_of(move: NextStep) -> int:
    """Where a move ends, as acey_rules numbers places."""
    return OFF if move.target in _TARGETS else int(move.target)


def partway(position: Position, side: Side, dice: tuple[int, ...], moves: Steps) -> Partway:
    """The position after the moves, and the dice they leave."""
    packed = bytearray(position.packed)
    left = list(dice)
    for move in moves:
        left.remove(move.die)
        _shift(packed, side, source_of(move), -1)
        _shift(packed, side, target_of(move), 1)
        if move.hit:
            _shift(packed, side.other, 25 - target_of(move), -1)
            _shift(packed, side.other, BAR, 1)
    return Partway(Position(bytes(packed)), tuple(left), moves)


def _shift(packed: bytearray, side: Side, place: int, by: int) -> None:
    """Put checkers of a side on a place, or take them away; see Position.packed."""
    if place == OFF:
        return
    if place == UNENTERED:
        packed[26 + side] += by
        return
    index = 25 if place == BAR else place
    if side is Side.O:
        index, by = 25 - index, -by
    packed[index] = (packed[index] + by) & 0xFF
