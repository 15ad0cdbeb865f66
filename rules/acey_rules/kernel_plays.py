# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel's plays as Python sees them.

``Plays`` is the list of a roll's legal plays, kept as codes (kernel_generate.py). A ``KernelPlay``
is made when one is asked for, and its moves, its position and its text when they are. Compiled by
Cython; never run uncompiled.
"""

from collections.abc import Sequence

import cython
from cython.cimports.acey_rules.kernel_generate import generate, load
from cython.cimports.acey_rules.kernel_make import dice_played, has_won, make
from cython.cimports.acey_rules.kernel_rules import check_roll, overshoot_of
from cython.cimports.acey_rules.kernel_text import write_position, write_text
from cython.cimports.acey_rules.kernel_types import Board, new_instance
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.cpython.mem import PyMem_Free, PyMem_Malloc
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_FromStringAndSize
from cython.cimports.libc.string import memcmp, memcpy

from acey_rules.play import Move, Play
from acey_rules.position import Position

_MOVES: dict[int, object] = {
    source << 4 | die << 1 | hit: Move(source, die, bool(hit))
    for source in range(1, 27)
    for die in range(1, 7)
    for hit in (0, 1)
}


@cython.final
@cython.no_gc
@cython.cclass
class Plays:
    """The legal plays of one roll in canonical order: a sequence."""

    packed = cython.declare(cython.uchar[28])
    side: cython.int
    high: cython.int
    low: cython.int
    overshoot: cython.int
    blots: cython.uint
    length: cython.Py_ssize_t
    codes: cython.p_uint

    def __cinit__(
        self, packed: bytes, side: cython.int, high: cython.int, low: cython.int, overshoot: object
    ) -> None:
        board: Board
        codes: cython.uint[23751]
        check_roll(len(packed), side, high, low)
        memcpy(self.packed, cython.cast(cython.p_uchar, packed), 28)
        self.side = side
        self.high = high
        self.low = low
        self.overshoot = overshoot_of(overshoot)
        load(self.packed, side, cython.address(board))
        self.blots = board.blots
        self.length = generate(cython.address(board), high, low, self.overshoot, codes)
        self.codes = cython.cast(
            cython.p_uint, PyMem_Malloc(self.length * cython.sizeof(cython.uint))
        )
        if self.codes == cython.NULL:
            raise MemoryError
        memcpy(self.codes, codes, self.length * cython.sizeof(cython.uint))

    def __dealloc__(self) -> None:
        PyMem_Free(self.codes)

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: object) -> object:
        """The play at an index, or a list of those in a slice."""
        if isinstance(index, slice):
            return [self._at(place) for place in range(*index.indices(self.length))]
        place: cython.Py_ssize_t = index
        if place < 0:
            place += self.length
        if not 0 <= place < self.length:
            raise IndexError("no such play")
        return self._at(place)

    def __iter__(self) -> object:
        return iter(self._all())

    def __reversed__(self) -> object:
        return reversed(self._all())

    def __contains__(self, play: object) -> bool:
        return play in self._all()

    def index(self, play: object, *limits: int) -> int:
        """As of any sequence."""
        return self._all().index(play, *limits)

    def count(self, play: object) -> int:
        """As of any sequence: 1 or 0."""
        return self._all().count(play)

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (
            PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.packed), 28),
            self.side,
            self.high,
            self.low,
            _OVERSHOOTS[self.overshoot],
        )

    @cython.cfunc
    def _at(self, place: cython.Py_ssize_t) -> object:
        return _play(self, self.codes[place])

    @cython.cfunc
    def _all(self) -> list:
        return [_play(self, self.codes[place]) for place in range(self.length)]


Sequence.register(Plays)

_OVERSHOOTS = ("highest", "any", "exact")


def _again(packed: bytes, side: int, high: int, low: int, overshoot: str) -> Plays:
    """The plays of a roll made again, out of a pickle."""
    return Plays(packed, side, high, low, overshoot)


def _play_again(plays: Plays, code: cython.uint) -> object:
    """A play made again, out of a pickle. Raises ValueError for a code of no play."""
    place: cython.Py_ssize_t
    for place in range(plays.length):
        if plays.codes[place] == code:
            return _play(plays, code)
    raise ValueError("no such play")


@cython.no_gc
@cython.cclass
class FoundByKernel:
    """What a KernelPlay is in C: its code, and the roll it was found for."""

    plays: Plays
    code: cython.uint
    known_after: object
    known_text: object

    @property
    def moves(self) -> tuple:
        """The canonical sequence, one move a die, in an order in which each is legal."""
        return _moves(self.code, self.plays.high, self.plays.low, self.plays.blots)

    @property
    def after(self) -> object:
        """The position it leads to."""
        row: cython.uchar[28]
        if self.known_after is None:
            self._make(row)
            self.known_after = Position(
                PyBytes_FromStringAndSize(cython.cast(cython.p_char, row), 28)
            )
        return self.known_after

    @property
    def text(self) -> str:
        """The canonical text."""
        letters: cython.char[128]
        if self.known_text is None:
            length: cython.int = write_text(
                letters, self.code, self.plays.high, self.plays.low, self.plays.blots
            )
            self.known_text = PyUnicode_FromStringAndSize(letters, length)
        return self.known_text

    @property
    def wins(self) -> bool:
        """Whether it bears off the last checker."""
        row: cython.uchar[28]
        self._make(row)
        return has_won(row, self.plays.side)

    def is_of(self, position: object, side: cython.int, dice: object, overshoot: object) -> bool:
        """Whether it was found for this very roll of this position."""
        plays: Plays = self.plays
        packed: bytes = position.packed
        high: cython.int = dice[0]
        low: cython.int = dice[1]
        return (
            memcmp(plays.packed, cython.cast(cython.p_char, packed), 28) == 0
            and plays.side == side
            and plays.high == high
            and plays.low == low
            and plays.overshoot == overshoot_of(overshoot)
        )

    def __eq__(self, other: object) -> object:
        row: cython.uchar[28]
        other_row: cython.uchar[28]
        if isinstance(other, FoundByKernel):
            self._make(row)
            cython.cast(FoundByKernel, other)._make(other_row)
            return memcmp(row, other_row, 28) == 0
        return isinstance(other, Play) and self.after == other.after

    def __hash__(self) -> cython.Py_hash_t:
        return hash(self.after)

    def __reduce__(self) -> tuple[object, ...]:
        return _play_again, (self.plays, self.code)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _make(self, row: cython.p_uchar) -> cython.void:
        plays: Plays = self.plays
        make(row, plays.packed, plays.side, plays.high, plays.low, plays.blots, self.code)


class KernelPlay(FoundByKernel, Play):
    """A play found by the kernel."""

    __slots__ = ()


_KIND = cython.declare(object, KernelPlay)
_NOTHING = cython.declare(tuple, ())


@cython.cfunc
def _play(plays: Plays, code: cython.uint) -> object:
    made: FoundByKernel = new_instance(_KIND, _NOTHING)
    made.plays = plays
    made.code = code
    return made


@cython.cfunc
def _moves(code: cython.uint, high: cython.int, low: cython.int, blots: cython.uint) -> tuple:
    """The canonical sequence of moves: the paths' moves, the higher source first."""
    sources: cython.int[4]
    dice: cython.int[4]
    count: cython.int = 0
    place: cython.int
    source: cython.int
    kind: cython.int
    die: cython.int
    steps: cython.int
    index: cython.int
    hit: cython.int
    while code:
        source = code & 31
        kind = code >> 5 & 7
        code >>= 8
        steps = kind if high == low else 1 if kind < 3 else 2
        die = low if kind == 2 or kind == 4 else high
        while steps:
            place = count
            while place and sources[place - 1] < source:
                sources[place] = sources[place - 1]
                dice[place] = dice[place - 1]
                place -= 1
            sources[place] = source
            dice[place] = die
            count += 1
            source = min(source, 25) - die
            die = high + low - die
            steps -= 1
    moves: list = []
    for index in range(count):
        place = min(sources[index], 25) - dice[index]
        hit = place > 0 and blots >> place & 1
        if hit:
            blots ^= cython.cast(cython.uint, 1) << place
        moves.append(_MOVES[sources[index] << 4 | dice[index] << 1 | hit])
    return tuple(moves)


