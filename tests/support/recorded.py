"""Random games, played through State and recorded."""

import random

from acey_grammar import GameRecord, GameRecorder, rule_tags
from acey_rules import ROLL, Roll, RuleSet, State


def random_game(rules: RuleSet, rng: random.Random) -> tuple[GameRecord, State]:
    """Play a random game to its end; the record and the last state."""
    pairs = [(rng.randint(1, 6), rng.randint(1, 6))]
    while pairs[-1][0] == pairs[-1][1]:
        pairs.append((rng.randint(1, 6), rng.randint(1, 6)))
    state = State.start(rules, pairs[-1])
    opening = " ".join(f"{x}-{o}" for x, o in pairs)
    tags = [("X", "alpha"), ("O", "beta"), *rule_tags(rules), ("Opening", opening)]
    recorder = GameRecorder(tags)
    while state.outcome is None:
        action = rng.choice(state.legal_actions())
        if state.agenda[0] is ROLL:
            action = Roll(rng.randint(1, 6), rng.randint(1, 6))
        after = state.apply(action)
        recorder.add(state, action, after)
        state = after
    return recorder.record, state
