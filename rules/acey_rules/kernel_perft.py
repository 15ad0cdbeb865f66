# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""perft in C (spec/perft.md §1); compiled by Cython, never run uncompiled."""

import cython
from cython.cimports.acey_rules.kernel_count import count_plays
from cython.cimports.acey_rules.kernel_generate import generate, load
from cython.cimports.acey_rules.kernel_make import has_won, make, make_all
from cython.cimports.acey_rules.kernel_rules import (
    earned_by_name,
    earned_by_roll,
    read_agenda,
    read_rules,
    rest_of,
    then,
)
from cython.cimports.acey_rules.kernel_types import (
    MOST_PLAYS,
    NAME,
    ROLL,
    Board,
    Rules,
    raise_waiting,
    signal_raised,
)
from cython.cimports.cpython.mem import PyMem_Free, PyMem_Malloc

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
                    then(earned_by_roll(cython.address(walk.rules), high, low), agenda >> 8),
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
                then(earned_by_name(cython.address(walk.rules), high), agenda >> 8),
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
        rest = rest_of(cython.address(walk.rules), agenda, side, after, codes[index])
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
    agenda: cython.uint = read_agenda(state.agenda)
    # A ply has at most four stages, and a stage before the first roll three.
    levels: cython.Py_ssize_t = 4 * (plies + 1)
    walk.rules = read_rules(state.rules)
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


Weights = cython.struct(
    given=cython.bint,
    mine=cython.longlong[27],
    theirs=cython.longlong[27],
    halving=cython.longlong,
)
"""A playout.Policy, where one is given."""
