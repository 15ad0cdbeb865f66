# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel's plays and positions as text (spec/notation.md §2 and §3).

Compiled by Cython; never run uncompiled. What a code is: kernel_generate.py.
"""

import cython
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_FromStringAndSize
from cython.cimports.libc.string import memcpy

_LETTERS = cython.declare(cython.char[256])
"""The letter of a point, by its byte in a packed position."""


@cython.cfunc
@cython.exceptval(check=False)
def _fill_letters() -> cython.void:
    value: cython.int
    for value in range(1, 16):
        _LETTERS[value] = 64 + value
        _LETTERS[256 - value] = 96 + value
    _LETTERS[0] = b"-"


_fill_letters()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_text(
    letters: cython.p_char,
    code: cython.uint,
    high: cython.int,
    low: cython.int,
    blots: cython.uint,
) -> cython.int:
    """Write a play's canonical text, at most 128 characters; how many. spec/notation.md §3."""
    start: cython.p_char = letters
    source: cython.int
    kind: cython.int
    steps: cython.int
    die: cython.int
    stop: cython.int
    times: cython.int
    alike: cython.uint
    keep: cython.bint
    hit: cython.bint
    if code == 0:
        letters[0] = b"-"
        return 1
    while code:
        source = code & 31
        kind = code >> 5 & 7
        times = 1
        # Two checkers that bear off from one point go alike, also with different dice.
        alike = 31 if source <= low < high else 255
        while (code >> 8 ^ code) & alike == 0:
            code >>= 8
            times += 1
        code >>= 8
        steps = kind if high == low else 1 if kind < 3 else 2
        die = low if kind == 2 or kind == 4 else high
        if letters != start:
            letters[0] = b" "
            letters += 1
        if source == 26:
            memcpy(letters, b"bar", 3)
            letters += 3
            source = 25
        else:
            letters = _write_place(letters, source)
        # A way that bears off with more pips than it needs does not tell its dice.
        keep = steps > 1 and source < (steps * high if high == low else high + low)
        if high != low and steps == 2:
            stop = source - (high + low - die)
            hit = source > die and blots >> (source - die) & 1
            keep = keep or (not hit and stop > 0 and blots >> stop & 1)
        stop = source
        while steps:
            stop -= die
            die = high + low - die
            steps -= 1
            hit = stop > 0 and blots >> stop & 1
            if hit:
                blots ^= cython.cast(cython.uint, 1) << stop
            if hit or keep or steps == 0:
                letters[0] = b"/"
                letters = _write_place(letters + 1, stop)
                if hit:
                    letters[0] = b"*"
                    letters += 1
        if times > 1:
            letters[0] = b"("
            letters[1] = 48 + times
            letters[2] = b")"
            letters += 3
    return letters - start


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _write_place(letters: cython.p_char, place: cython.int) -> cython.p_char:
    """Write a source other than the bar, or a target; the end of what is written."""
    if place <= 0 or place == 25:
        memcpy(letters, b"off", 3)
        return letters + 3
    if place > 9:
        letters[0] = 48 + place // 10
        letters += 1
    letters[0] = 48 + place % 10
    return letters + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_position(letters: cython.p_char, row: cython.p_uchar) -> cython.int:
    """Write the first three fields of a position line; how many characters. spec/notation.md §2."""
    index: cython.int
    length: cython.int = 26
    for index in range(26):
        letters[index] = _LETTERS[row[index]]
    for index in range(26, 28):
        letters[length] = b":"
        length += 1
        if row[index] > 9:
            letters[length] = b"1"
            length += 1
        letters[length] = 48 + row[index] % 10
        length += 1
    return length


def position_text(packed: bytes) -> str:
    """The first three fields of a position line."""
    letters: cython.char[40]
    if len(packed) != 28:
        raise ValueError(f"a packed position has 28 bytes, not {len(packed)}")
    length: cython.int = write_position(letters, packed)
    return PyUnicode_FromStringAndSize(letters, length)


def read_position(line: str) -> object:
    """The position of a position line that has nothing wrong: packed, and what follows it.

    None for any other, and when a side has borne off its last checker.
    """
    if not line.isascii():
        return None
    row: cython.uchar[28]
    size: cython.Py_ssize_t
    index: cython.int
    side: cython.int
    on_board: cython.int[2]
    at: cython.pointer(cython.const[cython.char]) = PyUnicode_AsUTF8AndSize(
        line, cython.address(size)
    )
    start: cython.pointer(cython.const[cython.char]) = at
    on_board[0] = 0
    on_board[1] = 0
    if size < 30:
        return None
    for index in range(26):
        if at[index] == b"-":
            row[index] = 0
        elif b"A" <= at[index] <= b"O" and index > 0:
            row[index] = at[index] - 64
            on_board[0] += row[index]
        elif b"a" <= at[index] <= b"o" and index < 25:
            row[index] = 96 - at[index]
            on_board[1] += at[index] - 96
        else:
            return None
    at += 26
    for side in range(2):
        if at[0] != b":" or not b"0" <= at[1] <= b"9":
            return None
        row[26 + side] = at[1] - 48
        at += 2
        if row[26 + side] == 1 and b"0" <= at[0] <= b"5":
            row[26 + side] = 10 + at[0] - 48
            at += 1
        if not 1 <= on_board[side] + row[26 + side] <= 15:
            return None
    if at[0] != b":":
        return None
    return PyBytes_FromStringAndSize(cython.cast(cython.p_char, row), 28), line[at + 1 - start :]
