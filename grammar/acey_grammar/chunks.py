"""A file of games cut into games, before any of it is parsed. spec/notation.md §6.

The file is read line by line and one game is held at a time. A comment in braces may go over lines,
so the lines are first joined to logical ones; a comment that is never closed ends with its line,
lest it swallow the games behind it.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple, TextIO

from acey_grammar.faults import Fault
from acey_grammar.grammar import pattern

LINE_LIMIT: Final = 1 << 20
"""Characters of a line; what is longer is cut and reported."""
COMMENT_LIMIT: Final = 1 << 16
"""Characters of a comment that goes over lines; one that is longer counts as never closed."""
GAME_LIMIT: Final = 1 << 22
"""Characters of a game; one that is longer is reported and not read."""

_TAG_NAME: Final = re.compile(r"[ \t]*\[[ \t]*([A-Za-z0-9_]*)")


class Line(NamedTuple):
    """A logical line: a line of the file, with those a comment of it goes on over."""

    number: int
    """The number of its first line in the file, from 1."""
    text: str
    """With the line feed at its end."""


class Chunk(NamedTuple):
    """The text of one game, or of what stands before the first."""

    text: str
    line: int
    """The line of the file it starts on."""
    faults: tuple[Fault, ...]
    """What was found in cutting."""
    too_long: bool
    last: bool
    """Whether the file ends with it."""
    torn: bool
    """Whether the file ends with it and without a line feed."""


class Source:
    """The lines of a file, with a look ahead."""

    def __init__(self, file: TextIO) -> None:
        """Read from ``file``, whose line ends are line feeds."""
        self._file = file
        self._ahead: deque[str] = deque()
        self._read = 0
        self.number = 0
        """Lines taken so far."""
        self.faults: list[Fault] = []
        """What was found in lines read ahead or taken."""
        self.torn = False
        """Whether the last line had no line feed."""

    def take(self) -> str:
        """The next line with its line feed; empty at the end of the file."""
        line = self._ahead.popleft() if self._ahead else self._next()
        self.number += bool(line)
        return line

    def peek(self, index: int) -> str:
        """The line ``index`` places behind the next one, which is 0; empty past the end."""
        while len(self._ahead) <= index:
            line = self._next()
            if not line:
                return ""
            self._ahead.append(line)
        return self._ahead[index]

    def _next(self) -> str:
        line = self._file.readline(LINE_LIMIT)
        self._read += bool(line)
        if not line or line.endswith("\n"):
            return line
        self.torn = len(line) < LINE_LIMIT
        if not self.torn:
            self._skip_rest()
        return line + "\n"

    def _skip_rest(self) -> None:
        """Leave out the rest of a line that is too long."""
        rest = self._file.readline(LINE_LIMIT)
        if rest and rest != "\n":
            self.faults.append(
                Fault(
                    kind="syntax",
                    line=self._read,
                    column=LINE_LIMIT + 1,
                    message=f"a line has at most {LINE_LIMIT:,} characters; the rest is not read",
                )
            )
        while rest and not rest.endswith("\n"):
            rest = self._file.readline(LINE_LIMIT)


def logical_lines(source: Source) -> Iterator[Line]:
    """The lines with each comment that goes over lines joined to where it starts."""
    while line := source.take():
        number = source.number
        if "{" in line and line.lstrip(" \t")[:1] not in ("#", "["):
            line = _with_comment(line, source)
        yield Line(number, line)


def _with_comment(first: str, source: Source) -> str:
    """The line and those over which its last comment goes on."""
    line = first
    while (start := _open_comment(line)) >= 0:
        length, count = len(line) - start, 0
        while (more := source.peek(count)) and "}" not in more and "{" not in more:
            length += len(more)
            count += 1
            if length > COMMENT_LIMIT:
                return line
        if not more or "}" not in more.partition("{")[0]:
            return line  # the end of the file, or another comment opens first
        line += "".join(source.take() for _ in range(count + 1))
    return line


def _open_comment(text: str) -> int:
    """Where the comment starts that is open at the end; -1 when none is, or a brace is amiss."""
    start = -1
    for place, letter in _braces(text):
        if letter == "{":
            if start >= 0:
                return -1
            start = place
        else:
            start = -1
    return start


def _braces(text: str) -> Iterator[tuple[int, str]]:
    for found in re.finditer(r"[{}]", text):
        yield found.start(), found[0]


class _Cutter:
    """Gathers the lines of one game."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.faults: list[Fault] = []
        self.names: set[str] = set()
        self.body = False
        """Whether anything but tags and file comments was seen."""
        self.blank = False
        """Whether a blank line came last."""
        self.tail: int | None = None
        """Where the file comments start that stand behind a blank line at the end."""
        self.size = 0

    def starts_new(self, name: str) -> bool:
        """Whether a tag of that name, coming next, belongs to another game."""
        return self.body or (self.blank and name in self.names)

    def add(self, line: Line) -> None:
        """Take a line."""
        self.size += len(line.text)
        if self.size <= GAME_LIMIT:
            self.lines.append(line)
        word = line.text.lstrip(" \t\n")[:1]
        if not word:
            self.blank = True
            return
        if word == "#":
            if self.blank and self.tail is None:
                self.tail = len(self.lines) - 1
        else:
            self.tail = None
            self.body = self.body or word != "["
        self.blank = False

    def cut(self) -> list[Line]:
        """Give up the file comments at the end, which belong to the next game."""
        if self.tail is None:
            return []
        lines, self.lines = self.lines[self.tail :], self.lines[: self.tail]
        return lines

    def chunk(self, last: bool, torn: bool = False) -> Chunk:
        """What was gathered."""
        line = self.lines[0].number if self.lines else 1
        text = "".join([line.text for line in self.lines])
        too_long = self.size > GAME_LIMIT
        return Chunk(text, line, tuple(self.faults), too_long, last, torn)

    @property
    def empty(self) -> bool:
        """Whether there is no game in it."""
        return not (self.names or self.body)


def chunks(file: TextIO) -> Iterator[Chunk]:
    """Cut a file into games: a tag section behind anything but tags starts another one."""
    source = Source(file)
    cutter = _Cutter()
    for line in _separated(source):
        tag = _TAG_NAME.match(line.text)
        if tag is not None:
            if cutter.starts_new(tag[1]):
                comments = cutter.cut()
                yield cutter.chunk(last=False)
                cutter = _Cutter()
                for comment in comments:
                    cutter.add(comment)
            cutter.names.add(tag[1])
        cutter.add(line)
        cutter.faults += source.faults
        source.faults = []
    if not cutter.empty:
        yield cutter.chunk(last=True, torn=source.torn)


def _separated(source: Source) -> Iterator[Line]:
    """The logical lines, with a tag that stands behind a result cut off as a line of its own.

    It keeps its column by blanks before it.
    """
    glued = re.compile(rf"([ \t]*{pattern('RESULT')}[ \t]*)\[")
    for line in logical_lines(source):
        match = glued.match(line.text) if "[" in line.text else None
        if match is None:
            yield line
            continue
        at = match.end(1)
        yield Line(line.number, line.text[:at] + "\n")
        source.faults.append(
            Fault(
                kind="separator",
                line=line.number,
                column=at + 1,
                message="a game starts on a line of its own, after a blank one",
                found=line.text[at:].rstrip(),
            )
        )
        yield Line(line.number, " " * at + line.text[at:])