def legal_plays(
    position: object, side: cython.int, high: cython.int, low: cython.int, overshoot: str
) -> Plays:
    """As plays.legal_plays: each distinct resulting position once, in canonical order."""
    return Plays(position.packed, side, high, low, overshoot)


def find_text(plays: Plays, text: str) -> object:
    """The play of a list of legal ones whose canonical text is ``text``, or None."""
    if not text.isascii():
        return None
    letters: cython.char[128]
    size: cython.Py_ssize_t
    wanted: cython.pointer(cython.const[cython.char]) = PyUnicode_AsUTF8AndSize(
        text, cython.address(size)
    )
    index: cython.Py_ssize_t
    for index in range(plays.length):
        if write_text(letters, plays.codes[index], plays.high, plays.low, plays.blots) == size and (
            memcmp(letters, wanted, size) == 0
        ):
            return _play(plays, plays.codes[index])
    return None


def find_result(plays: Plays, packed: bytes) -> object:
    """The play of a list of legal ones that leads to a packed position, or None."""
    row: cython.uchar[28]
    index: cython.Py_ssize_t
    wanted: cython.p_uchar = packed
    if len(packed) != 28:
        return None
    for index in range(plays.length):
        make(row, plays.packed, plays.side, plays.high, plays.low, plays.blots, plays.codes[index])
        if memcmp(row, wanted, 28) == 0:
            return _play(plays, plays.codes[index])
    return None


