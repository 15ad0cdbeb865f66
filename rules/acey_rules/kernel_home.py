# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The part of the kernel that bears off: rolls in which the mover's last checkers can come home.

There one move decides what the next may be, so sequences are tried one by one, on a copy of the
board. They are few. Compiled by Cython; never run uncompiled.
"""

import cython
from cython.cimports.acey_rules.kernel_types import Board, top

Candidate = cython.struct(effect=cython.ulonglong, rank=cython.uint, code=cython.uint)
"""A sequence of two different dice: what it changes on the board, its place among the sequences
that change the same (the lowest is canonical), and its code."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def generate_home(
    board: cython.pointer(cython.const[Board]),
    high: cython.int,
    low: cython.int,
    overshoot: cython.int,
    codes: cython.pointer(cython.uint),
) -> cython.int:
    """As kernel.generate, for any board."""
    count: cython.int
    most: cython.int = 0
    sources: cython.int[4]
    copy: Board = board[0]
    if high == low:
        count = _double(
            cython.address(copy), high, overshoot, 26, 0, sources, cython.address(most), codes, 0
        )
    else:
        count = _mixed(cython.address(copy), high, low, overshoot, codes)
    _sort(codes, count, high, low)
    return count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _sources(board: cython.pointer(Board), die: cython.int, overshoot: cython.int) -> cython.uint:
    """Where a checker can be moved from with one die. spec/rules.md §3."""
    found: cython.uint
    if board.mine[26]:
        return 0 if board.held >> (25 - die) & 1 else cython.cast(cython.uint, 1) << 26
    found = board.men & ~(board.held << die) & ~((cython.cast(cython.uint, 2) << die) - 1)
    if board.outside == 0:
        found |= board.men & cython.cast(cython.uint, 1) << die
        if overshoot != 2 and board.men and not board.men >> die:
            found |= board.men if overshoot == 1 else cython.cast(cython.uint, 1) << top(board.men)
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _target(source: cython.int, die: cython.int) -> cython.int:
    """Where a die takes a checker; 0 is off."""
    target: cython.int = (25 if source == 26 else source) - die
    return target if target > 0 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move(board: cython.pointer(Board), source: cython.int, die: cython.int) -> cython.void:
    """Make a legal move."""
    target: cython.int = _target(source, die)
    board.mine[source] -= 1
    if source < 26 and board.mine[source] == 0:
        board.men ^= cython.cast(cython.uint, 1) << source
    if source > 6:
        board.outside -= 1
    if target > 6:
        board.outside += 1
    if target:
        board.mine[target] += 1
        board.men |= cython.cast(cython.uint, 1) << target
        board.blots &= ~(cython.cast(cython.uint, 1) << target)


# --- two different dice ---------------------------------------------------------------------


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mixed(
    board: cython.pointer(Board),
    high: cython.int,
    low: cython.int,
    overshoot: cython.int,
    codes: cython.pointer(cython.uint),
) -> cython.int:
    """The codes of two different dice, each position once, in no order. spec/rules.md §4."""
    found: Candidate[1352]  # no board has more: 26 sources for each die, in two orders
    count: cython.int = 0
    wins: cython.int = 0
    order: cython.int
    die: cython.int
    source: cython.int
    onward: cython.uint
    left: cython.uint
    by: cython.uint[2]
    moved: Board
    for order in range(2):
        die = low if order else high
        by[order] = left = _sources(board, die, overshoot)
        while left:
            source = top(left)
            left ^= cython.cast(cython.uint, 1) << source
            moved = board[0]
            _move(cython.address(moved), source, die)
            if moved.men == 0 and moved.mine[26] == 0:
                found[count] = _won(source, order)
                count += 1
                wins += 1
                continue
            onward = _sources(cython.address(moved), high + low - die, overshoot)
            while onward:
                found[count] = _pair(board, source, die, top(onward), high + low - die, order)
                onward ^= cython.cast(cython.uint, 1) << top(onward)
                count += 1
    if count == wins:
        return _single(by[0], by[1], codes)
    return _choose(found, count, codes)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _single(
    by_high: cython.uint, by_low: cython.uint, codes: cython.pointer(cython.uint)
) -> cython.int:
    """The codes when only one die can be played: the higher one if that can be."""
    left: cython.uint = by_high if by_high else by_low
    count: cython.int = 0
    codes[0] = 0
    while left:
        codes[count] = top(left) | (1 << 5 if by_high else 2 << 5)
        left ^= cython.cast(cython.uint, 1) << top(left)
        count += 1
    return count if count else 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _won(source: cython.int, order: cython.int) -> Candidate:
    """The last checker borne off with one die, the higher one first (``order`` 0)."""
    won: Candidate
    won.effect = source
    won.rank = cython.cast(cython.uint, 31 - source) << 9 | order << 8
    won.code = source | (order + 1) << 5
    return won


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pair(
    board: cython.pointer(Board),
    source: cython.int,
    die: cython.int,
    other: cython.int,
    other_die: cython.int,
    order: cython.int,
) -> Candidate:
    """Two moves: from ``source`` first; ``order`` is 0 when that is the higher die."""
    pair: Candidate
    stop: cython.int = _target(source, die)
    target: cython.int = _target(other, other_die)
    pair.rank = cython.cast(cython.uint, 31 - source) << 9 | order << 8 | (31 - other) << 2 | 2
    # Blots hit, by the mover's number; 0 stands for off, where nothing is hit.
    pair.effect = board.blots & (
        cython.cast(cython.uint, 1) << stop | cython.cast(cython.uint, 1) << target
    )
    pair.effect <<= 32
    if other == stop or source == target:
        if other != stop:  # the second move ends where the first began: one checker's way
            source, other, target, order = other, source, stop, 1 - order
        pair.effect |= source | target << 5
        pair.code = source | (3 + order) << 5
        return pair
    # The canonical sequence, and the text, has the higher source first, then the higher die.
    pair.code = source | (1 + order) << 5 | (other | (2 - order) << 5) << 8
    if other > source or (other == source and order):
        pair.code = pair.code >> 8 | (pair.code & 255) << 8
    if other > source:
        source, other = other, source
    if target > stop:
        stop, target = target, stop
    pair.effect |= source | target << 5 | other << 10 | stop << 15 | 1 << 20
    return pair


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _choose(
    found: cython.pointer(Candidate), count: cython.int, codes: cython.pointer(cython.uint)
) -> cython.int:
    """The code of the lowest rank for each effect."""
    chosen: cython.int = 0
    index: cython.int
    other: cython.int
    for index in range(count):
        for other in range(count):
            if found[other].effect == found[index].effect and (
                found[other].rank < found[index].rank
            ):
                break
        else:
            codes[chosen] = found[index].code
            chosen += 1
    return chosen


