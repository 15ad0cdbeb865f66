"""Files of games, read one game at a time. spec/notation.md §6."""

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Final, NamedTuple, TextIO

from msgspec.structs import replace

from acey_grammar.faults import Fault, NotationError, Place
from acey_grammar.parse import game_of, tree_of
from acey_grammar.places import Places, TurnPlaces
from acey_grammar.reading import ReadGame
from acey_grammar.record import GameRecord

_TAG: Final = re.compile(r"[ \t]*\[[ \t]*([A-Za-z][A-Za-z0-9_]*)")
_RESULT: Final = re.compile(r"[ \t]*(?:\*|[XO][ \t]+wins\b)")


class _Chunk(NamedTuple):
    """The text of one game."""

    text: str
    line: int
    """The line of the file it starts on."""
    faults: tuple[Fault, ...] = ()


def read_games(path: str | Path) -> Iterator[ReadGame]:
    """The games of a file, one at a time. spec/notation.md §6.

    Raises OSError when the file cannot be read, UnicodeDecodeError when it is no UTF-8.
    """
    with Path(path).open(encoding="utf-8-sig", newline=None) as file:
        yield from read_acey(file, str(path))


def parse_games(text: str, name: str = "") -> Iterator[ReadGame]:
    """The games of a text, one at a time. spec/notation.md §6."""
    yield from read_acey(StringIO(text.removeprefix("\ufeff"), newline=None), name)


def read_acey(file: TextIO, name: str = "") -> Iterator[ReadGame]:
    """The reader of this notation; see reading.py."""
    for chunk in _chunks(file):
        faults = [*chunk.faults]
        try:
            record, places = game_of(tree_of("file", chunk.text))
        except NotationError as error:
            faults.append(_moved(error.fault, chunk.line - 1))
            record, places, complete = GameRecord(()), Places(), False
        else:
            complete = True
            places = _shifted(places, chunk.line - 1)
        named = tuple(replace(fault, file=name) for fault in faults)
        yield ReadGame(record, places, named, chunk.line, complete)


def _chunks(file: TextIO) -> Iterator[_Chunk]:
    """Cut a file into games: a tag section after anything but tags starts a new one."""
    lines: list[str] = []
    start = 1
    in_comment = in_body = False
    for number, raw in enumerate(file, 1):
        line = raw.removesuffix("\n") + "\n"
        if not in_comment and in_body and _TAG.match(line):
            yield _Chunk("".join(lines), start)
            lines, start, in_body = [], number, False
        lines.append(line)
        in_comment = _comment_open(line, in_comment)
        if line.strip() and not line.startswith("#") and not _TAG.match(line):
            in_body = True
    if in_body or any(_TAG.match(line) for line in lines):
        yield _Chunk("".join(lines), start)


def _comment_open(line: str, before: bool) -> bool:
    if not before and (line.startswith("#") or _TAG.match(line)):
        return False
    opened, closed = line.rfind("{"), line.rfind("}")
    return before if opened == closed else opened > closed


def _moved(fault: Fault, by: int) -> Fault:
    return replace(fault, line=fault.line + by)


def _shifted(places: Places, by: int) -> Places:
    if not by:
        return places

    def moved(place: Place) -> Place:
        return Place(place.line + by, place.column)

    return Places(
        tuple(map(moved, places.tags)),
        tuple(
            TurnPlaces(
                moved(turn.start),
                tuple(map(moved, turn.rolls)),
                tuple(map(moved, turn.plays)),
                moved(turn.end),
            )
            for turn in places.turns
        ),
        moved(places.result),
    )
