# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The legal plays of one roll, fast: what plays.py says, in C.

Compiled by Cython; never run uncompiled. A play is a code of four bytes, one a path (the way of
one checker, in the order play.py writes them): the low five bits are the source, the high three
how it goes. Of a double, how many moves; of two different dice 1 the higher die, 2 the lower one,
3 the higher then the lower, 4 the lower then the higher. Code 0 is the roll that cannot be played.

Codes are made in the order of plays.py without a set of positions seen, since two sequences lead
to one position only

- when they are the same moves in another order: a double is made of paths from falling sources,
  and no path passes where an earlier one, from a higher source, ended;
- when one checker goes by two ways and hits on neither, or the bar and an unentered checker enter
  with each other's die: both are seen at once;
- in bearing off, which is why that is left to kernel_home.py.
"""

import cython
from cython.cimports.acey_rules.kernel_home import generate_home
from cython.cimports.acey_rules.kernel_types import Board, read_word, reversed_word, top, write_word


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _mask(word: cython.ulonglong, least: cython.int) -> cython.uint:
    """A bit for each of eight bytes from 0 to 15 that is ``least``, 1 or 2, or more."""
    each: cython.ulonglong = 0x0101010101010101
    gather: cython.ulonglong = 0x0102040810204080  # moves bit 8n to bit 56 + n
    word = (word + each * (128 - least)) >> 7 & each
    return cython.cast(cython.uint, word * gather >> 56)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def load(
    packed: cython.pointer(cython.const[cython.uchar]),
    side: cython.int,
    board: cython.pointer(Board),
) -> cython.void:
    """Read 28 packed bytes (position.py) as ``side`` sees them: eight points at a time."""
    each: cython.ulonglong = 0x0101010101010101
    word: cython.ulonglong
    sign: cython.ulonglong
    below: cython.ulonglong
    men: cython.ulonglong
    outside: cython.ulonglong = 0
    index: cython.int
    held: cython.uint
    board.men = board.pairs = board.held = board.blots = 0
    for index in range(0, 24, 8):
        word = (
            reversed_word(read_word(packed + 17 - index)) if side else read_word(packed + 1 + index)
        )
        sign = word >> 7 & each
        below = sign * 255  # all bits of the bytes below 0, which are checkers of O
        men = word & ~below
        below = (~word & below) + sign
        if side:
            men, below = below, men
        write_word(board.mine + 1 + index, men)
        outside += men if index else men >> 48
        held = _mask(below, 2)
        board.men |= _mask(men, 1) << (index + 1)
        board.pairs |= _mask(men, 2) << (index + 1)
        board.held |= held << (index + 1)
        board.blots |= (_mask(below, 1) ^ held) << (index + 1)
    board.mine[0] = 0
    board.mine[25] = packed[26 + side]
    board.mine[26] = -cython.cast(cython.schar, packed[0]) if side else packed[25]
    if board.mine[25]:
        board.men |= cython.cast(cython.uint, 1) << 25
        if board.mine[25] > 1:
            board.pairs |= cython.cast(cython.uint, 1) << 25
    board.outside = cython.cast(cython.int, outside * each >> 56) + board.mine[25] + board.mine[26]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def generate(
    board: cython.pointer(cython.const[Board]),
    high: cython.int,
    low: cython.int,
    overshoot: cython.int,
    codes: cython.pointer(cython.uint),
) -> cython.int:
    """Write the code of every play of a roll, in canonical order; how many there are, at least 1.

    ``codes`` has room for MOST_PLAYS; ``overshoot`` is 0 highest, 1 any, 2 exact.
    """
    if board.outside < (4 if high == low else 2):
        return generate_home(board, high, low, overshoot, codes)
    if high == low:
        return _double(board, high, codes)
    if board.mine[26]:
        return _mixed_bar(board, high, low, codes)
    return _mixed(board, high, low, codes)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _movable(board: cython.pointer(cython.const[Board]), die: cython.int) -> cython.uint:
    """The places on the board, and 25, from which a checker can move with a die and stay on."""
    return board.men & ~(board.held << die) & ~((cython.cast(cython.uint, 2) << die) - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mixed(
    board: cython.pointer(cython.const[Board]),
    high: cython.int,
    low: cython.int,
    codes: cython.pointer(cython.uint),
) -> cython.int:
    """Two different dice with nobody on the bar and no bearing off."""
    by_high: cython.uint = _movable(board, high)
    by_low: cython.uint = _movable(board, low)
    sources: cython.uint = by_high | by_low
    below: cython.uint
    left: cython.uint
    first: cython.uint
    source: cython.int
    other: cython.int
    count: cython.int = 0
    bit: cython.uint
    while sources:
        source = top(sources)
        bit = cython.cast(cython.uint, 1) << source
        sources ^= bit
        below = bit - 1
        if by_low & bit:
            first = source | 2 << 5
            left = by_high & below & ~(bit >> low)  # from where it ends is one checker's way
            while left:
                other = top(left)
                left ^= cython.cast(cython.uint, 1) << other
                codes[count] = first | (other | 1 << 5) << 8
                count += 1
        if by_high & bit:
            first = source | 1 << 5
            if by_low & bit and board.mine[source] > 1:
                codes[count] = first | (source | 2 << 5) << 8
                count += 1
            left = by_low & below & ~(bit >> high)
            while left:
                other = top(left)
                left ^= cython.cast(cython.uint, 1) << other
                codes[count] = first | (other | 2 << 5) << 8
                count += 1
        if source > high + low and not board.held >> (source - high - low) & 1:
            count += _both_ways(
                board, source, source, high, low, by_high & bit, by_low & bit, codes + count
            )
    if count:
        return count
    return _single(by_high, by_low, codes)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _both_ways(
    board: cython.pointer(cython.const[Board]),
    label: cython.int,
    source: cython.int,
    high: cython.int,
    low: cython.int,
    high_first: cython.uint,
    low_first: cython.uint,
    codes: cython.pointer(cython.uint),
) -> cython.int:
    """One checker's ways with both dice, of which those not 0 are open; how many differ."""
    count: cython.int = 0
    if low_first and high_first:
        if not (board.blots >> (source - high) | board.blots >> (source - low)) & 1:
            low_first = 0
    if low_first:
        codes[0] = label | 4 << 5
        count = 1
    if high_first:
        codes[count] = label | 3 << 5
        count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _single(
    by_high: cython.uint, by_low: cython.uint, codes: cython.pointer(cython.uint)
) -> cython.int:
    """The plays when only one die can be played: the higher one if that can be."""
    kind: cython.uint = 1 << 5 if by_high else 2 << 5
    left: cython.uint = by_high if by_high else by_low
    source: cython.int
    count: cython.int = 0
    while left:
        source = top(left)
        left ^= cython.cast(cython.uint, 1) << source
        codes[count] = source | kind
        count += 1
    if count:
        return count
    codes[0] = 0
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mixed_bar(
    board: cython.pointer(cython.const[Board]),
    high: cython.int,
    low: cython.int,
    codes: cython.pointer(cython.uint),
) -> cython.int:
    """Two different dice with checkers on the bar."""
    bar: cython.uint = cython.cast(cython.uint, 1) << 26
    high_open: cython.uint = ~board.held >> (25 - high) & 1
    low_open: cython.uint = ~board.held >> (25 - low) & 1
    left: cython.uint
    other: cython.int
    count: cython.int = 0
    if board.mine[26] > 1:
        if high_open and low_open:
            codes[0] = 26 | 1 << 5 | (26 | 2 << 5) << 8
            return 1
        return _single(bar if high_open else 0, bar if low_open else 0, codes)
    if low_open:
        # An unentered checker with the higher die is the same as both with the other's die.
        left = _movable(board, high) & ~(
            cython.cast(cython.uint, 1) << (25 - low) | cython.cast(cython.uint, 1) << 25
        )
        while left:
            other = top(left)
            left ^= cython.cast(cython.uint, 1) << other
            codes[count] = 26 | 2 << 5 | (other | 1 << 5) << 8
            count += 1
    if high_open:
        left = _movable(board, low) & ~(cython.cast(cython.uint, 1) << (25 - high))
        while left:
            other = top(left)
            left ^= cython.cast(cython.uint, 1) << other
            codes[count] = 26 | 1 << 5 | (other | 2 << 5) << 8
            count += 1
    if not board.held >> (25 - high - low) & 1:
        count += _both_ways(board, 26, 25, high, low, high_open, low_open, codes + count)
    if count:
        return count
    return _single(bar if high_open else 0, bar if low_open else 0, codes)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _double(
    board: cython.pointer(cython.const[Board]), die: cython.int, codes: cython.pointer(cython.uint)
) -> cython.int:
    """Four moves of one die without bearing off, or as many as can be played."""
    # From an open place a move with the die ends on a point of the board that is not held.
    opened: cython.uint = (
        ~(board.held << die) & ~((cython.cast(cython.uint, 2) << die) - 1) & 0x3FFFFFE
    )
    end: cython.p_uint = codes
    moves: cython.int
    for moves in range(4, 0, -1):
        if not board.mine[26]:
            end = _paths_below(board, die, board.men, opened, moves, 0, 0, codes)
        elif opened >> 25 & 1:
            end = _paths_from(
                board, die, 26, 25, board.mine[26], 1, 0, board.men, opened, moves, 0, 0, codes
            )
        if end != codes:
            return end - codes
    codes[0] = 0
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _paths_below(
    board: cython.pointer(cython.const[Board]),
    die: cython.int,
    sources: cython.uint,
    opened: cython.uint,
    moves: cython.int,
    code: cython.uint,
    shift: cython.int,
    codes: cython.p_uint,
) -> cython.p_uint:
    """Complete ``code`` by every choice of paths from ``sources``; the end of what is written."""
    left: cython.uint = sources & opened
    source: cython.int
    target: cython.int
    length: cython.int
    bit: cython.uint
    path: cython.uint
    while left:
        source = top(left)
        bit = cython.cast(cython.uint, 1) << source
        left ^= bit
        target = source
        for length in range(1, moves + 1):
            if not opened >> target & 1:
                break
            target -= die
            path = code | cython.cast(cython.uint, source | length << 5) << shift
            if length == moves:
                codes[0] = path
                codes += 1
            else:
                codes = _paths_from(
                    board,
                    die,
                    source,
                    source,
                    board.mine[source] - 1,
                    length,
                    cython.cast(cython.uint, 1) << target,
                    sources & (bit - 1),
                    opened,
                    moves - length,
                    path,
                    shift + 8,
                    codes,
                )
    return codes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _paths_from(
    board: cython.pointer(cython.const[Board]),
    die: cython.int,
    label: cython.int,
    source: cython.int,
    men: cython.int,
    shortest: cython.int,
    ends: cython.uint,
    below: cython.uint,
    opened: cython.uint,
    moves: cython.int,
    code: cython.uint,
    shift: cython.int,
    codes: cython.p_uint,
) -> cython.p_uint:
    """Go on with another of ``men`` left on ``source``, not shorter than before, or from below.

    ``ends`` is where the paths from ``source`` ended; ``label`` is 26 when they come from the bar.
    """
    target: cython.int = source
    length: cython.int
    longest: cython.int = moves
    path: cython.uint
    if label == 26:
        # Every checker on the bar must enter before any other moves on.
        longest = moves - men + 1 if moves >= men else 1
    if men:
        for length in range(1, longest + 1):
            if not opened >> target & 1:
                break
            target -= die
            if length < shortest:
                continue
            path = code | cython.cast(cython.uint, label | length << 5) << shift
            if length == moves:
                codes[0] = path
                codes += 1
            else:
                codes = _paths_from(
                    board,
                    die,
                    label,
                    source,
                    men - 1,
                    length,
                    ends | cython.cast(cython.uint, 1) << target,
                    below,
                    opened,
                    moves - length,
                    path,
                    shift + 8,
                    codes,
                )
        if label == 26:
            return codes
    return _paths_below(board, die, below, opened & ~ends, moves, code, shift, codes)