# --- doubles --------------------------------------------------------------------------------


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _double(
    board: cython.pointer(Board),
    die: cython.int,
    overshoot: cython.int,
    highest: cython.int,
    moves: cython.int,
    sources: cython.pointer(cython.int),
    most: cython.pointer(cython.int),
    codes: cython.pointer(cython.uint),
    count: cython.int,
) -> cython.int:
    """Go on from ``moves`` moves whose sources fell to ``highest``; how many codes there are now.

    Only codes of ``most`` moves are kept; ``most`` grows as longer sequences are found.
    """
    moved: Board
    source: cython.int
    left: cython.uint = 0
    if moves < 4:
        left = _sources(board, die, overshoot) & ((cython.cast(cython.uint, 2) << highest) - 1)
    if left == 0:
        if moves > most[0]:
            most[0] = moves
            count = 0
        if moves == most[0]:
            codes[count] = _paths(sources, moves, die)
            count += 1
    while left:
        source = top(left)
        left ^= cython.cast(cython.uint, 1) << source
        moved = board[0]
        _move(cython.address(moved), source, die)
        sources[moves] = source
        count = _double(
            cython.address(moved), die, overshoot, source, moves + 1, sources, most, codes, count
        )
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _paths(sources: cython.pointer(cython.int), moves: cython.int, die: cython.int) -> cython.uint:
    """The code of moves from falling sources, joined into paths as play.paths_of does."""
    joined: cython.bint[4]
    code: cython.uint = 0
    group: cython.int
    shift: cython.int = 0
    index: cython.int
    onward: cython.int
    place: cython.int
    length: cython.int
    for index in range(moves):
        joined[index] = False
    for index in range(moves):
        if joined[index]:
            continue
        place = _target(sources[index], die)
        length = 1
        for onward in range(index + 1, moves):
            if sources[onward] == place and not joined[onward]:
                joined[onward] = True
                place = _target(place, die)
                length += 1
        # Of one source the longest path is found first and the shortest written first.
        group = shift
        while group and cython.cast(cython.int, code >> (group - 8) & 31) == sources[index]:
            group -= 8
        code = (
            (code & ((cython.cast(cython.uint, 1) << group) - 1))
            | cython.cast(cython.uint, sources[index] | length << 5) << group
            | (code >> group) << (group + 8)
        )
        shift += 8
    return code


# --- the order of listing -------------------------------------------------------------------


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort(
    codes: cython.pointer(cython.uint), count: cython.int, high: cython.int, low: cython.int
) -> cython.void:
    """Put the codes into the order of plays.listing_key."""
    index: cython.int
    place: cython.int
    code: cython.uint
    key: cython.ulonglong
    for index in range(1, count):
        code = codes[index]
        key = _listing_key(code, high, low)
        place = index
        while place and _listing_key(codes[place - 1], high, low) > key:
            codes[place] = codes[place - 1]
            place -= 1
        codes[place] = code


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _listing_key(code: cython.uint, high: cython.int, low: cython.int) -> cython.ulonglong:
    """Path by path: higher source, higher target, higher stop, each in five bits."""
    key: cython.ulonglong = 0
    shift: cython.int = 64
    source: cython.int
    kind: cython.int
    pips: cython.int
    stop: cython.int
    while code:
        source = code & 31
        kind = code >> 5 & 7
        code >>= 8
        stop = 32  # no stop is written, or the double tells it
        if high == low:
            pips = kind * high
        elif kind < 3:
            pips = low if kind == 2 else high
        else:
            pips = high + low
            stop = _target(source, high if kind == 3 else low)
        shift -= 15
        key |= (
            cython.cast(
                cython.ulonglong,
                (31 - source) << 10 | (31 - _target(source, pips)) << 5 | (32 - stop),
            )
            << shift
        )
    return key
