"""The bot ``expectimax-1``: blockade's judgement after every roll the opponent may have next."""

from collections.abc import Sequence
from heapq import nlargest
from typing import Final

from acey_arena.blockade import WIN, BlockadeBot
from acey_arena.evaluation import quick_value, value
from acey_rules import ROLLS, Play, Position, RuleSet, Side, State
from acey_rules.generator import legal_plays

CANDIDATES: Final = 6
"""How many of its own plays are looked at further, the best by their value now."""
REPLIES: Final = 3
"""How many of the opponent's replies to a roll are judged in full."""


class ExpectimaxBot:
    """Looks one roll ahead: of its best plays, the one whose worst replies leave most on average.

    Without chance and without memory.
    """

    def __init__(self, candidates: int = CANDIDATES, replies: int = REPLIES) -> None:
        """Look at that many plays of its own, and at that many replies to each roll."""
        self._candidates = candidates
        self._replies = replies
        self._blockade = BlockadeBot()

    def choose_play(self, state: State, plays: Sequence[Play]) -> Play:
        """The play of the highest expectation; of equal ones the better one by its value now."""
        if len(plays) == 1:
            return plays[0]
        side = state.turn
        best = nlargest(self._candidates, plays, key=lambda play: value(play.after, side))
        if best[0].wins:
            return best[0]
        # After dice that are not the turn's last the same side goes on, and nothing is to be feared
        # from a reply yet: the value now is what counts.
        if len(state.agenda) > 1 and state.apply(best[0]).turn is side:
            return best[0]
        return max(best, key=lambda play: self._expectation(play.after, side, state.rules))

    def choose_double(self, state: State) -> int:
        """As blockade does: what the double does now decides, and the bonus roll is counted."""
        return self._blockade.choose_double(state)

    def _expectation(self, position: Position, side: Side, rules: RuleSet) -> float:
        """The mean over the opponent's rolls of what its best reply leaves to ``side``."""
        other = side.other
        total = 0.0
        for high, low in ROLLS:
            replies = legal_plays(position, other, high, low, rules.overshoot)
            total += (1 if high == low else 2) * -self._best(replies, other)
        return total / 36

    def _best(self, plays: Sequence[Play], side: Side) -> float:
        """The value of the best reply; those that look best at a glance are judged in full."""
        if len(plays) > self._replies:
            plays = nlargest(self._replies, plays, key=lambda play: quick_value(play.after, side))
        best = max(value(play.after, side) for play in plays)
        return WIN if any(play.wins for play in plays) else best
