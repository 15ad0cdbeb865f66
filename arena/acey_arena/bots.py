"""Bots: who decides what to play. The small interface, the two simplest players, and the list.

A bot sees a state and its legal plays and chooses; it knows no rule, no daemon and no clock.
player.py seats one at a table.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, Protocol

from acey_arena.blockade import BlockadeBot
from acey_arena.expectimax import ExpectimaxBot
from acey_rules import Name, Play, Position, Side, State
from acey_rules.position import POINTS

MEAN_ROLL: Final = 49 / 6
"""Pips of a roll on average, doubles counted four times."""


class Bot(Protocol):
    """What decides for one side, one game or many."""

    def choose_play(self, state: State, plays: Sequence[Play]) -> Play:
        """One of ``plays``, the legal plays of the dice to play in ``state``; never empty."""
        ...

    def choose_double(self, state: State) -> int:
        """The number 1-6 to name in ``state``, whose agenda starts with a naming."""
        ...


class RandomBot:
    """Plays anything legal, each play as likely as the other; the same seed, the same choices."""

    def __init__(self, seed: int) -> None:
        """Seed the choices; nothing else is random."""
        self._random = Random(seed)

    def choose_play(self, state: State, plays: Sequence[Play]) -> Play:
        """Any of the plays."""
        del state
        return plays[self._random.randrange(len(plays))]

    def choose_double(self, state: State) -> int:
        """Any number."""
        del state
        return self._random.randint(1, 6)


class PipBot:
    """Races: goes the most pips and sends the opponent back the most, leaving the fewest blots.

    Without a seed and without memory: the same state, the same choice. The blots are not a matter
    of taste: two racers that hit whatever they can and leave blots everywhere never come home.
    """

    def choose_play(self, state: State, plays: Sequence[Play]) -> Play:
        """The play with the best lead after it; of equal ones the fewest blots, then the first."""
        side = state.turn
        leads = [pip_lead(play.after, side) for play in plays]
        best = max(leads)
        equal = [play for play, lead in zip(plays, leads, strict=True) if lead == best]
        return min(equal, key=lambda play: blots(play.after, side))

    def choose_double(self, state: State) -> int:
        """The number that allows the best lead; of equal ones the highest.

        A roll still to come counts what a roll is worth, so that naming a double which cannot be
        played in full pays only when it gains more than the bonus roll it forfeits.
        """
        return max(range(6, 0, -1), key=lambda number: self._worth(state, number))

    def _worth(self, state: State, number: int) -> float:
        named = state.apply(Name(number))
        after = named.apply(self.choose_play(named, named.legal_plays()))
        keeps_turn = after.turn is state.turn and after.outcome is None
        return pip_lead(after.position, state.turn) + keeps_turn * MEAN_ROLL


def pip_lead(position: Position, side: Side) -> int:
    """How many pips fewer than the opponent ``side`` still has to go."""
    return position.pips(side.other) - position.pips(side)


def blots(position: Position, side: Side) -> int:
    """Points on which a checker of ``side`` stands alone, 0-15."""
    return sum(position.count(side, point) == 1 for point in range(1, POINTS + 1))


BOTS: Final[dict[str, Callable[[int], Bot]]] = {
    "random": RandomBot,
    "pip": lambda _seed: PipBot(),
    "blockade": lambda _seed: BlockadeBot(),
    "expectimax-1": lambda _seed: ExpectimaxBot(),
}
"""The bots by name, each made from a seed, weakest first."""
