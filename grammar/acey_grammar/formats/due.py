"""The dice a file gives against the dice that are due. spec/formats/README.md §3.

The rules say what a line means where the format does not: whether a double of the same player is
named, and whether a roll is a bonus.
"""

from typing import TYPE_CHECKING

from acey_grammar.formats.raw import Passed, Rolled
from acey_grammar.formats.verdict import Notice
from acey_grammar.record import RollKind
from acey_rules import NAME, ROLL, Name, Roll, Side, State

if TYPE_CHECKING:
    from acey_grammar.formats.replay import Replay


def take_dice(game: "Replay", roll: Rolled, side: Side) -> RollKind:
    """Bring the state to where these dice are to be played, whatever that takes."""
    state = game.state
    due = state.agenda[0]
    if side is not state.turn:
        _hand_over(game, roll, side)
    elif due is NAME and roll.dice[0] != roll.dice[1]:
        message = f"{side.name} is to name a double, and {roll_text(roll)} is none"
        game.fault("missing-name", roll.place, message, roll)
        _skip(game)
    elif due.dice is not None and due.dice != _ordered(roll.dice):
        message = f"{side.name} is to play the complement {due.text}, not {roll_text(roll)}"
        game.fault("missing-complement", roll.place, message, roll)
        _skip(game)
    due = game.state.agenda[0]
    if due is NAME:
        game.state = game.state.apply(Name(roll.dice[0]))
        return "named"
    if due.dice is not None:
        return "complement"
    opens = not (game.recording.turns or game.raw.start) and game.fresh
    if opens and game.rules.opening == "play" and roll.dice[0] == roll.dice[1]:
        message = f"{roll_text(roll)} cannot open a game: opening dice are never equal"
        game.fault("opening", roll.place, message, roll)
    game.state = game.state.apply(Roll(*roll.dice))
    return "rolled"


def pass_over(game: "Replay", item: Passed) -> None:
    """A side has no roll: where some roll could not be played, it is taken for one of those.

    Otherwise the roll that follows is a fault.
    """
    state = game.state
    due = not game.stopped and state.outcome is None and game.fresh
    if not due or item.side is not state.turn or not _can_be_stuck(state):
        return
    side = item.side.name
    message = f"{side} has no roll here: taken for one that could not be played"
    game.notices.append(Notice("text", *item.place, message))
    game.recording.close(
        f"everything from line {item.place.line}, where the roll of {side} is not said"
    )
    _pass_to(game, state.turn.other)


def _can_be_stuck(state: State) -> bool:
    """Whether there is a roll of which nothing can be played."""
    rolls = (Roll(high, low) for high in range(1, 7) for low in range(1, high + 1))
    return not all(state.apply(roll).legal_plays()[0].moves for roll in rolls)


def _hand_over(game: "Replay", roll: Rolled, side: Side) -> None:
    """The file lets a side roll that is not to roll."""
    state = game.state
    due = state.agenda[0]
    if game.fresh:
        kind, what = "side", "roll"
    elif due is NAME:
        kind, what = "missing-name", "name a double"
    elif due is ROLL:
        kind, what = "missing-roll", "roll again"
    else:
        kind, what = "missing-complement", f"play the complement {due.text}"
    game.fault(kind, roll.place, f"{state.turn.name} is to {what}, not {side.name}", roll)
    _pass_to(game, side)


def _skip(game: "Replay") -> None:
    """Leave out the stage that is due."""
    rest = game.state.agenda[1:]
    state = game.state
    game.state = State(game.rules, state.position, state.turn, rest or (ROLL,))
    game.fresh = game.fresh or not rest


def _pass_to(game: "Replay", side: Side) -> None:
    game.state = State(game.rules, game.state.position, side, (ROLL,))
    game.fresh = True


def _ordered(dice: tuple[int, int]) -> tuple[int, int]:
    return (max(dice), min(dice))


def roll_text(roll: Rolled) -> str:
    """The dice as two digits, in the order of the file."""
    return f"{roll.dice[0]}{roll.dice[1]}"
