"""Reader of bgammon.org replays (.match). spec/formats/bgammon.md.

Every line is an event of a numbered player, and every point is counted from player 1's side, who is
X. In acey-deucey games a named double and a bonus roll are lines like any other: the rules tell
which is which when the game is replayed.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple, cast

from acey_grammar.faults import Place
from acey_grammar.formats.raw import Chunk, Cube, Ended, GaveUp, Line, RawGame, Rolled, Told
from acey_grammar.formats.text import NUMBER, read_moves
from acey_grammar.formats.words import MoveWords
from acey_rules import Side

NAME: Final = "bgammon"
WORDS: Final = MoveWords("bgammon.lark")

TIME: Final = re.compile("[0-9]{1,15}")
"""Seconds since 1970."""
_INDEX: Final = re.compile(r"bgammon-replay\s+([0-9]{1,15})$")
_HEADER: Final = re.compile(
    rf"i\s+(?P<time>{TIME.pattern})\s+(?P<x>\S+)\s+(?P<o>\S+)\s+(?P<total>{NUMBER})\s+"
    rf"(?P<score1>{NUMBER})\s+(?P<score2>{NUMBER})\s+(?P<winner>[012])\s+(?P<points>{NUMBER})"
    rf"(?:\s+(?P<variant>{NUMBER}))?$"
)
_EVENT: Final = re.compile(r"(?P<player>[12])\s+(?P<event>\S)(?:\s+(?P<rest>.*))?$")
_ROLL: Final = re.compile(r"(?P<first>[0-9])-(?P<second>[0-9])(?:\s+(?P<play>.*))?$")
_DOUBLE: Final = re.compile(rf"(?P<value>{NUMBER})\s+(?P<taken>[01])$")
_DAY: Final = 86400
"""Seconds; a time that is a whole number of days says no more than the date."""
_LATEST: Final = 253402300799
"""The last second that has a date: the end of the year 9999."""
RULES: Final = {"0": "backgammon", "1": "bgammon"}
"""The rule set of each variant that is one of ours; 2 is Tabula."""


class _Context(NamedTuple):
    """What the index table says of a game."""

    index_line: int = 0
    declared: int = -1
    """Offset of the game by the table; -1 where there is no table."""
    actual: int = -1
    opens: bool = False
    """Whether it is the first that a table lists, and so the first of a match."""
    missing: int = 0
    """Games that the table lists and the file does not hold; known with the last game."""


def matches(line: str) -> bool:
    """Whether a line is one that only this format has."""
    return bool(_INDEX.match(line) or _HEADER.match(line))


def split(lines: Iterable[Line]) -> Iterator[Chunk]:
    """The games of a file, one after the other."""
    game: list[Line] = []
    context = _Context()
    table: list[tuple[int, int]] = []
    start = 0
    opens = headed = False
    for line in lines:
        index = _INDEX.match(line.text)
        if index or line.text.startswith("i "):
            if headed:
                yield Chunk(NAME, tuple(game), tuple(context))
                game, headed = [], False
            if index:
                start = line.offset if not table else start
                opens = opens or not table
                table.append((line.number, start + int(index[1])))
                continue
            number, declared = table.pop(0) if table else (0, -1)
            context = _Context(number, declared, line.offset, opens)
            opens, headed = False, True
        if line.text:
            game.append(line)
    if game:
        yield Chunk(NAME, tuple(game), tuple(context._replace(missing=len(table))))


def read(chunk: Chunk) -> RawGame:
    """The game that a chunk tells."""
    context = _Context(*cast("tuple[int, int, int, bool, int]", chunk.context))
    game = RawGame(format=NAME, place=chunk.place, rules="")
    headed = False
    for line in chunk.lines:
        if header := _HEADER.match(line.text):
            headed = True
            _read_header(game, line, header)
            if not game.rules:
                return game
        elif line.text.startswith("i "):
            headed = True
            message = "a header is the time, two players, three numbers, winner, points and variant"
            game.fault("syntax", Place(line.number, 1), message, line.text)
            game.place, game.rules = Place(line.number, 1), "backgammon"
        elif headed:
            _read_event(game, line)
        else:
            game.notice("text", Place(line.number, 1), f"not part of a game: '{line.text}'")
    if context.opens:
        game.score = (0, 0)
    _check_index(game, context)
    return game


def tags_of_time(time: str) -> list[tuple[str, str]]:
    """The tags of a game that started at ``time``, in seconds since 1970; 0 is not said."""
    started = int(time)
    tags: list[tuple[str, str]] = []
    if 0 < started <= _LATEST:
        tags.append(("Date", f"{datetime.fromtimestamp(started, UTC):%Y-%m-%d}"))
    if started % _DAY:
        tags.append(("Started", time))
    return tags


def _read_header(game: RawGame, line: Line, header: re.Match[str]) -> None:
    game.place = place = Place(line.number, 1)
    game.players = (header["x"], header["o"])
    game.match = int(header["total"])
    game.tags += tags_of_time(header["time"])
    # The score is the one before the game or the one after it; 0-0 can only be before.
    if header["score1"] == header["score2"] == "0":
        game.score = (0, 0)
    else:
        game.tags.append(("HeaderScore", f"{header['score1']}-{header['score2']}"))
    variant = header["variant"] or "0"
    game.rules = RULES.get(variant, "")
    if not game.rules:
        name = "Tabula" if variant == "2" else f"variant {variant}"
        game.fault("unsupported", place, f"{name} is no game of ours; the next game is read")
    elif header["winner"] != "0":
        winner = Side(int(header["winner"]) - 1)
        # The points are the cube or what was won, and the scores are of before or after the game.
        points = int(header["points"]) or None
        game.end = Ended(place, winner, points, exact=False, decides=False)


def _read_event(game: RawGame, line: Line) -> None:
    place = Place(line.number, 1)
    event = _EVENT.match(line.text)
    if event is None:
        message = "a line is a player, 1 or 2, an event, r, d or t, and what belongs to it"
        game.fault("cut-off" if line.torn else "syntax", place, message, line.text)
        return
    side = Side(int(event["player"]) - 1)
    rest = event["rest"] or ""
    if event["event"] == "t" and not rest:
        game.items.append(GaveUp(place, side))
    elif event["event"] == "d" and (double := _DOUBLE.match(rest)):
        game.items.append(Cube(place, side, "double", int(double["value"])))
        taken = "take" if double["taken"] == "1" else "drop"
        game.items.append(Cube(place, side.other, taken))
    elif event["event"] == "r" and (roll := _ROLL.match(rest)):
        _read_roll(game, line, side, roll)
    else:
        kind = "cut-off" if line.torn else "syntax"
        game.fault(kind, place, "an event is 'r 6-3 …', 'd 2 0', 'd 2 1' or 't'", line.text)


def _read_roll(game: RawGame, line: Line, side: Side, roll: re.Match[str]) -> None:
    start = len(line.text) - len(roll.string)
    place = Place(line.number, start + roll.start("first") + 1)
    found = (roll["play"] or "").strip()
    at = Place(line.number, line.text.rindex(found) + 1) if found else place
    dice = (int(roll["first"]), int(roll["second"]))
    rolled = Rolled(place, side, dice, Told.BLANK, (), found, at)
    if found == "none":
        rolled = rolled._replace(told=Told.NOTHING)
    elif found:
        rolled = read_moves(game, WORDS, rolled, line.torn, mirrored=side is Side.O)
    game.items.append(rolled)


def _check_index(game: RawGame, context: _Context) -> None:
    if context.declared not in (-1, context.actual):
        message = f"the index says offset {context.declared}; the game is at {context.actual}"
        game.notice("index", Place(context.index_line, 1), message)
    if context.missing:
        message = f"the index lists {context.missing} more games than the file holds"
        game.notice("index", game.place, message)
