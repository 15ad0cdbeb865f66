"""Files of games, read one game at a time. spec/notation.md §6."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Final, NamedTuple, TextIO, TypeVar

from msgspec.structs import replace

from acey_grammar.chunks import GAME_LIMIT, LINE_LIMIT, Chunk, Source, next_chunk
from acey_grammar.fast import fast_game
from acey_grammar.faults import Fault, NotationError
from acey_grammar.grammar import Refusal, parse_tree
from acey_grammar.items import GameBuilder, lines_of
from acey_grammar.places import Places
from acey_grammar.reading import ReadGame
from acey_grammar.record import GameRecord
from acey_grammar.recover import recover

_END: Final = re.compile(
    r"\n(?:\*|[XO] wins [^\n]*)\n"  # a result line
    r"(?:(?=\[)|\n(?=(?:#[^\n]*\n|\n)*\[))"  # and the tags of another game
)
"""The end of a game that is written as most are, with another behind it."""

_TAG: Final = re.compile(r"^[ \t]*\[", re.M)

Taken = TypeVar("Taken")


class Region(NamedTuple):
    """Text that seems to be one game, at the place where it starts."""

    text: str
    line: int
    """The line of the file it starts on."""


def read_games(path: str | Path) -> Iterator[ReadGame]:
    """The games of a file in UTF-8, one at a time. spec/notation.md §6.

    Raises OSError when the file cannot be read, UnicodeDecodeError when it is no UTF-8.
    """
    with Path(path).open(encoding="utf-8", newline="") as file:
        yield from read_acey(file, str(path))


def parse_games(text: str, name: str = "") -> Iterator[ReadGame]:
    """The games of a text, one at a time; ``name`` is put into the faults."""
    yield from read_acey(StringIO(text, newline=""), name)


def parse_game(text: str) -> GameRecord:
    """The one game of a text.

    Raises NotationError for the first fault, and when there is no game or more than one.
    """
    games = list(parse_games(text))
    for game in games:
        if game.faults:
            raise NotationError(game.faults[0])
    if len(games) != 1:
        line = games[1].line if games else 1
        message = f"expected one game; found {len(games)}"
        raise NotationError(Fault(kind="syntax", line=line, column=1, message=message))
    return games[0].record


def read_acey(file: TextIO, name: str = "") -> Iterator[ReadGame]:
    """The reader of this notation; see reading.py.

    Lines that belong to no game are a fault of the game behind them, or of an empty one at the end
    of the file.
    """
    yield from read_by(file, read_fast, name)


def read_fast(region: Region) -> ReadGame | None:
    """The game, when the expressions of fast.py take it."""
    record = fast_game(region.text)
    if record is None:
        return None
    return ReadGame(record, partial(places_of, region), line=first_line(region))


def read_region(region: Region) -> ReadGame:
    """The game of a text that is known to be well formed."""
    game = read_fast(region) or _parsed(region.text, region.line)
    assert game is not None
    game.line = first_line(region)
    return game


def places_of(region: Region) -> Places:
    """Where the parts of a well-formed game stand."""
    game = _parsed(region.text, region.line)
    assert game is not None
    return game.places


def first_line(region: Region) -> int:
    """The line of the first tag of a well-formed game."""
    tag = _TAG.search(region.text)
    assert tag is not None
    return region.line + region.text.count("\n", 0, tag.start())


def read_by(
    file: TextIO, take: Callable[[Region], Taken | None], name: str = ""
) -> Iterator[ReadGame | Taken]:
    """The games of a file: what ``take`` makes of them, or else what the grammar makes.

    ``take`` is asked about text that seems to be one game. What it takes must be well formed.
    """
    source = Source(file)
    strays: list[Fault] = []
    wait = 0  # characters to be read before `take` is asked again
    while True:
        if wait <= 0 and not source.back:
            region, looked = _region(source)
            if region is not None and not strays and not source.faults and looked < LINE_LIMIT:
                taken = take(region)
                if taken is not None:
                    source.skip(region.text)
                    yield taken
                    continue
            # Games that do not end are looked at again and again up to where one does: half as
            # long each time, so that it takes twice as long as one look and not the square of it.
            wait = looked // 2
        chunk = next_chunk(source)
        if chunk is None:
            break
        wait -= len(chunk.text)
        game, is_game = _read_chunk(chunk)
        faults = [*strays, *(replace(fault, file=name) for fault in game.faults)]
        if is_game:
            game.faults = tuple(faults)
            yield game
        strays = [] if is_game else faults
    if strays:
        yield ReadGame(GameRecord(()), faults=tuple(strays), complete=False)


def _region(source: Source) -> tuple[Region | None, int]:
    """The text that seems to be the next game; None at the end and where none can be told.

    Besides, how many characters were looked at.
    """
    while True:
        end = _END.search(source.text, source.at)
        if end is not None:
            text = source.text[source.at : end.end()]
            return Region(text, source.number + 1), len(text)
        if source.ended or len(source.text) - source.at > GAME_LIMIT:
            break
        source.more()
    rest = source.text[source.at :]
    return Region(rest, source.number + 1) if rest and source.ended else None, len(rest)


def _read_chunk(chunk: Chunk) -> tuple[ReadGame, bool]:
    """One game, and whether it is one at all."""
    if chunk.too_long:
        message = f"a game has at most {GAME_LIMIT:,} characters; this one is not read"
        fault = Fault(kind="unsupported", line=chunk.line, column=1, message=message)
        return ReadGame(GameRecord(()), Places(), (fault,), chunk.line, complete=False), True
    game = _parsed(chunk.text, chunk.line)
    is_game = True
    if game is None:
        game, is_game = recover(chunk)
    game.line = game.places.tags[0].line if game.places.tags else chunk.line
    game.faults = (*chunk.faults, *game.faults)
    return game, is_game


def _parsed(text: str, line: int) -> ReadGame | None:
    """The game that starts on that line of the file, when the grammar takes it as it is."""
    tree = parse_tree("file", text)
    if isinstance(tree, Refusal):
        return None
    builder = GameBuilder()
    try:
        for item in lines_of(tree):
            builder.add(item, line)
    except NotationError:
        return None
    record, places = builder.build()
    return ReadGame(record, places, tuple(builder.faults), line)
