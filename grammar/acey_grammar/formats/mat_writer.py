"""Writer of .mat files, as GNU Backgammon lays them out. spec/formats/mat.md §6."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from acey_grammar.formats.mat import PLAYERS, RATED, TAG_NAMES, header_tag, line_kind
from acey_grammar.formats.raw import Cube, Ended, GaveUp, Item, RawGame, Remark, Rolled, Told
from acey_grammar.formats.telling import Held, UnsupportedError, say_moves
from acey_rules import BAR, OFF, Side

HELD: Final = Held()
LEFT: Final = 27
"""How wide the left column is."""
_NAMES: Final = {BAR: "bar", OFF: "off"} | {point: str(point) for point in range(1, 25)}
_HEADERS: Final = {ours: theirs for theirs, ours in TAG_NAMES.items()}


def write(games: Iterable[RawGame]) -> Iterator[str]:
    """The text of the games, a match header wherever players or match length change."""
    match: tuple[object, ...] | None = None
    number = 0
    for game in games:
        check(game)
        lines: list[str] = []
        key = (game.players, game.match)
        if key != match:
            lines += [""] if match else []
            lines.append(f" {game.match or 0} point match")
            lines.append("")
            match, number = key, 0
        number += 1
        lines += [*_headers(game), f" Game {number}", _players_line(game), *_rows(game), "", ""]
        yield "\n".join(lines)


def check(game: RawGame) -> None:
    """Raise UnsupportedError for a game that the format has no place for."""
    if game.rules != "backgammon":
        raise UnsupportedError(f"a .mat file holds backgammon, not {game.rules or 'this game'}")
    if game.start:
        raise UnsupportedError("a .mat file starts from the backgammon start, not from a position")


def _headers(game: RawGame) -> Iterator[str]:
    """The tags, above the game they belong to."""
    for name, value in game.tags:
        if _is_glued(game, name, value):
            continue
        text = value.replace("-", ".") if name == "Date" else value
        line = f'; [{_HEADERS.get(name, name)} "{text}"]'
        if header_tag(line) == (name, value):
            yield line
        else:
            game.lose(f"the tag {name}")


def _is_glued(game: RawGame, name: str, value: str) -> bool:
    """Whether a tag is a rating that is written behind the name of its player."""
    if name not in ("XRating", "ORating"):
        return False
    player = game.players[0 if name == "XRating" else 1]
    found = RATED.fullmatch(f"{player},{value}")
    return found is not None and (found[1], found[2]) == (player, value)


def _players_line(game: RawGame) -> str:
    rated = {name[0]: value for name, value in game.tags if _is_glued(game, name, value)}
    score = game.score or (0, 0)
    names = [
        f"{name},{rated[side]}" if side in rated else name
        for side, name in zip("XO", game.players, strict=True)
    ]
    line = _line_of_names(names, score)
    if line is None or not _reads_back(line, names, game.players, rated):
        game.lose(f"the names {' and '.join(map(repr, game.players))} exactly")
        names = ["_" + re.sub(r"[\s:]+", "_", name) for name in names]
        line = _line_of_names(names, score) or ""
    if game.score is None:
        game.lose("that no score is stated: it is written as 0 to 0")
    if game.match is None:
        game.lose("that no match length is stated: it is written as 0")
    return line


def _line_of_names(names: list[str], score: tuple[int, int]) -> str | None:
    left = f"{names[0]} : {score[0]}"
    line = f" {left:<{LEFT + 4}} {names[1]} : {score[1]}"
    return line if line_kind(line) == "players" else None


def _reads_back(
    line: str, names: list[str], players: tuple[str, str], rated: dict[str, str]
) -> bool:
    found = PLAYERS.match(line)
    if found is None or [found[1].rstrip(), found[3].rstrip()] != names:
        return False
    unrated = [player for side, player in zip("XO", players, strict=True) if side not in rated]
    return not any(RATED.fullmatch(player) for player in unrated)


def _rows(game: RawGame) -> Iterator[str]:
    """The table, a row for two cells, and the line that tells who won."""
    row = 0
    left: str | None = None
    for item in game.items:
        cell = _cell(game, item)
        if cell is None:
            continue
        side, text = cell
        if side is Side.X:
            if left is not None:
                yield f"{row:3}) {left}"
            row += 1
            left = text
            continue
        if left is None:
            row += 1
        yield f"{row:3}) {left or '':<{LEFT}} {text}".rstrip()
        left = None
    if left is not None:
        yield f"{row:3}) {left}"
    if game.end is not None:
        yield _wins(game.end)


def _wins(end: Ended) -> str:
    points = f"{end.points or 1} point{'s' if end.points != 1 else ''}"
    indent = 6 if end.winner is Side.X else LEFT + 6 + 1
    return f"{' ' * indent}Wins {points}"


def _cell(game: RawGame, item: Item) -> tuple[Side, str] | None:
    match item:
        case Rolled():
            dice = f"{item.dice[0]}{item.dice[1]}:"
            return item.side or Side.X, f"{dice} {_play(item)}".rstrip()
        case Cube(act="double"):
            value = item.value or 2 * game.cube
            return item.side, f" Doubles => {value}"
        case Cube():
            said = {"take": " Takes", "drop": " Drops"}.get(item.act, " Beavers")
            return item.side, said
        case GaveUp(how="time" | "forfeit"):
            game.lose(f"that the game was lost by {item.how}: it reads as given up")
            return None
        case Remark():
            game.lose("comments")
            return None
        case _:
            return None


def _play(roll: Rolled) -> str:
    match roll.told:
        case Told.UNKNOWN:
            return "????"
        case Told.NOTHING:
            return "Cannot Move"
        case _:
            return " ".join(say_moves(roll.moves, _NAMES, "/"))
