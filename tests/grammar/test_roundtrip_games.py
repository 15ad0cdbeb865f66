"""Random games, played through State, survive writing, reading and validating unchanged."""

import random

import pytest
from tests.support.recorded import random_game

from acey_grammar import parse_game, parse_games, validate, write_game
from acey_rules import PRESETS, RuleSet


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
