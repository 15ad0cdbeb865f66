"""Random games, reproducible on any machine and in any language. spec/perft.md §3.

For rollouts, load and stress tests; the dice of a table are those of dice.py.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from acey_rules import generator
from acey_rules.errors import RulesError
from acey_rules.play import Play
from acey_rules.position import BAR, Position, Side
from acey_rules.stage import NAME, ROLL
from acey_rules.turn import Name, Roll, State

LONGEST: Final = 1_000_000
"""A game of more rolls than this is given up; a random one takes some hundreds."""
PLACES: Final = BAR + 1
"""Where a checker can be, in its side's numbering: 0 off, 1-24, 25 unentered, 26 on the bar."""
HEAVIEST: Final = 1_000_000
"""The largest weight and the largest halving of a policy."""
_MASK: Final = (1 << 64) - 1


class Policy(NamedTuple):
    """Which plays are likely: those whose position has a high value.

    The value of a position is the sum of a weight for each checker. Each ``halving`` a play's
    position is worth less than the best one's makes the play half as likely; after 30 halvings it
    is never chosen.
    """

    mine: tuple[int, ...]
    """Weights of the mover's checkers by place, 27 whole numbers within a million of 0."""
    theirs: tuple[int, ...]
    """The same for the opponent's checkers, by place in the opponent's own numbering."""
    halving: int
    """1 to a million."""


class Playout(NamedTuple):
    """How a random game ended."""

    winner: Side
    points: int
    rolls: int
    """How many rolls were made."""
    plays: int
    """How many rolls, named doubles and complements were played, forfeited ones included."""


class RandomNumbers:
    """SplitMix64: a 64-bit number at a time from a 64-bit seed. spec/perft.md §3."""

    def __init__(self, seed: int) -> None:
        """Start from a seed; of larger ones the low 64 bits count."""
        self._state = seed & _MASK

    def below(self, limit: int) -> int:
        """The next number, modulo ``limit``."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _MASK
        return (mixed ^ mixed >> 31) % limit


def playout(state: State, seed: int, policy: Policy | None = None) -> Playout:
    """Play a game to its end from ``state`` with random dice, names and plays.

    The same arguments give the same game everywhere. Without a policy every legal play is
    equally likely. Raises RulesError for a policy that is none, and for a game that does not end
    within a million rolls.
    """
    if policy is not None:
        _check(policy)
    if state.outcome is not None:
        return Playout(state.outcome.winner, state.outcome.points, 0, 0)
    if generator.NAME == "kernel":
        from acey_rules import kernel  # noqa: PLC0415 - there only when compiled

        ended = kernel.playout(state, seed & _MASK, policy, LONGEST)
        found = ended and Playout(Side(ended[0]), *ended[1:])
    else:
        found = reference(state, seed, policy)
    if found is None:
        raise RulesError(f"the game did not end within {LONGEST} rolls")
    return found


def _check(policy: Policy) -> None:
    for name, weights in (("mine", policy.mine), ("theirs", policy.theirs)):
        if len(weights) != PLACES:
            raise RulesError(f"a policy has {PLACES} weights for {name}, not {len(weights)}")
        for weight in weights:
            if not -HEAVIEST <= weight <= HEAVIEST:
                raise RulesError(f"a weight is within {HEAVIEST} of 0, not {weight}")
    if not 1 <= policy.halving <= HEAVIEST:
        raise RulesError(f"a halving is 1 to {HEAVIEST}, not {policy.halving}")


def reference(state: State, seed: int, policy: Policy | None = None) -> Playout | None:
    """The definition of ``playout``; None for a game that does not end."""
    numbers = RandomNumbers(seed)
    rolls = plays = 0
    while state.outcome is None:
        if state.agenda[0] is ROLL:
            if rolls == LONGEST:
                return None
            first = 1 + numbers.below(6)
            state = state.apply(Roll(first, 1 + numbers.below(6)))
            rolls += 1
        elif state.agenda[0] is NAME:
            state = state.apply(Name(1 + numbers.below(6)))
        else:
            state = state.apply(_choose(state.legal_plays(), state.turn, numbers, policy))
            plays += 1
    return Playout(state.outcome.winner, state.outcome.points, rolls, plays)


def _choose(
    plays: Sequence[Play], side: Side, numbers: RandomNumbers, policy: Policy | None
) -> Play:
    """One of the legal plays; a number is drawn only where there is a choice."""
    if len(plays) == 1:
        return plays[0]
    if policy is None:
        return plays[numbers.below(len(plays))]
    values = [_value(play.after, side, policy) for play in plays]
    best = max(values)
    likely = [(1 << 30) >> min((best - value) // policy.halving, 31) for value in values]
    drawn = numbers.below(sum(likely))
    for play, chance in zip(plays, likely, strict=True):
        if drawn < chance:
            return play
        drawn -= chance
    raise AssertionError("a number below the sum is below one of its parts")


def _value(position: Position, side: Side, policy: Policy) -> int:
    value = policy.mine[0] * position.borne_off(side)
    value += policy.theirs[0] * position.borne_off(side.other)
    for place in range(1, PLACES):
        value += policy.mine[place] * position.count(side, place)
        value += policy.theirs[place] * position.count(side.other, place)
    return value
