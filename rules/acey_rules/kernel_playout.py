# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Random games in C (spec/perft.md §3 and §4); compiled by Cython, never run uncompiled."""

import cython
from cython.cimports.acey_rules.kernel_generate import generate, load
from cython.cimports.acey_rules.kernel_make import has_won, make
from cython.cimports.acey_rules.kernel_rules import (
    earned_by_name,
    earned_by_roll,
    read_agenda,
    read_rules,
    rest_of,
    then,
)
from cython.cimports.acey_rules.kernel_types import (
    NAME,
    ROLL,
    SPLIT_MIX_1,
    SPLIT_MIX_2,
    SPLIT_MIX_STEP,
    Board,
    Rules,
)
from cython.cimports.libc.string import memcpy

Weights = cython.struct(
    given=cython.bint,
    mine=cython.longlong[27],
    theirs=cython.longlong[27],
    halving=cython.longlong,
)
"""A playout.Policy, where one is given."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _below(numbers: cython.pointer(cython.ulonglong), limit: cython.ulonglong) -> cython.ulonglong:
    """playout.RandomNumbers.below."""
    mixed: cython.ulonglong
    numbers[0] += SPLIT_MIX_STEP
    mixed = numbers[0]
    mixed = (mixed ^ mixed >> 30) * SPLIT_MIX_1
    mixed = (mixed ^ mixed >> 27) * SPLIT_MIX_2
    return (mixed ^ mixed >> 31) % limit


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _value(
    row: cython.p_uchar, side: cython.int, weights: cython.pointer(Weights)
) -> cython.longlong:
    """What the position is worth to ``side``. playout.Policy."""
    value: cython.longlong = 0
    mine: cython.int = 15
    theirs: cython.int = 15
    index: cython.int
    count: cython.int
    for index in range(26):
        count = cython.cast(cython.schar, row[index])
        if side:
            count = -count
        if count > 0:
            mine -= count
            # The bar of X is 25 in a row, that of O 0; both are place 26.
            value += (
                count
                * weights.mine[
                    26 if index == (0 if side else 25) else 25 - index if side else index
                ]
            )
        elif count < 0:
            theirs += count
            value -= (
                count
                * weights.theirs[
                    26 if index == (25 if side else 0) else index if side else 25 - index
                ]
            )
    mine -= row[26 + side]
    theirs -= row[27 - side]
    value += row[26 + side] * weights.mine[25] + row[27 - side] * weights.theirs[25]
    return value + mine * weights.mine[0] + theirs * weights.theirs[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _choose(
    row: cython.p_uchar,
    board: cython.pointer(Board),
    side: cython.int,
    high: cython.int,
    low: cython.int,
    weights: cython.pointer(Weights),
    numbers: cython.pointer(cython.ulonglong),
    plays: cython.int,
    codes: cython.p_uint,
) -> cython.uint:
    """The code of the play that the policy and the next number choose. playout._choose."""
    values: cython.longlong[23751]
    after: cython.uchar[28]
    best: cython.longlong = 0
    total: cython.ulonglong = 0
    halvings: cython.longlong
    drawn: cython.ulonglong
    index: cython.int
    if plays == 1:
        return codes[0]
    if not weights.given:
        return codes[_below(numbers, plays)]
    for index in range(plays):
        make(after, row, side, high, low, board.blots, codes[index])
        values[index] = _value(after, side, weights)
        if index == 0 or values[index] > best:
            best = values[index]
    for index in range(plays):
        halvings = (best - values[index]) // weights.halving
        values[index] = 0 if halvings > 30 else cython.cast(cython.longlong, 1) << (30 - halvings)
        total += values[index]
    drawn = _below(numbers, total)
    for index in range(plays):
        if drawn < cython.cast(cython.ulonglong, values[index]):
            break
        drawn -= values[index]
    return codes[index]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _play_out(
    rules: cython.pointer(Rules),
    weights: cython.pointer(Weights),
    numbers: cython.ulonglong,
    row: cython.p_uchar,
    side: cython.pointer(cython.int),
    agenda: cython.uint,
    longest: cython.longlong,
    rolls: cython.pointer(cython.longlong),
    plays: cython.pointer(cython.longlong),
) -> cython.bint:
    """Play on in ``row`` until a side has won, which ``side`` then is; whether one has."""
    board: Board
    before: cython.uchar[28]
    codes: cython.uint[23751]
    code: cython.uint
    count: cython.int
    first: cython.int
    second: cython.int
    while True:
        if agenda & 255 == ROLL:
            if rolls[0] == longest:
                return False
            rolls[0] += 1
            first = 1 + _below(cython.address(numbers), 6)
            second = 1 + _below(cython.address(numbers), 6)
            if first < second:
                first, second = second, first
            agenda = then(earned_by_roll(rules, first, second), agenda >> 8)
        elif agenda & 255 == NAME:
            first = 1 + _below(cython.address(numbers), 6)
            agenda = then(earned_by_name(rules, first), agenda >> 8)
        first = agenda >> 3 & 7
        second = agenda & 7
        load(row, side[0], cython.address(board))
        count = generate(cython.address(board), first, second, rules.overshoot, codes)
        code = _choose(
            row,
            cython.address(board),
            side[0],
            first,
            second,
            weights,
            cython.address(numbers),
            count,
            codes,
        )
        memcpy(before, row, 28)
        make(row, before, side[0], first, second, board.blots, code)
        plays[0] += 1
        if board.outside < 4 and has_won(row, side[0]):
            return True
        agenda = rest_of(rules, agenda, side[0], row, code)
        if agenda == 0:
            side[0] = 1 - side[0]
            agenda = ROLL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _score(row: cython.p_uchar, winner: cython.int, scoring: cython.int) -> cython.int:
    """What the game is worth that ``winner`` has won. spec/rules.md §6."""
    left: cython.int = row[27 - winner]
    behind: cython.bint = False
    index: cython.int
    count: cython.int
    if scoring == 1:
        return 1
    for index in range(26):
        count = cython.cast(cython.schar, row[index])
        # The winner's home board, and the loser's bar beyond it.
        if count:
            left += count if winner else -count
            behind = behind or (index > 18 if winner else index < 7)
    if scoring == 0:
        return left
    return 1 if left < 15 else 3 if behind else 2


def playout(
    state: object, seed: cython.ulonglong, policy: object, longest: cython.longlong
) -> object:
    """Winner, points, rolls and plays of a playout; None for more rolls than ``longest``."""
    weights: Weights
    row: cython.uchar[28]
    ended: cython.bint
    rolls: cython.longlong = 0
    plays: cython.longlong = 0
    rules: Rules = read_rules(state.rules)
    packed: bytes = state.position.packed
    side: cython.int = state.turn
    agenda: cython.uint = read_agenda(state.agenda)
    memcpy(row, cython.cast(cython.p_uchar, packed), 28)
    weights.given = policy is not None
    if weights.given:
        weights.halving = policy.halving
        for place in range(27):
            weights.mine[place] = policy.mine[place]
            weights.theirs[place] = policy.theirs[place]
    with cython.nogil:
        ended = _play_out(
            cython.address(rules),
            cython.address(weights),
            seed,
            row,
            cython.address(side),
            agenda,
            longest,
            cython.address(rolls),
            cython.address(plays),
        )
    if not ended:
        return None
    return side, _score(row, side, rules.scoring), rolls, plays
