# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Whole trees and whole games in C: perft and playout, and the agenda they need.

What a roll earns and what a forfeit costs are those of stage.py and turn.py (spec/rules.md §5).
Compiled by Cython; never run uncompiled.
"""

import cython
from cython.cimports.acey_rules.kernel import (
    dice_played,
    generate,
    has_won,
    load,
    make,
    make_all,
    overshoot_of,
)
from cython.cimports.acey_rules.kernel_count import count_plays
from cython.cimports.acey_rules.kernel_types import (
    MOST_PLAYS,
    NAME,
    ROLL,
    SPLIT_MIX_1,
    SPLIT_MIX_2,
    SPLIT_MIX_STEP,
    Board,
    raise_waiting,
    signal_raised,
)
from cython.cimports.cpython.mem import PyMem_Free, PyMem_Malloc
from cython.cimports.libc.string import memcpy

from acey_rules.playout import Playout
from acey_rules.position import Side

Rules = cython.struct(
    overshoot=cython.int,
    acey_bonus=cython.bint,
    complement=cython.bint,
    doubles_reroll=cython.bint,
    forfeit=cython.int,
    scoring=cython.int,
)
"""A rule set's fields; the forfeits are 0 strict, 1 bar-only, 2 first-only, the scorings 0
per-checker, 1 single, 2 gammon."""

# An agenda is four bytes, the stage to do next in the lowest: none, ROLL, NAME, or two dice, the
# higher one in bits 3-5, the lower one in 0-2. No agenda is longer than 3: 21.N.R, 66.11.R.


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _dice(high: cython.int, low: cython.int) -> cython.uint:
    return high << 3 | low


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _then(stages: cython.uint, rest: cython.uint) -> cython.uint:
    """The agenda of ``stages``, then ``rest``."""
    shift: cython.int = 0
    while stages >> shift:
        shift += 8
    return stages | rest << shift


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _earned_by_name(rules: cython.pointer(Rules), number: cython.int) -> cython.uint:
    """The stages that a double of ``number`` is played in."""
    if rules.complement:
        return _then(_dice(number, number), _dice(7 - number, 7 - number))
    return _dice(number, number)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _earned_by_roll(rules: cython.pointer(Rules), high: cython.int, low: cython.int) -> cython.uint:
    """The stages that a roll puts in its place."""
    if high == low:
        return _then(_earned_by_name(rules, high), ROLL if rules.doubles_reroll else 0)
    if high == 2 and low == 1 and rules.acey_bonus:
        return _then(_dice(2, 1), _then(NAME, ROLL))
    return _dice(high, low)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _rest(
    rules: cython.pointer(Rules),
    agenda: cython.uint,
    side: cython.int,
    row: cython.p_uchar,
    code: cython.uint,
) -> cython.uint:
    """What is left of the agenda after its first stage was played by ``code`` to ``row``."""
    rest: cython.uint = agenda >> 8
    high: cython.int = agenda >> 3 & 7
    low: cython.int = agenda & 7
    if rest == 0 or dice_played(code, high, low) == (4 if high == low else 2):
        return rest
    if rules.forfeit == 0:
        return 0
    if rules.forfeit == 1:
        return 0 if row[0 if side else 25] else rest
    return 0 if agenda & 255 == 17 else rest


# --- perft ----------------------------------------------------------------------------------

Walk = cython.struct(rules=Rules, made=cython.bint, rows=cython.p_uchar, stopped=cython.bint)
"""What does not change while counting: the rules, whether every last position is made, room for
them, and whether the user has asked to stop."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    walk: cython.pointer(Walk),
    row: cython.p_uchar,
    side: cython.int,
    agenda: cython.uint,
    plies: cython.int,
    codes: cython.p_uint,
) -> cython.ulonglong:
    """Positions after ``plies`` more rolls; ``codes`` has room for every stage that can come."""
    board: Board
    high: cython.int
    low: cython.int
    total: cython.ulonglong = 0
    if agenda & 255 == ROLL:
        if plies == 0:
            return 1
        if plies > 1 and _asked_to_stop(walk):
            return 0
        load(row, side, cython.address(board))
        for high in range(1, 7):
            for low in range(1, high + 1):
                total += _count_plays(
                    walk,
                    row,
                    cython.address(board),
                    side,
                    _then(_earned_by_roll(cython.address(walk.rules), high, low), agenda >> 8),
                    plies - 1,
                    codes,
                )
        return total
    load(row, side, cython.address(board))
    if agenda & 255 == NAME:
        for high in range(1, 7):
            total += _count_plays(
                walk,
                row,
                cython.address(board),
                side,
                _then(_earned_by_name(cython.address(walk.rules), high), agenda >> 8),
                plies,
                codes,
            )
        return total
    return _count_plays(walk, row, cython.address(board), side, agenda, plies, codes)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_plays(
    walk: cython.pointer(Walk),
    row: cython.p_uchar,
    board: cython.pointer(Board),
    side: cython.int,
    agenda: cython.uint,
    plies: cython.int,
    codes: cython.p_uint,
) -> cython.ulonglong:
    """The same where the agenda begins with dice."""
    after: cython.uchar[28]
    high: cython.int = agenda >> 3 & 7
    low: cython.int = agenda & 7
    last: cython.bint = plies == 0 and (agenda >> 8 == 0 or agenda >> 8 == ROLL)
    total: cython.ulonglong = 0
    index: cython.int
    rest: cython.uint
    if last and not walk.made:
        return count_plays(board, high, low, walk.rules.overshoot, codes)
    plays: cython.int = generate(board, high, low, walk.rules.overshoot, codes)
    if last:
        make_all(walk.rows, row, side, high, low, board, codes, plays)
        return plays
    for index in range(plays):
        make(after, row, side, high, low, board.blots, codes[index])
        if board.outside < 4 and has_won(after, side):
            total += 1 if plies == 0 else 0
            continue
        rest = _rest(cython.address(walk.rules), agenda, side, after, codes[index])
        if rest:
            total += _count(walk, after, side, rest, plies, codes + plays)
        else:
            total += _count(walk, after, 1 - side, ROLL, plies, codes + plays)
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _asked_to_stop(walk: cython.pointer(Walk)) -> cython.bint:
    """Whether a signal's handler has raised, now or before; the error waits."""
    if not walk.stopped:
        with cython.gil:
            walk.stopped = signal_raised() != 0
    return walk.stopped


