"""Writer of plain lists of plays. spec/formats/plain.md §4."""

from collections.abc import Iterable, Iterator
from typing import Final

from acey_grammar.formats.raw import Cube, GaveUp, RawGame, Rolled
from acey_grammar.formats.telling import Held, UnsupportedError, say_moves
from acey_rules import BAR, OFF, UNENTERED, Side

HELD: Final = Held(remarks=False, unplayed=False)
_NAMES: Final = {BAR: "bar", OFF: "off", UNENTERED: "off"} | {p: str(p) for p in range(1, 25)}
_PRESUMED: Final = ("backgammon", "american")


def write(games: Iterable[RawGame]) -> Iterator[str]:
    """The text of the games, blank lines between them."""
    between = ""
    for game in games:
        check(game)
        yield f"{between}{chr(10).join(_lines(game))}\n"
        between = "\n"


def check(game: RawGame) -> None:
    """Raise UnsupportedError for a game that the format has no place for."""
    if game.start:
        raise UnsupportedError("a list of plays starts from the start, not from a position")
    if not any(isinstance(item, Rolled) for item in game.items):
        raise UnsupportedError("a list of plays cannot hold a game without any")


def _lines(game: RawGame) -> Iterator[str]:
    game.lose("the players")
    for name, _ in game.tags:
        game.lose(f"the tag {name}")
    if game.match is not None or game.score is not None:
        game.lose("the match and its score")
    if game.rules not in _PRESUMED:
        game.lose(f"the rule set {game.rules}")
    if game.end is not None and any(isinstance(item, GaveUp | Cube) for item in game.items):
        game.lose("how the game ended")
    first = True
    for item in game.items:
        if isinstance(item, Cube):
            game.lose("the doubling cube")
        if isinstance(item, Rolled):
            words = " ".join(say_moves(item.moves, _NAMES, "/")) or "-"
            # X is first unless the first line says otherwise.
            letter = "O " if first and item.side is Side.O else ""
            yield f"{letter}{item.dice[0]}{item.dice[1]}: {words}"
            first = False
