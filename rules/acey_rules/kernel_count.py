# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""How many plays a roll has, without making them; compiled by Cython, never run uncompiled.

Where nothing is borne off, the plays of two different dice are the sources of one times those of
the other, less the pairs that are none; and those of a double are counted place by place.
"""

import cython
from cython.cimports.acey_rules.kernel_home import generate_home
from cython.cimports.acey_rules.kernel_types import Board, bits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_plays(
    board: cython.pointer(cython.const[Board]),
    high: cython.int,
    low: cython.int,
    overshoot: cython.int,
    codes: cython.pointer(cython.uint),
) -> cython.int:
    """How many codes kernel.generate would write; ``codes`` is room for them."""
    if board.outside < (4 if high == low else 2):
        return generate_home(board, high, low, overshoot, codes)
    if high == low:
        return _double(board, high)
    if board.mine[26] > 1:
        return 1
    return _mixed_bar(board, high, low) if board.mine[26] else _mixed(board, high, low)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _opened(board: cython.pointer(cython.const[Board]), die: cython.int) -> cython.uint:
    """The places, 25 included, from which a die ends on a point of the board that is not held."""
    return ~(board.held << die) & ~((cython.cast(cython.uint, 2) << die) - 1) & 0x3FFFFFE


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _mixed(
    board: cython.pointer(cython.const[Board]), high: cython.int, low: cython.int
) -> cython.int:
    """kernel._mixed, counted."""
    by_high: cython.uint = board.men & _opened(board, high)
    by_low: cython.uint = board.men & _opened(board, low)
    both: cython.uint = board.men & _opened(board, high + low)
    # One checker by either way is one play, unless a blot on the way makes the ways differ.
    twice: cython.uint = both & by_high & by_low & (board.blots << high | board.blots << low)
    count: cython.int = (
        bits(by_high) * bits(by_low)
        - bits(by_high & by_low & ~board.pairs)
        - bits(by_high & by_low << high)
        - bits(by_low & by_high << low)
        + bits(both & (by_high | by_low))
        + bits(twice)
    )
    if count:
        return count
    count = bits(by_high if by_high else by_low)
    return count if count else 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _mixed_bar(
    board: cython.pointer(cython.const[Board]), high: cython.int, low: cython.int
) -> cython.int:
    """kernel._mixed_bar with one checker on the bar, counted."""
    high_open: cython.uint = ~board.held >> (25 - high) & 1
    low_open: cython.uint = ~board.held >> (25 - low) & 1
    count: cython.int = 0
    if low_open:
        count += bits(
            board.men
            & _opened(board, high)
            & ~(cython.cast(cython.uint, 1) << (25 - low) | cython.cast(cython.uint, 1) << 25)
        )
    if high_open:
        count += bits(
            board.men & _opened(board, low) & ~(cython.cast(cython.uint, 1) << (25 - high))
        )
    if (high_open or low_open) and not board.held >> (25 - high - low) & 1:
        count += 1
        if high_open and low_open and (board.blots >> (25 - high) | board.blots >> (25 - low)) & 1:
            count += 1
    return count if count else 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _double(board: cython.pointer(cython.const[Board]), die: cython.int) -> cython.int:
    """kernel._double, counted: the ways to choose how many moves start from each place.

    These numbers tell the position. From a place move at most its checkers and those that came
    there. Four numbers of 16 bits count the ways for one to four moves in all, by how many of them
    (``flow``) just came to the next place.
    """
    opened: cython.uint = _opened(board, die)
    chain: cython.int
    place: cython.int
    men: cython.int
    none: cython.ulonglong = 1  # the way to make no move yet, which the numbers leave out
    flow_0: cython.ulonglong = 0
    flow_1: cython.ulonglong = 0
    flow_2: cython.ulonglong = 0
    flow_3: cython.ulonglong = 0
    flow_4: cython.ulonglong = 0
    from_0: cython.ulonglong
    from_1: cython.ulonglong
    from_2: cython.ulonglong
    zero: cython.ulonglong = 0
    place = 25
    if board.mine[26]:
        # All on the bar enter before any other moves; unentered checkers may follow them.
        if board.mine[26] > 3 or not opened >> 25 & 1:
            return 1
        men = board.mine[26] + board.mine[25]
        none = 0
        flow_1 = 1 if board.mine[26] == 1 else zero
        flow_2 = 1 << 16 if board.mine[26] < 3 and men > 1 else zero
        flow_3 = cython.cast(cython.ulonglong, 1) << 32 if men > 2 else zero
        flow_4 = cython.cast(cython.ulonglong, 1) << 48 if men > 3 else zero
        place = 25 - die
    for chain in range(24, 24 - die, -1):
        while place > die:
            men = board.mine[place]
            from_2 = flow_2 + flow_3 + flow_4
            from_1 = flow_1 + from_2
            from_0 = flow_0 + from_1
            flow_0 = from_0
            flow_1 = flow_2 = flow_3 = flow_4 = 0
            if opened >> place & 1:
                flow_1 = ((from_0 if men else from_1) << 16) + (none if men else zero)
                flow_2 = ((from_0 if men > 1 else from_1 if men else from_2) << 32) + (
                    none << 16 if men > 1 else zero
                )
                flow_3 = ((from_0 if men > 2 else from_1 if men > 1 else zero) << 48) + (
                    none << 32 if men > 2 else zero
                )
                flow_4 = none << 48 if men > 3 else zero
            place -= die
        flow_0 += flow_1 + flow_2 + flow_3 + flow_4
        flow_1 = flow_2 = flow_3 = flow_4 = 0
        place = chain
    while flow_0:
        if flow_0 >> 48:
            return cython.cast(cython.int, flow_0 >> 48)
        flow_0 <<= 16
    return 1