def perft(state: object, plies: cython.int, made: cython.bint) -> int:
    """As perft.reference; with ``made`` every last position is made, not only counted."""
    walk: Walk
    total: cython.ulonglong
    packed: bytes = state.position.packed
    row: cython.p_uchar = packed
    side: cython.int = state.turn
    agenda: cython.uint = _read_agenda(state.agenda)
    # A ply has at most four stages, and a stage before the first roll three.
    levels: cython.Py_ssize_t = 4 * (plies + 1)
    walk.rules = _read_rules(state.rules)
    walk.made = made
    walk.stopped = False
    room: cython.p_uchar = cython.cast(
        cython.p_uchar, PyMem_Malloc(MOST_PLAYS * (28 + levels * cython.sizeof(cython.uint)))
    )
    if room == cython.NULL:
        raise MemoryError
    walk.rows = room + MOST_PLAYS * levels * cython.sizeof(cython.uint)
    try:
        with cython.nogil:
            total = _count(
                cython.address(walk), row, side, agenda, plies, cython.cast(cython.p_uint, room)
            )
        if walk.stopped:
            raise_waiting()
    finally:
        PyMem_Free(room)
    return total


# --- playout --------------------------------------------------------------------------------

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
            agenda = _then(_earned_by_roll(rules, first, second), agenda >> 8)
        elif agenda & 255 == NAME:
            first = 1 + _below(cython.address(numbers), 6)
            agenda = _then(_earned_by_name(rules, first), agenda >> 8)
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
        agenda = _rest(rules, agenda, side[0], row, code)
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
    """As playout.reference; None for a game of more rolls than ``longest``."""
    weights: Weights
    row: cython.uchar[28]
    ended: cython.bint
    rolls: cython.longlong = 0
    plays: cython.longlong = 0
    rules: Rules = _read_rules(state.rules)
    packed: bytes = state.position.packed
    side: cython.int = state.turn
    agenda: cython.uint = _read_agenda(state.agenda)
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
    return Playout(_SIDES[side], _score(row, side, rules.scoring), rolls, plays)


_SIDES = tuple(Side)


# --- states as C takes them -----------------------------------------------------------------


@cython.cfunc
def _read_rules(rules: object) -> Rules:
    read: Rules
    read.overshoot = overshoot_of(rules.overshoot)
    read.acey_bonus = rules.acey_bonus
    read.complement = rules.complement
    read.doubles_reroll = rules.doubles_reroll
    read.forfeit = ("strict", "bar-only", "first-only").index(rules.forfeit)
    read.scoring = ("per-checker", "single", "gammon").index(rules.scoring)
    return read


@cython.cfunc
def _read_agenda(agenda: tuple) -> cython.uint:
    """A State's agenda in four bytes."""
    read: cython.uint = 0
    for stage in agenda:
        if stage.dice is None:
            read = _then(read, ROLL if stage.text == "R" else NAME)
        else:
            read = _then(read, _dice(stage.dice[0], stage.dice[1]))
    return read
