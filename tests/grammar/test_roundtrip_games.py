"""Games played through State survive writing, reading and validating unchanged."""

import random
from io import StringIO

import pytest
from tests.support.recorded import random_game
from tests.support.vectors import GameVector, action_of, game_vectors

from acey_grammar import (
    GameRecord,
    GameRecorder,
    canonical,
    judge_acey,
    parse_game,
    rule_tags,
    validate,
    write_game,
)
from acey_grammar.games import read_by
from acey_rules import PRESETS, RuleSet, State, generator

COMPILED = generator.NAME == "kernel"
"""The reference takes a hundred times as long for a game."""


def check_games(rules: RuleSet, seeds: range) -> None:
    for seed in seeds:
        record, end = random_game(rules, random.Random(seed))
        check_game(record, end)


def check_game(record: GameRecord, end: State) -> None:
    """By the grammar and by the fast ways, the record is what was played."""
    text = write_game(record)
    (parsed,) = read_by(StringIO(text), lambda _: None)
    assert parsed is not None
    assert parsed.record == parse_game(text) == canonical(record) == record
    assert write_game(parsed.record) == text
    (judged,) = judge_acey(StringIO(text))
    for validation in (validate(parsed), judged.validation):
        assert validation.faults == ()
        assert validation.state == end
        assert validation.turns == len(record.turns)
        assert validation.rolls == sum(len(turn.rolls) for turn in record.turns)


@pytest.mark.parametrize("name", PRESETS)
def test_random_games_come_back_as_they_were_played(name: str) -> None:
    check_games(PRESETS[name], range(12 if COMPILED else 1))


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_a_thousand_random_games_come_back_as_they_were_played(name: str) -> None:
    check_games(PRESETS[name], range(1000))


@pytest.mark.parametrize(
    "vector", game_vectors() if COMPILED else game_vectors()[:2], ids=lambda vector: vector.place
)
def test_the_games_of_the_vectors_come_back(vector: GameVector) -> None:
    rules = PRESETS[vector.rules]
    state = State.parse(vector.start, rules)
    tags = [("X", "alpha"), ("O", "beta"), *rule_tags(rules), ("Position", vector.start)]
    recorder = GameRecorder(tags)
    for action in vector.actions:
        after = state.apply(action_of(action))
        recorder.add(state, action_of(action), after)
        state = after
    check_game(recorder.record, state)
