"""Carrying out a play that the rules forbid, as hands on a board would. spec/notation.md §7.

A validator goes on from there, so that one bad play does not hide what comes after it.
"""

from collections.abc import Iterable
from itertools import permutations

from acey_rules import CHECKERS, OFF, Position, Side, WrittenPlay
from acey_rules.plays import Board, board_of, position_of

MOST_MOVES = 4
"""A play of more moves than a double gives is tried in the order it is written only."""

Hop = tuple[int, int]
"""A source and a target."""


def carry_out(position: Position, side: Side, written: WrittenPlay) -> Position | None:
    """Where the checkers stand after the moves, whatever the dice; None when they cannot be made.

    A move can be made when the mover has a checker on its source, and its target is off the board
    or not held by two opposing checkers or more. A single one there is hit.
    """
    board = board_of(position, side)
    hops = hops_of(written)
    orders: Iterable[tuple[Hop, ...]] = permutations(hops) if len(hops) <= MOST_MOVES else [hops]
    for order in orders:
        end = _carried(board, order)
        if end is not None:
            return position_of(end, position, side)
    return None


def hops_of(written: WrittenPlay) -> tuple[Hop, ...]:
    """Every step of a written play, from one written place to the next."""
    hops: list[Hop] = []
    for move in written.moves:
        places = (move.source, *move.stops)
        hops += list(zip(places, move.stops, strict=False)) * move.times
    return tuple(hops)


def _carried(board: Board, hops: Iterable[Hop]) -> Board | None:
    mine, theirs = list(board.mine), list(board.theirs)
    for source, target in hops:
        if source == OFF or mine[source] == 0:
            return None
        mine[source] -= 1
        mine[target] += 1
        if target == OFF:
            continue
        if theirs[target] > 1:
            return None
        theirs[0] += theirs[target]
        theirs[target] = 0
    assert sum(mine) == CHECKERS
    return Board(tuple(mine), tuple(theirs))
