"""The lines of a file in a foreign format to games, however long the file, its games and its lines.

spec/formats/README.md §1.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from acey_grammar.faults import Fault
from acey_grammar.formats.raw import Chunk, Line

GAME_LIMIT: Final = 1 << 20
"""Characters of the longest game that is read whole."""
LINE_LIMIT: Final = 1 << 14
"""Characters of the longest line of a format whose lines are rolls."""

Split = Callable[[Iterable[Line]], Iterator[Chunk]]
"""Cuts the lines of a file into games."""


def split_games(split: Split, lines: Iterable[Line], long_lines: bool) -> Iterator[Chunk]:
    """The games of a file; one that is too long is cut and what follows read as another.

    ``long_lines``: a line of the format may be as long as a game.
    """
    source = _Bounded(iter(lines), long_lines)
    while not source.ended:
        for chunk in split(source.lines()):
            yield source.finished(chunk)


class _Bounded:
    """Lines that end where a game would be too long, and can then go on."""

    def __init__(self, lines: Iterator[Line], long_lines: bool) -> None:
        self.source = lines
        self.long_lines = long_lines
        self.size = 0
        """Characters since the last game."""
        self.cut = False
        """Whether the lines ended because a game would be too long."""
        self.faults: list[Fault] = []
        self.ended = False

    def lines(self) -> Iterator[Line]:
        """The lines up to the end of the file or of what one game may be."""
        self.size, self.cut = 0, False
        for line in self.source:
            self.size += len(line.text) + 1
            yield line if self.long_lines else self._shortened(line)
            if self.size > GAME_LIMIT:
                self.cut = True
                return
        self.ended = True

    def _shortened(self, line: Line) -> Line:
        length = len(line.text)
        if length <= LINE_LIMIT:
            return line
        message = (
            f"a line has at most {LINE_LIMIT:,} characters; the rest of {length:,} is not read"
        )
        self._fault(line.number, LINE_LIMIT + 1, message)
        return line._replace(text=line.text[:LINE_LIMIT])

    def finished(self, chunk: Chunk) -> Chunk:
        """A game with what was wrong with its lines."""
        if self.cut:
            message = (
                f"a game has at most {GAME_LIMIT:,} characters; what follows is read as another"
            )
            self._fault(chunk.lines[-1].number, 1, message)
        here = tuple(fault for fault in self.faults if fault.line <= chunk.lines[-1].number)
        self.faults = self.faults[len(here) :]
        self.size = 0
        return chunk._replace(faults=here, cut=self.cut)

    def _fault(self, line: int, column: int, message: str) -> None:
        self.faults.append(Fault(kind="unsupported", line=line, column=column, message=message))
