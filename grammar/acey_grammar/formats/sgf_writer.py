"""Writer of SGF GM[6], in the manner of GNU Backgammon. spec/formats/sgf.md §5."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from acey_grammar.formats.raw import Cube, GaveUp, Item, Mark, RawGame, Remark, Rolled
from acey_grammar.formats.sgf import HOWS, MARKS, TAGS
from acey_grammar.formats.telling import Held, UnsupportedError
from acey_rules import BAR, OFF, Position, Side

HELD: Final = Held(remarks=True, marks=True, unplayed=False, turned=True)
_PROPERTIES: Final = {ours: theirs for theirs, ours in TAGS.items()}
_MARK_TEXTS: Final = {glyph: f"{name}[{value}]" for (name, value), glyph in MARKS.items()}
_HOW_LETTERS: Final = {how: letter for letter, how in HOWS.items()}


def write(games: Iterable[RawGame]) -> Iterator[str]:
    """The text of the games, a tree each."""
    number = 0
    match: tuple[object, ...] | None = None
    for game in games:
        check(game)
        key = (game.players, game.match)
        number = number + 1 if key == match else 0
        match = key
        yield _tree(game, number)


def check(game: RawGame) -> None:
    """Raise UnsupportedError for a game that the format has no place for."""
    if game.rules != "backgammon":
        raise UnsupportedError(f"SGF GM[6] holds backgammon, not {game.rules or 'this game'}")
    if game.start and not game.start.endswith(":0:0"):
        raise UnsupportedError("SGF GM[6] has no place for checkers that have not entered")


def _tree(game: RawGame, number: int) -> str:
    nodes = [_root(game, number)]
    if game.start:
        nodes.append(_setup(game))
    for item in game.items:
        text = _property(game, item)
        if text is None:
            continue
        if isinstance(item, Mark) or (isinstance(item, Remark) and _takes_comment(nodes)):
            nodes[-1] += text
        else:
            nodes.append(f";{text}")
    return "(" + "\n".join(nodes) + ")\n"


def _takes_comment(nodes: list[str]) -> bool:
    """Whether the last node is a move that has no comment yet."""
    return len(nodes) > 1 and not re.search(r"(?<![A-Z])C\[", nodes[-1])


def _root(game: RawGame, number: int) -> str:
    text = ";FF[4]GM[6]CA[UTF-8]"
    score = game.score
    if game.match is not None or score is not None:
        values = [f"[length:{game.match or 0}]", f"[game:{number}]"]
        if score is not None:
            values += [f"[ws:{score[0]}]", f"[bs:{score[1]}]"]
        text += f"MI{''.join(values)}"
        if game.match is None:
            game.lose("that no match length is stated: it is written as 0")
    if game.cube != 1:
        text += f"CV[{game.cube}]"
    if not all(game.players):
        game.lose("a name that is empty")
    text += f"PW[{_escaped(game.players[0])}]PB[{_escaped(game.players[1])}]"
    for name, value in game.tags:
        if name in _PROPERTIES and value == " ".join(value.split()) and value:
            text += f"{_PROPERTIES[name]}[{_escaped(value)}]"
        else:
            game.lose(f"the tag {name}")
    return text + _result(game)


def _result(game: RawGame) -> str:
    if game.end is None:
        return ""
    gave_up = next((item for item in game.items if isinstance(item, GaveUp)), None)
    letter = _HOW_LETTERS[gave_up.how] if gave_up and gave_up.how in _HOW_LETTERS else ""
    winner = "W" if game.end.winner is Side.X else "B"
    return f"RE[{winner}+{game.end.points or 1}{letter}]"


def _setup(game: RawGame) -> str:
    """A node that puts up a position."""
    position = Position.parse(game.start)
    text = ";AE[a:y]"
    for side, name in ((Side.X, "AW"), (Side.O, "AB")):
        stones = [
            f"[{_letter(point, side)}]" * position.count(side, point)
            for point in (*range(1, 25), BAR)
        ]
        text += name + "".join(stones) if any(stones) else ""
    return f"{text}PL[{_colour(game.turn or Side.X)}]"


def _property(game: RawGame, item: Item) -> str | None:
    match item:
        case Rolled():
            side = item.side or Side.X
            letters = "".join(
                (_letter(move.source, side) + _letter(move.stops[-1], side)) * move.times
                if len(move.stops) == 1
                else _joined(move.stops, move.source, side) * move.times
                for move in item.moves
            )
            return f"{_colour(side)}[{item.dice[0]}{item.dice[1]}{letters}]"
        case Cube(act="double"):
            return f"{_colour(item.side)}[double]"
        case Cube():
            return f"{_colour(item.side)}[{item.act}]"
        case Mark():
            return _MARK_TEXTS[item.glyph]
        case Remark():
            if not item.text or any(part != part.rstrip() for part in item.text.split("\n")):
                game.lose("blanks at the ends of lines in comments, and empty comments")
            elif item.text != item.text.strip():
                game.lose("blanks and empty lines around comments")
            return f"C[{_escaped(item.text)}]"
        case _:
            return None


def _joined(stops: tuple[int, ...], source: int, side: Side) -> str:
    """A checker's way with several stops, a pair of letters each."""
    places = (source, *stops)
    pairs = zip(places, stops, strict=False)
    return "".join(_letter(a, side) + _letter(b, side) for a, b in pairs)


def _colour(side: Side) -> str:
    return "W" if side is Side.X else "B"


def _letter(point: int, side: Side) -> str:
    if point == BAR:
        return "y"
    if point == OFF:
        return "z"
    return chr(ord("a") + (point if side is Side.X else 25 - point) - 1)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
