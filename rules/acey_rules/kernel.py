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
from cython.cimports.acey_rules.kernel_count import count_plays
from cython.cimports.acey_rules.kernel_home import generate_home
from cython.cimports.acey_rules.kernel_types import Board, read_word, reversed_word, top, write_word
from cython.cimports.cpython.buffer import (
    Py_buffer,
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.string import memcpy


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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _make_path(
    row: cython.p_uchar,
    side: cython.int,
    high: cython.int,
    low: cython.int,
    blots: cython.uint,
    path: cython.uint,
) -> cython.uint:
    """Move one checker in ``row`` by the low byte of ``path``; the blots that are left."""
    mine: cython.int = -1 if side else 1
    source: cython.int = path & 31
    kind: cython.int = path >> 5 & 7
    steps: cython.int = kind if high == low else 1 if kind < 3 else 2
    die: cython.int = low if kind == 2 or kind == 4 else high
    if source == 26:
        row[0 if side else 25] -= mine
        source = 25
    elif source == 25:
        row[26 + side] -= 1
    else:
        row[25 - source if side else source] -= mine
    while steps:
        source -= die
        if source <= 0:
            return blots
        if blots >> source & 1:
            blots ^= cython.cast(cython.uint, 1) << source
            row[25 - source if side else source] = 0
            row[25 if side else 0] -= mine
        die = high + low - die
        steps -= 1
    row[25 - source if side else source] += mine
    return blots


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def make(
    row: cython.p_uchar,
    packed: cython.pointer(cython.const[cython.uchar]),
    side: cython.int,
    high: cython.int,
    low: cython.int,
    blots: cython.uint,
    code: cython.uint,
) -> cython.void:
    """Write the position after the play ``code`` to ``row``, 28 bytes.

    ``blots`` are the opposing ones as ``side`` numbers the points.
    """
    memcpy(row, packed, 28)
    while code:
        blots = _make_path(row, side, high, low, blots, code)
        code >>= 8


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def make_all(
    rows: cython.p_uchar,
    packed: cython.pointer(cython.const[cython.uchar]),
    side: cython.int,
    high: cython.int,
    low: cython.int,
    board: cython.pointer(cython.const[Board]),
    codes: cython.pointer(cython.uint),
    plays: cython.int,
) -> cython.void:
    """Write the positions after all plays of a roll, 28 bytes each.

    Neighbouring plays begin alike, so what their first paths lead to is kept.
    """
    kept: cython.uchar[160]  # the positions after no path, one, two and three, 32 bytes apart
    blots: cython.uint[5]
    previous: cython.uint = 0
    code: cython.uint
    different: cython.uint
    index: cython.int
    path: cython.int
    memcpy(kept, packed, 28)
    blots[0] = board.blots
    for index in range(plays):
        code = codes[index]
        different = code ^ previous
        previous = code
        path = 0
        while different and different & 255 == 0:
            different >>= 8
            code >>= 8
            path += 1
        while code >> 8:
            memcpy(kept + 32 * path + 32, kept + 32 * path, 28)
            blots[path + 1] = _make_path(kept + 32 * path + 32, side, high, low, blots[path], code)
            code >>= 8
            path += 1
        memcpy(rows, kept + 32 * path, 28)
        if code:
            _make_path(rows, side, high, low, blots[path], code)
        rows += 28


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_won(row: cython.p_uchar, side: cython.int) -> cython.bint:
    """Whether ``side`` has borne off its last checker in the packed position ``row``."""
    index: cython.int
    if row[26 + side]:
        return False
    for index in range(26):
        if row[index] and (row[index] > 127) == side:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def dice_played(code: cython.uint, high: cython.int, low: cython.int) -> cython.int:
    """How many dice a play uses, 0-4."""
    played: cython.int = 0
    while code:
        played += (code >> 5 & 7) if high == low else (1 if (code >> 5 & 7) < 3 else 2)
        code >>= 8
    return played


# --- what Python calls ----------------------------------------------------------------------


@cython.cfunc
@cython.exceptval(-1, check=False)
def overshoot_of(overshoot: object) -> cython.int:
    """The rule set's ``overshoot`` as generate() takes it. Raises ValueError for another word."""
    if overshoot == "highest":
        return 0
    if overshoot == "any":
        return 1
    if overshoot == "exact":
        return 2
    raise ValueError(f"overshoot is highest, any or exact, not {overshoot!r}")


@cython.cfunc
@cython.exceptval(-1, check=False)
def check_roll(
    size: cython.Py_ssize_t, side: cython.int, high: cython.int, low: cython.int
) -> cython.int:
    """Raise ValueError unless the arguments are a packed position's, a side's and a roll's."""
    if size != 28:
        raise ValueError(f"a packed position has 28 bytes, not {size}")
    if not 0 <= side <= 1:
        raise ValueError(f"a side is 0 or 1, not {side}")
    if not 1 <= low <= high <= 6:
        raise ValueError(f"a roll is two numbers from 1 to 6, higher first, not {high} and {low}")
    return 0


def count(
    packed: bytes, side: cython.int, high: cython.int, low: cython.int, overshoot: str
) -> cython.int:
    """How many legal plays a roll has."""
    board: Board
    codes: cython.uint[23751]
    check_roll(len(packed), side, high, low)
    load(cython.cast(cython.p_uchar, packed), side, cython.address(board))
    return count_plays(cython.address(board), high, low, overshoot_of(overshoot), codes)


def results(
    packed: bytes, side: cython.int, high: cython.int, low: cython.int, overshoot: str
) -> bytes:
    """The packed positions after every legal play, in canonical order, 28 bytes each."""
    board: Board
    codes: cython.uint[23751]
    check_roll(len(packed), side, high, low)
    start: cython.p_uchar = packed
    load(start, side, cython.address(board))
    plays: cython.int = generate(cython.address(board), high, low, overshoot_of(overshoot), codes)
    made: bytes = PyBytes_FromStringAndSize(cython.NULL, plays * 28)
    make_all(made, start, side, high, low, cython.address(board), codes, plays)
    return made


def results_into(
    positions: object, rolls: object, overshoot: str, out: object, ends: object
) -> cython.Py_ssize_t:
    """The results of many positions at once; how many of them were answered.

    All arguments but ``overshoot`` are contiguous buffers of any kind: ``positions`` of 28 bytes a
    position, ``rolls`` of three bytes each: the side, 0 X or 1 O, and the dice, higher first.
    Writes to ``out`` the packed positions after every legal play of the first, in canonical order,
    then those of the second and so on, and to ``ends``, 8-byte signed integers, how many positions
    stand in ``out`` up to the end of each. Stops before the position whose results no longer fit.

    Raises ValueError for buffers whose sizes do not go together, sides and dice that do not exist,
    and BufferError for buffers that cannot be written to.
    """
    given: Py_buffer
    rolled: Py_buffer
    made: Py_buffer
    ended: Py_buffer
    held: cython.int = 0
    rule: cython.int = overshoot_of(overshoot)
    try:
        PyObject_GetBuffer(positions, cython.address(given), PyBUF_SIMPLE)
        held = 1
        PyObject_GetBuffer(rolls, cython.address(rolled), PyBUF_SIMPLE)
        held = 2
        PyObject_GetBuffer(out, cython.address(made), PyBUF_WRITABLE)
        held = 3
        PyObject_GetBuffer(ends, cython.address(ended), PyBUF_WRITABLE)
        held = 4
        return _answer(
            cython.address(given),
            cython.address(rolled),
            rule,
            cython.address(made),
            cython.address(ended),
        )
    finally:
        if held > 0:
            PyBuffer_Release(cython.address(given))
        if held > 1:
            PyBuffer_Release(cython.address(rolled))
        if held > 2:
            PyBuffer_Release(cython.address(made))
        if held > 3:
            PyBuffer_Release(cython.address(ended))


@cython.cfunc
@cython.exceptval(-1, check=False)
def _answer(
    given: cython.pointer(Py_buffer),
    rolled: cython.pointer(Py_buffer),
    overshoot: cython.int,
    made: cython.pointer(Py_buffer),
    ended: cython.pointer(Py_buffer),
) -> cython.Py_ssize_t:
    """results_into, with the buffers at hand."""
    board: Board
    codes: cython.uint[23751]
    count: cython.Py_ssize_t = given.len // 28
    room: cython.Py_ssize_t = made.len // 28
    used: cython.Py_ssize_t = 0
    index: cython.Py_ssize_t
    plays: cython.int
    packed: cython.p_uchar = cython.cast(cython.p_uchar, given.buf)
    roll: cython.p_uchar = cython.cast(cython.p_uchar, rolled.buf)
    row: cython.p_uchar = cython.cast(cython.p_uchar, made.buf)
    end: cython.p_longlong = cython.cast(cython.p_longlong, ended.buf)
    if given.len != 28 * count or rolled.len != 3 * count or ended.len < 8 * count:
        raise ValueError(
            f"{given.len} bytes of positions, {rolled.len} of rolls and {ended.len} of ends "
            "do not go together: 28, 3 and 8 belong to each position"
        )
    for index in range(count):
        check_roll(28, roll[3 * index], roll[3 * index + 1], roll[3 * index + 2])
    with cython.nogil:
        for index in range(count):
            load(packed, roll[0], cython.address(board))
            plays = generate(cython.address(board), roll[1], roll[2], overshoot, codes)
            if used + plays > room:
                break
            make_all(row, packed, roll[0], roll[1], roll[2], cython.address(board), codes, plays)
            used += plays
            end[index] = used
            row += 28 * plays
            packed += 28
            roll += 3
        else:
            index = count
    return index
