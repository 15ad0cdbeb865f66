# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel's plays carried out: from a code to the position it leads to.

Compiled by Cython; never run uncompiled. What a code is: kernel_generate.py.
"""

import cython
from cython.cimports.acey_rules.kernel_types import Board
from cython.cimports.libc.string import memcpy


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
