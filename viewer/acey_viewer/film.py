"""A recorded game as a film: a frame for each roll, with what it shows and says.

The replay page and the terminal show films; neither knows a rule. Frames come from the one replay
(acey_grammar.replay), so what is illegal in a record is shown as the validator found it.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from msgspec import Struct

from acey_grammar import Fault, GameRecord, ReadGame, Replay, Step, validate
from acey_grammar.diagram import due_text, outcome_text
from acey_grammar.record import RollRecord, TurnRecord
from acey_grammar.tags import read_tags
from acey_grammar.write import write_result, write_roll
from acey_rules import AMERICAN, NAME, Name, Play, Position, Roll, Side, State
from acey_viewer.jsontext import Json
from acey_viewer.pageboard import page_position
from acey_viewer.svg import describe_position

FrameKind = Literal["start", "rolled", "named", "complement", "end"]


class Frame(Struct, frozen=True):
    """What is seen after one roll was played, and how it came about."""

    kind: FrameKind
    turn: int
    """Index of the turn, -1 before the first."""
    roll: int
    """Index of the roll in its turn."""
    side: str
    """``X`` or ``O``: who rolled, or who is to move."""
    dice: tuple[int, ...]
    """Two dice, or four of a double."""
    moves: tuple[tuple[str | int, str | int, bool], ...]
    """From, to (the mover's points, ``bar``, ``unentered``, ``off``) and whether it hits."""
    caption: str
    """What happened, in a sentence."""
    due: str
    """What is to be done next."""
    line: str
    """The position line."""
    words: str
    """The board in words."""
    position: Json
    """The counts of both sides, as board.js takes them."""
    acey: bool = False
    """Whether this roll is the 2-1 that earns a named double."""


class FilmTurn(Struct, frozen=True):
    """One turn as the list of turns shows it."""

    label: str
    """Its number as notation writes it: ``12.``."""
    anchor: str
    """What a link to it ends in: ``12x``, ``12o``."""
    side: str
    rolls: tuple[str, ...]
    """Its rolls in notation."""
    glyph: str
    seconds: float | None
    used: tuple[float, float] | None
    """Seconds X and O have used up to its end; None as long as no time is recorded."""
    comments: tuple[str, ...]
    faults: tuple[str, ...]
    first: int
    """Index of its first frame; -1 when the replay did not come so far."""


class Film(Struct, frozen=True):
    """One game."""

    names: tuple[str, str]
    """Of X and O, as recorded."""
    tags: tuple[tuple[str, str], ...]
    result: str
    comments: tuple[str, ...]
    turns: tuple[FilmTurn, ...]
    frames: tuple[Frame, ...]
    faults: tuple[str, ...]
    """What is wrong with the record and belongs to no turn."""


def film(game: ReadGame | GameRecord) -> Film:
    """Replay a game into frames. What is wrong with it is told, never raised."""
    read = ReadGame(game) if isinstance(game, GameRecord) else game
    record = read.record
    judged = validate(read)
    start = read_tags(record, read.places).start
    frames: list[Frame] = []
    if start is not None:
        frames.append(_frame("start", start, -1, 0))
        frames += _play_frames(record, Replay(record, read.places, start))
        if judged.state is not None and judged.state.outcome and frames[-1].kind != "end":
            frames += _ending(judged.state, frames[-1])
    else:
        # The record is shown all the same, beside an empty board.
        lost = State(AMERICAN, Position.start("empty"), Side.X, ())
        frames.append(_frame("start", lost, -1, 0, caption="This game cannot be replayed"))
    return Film(
        names=(record.tag("X") or "X", record.tag("O") or "O"),
        tags=record.tags,
        result=write_result(record.result),
        comments=record.comments,
        turns=tuple(_turns(record, frames, judged.faults)),
        frames=tuple(frames),
        faults=tuple(_fault_text(fault) for fault in judged.faults if not fault.turn),
    )


def _play_frames(record: GameRecord, replay: Replay) -> Iterator[Frame]:
    dice_step: Step | None = None
    for step in replay.steps():
        if isinstance(step.action, Roll | Name):
            dice_step = step
            continue
        roll = record.turns[step.turn].rolls[step.roll]
        yield _frame(
            roll.kind,
            step.after,
            step.turn,
            step.roll,
            mover=step.before.turn,
            dice=step.before.dice or (),
            action=step.action if isinstance(step.action, Play) else None,
            caption=_caption(step, roll),
            acey=dice_step is not None and NAME in step.before.agenda[1:2],
        )


def _frame(
    kind: FrameKind,
    state: State,
    turn: int,
    roll: int,
    *,
    mover: Side | None = None,
    dice: tuple[int, ...] = (),
    action: Play | None = None,
    caption: str = "The start of the game",
    acey: bool = False,
) -> Frame:
    return Frame(
        kind=kind,
        turn=turn,
        roll=roll,
        side=(state.turn if mover is None else mover).name,
        dice=dice * 2 if len(set(dice)) == 1 else dice,
        moves=moves_json(action) if action is not None else (),
        caption=caption,
        due=outcome_text(state.outcome) if state.outcome else due_text(state.turn, state.agenda),
        line=state.line,
        words=describe_position(state.position),
        position=page_position(state.position),
        acey=acey,
    )


PLACES: Final[dict[int, str]] = {0: "off", 25: "unentered", 26: "bar"}


def moves_json(play: Play) -> tuple[tuple[str | int, str | int, bool], ...]:
    """A play's single moves as board.js takes them."""
    return tuple(
        (
            PLACES.get(move.source, move.source),
            PLACES.get(move.target, move.target),
            move.hit,
        )
        for move in play.moves
    )


_WORDS: Final = {
    "rolled": "rolls {dice}",
    "named": "names {dice}",
    "complement": "goes on to the complement {dice}",
}


def _caption(step: Step, roll: RollRecord) -> str:
    """``X rolls 2-1: off/24 off/23``, with what is lost if it could not all be played."""
    mover, dice = step.before.turn.name, f"{roll.dice[0]}-{roll.dice[1]}"
    words = f"{mover} {_WORDS[roll.kind].format(dice=dice)}"
    if step.action is None:
        words += f" and plays {roll.play}, which the rules forbid"
    elif not isinstance(step.action, Play) or not step.action.moves:
        words += " and cannot move"
    else:
        words += f": {roll.play}"
    if step.after.outcome is not None:
        return f"{words}. {outcome_text(step.after.outcome)}"
    lost = step.before.agenda[1:]
    if lost and step.after.turn is not step.before.turn:
        words += f". Lost: {due_text(step.before.turn, lost).partition(' to ')[2]}"
    return words


def _ending(state: State, last: Frame) -> Iterator[Frame]:
    """The frame of a game that did not end on the board."""
    if state.outcome is not None and last.due != outcome_text(state.outcome):
        yield _frame("end", state, last.turn, last.roll, caption=outcome_text(state.outcome))


def _turns(
    record: GameRecord, frames: Iterable[Frame], faults: Iterable[Fault]
) -> Iterator[FilmTurn]:
    firsts: dict[int, int] = {}
    for index, frame in enumerate(frames):
        firsts.setdefault(frame.turn, index)
    used = {"X": 0.0, "O": 0.0}
    timed = False
    for index, (number, turn) in enumerate(zip(record.numbers(), record.turns, strict=True)):
        timed = timed or turn.seconds is not None
        used[turn.side] += turn.seconds or 0
        yield FilmTurn(
            label=f"{number}.",
            anchor=f"{number}{turn.side.lower()}",
            side=turn.side,
            rolls=tuple(map(write_roll, turn.rolls)),
            glyph=turn.glyph,
            seconds=turn.seconds,
            used=(used["X"], used["O"]) if timed else None,
            comments=_comments(turn),
            faults=tuple(_fault_text(fault) for fault in faults if fault.turn == index + 1),
            first=firsts.get(index, -1),
        )


def _comments(turn: TurnRecord) -> tuple[str, ...]:
    """The comments for people; commands to programs are left out."""
    return tuple(comment for comment in turn.comments if not comment.startswith("%"))


def _fault_text(fault: Fault) -> str:
    place = f"line {fault.line}: " if fault.line else ""
    return f"{place}{fault.message}"
