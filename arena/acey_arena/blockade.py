"""The bot ``blockade``: plays for points, primes and safety, as evaluation.py judges them."""

from collections.abc import Sequence
from typing import Final

from acey_arena.evaluation import value
from acey_rules import NAME, Name, Play, State

ROLL_WORTH: Final = 8.0
"""What a roll still to come is worth, in pips; a roll is 49/6 pips on average."""
WIN: Final = 1000.0
"""More than any position is worth."""


class BlockadeBot:
    """Takes the play that leaves the best position. Without chance and without memory."""

    def choose_play(self, state: State, plays: Sequence[Play]) -> Play:
        """The play of the highest value; of equal ones the first listed."""
        if len(plays) == 1:
            return plays[0]
        side = state.turn
        return max(plays, key=lambda play: value(play.after, side))

    def choose_double(self, state: State) -> int:
        """The number whose best play leaves the best position, bonus roll counted while it is kept.

        So a double that cannot be played in full is named only when what it does is worth more
        than the roll it forfeits.
        """
        return max(range(6, 0, -1), key=lambda number: named_worth(self, state, number))


def named_worth(bot: BlockadeBot, state: State, number: int) -> float:
    """What naming ``number`` is worth to the side that names, when it plays on like ``bot``."""
    side = state.turn
    after = state.apply(Name(number))
    while after.dice is not None and after.turn is side:
        after = after.apply(bot.choose_play(after, after.legal_plays()))
    return settled_worth(after, state)


def settled_worth(after: State, before: State) -> float:
    """The worth to the side on turn ``before`` of a state in which it has no dice to play."""
    side = before.turn
    if after.outcome is not None:
        return WIN if after.outcome.winner is side else -WIN
    kept = after.turn is side
    return value(after.position, side) + ROLL_WORTH * kept * (1 + (after.agenda[0] is NAME))
