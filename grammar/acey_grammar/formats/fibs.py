"""Reader of FIBS games, as the server's ``oldmoves`` prints them. spec/formats/fibs.md.

Points are those of the board, and which way X counts changes from game to game; the moves tell.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from acey_grammar.faults import Place
from acey_grammar.formats.raw import Chunk, Cube, Ended, GaveUp, Line, RawGame, Rolled, Told
from acey_grammar.formats.text import NUMBER, number, read_moves
from acey_grammar.formats.words import MoveWords, turned
from acey_rules import BAR, OFF, Side, WrittenMove

NAME: Final = "fibs"
WORDS: Final = MoveWords("fibs.lark")

_SCORE: Final = re.compile(
    rf"\s*Score is ({NUMBER})-({NUMBER}) in an? (?:({NUMBER})[ -]point|unlimited)?\s*match\.?\s*$",
    re.I,
)
_PLAYERS: Final = re.compile(r"\s*(\S+) is X - (\S+) is O\s*$")
_ROLL: Final = re.compile(r"\s*([XO]):\s*\(([0-9]) ([0-9])\)\s*(.*)$")
_ACT: Final = re.compile(r"\s*([XO]):\s*([^0-9\s][^0-9]*)(?:([0-9]+)\s+points?)?\.?\s*$")
_NO_MOVE: Final = re.compile(r"can(?:'t|’t|not) move\.?$", re.I)
_TAKES: Final = ("accepts", "takes")
_DROPS: Final = ("rejects", "drops", "passes", "gives up")


def matches(line: str) -> bool:
    """Whether a line is one that only this format has."""
    return bool(_SCORE.match(line) or _PLAYERS.match(line) or _ROLL.match(line))


def split(lines: Iterable[Line]) -> Iterator[Chunk]:
    """The games of a file, one after the other."""
    game: list[Line] = []
    scored = named = False
    for line in lines:
        score, players = bool(_SCORE.match(line.text)), bool(_PLAYERS.match(line.text))
        if (score and scored) or (named and (score or players)):
            yield Chunk(NAME, tuple(game))
            game, scored, named = [], False, False
        scored, named = scored or score, named or players
        if line.text.strip():
            game.append(line)
    if game:
        yield Chunk(NAME, tuple(game))


def read(chunk: Chunk) -> RawGame:
    """The game that a chunk tells."""
    game = RawGame(format=NAME, place=chunk.place, rules="backgammon")
    for line in chunk.lines:
        _read_line(game, line)
    _count_own_points(game)
    if game.players == ("", ""):
        game.notice("header", game.place, "no line names the players")
    return game


def _read_line(game: RawGame, line: Line) -> None:
    place = Place(line.number, 1)
    if score := _SCORE.match(line.text):
        game.place = place
        game.score = (int(score[1]), int(score[2]))
        game.match = int(score[3] or 0)
    elif players := _PLAYERS.match(line.text):
        game.players = (players[1], players[2])
    elif roll := _ROLL.match(line.text):
        _read_roll(game, line, roll)
    elif not _read_act(game, line):
        if game.items and game.end is None:
            kind = "cut-off" if line.torn else "syntax"
            game.fault(kind, place, f"this is no line of a game: '{line.text}'", line.text)
        else:
            game.notice("text", place, f"not part of a game: '{line.text.strip()}'")


def _read_roll(game: RawGame, line: Line, roll: re.Match[str]) -> None:
    place = Place(line.number, roll.start(2) + 1)
    found = roll[4].strip()
    at = Place(line.number, roll.start(4) + 1) if found else place
    dice = (int(roll[2]), int(roll[3]))
    rolled = Rolled(place, Side[roll[1]], dice, Told.BLANK, (), found, at)
    if _NO_MOVE.match(found):
        rolled = rolled._replace(told=Told.NOTHING)
    elif found:
        rolled = read_moves(game, WORDS, rolled, line.torn)
    game.items.append(rolled)


def _read_act(game: RawGame, line: Line) -> bool:
    """Read a line that is no roll; False if it is none of the acts there are."""
    act = _ACT.match(line.text)
    if act is None:
        return False
    place = Place(line.number, act.start(2) + 1)
    side = Side[act[1]]
    said = act[2].strip().removesuffix(".").rstrip().lower()
    points = number(act[3])
    if act[3] and points is None:
        return False
    last = game.items[-1] if game.items else None
    if said == "wins" and points:
        if game.end is not None:
            game.fault("after-end", place, "a second result", line.text)
        game.end = game.end or Ended(place, side, points)
    elif said in ("doubles", "redoubles"):
        game.items.append(Cube(place, side, "double"))
    elif said in (*_TAKES, *_DROPS) and isinstance(last, GaveUp):
        # An answer to a resignation: accepting changes nothing, refusing takes it back.
        if said in _DROPS:
            game.items.pop()
    elif said in _TAKES:
        game.items.append(Cube(place, side, "take"))
    elif said in _DROPS:
        game.items.append(Cube(place, side, "drop"))
    elif said == "beavers":
        game.items.append(Cube(place, side, "beaver"))
    elif said.startswith(("wants to resign", "resigns")):
        game.items.append(GaveUp(place, side, points))
    else:
        return False
    return True


def _count_own_points(game: RawGame) -> None:
    """Turn the moves of the side that counts upward, so that points are the mover's own."""
    upward = {side: sum(_direction(move) for move in _moves(game, side)) for side in Side}
    x_counts_up = upward[Side.X] > upward[Side.O]
    mirrored = Side.X if x_counts_up else Side.O
    for index, item in enumerate(game.items):
        if isinstance(item, Rolled) and item.side is mirrored:
            game.items[index] = item._replace(moves=tuple(map(turned, item.moves)))


def _moves(game: RawGame, side: Side) -> Iterator[WrittenMove]:
    for item in game.items:
        if isinstance(item, Rolled) and item.side is side:
            yield from item.moves


def _direction(move: WrittenMove) -> int:
    """1 for a move upward, -1 for one downward, told by where it starts and ends."""
    source = move.source
    target = move.stops[-1]
    if source == BAR:
        return 1 if target <= 12 else -1
    if target == OFF:
        return 1 if source > 12 else -1
    return 1 if target > source else -1
