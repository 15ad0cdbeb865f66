"""Every legal play of one roll: the rule text as code, to be read beside spec/rules.md §3 and §4.

This is the reference. kernel.py does the same fast; tests hold the two equal in plays, in
canonical form and in order. Everything here is in the mover's own numbering.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from acey_rules.play import FoundPlay, Move, Play, paths_of, target_of
from acey_rules.position import BAR, CHECKERS, OFF, POINTS, UNENTERED, Position, Side
from acey_rules.ruleset import Overshoot

HOME: Final = 6
"""The mover's home board is the points from here down to 1."""


class Board(NamedTuple):
    """The checkers as the mover counts them."""

    mine: tuple[int, ...]
    """Checkers of the mover by point; UNENTERED and BAR are indices too, OFF is borne off."""
    theirs: tuple[int, ...]
    """Opposing checkers by the mover's point 1-24; index 0 is their bar."""


def board_of(position: Position, side: Side) -> Board:
    """The position as ``side`` sees it."""
    mine = [position.count(side, point) for point in range(BAR + 1)]
    mine[OFF] = CHECKERS - sum(mine[1:])
    theirs = [position.count(side.other, 25 - point) for point in range(1, POINTS + 1)]
    return Board(tuple(mine), (position.count(side.other, BAR), *theirs))


def position_of(board: Board, before: Position, side: Side) -> Position:
    """The board as a Position; what the mover cannot change is taken from ``before``."""
    packed = bytearray(before.packed)
    sign = 1 if side is Side.X else -1
    for point in range(1, POINTS + 1):
        value = sign * (board.mine[point] - board.theirs[point])
        packed[point if side is Side.X else 25 - point] = value & 0xFF
    packed[25 if side is Side.X else 0] = (sign * board.mine[BAR]) & 0xFF
    packed[0 if side is Side.X else 25] = (-sign * board.theirs[0]) & 0xFF
    packed[26 + side] = board.mine[UNENTERED]
    return Position(bytes(packed))


def single_moves(board: Board, die: int, overshoot: Overshoot) -> Iterator[Move]:
    """Every legal move with one die, from the highest source down. spec/rules.md §3."""
    mine = board.mine
    sources = (BAR,) if mine[BAR] else range(UNENTERED, OFF, -1)
    for source in sources:
        if not mine[source]:
            continue
        target = target_of(source, die)
        if target == OFF:
            if may_bear_off(board, source, die, overshoot):
                yield Move(source, die, hit=False)
        elif board.theirs[target] <= 1:
            yield Move(source, die, hit=board.theirs[target] == 1)


def may_bear_off(board: Board, source: int, die: int, overshoot: Overshoot) -> bool:
    """Whether ``die`` may take a checker off from ``source``. spec/rules.md §3."""
    mine = board.mine
    if any(mine[HOME + 1 :]):
        return False
    if source == die:
        return True
    if overshoot == "exact" or source > die:
        return False
    if overshoot == "any":
        return not any(mine[die:])
    return not any(mine[source + 1 :])


def after(board: Board, move: Move) -> Board:
    """The board after a legal move."""
    mine, theirs = list(board.mine), list(board.theirs)
    mine[move.source] -= 1
    mine[move.target] += 1
    if move.hit:
        theirs[move.target] -= 1
        theirs[0] += 1
    return Board(tuple(mine), tuple(theirs))


Sequence = tuple[tuple[Move, ...], Board]
"""Moves in an order in which each is legal, and the board they lead to."""


def sequences(board: Board, dice: tuple[int, ...], overshoot: Overshoot) -> Iterator[Sequence]:
    """Every way to play the dice in this order until one cannot be played or the game is won."""
    moves = single_moves(board, dice[0], overshoot) if dice and board.mine[OFF] < CHECKERS else ()
    played = False
    for move in moves:
        played = True
        for rest, end in sequences(after(board, move), dice[1:], overshoot):
            yield (move, *rest), end
    if not played:
        yield (), board


def legal_sequences(board: Board, high: int, low: int, overshoot: Overshoot) -> list[Sequence]:
    """The sequences that use the dice as the obligation demands. spec/rules.md §4."""
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    found = [every for order in orders for every in sequences(board, order, overshoot)]
    most = max(len(moves) for moves, _ in found)
    if most == 1 and any(moves and moves[0].die == high for moves, _ in found):
        found = [(moves, end) for moves, end in found if moves and moves[0].die == high]
    return [
        (moves, end)
        for moves, end in found
        if len(moves) == most or end.mine[OFF] == CHECKERS  # the last checker off completes it
    ]


def legal_plays(
    position: Position, side: Side, high: int, low: int, overshoot: Overshoot
) -> list[Play]:
    """Each distinct resulting position once, as its canonical play, in canonical order.

    The roll has ``high`` >= ``low``; equal dice stand for four moves. A roll that cannot be
    played is one play without moves. Order and canonical form: spec/notation.md §3.
    """
    board = board_of(position, side)
    canonical: dict[Board, tuple[Move, ...]] = {}
    for moves, end in legal_sequences(board, high, low, overshoot):
        if end not in canonical or sequence_key(moves) < sequence_key(canonical[end]):
            canonical[end] = moves
    plays: list[Play] = [
        FoundPlay(
            moves,
            position_of(end, position, side),
            wins=end.mine[OFF] == CHECKERS,
            keep_stop=keep_stop(board, moves, high, low),
        )
        for end, moves in canonical.items()
    ]
    return sorted(plays, key=lambda play: listing_key(play.moves))


def sequence_key(moves: tuple[Move, ...]) -> list[tuple[int, int]]:
    """Orders sequences to one position, canonical first: higher source, then higher die."""
    return [(-move.source, -move.die) for move in moves]


def listing_key(moves: tuple[Move, ...]) -> list[tuple[int, ...]]:
    """Orders the plays of a roll: path by path, higher source, higher target, higher stops."""
    return [
        (-path.source, -path.target, *(-stop for stop in path.stops)) for path in paths_of(moves)
    ]


def keep_stop(board: Board, moves: tuple[Move, ...], high: int, low: int) -> bool:
    """Whether two dice take one checker over a stop that must be written.

    It must when the other die first would take the same checker over a blot, and so lead to
    another position.
    """
    if high == low or len(moves) < 2 or moves[1].source != moves[0].target:
        return False
    first, second = moves
    other_stop = target_of(first.source, second.die)
    return not first.hit and other_stop != OFF and board.theirs[other_stop] == 1
