"""The generators outside that are measured beside ours; neither is imported anywhere else.

``gnubg-nn`` is GNU Backgammon's generator behind a Python call; ``open-spiel`` a collection of
games for machine learning. Where one is not installed its lines say so.
"""

from importlib import import_module
from itertools import pairwise
from random import Random
from typing import Any

from acey_rules import ROLLS, Side, State
from bench.positions import Sample, checkers, rolled
from bench.timing import Work


def gnubg_moves(samples: list[Sample]) -> tuple[Work, Work] | str:
    """Calls and moves of ``gnubg_nn.moves``, or why there is none."""
    try:
        moves = import_module("gnubg_nn").moves
    except ImportError as error:
        return f"gnubg-nn is not installed ({error})"
    asked = [(_gnubg_board(sample.state), *dice) for sample in samples for dice in ROLLS]

    def calls() -> int:
        for board, high, low in asked:
            moves(board, high, low)
        return len(asked)

    def made() -> int:
        return sum(len(moves(board, high, low)) for board, high, low in asked)

    found = [len(moves(board, high, low)) for board, high, low in asked]
    ours = [len(state.legal_plays()) for sample in samples for state in rolled(sample)]
    # A roll that cannot be played is no move of theirs and one play of ours.
    differ = sum(max(theirs, 1) != plays for theirs, plays in zip(found, ours, strict=True))
    if differ:
        return f"gnubg-nn counts {differ} of {len(asked)} rolls otherwise, so it is not compared"
    return calls, made


def _gnubg_board(state: State) -> list[list[int]]:
    """The opponent's checkers, then the mover's: points 1-24 and the bar."""
    sides = (state.turn.other, state.turn)
    return [[*points, bar] for points, bar in (checkers(state, side) for side in sides)]


def spiel_calls(samples: list[Sample]) -> Work | str:
    """Calls of OpenSpiel's ``legal_actions`` on the same positions and rolls, or why none."""
    try:
        game = import_module("pyspiel").load_game("backgammon")
    except ImportError as error:
        return f"open-spiel is not installed ({error})"
    states: list[Any] = []
    for sample in samples:
        at = _led(game, sample.path)
        if at is None:
            return "open-spiel cannot be led to one of the positions, so it is not compared"
        for high, low in ROLLS:
            states.append(at.clone())
            _roll(states[-1], high, low, None)

    def calls() -> int:
        for state in states:
            state.legal_actions()
        return len(states)

    return calls


def _led(game: Any, path: tuple[State, ...]) -> Any:
    """OpenSpiel's state after the same plays as ours; None where it knows none that lead there."""
    at = game.new_initial_state()
    for before, after in pairwise(path):
        if before.dice is None:
            assert after.dice is not None
            _roll(at, *after.dice, None)
        else:
            if before is path[0]:
                _roll(at, *before.dice, before.turn)
            at = _played(at, before, after)
            if at is None:
                return None
    return at


def _roll(at: Any, high: int, low: int, starter: Side | None) -> None:
    """Apply a roll; the first of a game also says who starts."""
    who = "" if starter is None else f"{starter.name} starts"
    for outcome, _ in at.chance_outcomes():
        text = at.action_to_string(-1, outcome)
        if who in text and (f"{high}{low})" in text or f"{low}{high})" in text):
            at.apply_action(outcome)
            return
    raise ValueError(f"open-spiel knows no roll {high}-{low}")


def _played(at: Any, before: State, after: State) -> Any:
    """Find the action that leads to our next position; a double is two actions there."""
    wanted = [checkers(after, side) for side in Side]
    doubled = before.dice is not None and before.dice[0] == before.dice[1]
    for action in at.legal_actions():
        child = at.child(action)
        if _seen(child) == wanted and not (doubled and _again(child, before)):
            return child
        if doubled and _again(child, before):
            for second in child.legal_actions():
                grandchild = child.child(second)
                if _seen(grandchild) == wanted:
                    return grandchild
    return None


def _again(at: Any, before: State) -> bool:
    """Whether the same side still has half of a double to play."""
    return not at.is_terminal() and not at.is_chance_node() and at.current_player() == before.turn


def _seen(at: Any) -> list[tuple[list[int], int]]:
    """The checkers as ``positions.checkers`` gives them, X's and O's."""
    x = [at.board(0, 24 - point) for point in range(1, 25)]
    o = [at.board(1, point - 1) for point in range(1, 25)]
    return [(x, at.board(0, 100)), (o, at.board(1, 100))]


def spiel_games() -> Work | str:
    """Random games of OpenSpiel's backgammon, or why none."""
    try:
        game = import_module("pyspiel").load_game("backgammon")
    except ImportError as error:
        return f"open-spiel is not installed ({error})"
    rng = Random(3)
    choice = rng.choice

    def games() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
            else:
                state.apply_action(choice(state.legal_actions()))
        return 1

    return games
