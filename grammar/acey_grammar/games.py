"""Files of games, read one game at a time. spec/notation.md §6."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import TextIO

from msgspec.structs import replace

from acey_grammar.chunks import GAME_LIMIT, Chunk, chunks
from acey_grammar.faults import Fault, NotationError
from acey_grammar.grammar import Refusal, parse_tree
from acey_grammar.items import GameBuilder, lines_of
from acey_grammar.places import Places
from acey_grammar.reading import ReadGame
from acey_grammar.record import GameRecord
from acey_grammar.recover import recover


def read_games(path: str | Path) -> Iterator[ReadGame]:
    """The games of a file in UTF-8, one at a time. spec/notation.md §6.

    Raises OSError when the file cannot be read, UnicodeDecodeError when it is no UTF-8.
    """
    with Path(path).open(encoding="utf-8-sig", newline=None) as file:
        yield from read_acey(file, str(path))


def parse_games(text: str, name: str = "") -> Iterator[ReadGame]:
    """The games of a text, one at a time; ``name`` is put into the faults."""
    yield from read_acey(StringIO(text.removeprefix("\ufeff"), newline=None), name)


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
    strays: list[Fault] = []
    for chunk in chunks(file):
        game, is_game = _read_chunk(chunk)
        faults = [*strays, *(replace(fault, file=name) for fault in game.faults)]
        if is_game:
            yield game._replace(faults=tuple(faults))
            strays = []
        else:
            strays = faults
    if strays:
        yield ReadGame(GameRecord(()), faults=tuple(strays), complete=False)


def _read_chunk(chunk: Chunk) -> tuple[ReadGame, bool]:
    """One game, and whether it is one at all."""
    if chunk.too_long:
        message = f"a game has at most {GAME_LIMIT:,} characters; this one is not read"
        fault = Fault(kind="unsupported", line=chunk.line, column=1, message=message)
        return ReadGame(GameRecord(()), Places(), (fault,), chunk.line, complete=False), True
    game = _parsed(chunk)
    if game is None:
        game, is_game = recover(chunk)
    else:
        is_game = True
    line = game.places.tags[0].line if game.places.tags else chunk.line
    return game._replace(faults=(*chunk.faults, *game.faults), line=line), is_game


def _parsed(chunk: Chunk) -> ReadGame | None:
    """The game, when the grammar takes it as it is."""
    tree = parse_tree("file", chunk.text)
    if isinstance(tree, Refusal):
        return None
    builder = GameBuilder()
    try:
        for line in lines_of(tree):
            builder.add(line, chunk.line)
    except NotationError:
        return None
    record, places = builder.build()
    return ReadGame(record, places, tuple(builder.faults), chunk.line)
