"""Writer of bgammon.org replays. spec/formats/bgammon.md §6."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from tempfile import SpooledTemporaryFile
from typing import Final

from acey_grammar.formats.bgammon import RULES, TIME, tags_of_time
from acey_grammar.formats.raw import Cube, GaveUp, Item, RawGame, Remark, Rolled, Told
from acey_grammar.formats.telling import Held, UnsupportedError, say_moves
from acey_grammar.formats.words import turned
from acey_rules import BAR, OFF, UNENTERED, Side

HELD: Final = Held()
IN_MEMORY: Final = 1 << 24
"""Bytes held in memory while the index, which stands before them, is not known."""
_NAMES: Final = {BAR: "bar", OFF: "off", UNENTERED: "off"} | {p: str(p) for p in range(1, 25)}
_VARIANTS: Final = {rules: variant for variant, rules in RULES.items()}
_INDEX_LINE: Final = "bgammon-replay {:08}\n"
_HEADER_TAGS: Final = ("Date", "Started", "HeaderScore")
_SCORE: Final = re.compile(r"(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})")


def write(games: Iterable[RawGame]) -> Iterator[str]:
    """The text of the games, after the index of where each starts."""
    offsets = [0]
    with SpooledTemporaryFile(max_size=IN_MEMORY) as body:
        for game in games:
            check(game)
            offsets.append(offsets[-1] + body.write("".join(_lines(game)).encode()))
        before = len(_INDEX_LINE.format(0)) * (len(offsets) - 1)
        for offset in offsets[:-1]:
            yield _INDEX_LINE.format(before + offset)
        body.seek(0)
        for line in body:
            yield line.decode()


def check(game: RawGame) -> None:
    """Raise UnsupportedError for a game that the format has no place for."""
    if game.rules not in _VARIANTS:
        names = " and ".join(_VARIANTS)
        raise UnsupportedError(f"a bgammon.org replay holds the rules {names}, not {game.rules}")
    if game.start:
        raise UnsupportedError("a bgammon.org replay starts from the start, not from a position")


def _lines(game: RawGame) -> Iterator[str]:
    yield f"{_header(game)}\n"
    doubled: Cube | None = None
    for item in game.items:
        if isinstance(item, Cube):
            if item.act == "double":
                doubled = item
                continue
            if doubled is None or item.act == "beaver":
                game.lose(f"the cube action '{item.act}'")
                continue
            value = doubled.value or 2
            yield f"{doubled.side + 1} d {value} {int(item.act == 'take')}\n"
            doubled = None
            continue
        line = _line(game, item)
        if line:
            yield f"{line}\n"
    if doubled is not None:
        game.lose("a double that nobody answered")


def _line(game: RawGame, item: Item) -> str:
    match item:
        case Rolled():
            side = item.side or Side.X
            moves = item.moves if side is Side.X else tuple(map(turned, item.moves))
            if item.told is Told.UNKNOWN:
                game.lose("that the play of the last roll is unknown: it reads as not played")
            words = ", ".join(say_moves(moves, _NAMES, "/")).replace("*", "")
            return f"{side + 1} r {item.dice[0]}-{item.dice[1]} {words}".rstrip()
        case GaveUp():
            if item.how != "resignation":
                game.lose(f"that the game was lost by {item.how}: it reads as given up")
            return f"{item.side + 1} t"
        case Remark():
            game.lose("comments")
            return ""
        case _:
            return ""


def _header(game: RawGame) -> str:
    tags = dict(game.tags)
    for name in tags:
        if name not in _HEADER_TAGS:
            game.lose(f"the tag {name}")
    names = ["".join(c if not c.isspace() else "_" for c in name) or "?" for name in game.players]
    if tuple(names) != game.players:
        game.lose("blanks in names: written as _")
    first, second = _score(game, tags)
    winner = game.end.winner + 1 if game.end else 0
    points = game.end.points if game.end else 0
    if game.match is None:
        game.lose("that no match length is stated: it is written as 0")
    numbers = (game.match or 0, first, second, winner, points, _VARIANTS[game.rules])
    started = _started(tags)
    for name in {"Date", "Started"} & tags.keys():
        if (name, tags[name]) not in tags_of_time(started):
            game.lose(f"the tag {name}")
    return f"i {started} {' '.join(names)} {' '.join(map(str, numbers))}"


def _score(game: RawGame, tags: dict[str, str]) -> tuple[str | int, str | int]:
    """The score that the header states."""
    stated = _SCORE.fullmatch(tags.get("HeaderScore", ""))
    if stated is not None and stated[0] != "0-0":  # which is the score before the game
        return stated[1], stated[2]
    if "HeaderScore" in tags:
        game.lose("the tag HeaderScore")
    if game.score is None:
        game.lose("that no score is stated: it is written as 0 to 0")
    elif game.score != (0, 0):
        game.lose("whether the score is the one before the game or after it")
    return game.score or (0, 0)


def _started(tags: dict[str, str]) -> str:
    """When the game started, in seconds since 1970; of its day where only that is known."""
    started = tags.get("Started", "")
    if TIME.fullmatch(started):
        return started
    try:
        day = datetime.fromisoformat(tags.get("Date", ""))
    except ValueError:
        return "0"
    return str(max(int(day.replace(tzinfo=UTC).timestamp()), 0))
