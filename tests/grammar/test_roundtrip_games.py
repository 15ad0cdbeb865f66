"""Random games, played through State, survive writing, reading and validating unchanged."""

import random

import pytest

from acey_grammar import GameRecorder, parse_game, parse_games, rule_tags, validate, write_game
from acey_grammar.record import GameRecord
from acey_rules import PRESETS, ROLL, Roll, RuleSet, State


def random_game(rules: RuleSet, rng: random.Random) -> tuple[GameRecord, State]:
    """Play a random game to its end."""
    pairs = [(rng.randint(1, 6), rng.randint(1, 6))]
    while pairs[-1][0] == pairs[-1][1]:
        pairs.append((rng.randint(1, 6), rng.randint(1, 6)))
    state = State.start(rules, pairs[-1])
    opening = " ".join(f"{x}-{o}" for x, o in pairs)
    recorder = GameRecorder(
        [("X", "alpha"), ("O", "beta"), *rule_tags(rules), ("Opening", opening)]
    )
    while state.outcome is None:
        action = rng.choice(state.legal_actions())
        if state.agenda[0] is ROLL:
            action = Roll(rng.randint(1, 6), rng.randint(1, 6))
        after = state.apply(action)
        recorder.add(state, action, after)
        state = after
    return recorder.record, state


def check_games(rules: RuleSet, seeds: range) -> None:
    for seed in seeds:
        record, end = random_game(rules, random.Random(seed))
        text = write_game(record)
        assert parse_game(text) == record
        (game,) = parse_games(text)
        validation = validate(game)
        assert validation.faults == ()
        assert validation.state == end
        assert write_game(game.record) == text


@pytest.mark.parametrize("name", PRESETS)
def test_random_games_come_back_as_they_were_played(name: str) -> None:
    check_games(PRESETS[name], range(3))


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_a_thousand_random_games_come_back_as_they_were_played(name: str) -> None:
    check_games(PRESETS[name], range(1000))