def legal_text(
    position: object,
    side: cython.int,
    high: cython.int,
    low: cython.int,
    overshoot: str,
    endings: object,
) -> tuple[int, str]:
    r"""The number of legal plays, and a line ``<play>\t<position after><ending>`` for each.

    ``endings`` (generator.Endings) are the text to add when every die is played, when not, when
    not and a checker is still on the bar, and when the last checker is borne off.
    """
    plays: Plays = Plays(position.packed, side, high, low, overshoot)
    texts: cython.pointer(cython.const[cython.char])[4]
    sizes: cython.Py_ssize_t[4]
    row: cython.uchar[28]
    index: cython.Py_ssize_t
    ending: cython.int
    room: cython.Py_ssize_t = 0
    for ending in range(4):
        texts[ending] = PyUnicode_AsUTF8AndSize(endings[ending], cython.address(sizes[ending]))
        room = max(room, sizes[ending])
    letters: cython.p_char = cython.cast(cython.p_char, PyMem_Malloc(plays.length * (room + 192)))
    if letters == cython.NULL:
        raise MemoryError
    end: cython.p_char = letters
    for index in range(plays.length):
        if index:
            end[0] = b"\n"
            end += 1
        code: cython.uint = plays.codes[index]
        end += write_text(end, code, plays.high, plays.low, plays.blots)
        end[0] = b"\t"
        make(row, plays.packed, plays.side, plays.high, plays.low, plays.blots, code)
        end += 1 + write_position(end + 1, row)
        if has_won(row, plays.side):
            ending = 3
        elif dice_played(code, plays.high, plays.low) == (4 if plays.high == plays.low else 2):
            ending = 0
        else:
            ending = 2 if row[0 if plays.side else 25] else 1
        memcpy(end, texts[ending], sizes[ending])
        end += sizes[ending]
    try:
        return plays.length, PyUnicode_FromStringAndSize(letters, end - letters)
    finally:
        PyMem_Free(letters)
