"""Games of random legal plays, as records."""

from functools import cache
from random import Random

from acey_grammar import GameRecord, GameRecorder, rule_tags
from acey_rules import PRESETS, Action, Concede, RuleSet, Side, State


@cache
def random_game(rules_name: str, seed: int, most: int = 400) -> GameRecord:
    """A game of random plays, borne off, given up after ``most`` actions, or left open."""
    rules = PRESETS[rules_name]
    random = Random(seed)
    state = _start(rules, random)
    recorder = GameRecorder([("X", "alpha"), ("O", "beta"), *rule_tags(rules)])
    for _ in range(most):
        if state.outcome is not None:
            break
        action = _action(state, random)
        after = state.apply(action)
        recorder.add(state, action, after)
        state = after
    if state.outcome is None and seed % 3:
        concession = Concede(random.choice(list(Side)))
        recorder.add(state, concession, state.apply(concession))
    return recorder.record


def _start(rules: RuleSet, random: Random) -> State:
    while True:
        dice = (random.randint(1, 6), random.randint(1, 6))
        if dice[0] != dice[1]:
            return State.start(rules, dice)


def _action(state: State, random: Random) -> Action:
    actions = state.legal_actions()
    return random.choice(actions)
