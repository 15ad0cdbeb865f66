"""Reader of plain lists of plays, as engines log them: ``63: 24/18 13/10``. spec/formats/plain.md.

One play a line; the sides alternate as the rules say, X first. A blank line separates games.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from acey_grammar.faults import Place
from acey_grammar.formats.raw import Chunk, Line, RawGame, Remark, Rolled, Told
from acey_grammar.formats.text import read_moves
from acey_grammar.formats.words import MoveWords
from acey_rules import UNENTERED, Side

NAME: Final = "plain"
WORDS: Final = MoveWords("plain.lark")

_PLAY: Final = re.compile(
    r"\s*(?:[0-9]+[.)]\s*)?(?:([XOxo])[:\s]\s*)?([0-9])-?([0-9])\s*:\s*([^#;]*)(?:[#;]\s*(.*))?$"
)
_COMMENT: Final = re.compile(r"\s*[#;]\s*(.*)$")
_NO_MOVE: Final = re.compile(r"(?:-|none|pass|no move|can(?:no|')t move)$", re.I)


def matches(line: str) -> bool:
    """Whether a line is one that only this format has."""
    return bool(_PLAY.match(line))


def split(lines: Iterable[Line]) -> Iterator[Chunk]:
    """The games of a file, one after the other."""
    game: list[Line] = []
    played = False
    for line in lines:
        if line.text.strip():
            game.append(line)
            played = played or bool(_PLAY.match(line.text))
        elif played:
            yield Chunk(NAME, tuple(game))
            game, played = [], False
    if game:
        yield Chunk(NAME, tuple(game))


def read(chunk: Chunk) -> RawGame:
    """The game that a chunk tells."""
    game = RawGame(format=NAME, place=chunk.place, rules="backgammon", ends_expected=False)
    for line in chunk.lines:
        place = Place(line.number, 1)
        if play := _PLAY.match(line.text):
            _read_play(game, line, play)
        elif comment := _COMMENT.match(line.text):
            game.items.append(Remark(place, comment[1]))
        elif game.items:
            kind = "cut-off" if line.torn else "syntax"
            game.fault(kind, place, f"this is no play: '{line.text.strip()}'", line.text)
        else:
            game.notice("text", place, f"not part of a game: '{line.text.strip()}'")
    rolls = (item for item in game.items if isinstance(item, Rolled))
    if any(move.source == UNENTERED for roll in rolls for move in roll.moves):
        game.rules = "american"
    return game


def _read_play(game: RawGame, line: Line, play: re.Match[str]) -> None:
    place = Place(line.number, play.start(2) + 1)
    found = play[4].rstrip()
    at = Place(line.number, play.start(4) + 1) if found else place
    side = Side[play[1].upper()] if play[1] else None
    rolled = Rolled(place, side, (int(play[2]), int(play[3])), Told.BLANK, (), found, at)
    if _NO_MOVE.match(found):
        rolled = rolled._replace(told=Told.NOTHING)
    elif found:
        rolled = read_moves(game, WORDS, rolled, line.torn)
    game.items.append(rolled)
    if play[5]:
        game.items.append(Remark(Place(line.number, play.start(5) + 1), play[5]))
