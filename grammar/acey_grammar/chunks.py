"""A file of games cut into games, before any of it is parsed. spec/notation.md §6.

The file is read line by line and one game is held at a time. A comment in braces may go over lines,
so the lines are first joined to logical ones; a comment that is never closed ends with its line,
lest it swallow the games behind it.
"""

import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple, TextIO

from acey_grammar.faults import Fault
from acey_grammar.grammar import pattern

BLOCK: Final = 1 << 18
"""Characters read at a time."""
LINE_LIMIT: Final = 1 << 20
"""Characters of a line, line feed included; what is longer is cut and reported."""
COMMENT_LIMIT: Final = 1 << 16
"""Characters of a comment that goes over lines; one that is longer counts as never closed."""
GAME_LIMIT: Final = 1 << 22
"""Characters of a game; one that is longer is reported and not read."""

_TAG_NAME: Final = re.compile(r"[\s\ufeff]*\[\s*([A-Za-z0-9_]*)")
"""Of a tag, also behind a byte order mark or another blank that is none of ours."""


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
    """The lines of a text, with a look ahead; a block of it is held at a time."""

    def __init__(self, file: TextIO) -> None:
        """Read from ``file``; a byte order mark at its start is left out."""
        self._file = file
        self.text = ""
        """What was read and not yet forgotten; at the end of the file it ends in a line feed."""
        self.at = 0
        """Where the next line starts in ``text``."""
        self.number = 0
        """Lines taken so far."""
        self.ended = False
        """Whether the file was read to its end."""
        self.torn = False
        """Whether the last line of the file had no line feed."""
        self.faults: list[Fault] = []
        """What was found in lines read or taken."""
        self.back: deque[Line] = deque()
        """Logical lines that were put back and come before ``text``."""
        self.more()
        self.text = self.text.removeprefix("\ufeff")

    def more(self) -> None:
        """Read on, and forget the lines taken."""
        block = self._file.read(BLOCK)
        self.ended = not block
        if block.endswith("\r"):
            block += self._file.read(1)
        if "\r" in block:
            block = block.replace("\r\n", "\n").replace("\r", "\n")
        self.text = self.text[self.at :] + block
        self.at = 0
        if self.ended and self.text and not self.text.endswith("\n"):
            self.torn = True
            self.text += "\n"

    def line_at(self, offset: int) -> str:
        """The line that starts ``offset`` characters behind the next one; empty past the end."""
        while True:
            start = self.at + offset
            end = self.text.find("\n", start) + 1
            if (end or len(self.text)) - start > LINE_LIMIT:
                self._cut_line(offset)
            elif end:
                return self.text[start:end]
            elif self.ended:
                return ""
            else:
                self.more()

    def take(self) -> str:
        """The next line with its line feed; empty at the end of the file."""
        line = self.line_at(0)
        self.skip(line)
        return line

    def skip(self, text: str) -> None:
        """Take the text that comes next, whole lines of it."""
        self.at += len(text)
        self.number += text.count("\n")

    def put_back(self, lines: list["Line"]) -> None:
        """Take back logical lines taken last."""
        text = "".join(line.text for line in lines)
        start = self.at - len(text)
        if start >= 0 and self.text.startswith(text, start):
            self.at = start
            self.number = lines[0].number - 1
        else:  # they were changed, or the text before them is forgotten
            self.back.extend(lines)

    def _cut_line(self, offset: int) -> None:
        """Shorten a line that is too long, and tell of it."""
        before = self.text[self.at : self.at + offset]
        kept = self.text[self.at + offset :][: LINE_LIMIT - 1]
        self.at += offset + len(kept)
        while (end := self.text.find("\n", self.at)) < 0 and not self.ended:
            self.at = len(self.text)
            self.more()
        rest = self.text[end + 1 :] if end >= 0 else ""
        self.text = f"{before}{kept}\n{rest}"
        self.at = 0
        message = f"a line has less than {LINE_LIMIT:,} characters; the rest is not read"
        line = self.number + before.count("\n") + 1
        self.faults.append(Fault(kind="syntax", line=line, column=LINE_LIMIT, message=message))


def logical_lines(source: Source) -> Iterator[Line]:
    """The lines with each comment that goes over lines joined to where it starts."""
    while True:
        while source.back:
            yield source.back.popleft()
        line = source.take()
        if not line:
            return
        number = source.number
        if "{" in line and line.lstrip(" \t")[:1] not in ("#", "["):
            line = _with_comment(line, source)
        yield Line(number, line)


def _with_comment(first: str, source: Source) -> str:
    """The line and those over which its last comment goes on."""
    parts = [first]
    while (start := _open_comment(parts[-1])) >= 0:
        size = len(parts[-1]) - start
        offset = 0
        while (more := source.line_at(offset)) and "}" not in more and "{" not in more:
            offset += len(more)
            if size + offset > COMMENT_LIMIT:
                return "".join(parts)
        if not more or "}" not in more.partition("{")[0]:
            break  # the end of the file, or another comment opens first
        text = source.text[source.at : source.at + offset] + more
        source.skip(text)
        parts.append(text)
    return "".join(parts)


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


def first_letter(line: str) -> str:
    """The first character of a line that is to be seen; empty when there is none."""
    letter = line.lstrip(" \t\n")[:1]
    if letter.isprintable():
        return letter
    return next((each for each in line if each.isprintable() and each != " "), "")


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
        word = first_letter(line.text)
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

    def tail_lines(self) -> list[Line]:
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


def next_chunk(source: Source) -> Chunk | None:
    """Cut off the next game: a tag section behind anything but tags starts another one.

    None when no game is left.
    """
    cutter = _Cutter()
    for line in _separated(source):
        tag = _TAG_NAME.match(line.text)
        if tag is not None:
            if cutter.starts_new(tag[1]):
                source.put_back([*cutter.tail_lines(), line])
                return cutter.chunk(last=False)
            cutter.names.add(tag[1])
        cutter.add(line)
        cutter.faults += source.faults
        source.faults = []
    return None if cutter.empty else cutter.chunk(last=True, torn=source.torn)


@cache
def _glued() -> re.Pattern[str]:
    return re.compile(rf"([ \t]*{pattern('RESULT')}[ \t]*)\[")


def _separated(source: Source) -> Iterator[Line]:
    """The logical lines, with a tag that stands behind a result cut off as a line of its own.

    It keeps its column by blanks before it.
    """
    for line in logical_lines(source):
        match = _glued().match(line.text) if "[" in line.text else None
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
