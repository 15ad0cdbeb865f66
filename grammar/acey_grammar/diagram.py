"""What a board shows and where it stands: the one drawing model of every board.

A diagram is a state seen from one side. The text board (board.py) and the viewer's SVG draw the
same diagram, so that all pictures of a position agree. The viewing side sits at the bottom, its
points run from 24 at the top right round to 1 at the bottom right, and each side keeps two trays:
one for the checkers not yet entered and one for those borne off.
"""

from typing import Final, NamedTuple

from acey_rules import BAR, NAME, ROLL, Agenda, Outcome, Position, Side, State

TOP: Final = (tuple(range(13, 19)), tuple(range(19, 25)))
"""Points along the top from left to right, the left half and the right half."""
BOTTOM: Final = (tuple(range(12, 6, -1)), tuple(range(6, 0, -1)))
"""Points along the bottom from left to right, the left half and the right half."""
TALLEST: Final = 5
"""Checkers of a stack that are drawn one by one; a taller stack shows its count."""


class Stack(NamedTuple):
    """The checkers on one point."""

    side: Side | None
    """Whose they are; None on an empty point."""
    height: int
    """How many checkers, 0-15."""


class Seat(NamedTuple):
    """What one side has besides its points."""

    side: Side
    bar: int
    """Checkers on the bar, 0-15."""
    unentered: int
    """Checkers not yet in play, 0-15."""
    off: int
    """Checkers borne off, 0-15."""
    pips: int
    """Pips still to go, 0-375."""


class Diagram(NamedTuple):
    """A state as one side sees it."""

    view: Side
    """Whose numbering the points have; this side sits at the bottom."""
    points: tuple[Stack, ...]
    """24 stacks; the stack on point p is ``points[p - 1]``."""
    near: Seat
    """The viewing side."""
    far: Seat
    """The side across the board."""
    turn: Side
    """Whose turn it is, or who won."""
    dice: tuple[int, ...]
    """The dice to play now: two, or four for a double; empty when none are."""
    later: tuple[str, ...]
    """What the turn still holds after that, as position lines write stages."""
    due: str
    """What happens next, as a sentence without its full stop."""

    def stack(self, point: int) -> Stack:
        """The stack on a point of the viewing side, 1-24."""
        return self.points[point - 1]

    def seat(self, side: Side) -> Seat:
        """The seat of a side."""
        return self.near if side is self.view else self.far


def diagram(state: State, view: Side | None = None) -> Diagram:
    """The diagram of a state, seen by ``view`` or, without one, by the side whose turn it is."""
    view = state.turn if view is None else view
    dice = state.dice or ()
    return Diagram(
        view=view,
        points=tuple(_stack(state.position, view, point) for point in range(1, 25)),
        near=_seat(state.position, view),
        far=_seat(state.position, view.other),
        turn=state.turn,
        dice=dice * 2 if dice and dice[0] == dice[1] else dice,
        later=() if state.outcome else tuple(stage.text for stage in state.agenda[1:]),
        due=outcome_text(state.outcome) if state.outcome else due_text(state.turn, state.agenda),
    )


def _stack(position: Position, view: Side, point: int) -> Stack:
    mine, theirs = position.count(view, point), position.count(view.other, 25 - point)
    if mine:
        return Stack(view, mine)
    return Stack(view.other, theirs) if theirs else Stack(None, 0)


def _seat(position: Position, side: Side) -> Seat:
    return Seat(
        side,
        position.count(side, BAR),
        position.unentered(side),
        position.borne_off(side),
        position.pips(side),
    )


def outcome_text(outcome: Outcome) -> str:
    """The result in the words of the notation: ``X wins 7 by resignation``."""
    return f"{outcome.winner.name} wins {outcome.points} {outcome.how.value}".rstrip()


def due_text(turn: Side, agenda: Agenda) -> str:
    """What a turn still holds, in words: ``X to play 2-1, then name a double, then roll``."""
    words: list[str] = []
    for stage in agenda:
        if stage is ROLL:
            words.append("roll")
        elif stage is NAME:
            words.append("name a double")
        else:
            words.append(f"play {'-'.join(stage.text)}")
    return f"{turn.name} to {', then '.join(words)}"
