"""What a seat has to decide, as the page offers it.

Which moves are possible comes from the daemon's ``legal`` verb: a graph of single moves for a play,
and, for a double to be named, what each number would allow.
"""

from acey_protocol.replies import Awaited, LegalPlays, NextStep
from acey_rules import RuleSet, State
from acey_viewer.jsontext import Json
from acey_viewer.pageboard import page_position

SHOWN_PLAYS = 3
"""Plays a preview of a double spells out."""


def play_decision(awaited: Awaited, legal: LegalPlays, rules: RuleSet) -> dict[str, Json]:
    """A play to choose: the graph of moves, and the plays in notation."""
    state = State.parse(legal.position, rules)
    dice = list(state.dice or ())
    count = len(legal.plays)
    plays = "one way to play" if count == 1 else f"{count} ways to play"
    return {
        "kind": "decide",
        "due": "play",
        "ply": awaited.ply,
        "line": state.line,
        "position": page_position(state.position),
        "dice": dice * 2 if len(set(dice)) == 1 else dice,
        "words": f"Your turn: {'-'.join(map(str, dice))}, {plays}",
        "steps": [[_step(move) for move in step] for step in legal.steps],
        "plays": [play.play for play in legal.plays],
    }


def name_decision(
    awaited: Awaited, line: str, options: dict[int, LegalPlays], rules: RuleSet
) -> dict[str, Json]:
    """A double to name: for each number what it would allow."""
    state = State.parse(line, rules)
    return {
        "kind": "decide",
        "due": "name",
        "ply": awaited.ply,
        "line": state.line,
        "position": page_position(state.position),
        "names": [_option(number, legal) for number, legal in options.items()],
    }


def roll_decision(awaited: Awaited) -> dict[str, Json]:
    """Dice to be given, at a table whose dice are rolled by hand."""
    return {
        "kind": "decide",
        "due": "roll",
        "ply": awaited.ply,
        "line": None,
        "words": "Roll your dice and give the two numbers; of the opening, X's comes first",
    }


def _option(number: int, legal: LegalPlays) -> dict[str, Json]:
    most = max(len(play.moves) for play in legal.plays)
    playable = [play.play for play in legal.plays if play.moves]
    targets = {_place(move.target, "off") for play in legal.plays for move in play.moves}
    if not most:
        text = f"{number}-{number} cannot be played."
    else:
        dice = "all four" if most == 4 else f"{most} of the four"
        more = f" and {len(playable) - SHOWN_PLAYS} more" if len(playable) > SHOWN_PLAYS else ""
        examples = "; ".join(playable[:SHOWN_PLAYS])
        text = f"{number}-{number} plays {dice}: {examples}{more}."
    return {
        "number": number,
        "plays": len(playable),
        "text": text,
        "targets": sorted(targets, key=str),
    }


def _step(move: NextStep) -> dict[str, Json]:
    return {
        "from": _place(move.source, "unentered"),
        "to": _place(move.target, "off"),
        "die": move.die,
        "hit": move.hit,
        "step": move.step,
    }


def _place(text: str, off: str) -> str | int:
    """A place as board.js names it; notation's ``off`` is two places."""
    if text == "off":
        return off
    return text if text == "bar" else int(text)
