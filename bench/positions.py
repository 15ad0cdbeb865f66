"""The 500 middle-game positions of backgammon that generators are asked for, each with 21 rolls.

They come from random self-play with a fixed seed, so they are the same in every run. Each also
knows the game it comes from, so that a peer which cannot be given a position can be led to it.
"""

from dataclasses import dataclass
from random import Random

from acey_rules import BACKGAMMON, ROLLS, Roll, Side, State

POSITIONS = 500
FIRST, LAST = 10, 40
"""Positions are taken after this many plays of a game."""


@dataclass(frozen=True)
class Sample:
    """A position in which a side is to roll, and the states of its game up to it."""

    state: State
    path: tuple[State, ...]


def samples() -> list[Sample]:
    rng = Random(20)
    found: list[Sample] = []
    while len(found) < POSITIONS:
        first, second = rng.sample(range(1, 7), 2)
        state = State.start(BACKGAMMON, (first, second))
        path = [state]
        plays = 0
        while state.outcome is None and plays <= LAST:
            if state.dice is None:
                if plays >= FIRST and rng.random() < 0.5:
                    found.append(Sample(state, tuple(path)))
                state = state.apply(Roll(rng.randint(1, 6), rng.randint(1, 6)))
            else:
                state = state.apply(rng.choice(state.legal_plays()))
                plays += 1
            path.append(state)
    return found[:POSITIONS]


def rolled(sample: Sample) -> list[State]:
    """The 21 states in which the position's rolls are to be played."""
    return [sample.state.apply(Roll(*dice)) for dice in ROLLS]


def checkers(state: State, side: Side) -> tuple[list[int], int]:
    """The counts on a side's own points 1-24, and on the bar."""
    position = state.position
    return [position.count(side, point) for point in range(1, 25)], position.on_bar(side)
