"""Writer of FIBS games, as ``oldmoves`` prints them. spec/formats/fibs.md §6.

X counts upward and O downward, as in most games there.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from acey_grammar.formats.raw import Cube, GaveUp, Item, RawGame, Remark, Rolled, Told
from acey_grammar.formats.telling import Held, UnsupportedError, say_moves
from acey_grammar.formats.words import turned
from acey_rules import BAR, OFF, Side

HELD: Final = Held()
_NAMES: Final = {BAR: "bar", OFF: "off"} | {point: str(point) for point in range(1, 25)}
_ACTS: Final = {"double": "doubles", "take": "accepts", "drop": "rejects", "beaver": "beavers"}


def write(games: Iterable[RawGame]) -> Iterator[str]:
    """The text of the games, blank lines between them."""
    between = ""
    for game in games:
        check(game)
        yield f"{between}{chr(10).join(_lines(game))}\n"
        between = "\n"


def check(game: RawGame) -> None:
    """Raise UnsupportedError for a game that the format has no place for."""
    if game.rules != "backgammon":
        raise UnsupportedError(f"a FIBS game is backgammon, not {game.rules or 'this game'}")
    if game.start:
        raise UnsupportedError("a FIBS game starts from the backgammon start, not from a position")


def _lines(game: RawGame) -> Iterator[str]:
    names = ["".join(c if not c.isspace() else "_" for c in name) or "?" for name in game.players]
    if tuple(names) != game.players:
        game.lose("blanks in names: written as _")
    for name, _ in game.tags:
        game.lose(f"the tag {name}")
    if game.score is None or game.match is None:
        game.lose("that no score or match length is stated")
    score = game.score or (0, 0)
    length = f"a {game.match} point" if game.match else "an unlimited"
    yield f"Score is {score[0]}-{score[1]} in {length} match."
    yield f"{names[0]} is X - {names[1]} is O"
    yield ""
    for item in game.items:
        line = _line(game, item)
        if line:
            yield line
    if game.end is not None:
        points = game.end.points or 1
        yield f"{game.end.winner.name}: wins {points} point{'s' if points != 1 else ''}"


def _line(game: RawGame, item: Item) -> str:
    match item:
        case Rolled():
            side = item.side or Side.X
            moves = tuple(map(turned, item.moves)) if side is Side.X else item.moves
            words = " ".join(say_moves(moves, _NAMES, "-")).replace("*", "")
            if item.told is Told.UNKNOWN:
                game.lose("that the play of the last roll is unknown: it reads as not played")
            said = "can't move" if item.told is Told.NOTHING else words
            return f"{side.name}: ({item.dice[0]} {item.dice[1]}) {said}".rstrip()
        case Cube():
            return f"{item.side.name}: {_ACTS[item.act]}"
        case GaveUp():
            if item.how != "resignation":
                game.lose(f"that the game was lost by {item.how}: it reads as given up")
            return f"{item.side.name}: wants to resign"
        case Remark():
            game.lose("comments")
            return ""
        case _:
            return ""
