"""Whole games made on the spot, always the same for the same seed."""

import random
from collections.abc import Sequence

from acey_grammar import GameRecord, GameRecorder, rule_tags
from acey_rules import (
    AMERICAN,
    NAME,
    ROLL,
    DiceSource,
    Draw,
    Name,
    Play,
    Roll,
    RuleSet,
    Side,
    State,
    seeded,
)


def played_game(
    seed: int,
    rules: RuleSet = AMERICAN,
    tags: Sequence[tuple[str, str]] = (("X", "alpha"), ("O", "beta")),
    turns: int | None = None,
    dice: DiceSource | None = None,
) -> GameRecord:
    """A game between two players who hurry home, but not always; ``turns`` ends it early.

    Without ``dice`` they are those of the seed.
    """
    choose = random.Random(seed)
    dice = dice or seeded(seed)
    tries = (dice.draw(Draw(1, None, number, 0)) for number in range(1, 100))
    opening = next(pair for pair in tries if pair[0] != pair[1])
    state = State.start(rules, opening)
    opening_tag = ("Opening", f"{opening[0]}-{opening[1]}")
    recorder = GameRecorder([*tags, *rule_tags(rules), opening_tag])
    rolls = {Side.X: 0, Side.O: 0}
    done = 0
    while state.outcome is None and done != turns:
        action: Roll | Name | Play
        if state.agenda[0] is ROLL:
            rolls[state.turn] += 1
            action = Roll(*dice.draw(Draw(1, state.turn, rolls[state.turn], 0)))
        elif state.agenda[0] is NAME:
            action = Name(choose.choice((3, 4, 5, 6)))
        else:
            action = min(state.legal_plays(), key=lambda play: _worth(play, state, choose))
        after = state.apply(action)
        recorder.add(state, action, after, round(choose.random() * 9, 2))
        done += after.turn is not state.turn
        state = after
    return recorder.record


def _worth(play: Play, state: State, choose: random.Random) -> float:
    hits = sum(move.hit for move in play.moves)
    left = sum(play.after.count(state.turn, point) == 1 for point in range(1, 19))
    return play.after.pips(state.turn) - 3 * hits + left - choose.random() * 4
