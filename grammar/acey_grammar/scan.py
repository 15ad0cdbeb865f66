# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The turns and the result of a game, scanned and replayed in C. spec/notation.md §4, §5.

Takes what is written canonically and is without a fault, and nothing else: what it does not take
goes the long way, by the grammar and by State, which word the faults. The legal plays are those the
kernel generates, and what follows a play comes from the table of agendas.py, so no rule is here.
Compiled by Cython; never run uncompiled.
"""

import cython
from cython.cimports.acey_rules.kernel_generate import generate, load
from cython.cimports.acey_rules.kernel_make import dice_played, has_won, make
from cython.cimports.acey_rules.kernel_rules import overshoot_of
from cython.cimports.acey_rules.kernel_text import write_text
from cython.cimports.acey_rules.kernel_types import Board
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize
from cython.cimports.libc.string import memchr, memcmp, memcpy, strncmp

ROW = cython.declare(cython.int, 40)
"""Numbers in a row of the table; see agendas.py."""
ZERO = cython.declare(cython.int, 48)
"""The letter 0."""
DUE_ROLL = cython.declare(cython.int, 1)
DUE_NAME = cython.declare(cython.int, 2)
DUE_PLAY = cython.declare(cython.int, 3)
LONGEST_COMMENT = cython.declare(cython.int, 60_000)
"""Bytes of a comment that is taken; COMMENT_LIMIT of chunks.py is a little more."""
ONLY_ROLL = cython.declare(cython.int, 1)
"""The number of the agenda a turn starts with."""


@cython.final
@cython.cclass
class _Scan:
    """A game being scanned: where in its text, and what it has come to."""

    at: cython.pointer(cython.const[cython.char])
    end: cython.pointer(cython.const[cython.char])
    packed = cython.declare(cython.uchar[28])
    table: cython.p_short
    overshoot: cython.int
    side: cython.int
    agenda: cython.int
    won: cython.bint
    partial: cython.bint
    """Whether the last turn was left before its end."""
    timed: cython.bint
    turns: cython.int
    rolls: cython.int
    winner: cython.int
    points: cython.int
    how: cython.int

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def blanks(self) -> cython.void:
        """Go over spaces and tabs; the text ends in a line feed."""
        while self.at[0] == b" " or self.at[0] == b"\t":
            self.at += 1

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def word(self, text: cython.p_char, length: cython.int) -> cython.bint:
        """Go over a word with blanks before it, if it comes next."""
        self.blanks()
        if strncmp(self.at, text, length) != 0:
            return False
        self.at += length
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def number(self) -> cython.int:
        """A number of up to nine digits without leading zero; 0 when there is none."""
        value: cython.int = 0
        digits: cython.int = 0
        if self.at[0] == b"0":
            return 0
        while b"0" <= self.at[0] <= b"9":
            digits += 1
            if digits > 9:
                return 0
            value = value * 10 + self.at[0] - ZERO
            self.at += 1
        return value

    @cython.cfunc
    @cython.exceptval(check=False)
    def game(self) -> cython.bint:
        """Scan turns, comments and the result, to the end of the text."""
        starter: cython.int = self.side
        number: cython.int = 1
        while True:
            while self.at < self.end and (
                self.at[0] == b" " or self.at[0] == b"\t" or self.at[0] == b"\n"
            ):
                self.at += 1
            if self.at == self.end:
                return False
            if self.at[0] == b"#":
                self.line()
            elif self.at[0] == b"{":
                if not self.comments() or (self.timed and self.turns == 0):
                    return False
            elif b"1" <= self.at[0] <= b"9":
                if self.won or self.partial:
                    return False
                number += self.turns > 0 and self.side == starter
                if self.number() != number or not self.turn():
                    return False
            else:
                return self.result()

    @cython.cfunc
    @cython.exceptval(check=False)
    def line(self) -> cython.void:
        """Go to the line feed at the end of the line."""
        self.at = cython.cast(
            cython.pointer(cython.const[cython.char]),
            memchr(self.at, b"\n", self.end - self.at),
        )

    @cython.cfunc
    @cython.exceptval(check=False)
    def turn(self) -> cython.bint:
        """Scan a turn from behind its number to the end of its line."""
        if self.at[0] != b".":
            return False
        self.at += 1
        self.blanks()
        if (self.at[0] != b"X" and self.at[0] != b"O") or (self.at[0] == b"O") != self.side:
            return False
        self.at += 1
        while True:
            self.blanks()
            if not self.dice() or not self.play():
                return False
            self.rolls += 1
            self.blanks()
            if self.at[0] != b",":
                break
            if self.won or self.agenda == 0:
                return False
            self.at += 1
        if self.at[0] == b"!" or self.at[0] == b"?":
            self.at += 1
            if self.at[0] == b"!" or self.at[0] == b"?":
                self.at += 1
        self.turns += 1
        self.timed = False
        if not self.won:
            self.partial = self.agenda != 0
            if not self.partial:
                self.side = 1 - self.side
                self.agenda = ONLY_ROLL
        self.blanks()
        return self.comments()

    @cython.cfunc
    @cython.exceptval(check=False)
    def dice(self) -> cython.bint:
        """Scan ``63:``, ``=66:`` or ``~11:``, and take the agenda on to what they bring."""
        row: cython.p_short = self.table + ROW * self.agenda
        mark: cython.char = 0
        first: cython.int
        second: cython.int
        if self.at[0] == b"=" or self.at[0] == b"~":
            mark = self.at[0]
            self.at += 1
        if self.end - self.at < 4:
            return False
        first = self.at[0] - ZERO
        second = self.at[1] - ZERO
        if not (1 <= first <= 6 and 1 <= second <= 6 and self.at[2] == b":"):
            return False
        self.at += 3
        if row[0] == DUE_ROLL:
            self.agenda = row[4 + 6 * (first - 1) + second - 1]
            return mark == 0
        if row[0] == DUE_NAME:
            self.agenda = row[4 + first - 1]
            return mark == b"=" and first == second
        # Dice that are not rolled: a complement, or those the game starts with.
        if mark == b"=" or (mark == b"~") != (self.rolls > 0):
            return False
        return row[1] == max(first, second) and row[2] == min(first, second)

    @cython.cfunc
    @cython.exceptval(check=False)
    def play(self) -> cython.bint:
        """Scan the canonical text of a legal play, and play it."""
        row: cython.p_short = self.table + ROW * self.agenda
        high: cython.int = row[1]
        low: cython.int = row[2]
        board: Board
        codes: cython.uint[23751]
        letters: cython.char[128]
        after: cython.uchar[28]
        count: cython.int
        index: cython.int
        source: cython.uint
        length: cython.Py_ssize_t
        self.blanks()
        text: cython.pointer(cython.const[cython.char]) = self.at
        while not (
            self.at[0] == b","
            or self.at[0] == b"\n"
            or self.at[0] == b"{"
            or self.at[0] == b"!"
            or self.at[0] == b"?"
        ):
            self.at += 1
        length = self.at - text
        while length and (text[length - 1] == b" " or text[length - 1] == b"\t"):
            length -= 1
        source = _source(text)
        load(self.packed, self.side, cython.address(board))
        count = generate(cython.address(board), high, low, self.overshoot, codes)
        for index in range(count):
            if (
                codes[index] & 31 == source
                and write_text(letters, codes[index], high, low, board.blots) == length
                and memcmp(letters, text, length) == 0
            ):
                make(after, self.packed, self.side, high, low, board.blots, codes[index])
                memcpy(self.packed, after, 28)
                self.won = has_won(self.packed, self.side)
                if dice_played(codes[index], high, low) == (4 if high == low else 2):
                    self.agenda = row[4]
                else:
                    self.agenda = row[6 if self.packed[0 if self.side else 25] else 5]
                return True
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def comments(self) -> cython.bint:
        """Scan any comments to the end of the line."""
        while self.at[0] == b"{":
            if not self.comment():
                return False
            self.blanks()
        return self.at[0] == b"\n"

    @cython.cfunc
    @cython.exceptval(check=False)
    def comment(self) -> cython.bint:
        """Scan one comment; the time of a turn must be one, and the only one."""
        letter: cython.char
        close: cython.pointer(cython.const[cython.char]) = cython.cast(
            cython.pointer(cython.const[cython.char]),
            memchr(self.at, b"}", self.end - self.at),
        )
        if close == cython.NULL or close - self.at > LONGEST_COMMENT:
            return False
        if memchr(self.at + 1, b"{", close - self.at - 1) != cython.NULL:
            return False
        if self.at[1] == b"%" and self.at[2] == b"t":
            letter = self.at[3]
            if not (
                b"a" <= letter <= b"z"
                or b"A" <= letter <= b"Z"
                or b"0" <= letter <= b"9"
                or letter == b"_"
            ):
                if self.timed or not self.time():
                    return False
                self.timed = True
                return self.at == close + 1
        self.at = close + 1
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def time(self) -> cython.bint:
        """Scan ``{%t 1.25}``."""
        digits: cython.int = 0
        self.at += 3
        if self.at[0] != b" " and self.at[0] != b"\t":
            return False
        self.blanks()
        while b"0" <= self.at[0] <= b"9":
            digits += 1
            self.at += 1
        if not 1 <= digits <= 9:
            return False
        if self.at[0] == b".":
            self.at += 1
            if not b"0" <= self.at[0] <= b"9":
                return False
            while b"0" <= self.at[0] <= b"9":
                self.at += 1
        self.blanks()
        if self.at[0] != b"}":
            return False
        self.at += 1
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def result(self) -> cython.bint:
        """Scan the result line, behind which only file comments may stand."""
        self.winner = -1
        if self.at[0] == b"*":
            self.at += 1
        elif self.at[0] == b"X" or self.at[0] == b"O":
            self.winner = self.at[0] == b"O"
            self.at += 1
            if self.at[0] != b" " or not self.word(b"wins ", 5):
                return False
            self.blanks()
            self.points = self.number()
            if self.points == 0:
                return False
            if self.at[0] == b" ":
                if self.word(b"by resignation", 14):
                    self.how = 1
                elif self.word(b"on time", 7):
                    self.how = 2
                elif self.word(b"by forfeit", 10):
                    self.how = 3
        else:
            return False
        self.blanks()
        if self.at[0] != b"\n":
            return False
        while self.at < self.end:
            if self.at[0] == b"#":
                self.line()
            elif self.at[0] != b" " and self.at[0] != b"\t" and self.at[0] != b"\n":
                return False
            else:
                self.at += 1
        return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _source(text: cython.pointer(cython.const[cython.char])) -> cython.uint:
    """The source of the first move of a play, as its code has it; 0 of ``-``."""
    if text[0] == b"o":
        return 25
    if text[0] == b"b":
        return 26
    if text[0] < b"1" or text[0] > b"9":
        return 0
    if text[1] < b"0" or text[1] > b"9":
        return text[0] - ZERO
    return 10 * (text[0] - ZERO) + text[1] - ZERO


def scan(
    body: str, packed: bytes, side: cython.int, agenda: cython.int, rows: bytes, overshoot: str
) -> object:
    """Replay the turns and the result of a game; ``body`` starts behind its tags.

    ``body`` ends in a line feed; ``agenda`` is a number of the table whose ``rows`` are given.
    Returns (position, side, agenda or -1 when a side has won, turns, rolls, winner or -1 for
    ``*``, points, how as an index), or None for what is not taken.
    """
    size: cython.Py_ssize_t
    start: cython.p_uchar = packed
    numbers: cython.p_char = rows
    scanned: _Scan = _Scan()
    try:
        scanned.at = PyUnicode_AsUTF8AndSize(body, cython.address(size))
    except UnicodeEncodeError:  # half a character, as no file in UTF-8 holds it
        return None
    scanned.end = scanned.at + size
    memcpy(scanned.packed, start, 28)
    scanned.table = cython.cast(cython.p_short, numbers)
    scanned.overshoot = overshoot_of(overshoot)
    scanned.side = side
    scanned.agenda = agenda
    if not scanned.game():
        return None
    return (
        PyBytes_FromStringAndSize(cython.cast(cython.p_char, scanned.packed), 28),
        scanned.side,
        -1 if scanned.won else scanned.agenda,
        scanned.turns,
        scanned.rolls,
        scanned.winner,
        scanned.points,
        scanned.how,
    )
