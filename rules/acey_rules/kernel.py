# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The fast move generator: what plays.py says, in C, and what only C can do in reasonable time.

This module is what the rest of the package imports; ``acey_rules.generator`` says whether it was
compiled. Its parts, each a module in Cython's pure-Python mode that is never run uncompiled:

    kernel_types.pxd     the board as the mover sees it; instructions of the processor
    kernel_generate.py   the codes of the plays of one roll, in canonical order
    kernel_home.py       the same while checkers are borne off
    kernel_count.py      how many plays there are, without making them
    kernel_make.py       the position after a play
    kernel_text.py       plays and positions as text
    kernel_plays.py      plays as Python objects
    kernel_rules.py      agendas: what rolls earn and forfeits cost
    kernel_perft.py      counting to a depth
    kernel_playout.py    random games
"""

import cython
from cython.cimports.acey_rules.kernel_count import count_plays
from cython.cimports.acey_rules.kernel_generate import generate, load
from cython.cimports.acey_rules.kernel_make import make_all
from cython.cimports.acey_rules.kernel_rules import check_roll, overshoot_of
from cython.cimports.acey_rules.kernel_types import Board
from cython.cimports.cpython.buffer import (
    Py_buffer,
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize

from acey_rules.kernel_perft import perft
from acey_rules.kernel_playout import playout
from acey_rules.kernel_plays import find_result, find_text, legal_plays, legal_text
from acey_rules.kernel_text import position_text, read_position

__all__ = [
    "count",
    "find_result",
    "find_text",
    "legal_plays",
    "legal_text",
    "perft",
    "playout",
    "position_text",
    "read_position",
    "results",
    "results_into",
]


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
