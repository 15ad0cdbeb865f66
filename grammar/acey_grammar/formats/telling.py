"""Records told again as foreign formats tell games: the way back from replay.py.

Every play is told die by die, which every format can say. spec/formats/README.md §7.
"""

import re
from typing import Final, NamedTuple

from acey_grammar.faults import NotationError, Place
from acey_grammar.formats.raw import (
    Cube,
    CubeAct,
    Ended,
    GaveUp,
    Item,
    Mark,
    RawGame,
    Remark,
    Rolled,
    Told,
    Took,
)
from acey_grammar.formats.text import number
from acey_grammar.parse import parse_play
from acey_grammar.places import NOWHERE, Places
from acey_grammar.record import GameRecord, RollRecord, TurnRecord
from acey_grammar.replay import Replay
from acey_grammar.tags import read_tags
from acey_rules import Play, Side, WrittenMove

_CUBE: Final = re.compile(r"%cube ([XO]) (double|take|drop|beaver)(?: (\d{1,9}))?")
_ACTS: Final[dict[str, CubeAct]] = {
    "double": "double",
    "take": "take",
    "drop": "drop",
    "beaver": "beaver",
}
_UNPLAYED: Final = re.compile(r"%unplayed ([1-6])([1-6])( \?)?")
_TOLD_APART: Final = ("X", "O", "Rules", "RuleSet", "Match", "Score", "Position", "Cube", "Points")
"""Tags that a RawGame has fields for."""


class UnsupportedError(ValueError):
    """A game that a format cannot hold at all; the message says why."""


class Held(NamedTuple):
    """What a format can hold besides the rolls and the result."""

    remarks: bool = False
    marks: bool = False
    times: bool = False
    unplayed: bool = True
    """A last roll that was not played."""
    turned: bool = False
    """A cube that was turned before the game, as nobody turns it in the game."""


def tell(record: GameRecord, held: Held) -> RawGame:
    """The game as a format tells it; ``losses`` says what of the record is left out.

    Raises UnsupportedError for a game that no foreign format can hold.
    """
    tags = read_tags(record, Places())
    if tags.rules is None:
        raise UnsupportedError("the game names no rule set")
    game = RawGame(
        format="",
        place=NOWHERE,
        rules=tags.rules.name,
        players=(record.tag("X") or "", record.tag("O") or ""),
        match=tags.match if record.tag("Match") is not None else None,
        score=tags.score if record.tag("Score") is not None else None,
        tags=[tag for tag in record.tags if tag[0] not in _TOLD_APART],
    )
    if record.file_comments:
        game.lose("file comments (#)")
    _tell_start(game, record)
    plays = _plays(record)
    for comment in record.comments:
        _tell_comment(game, comment, held)
    for index, turn in enumerate(record.turns):
        _tell_turn(game, turn, [plays.get((index, roll)) for roll in range(len(turn.rolls))], held)
    _tell_cube(game, record.tag("Cube"), held)
    _tell_end(game, record)
    return game


def _tell_start(game: RawGame, record: GameRecord) -> None:
    line = record.tag("Position")
    if line is None:
        return
    board, _, rest = line.rpartition(":")
    start, _, turn = board.rpartition(":")
    first = record.turns[0].side if record.turns else turn.upper()
    if rest != "R" or first != turn.upper():
        raise UnsupportedError(f"the game does not start with a roll, from {line}")
    game.start, game.turn = start, Side[first]


def _plays(record: GameRecord) -> dict[tuple[int, int], Play]:
    """The legal play of each roll that has one, by turn and roll."""
    tags = read_tags(record, Places())
    if tags.start is None:
        return {}
    steps = Replay(record, Places(), tags.start).steps()
    return {(step.turn, step.roll): step.action for step in steps if isinstance(step.action, Play)}


def _tell_turn(game: RawGame, turn: TurnRecord, plays: list[Play | None], held: Held) -> None:
    side = Side[turn.side]
    for roll, play in zip(turn.rolls, plays, strict=True):
        moves = _moves(roll, play)
        told = Told.PLAYED if moves else Told.NOTHING
        dice = (int(roll.dice[0]), int(roll.dice[1]))
        game.items.append(Rolled(NOWHERE, side, dice, told, moves, roll.play))
    if turn.glyph:
        _keep(game, Mark(NOWHERE, turn.glyph), held.marks, "marks as ! and ?")
    if turn.seconds is not None:
        _keep(game, Took(NOWHERE, turn.seconds), held.times, "the time turns took")
    for comment in turn.comments:
        _tell_comment(game, comment, held)


def _moves(roll: RollRecord, play: Play | None) -> tuple[WrittenMove, ...]:
    """The moves die by die where the play is legal, as they are written where it is not."""
    if play is not None:
        return tuple(
            WrittenMove(move.source, (move.target,), (move.target,) if move.hit else ())
            for move in play.moves
        )
    try:
        written = parse_play(roll.play).moves
    except NotationError as error:
        raise UnsupportedError(f"the play '{roll.play}' cannot be read") from error
    return written


def _tell_comment(game: RawGame, text: str, held: Held) -> None:
    place = Place(0, 0)
    if cube := _CUBE.fullmatch(text):
        value = int(cube[3]) if cube[3] else None
        game.items.append(Cube(place, Side[cube[1]], _ACTS[cube[2]], value))
    elif unplayed := _UNPLAYED.fullmatch(text):
        told = Told.UNKNOWN if unplayed[3] else Told.BLANK
        roll = Rolled(place, None, (int(unplayed[1]), int(unplayed[2])), told)
        _keep(game, roll, held.unplayed, "the last roll, which was not played")
    elif text.startswith("%"):
        game.lose(f"the command {{{text.split(maxsplit=1)[0]} …}}")
    else:
        _keep(game, Remark(place, text), held.remarks, "comments")


def _keep(game: RawGame, item: Item, held: bool, what: str) -> None:
    if held:
        game.items.append(item)
    else:
        game.lose(what)


def _tell_cube(game: RawGame, shown: str | None, held: Held) -> None:
    """What the cube showed at the end is what it showed at the start, unless it was turned."""
    if shown is None or any(isinstance(item, Cube) for item in game.items):
        return
    game.cube = number(shown) or 1
    if game.cube == 1 or not held.turned:
        game.lose("the tag Cube")


def _tell_end(game: RawGame, record: GameRecord) -> None:
    result = record.result
    if result is None:
        return
    winner = Side[result.winner]
    counted = number(record.tag("Points")) or result.points
    dropped = any(isinstance(item, Cube) and item.act == "drop" for item in game.items)
    if result.how != "play" and not dropped:
        game.items.append(GaveUp(NOWHERE, winner.other, counted, result.how))
    game.end = Ended(NOWHERE, winner, counted)
    for index, item in enumerate(game.items):
        # The record does not say whose the roll was that was not played: it is the loser's.
        if isinstance(item, Rolled) and item.side is None:
            game.items[index] = item._replace(side=winner.other)


def say_moves(moves: tuple[WrittenMove, ...], names: dict[int, str], stroke: str) -> list[str]:
    """Each move as a word, a repeated one as often as it is made; points by their names."""
    words: list[str] = []
    for move in moves:
        stops = "".join(f"{stroke}{names[stop]}{'*' * (stop in move.hits)}" for stop in move.stops)
        words += [f"{names[move.source]}{stops}"] * move.times
    return words
