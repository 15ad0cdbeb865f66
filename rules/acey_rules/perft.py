"""Counting positions to a depth, the classic test of move generators. spec/perft.md."""

from typing import Final

from acey_rules import generator
from acey_rules.errors import RulesError
from acey_rules.stage import ROLL
from acey_rules.turn import State

DEEPEST: Final = 12
"""The most plies that are counted; far more than any machine can."""


def perft(state: State, depth: int, *, made: bool = False) -> int:
    """How many positions there are after ``depth`` plies, 1-12, by every roll, name and play.

    A ply is one roll and what is done with it, up to the next roll. When the state has dice to
    play or a number to name, what is left up to the next roll is the first ply. With ``made`` the
    kernel makes every position of the last ply instead of counting them, which takes longer and
    gives the same number. Raises RulesError for another depth.
    """
    if not 1 <= depth <= DEEPEST:
        raise RulesError(f"perft goes 1 to {DEEPEST} plies deep, not {depth}")
    if state.outcome is not None:
        return 0
    plies = depth if state.agenda[0] is ROLL else depth - 1
    if generator.NAME == "kernel":
        from acey_rules import kernel  # noqa: PLC0415 - there only when compiled

        return kernel.perft(state, plies, made)
    return reference(state, plies)


def reference(state: State, plies: int) -> int:
    """The definition: positions after ``plies`` more rolls, and the game that ends just then."""
    if state.outcome is not None:
        return 1 if plies == 0 else 0
    if state.agenda[0] is ROLL:
        if plies == 0:
            return 1
        plies -= 1
    return sum(reference(state.apply(action), plies) for action in state.legal_actions())
