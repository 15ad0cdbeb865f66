"""Random games to their end, each step held against the naive referees and the laws of the game."""

from itertools import product
from random import Random

import pytest
from tests.support import naive, naive_turn

from acey_rules import (
    NAME,
    PRESETS,
    ROLL,
    UNENTERED,
    Name,
    Play,
    Roll,
    RuleSet,
    Side,
    State,
    WrittenMove,
    WrittenPlay,
    rule_set,
)
from acey_rules.ruleset import FIELDS
from acey_rules.stage import possible_agendas

COMBINATIONS = [
    " ".join(f"{field}={value}" for field, value in zip(FIELDS, values, strict=True))
    for values in product(*FIELDS.values())
]
# Four checkers each, all unentered: a game of some forty rolls in which everything happens.
SHORT = "--------------------------:4:4:x:R"


def play_out(state: State, random: Random) -> State:
    """Play a game at random to its end, checking every step."""
    fields = dict(word.split("=") for word in state.rules.fields_text().split())
    possible = possible_agendas(state.rules)
    for _ in range(20_000):
        if state.outcome is not None:
            return state
        agenda = state.line.split(":")[4].split(".")
        assert state.line.split(":")[4] in possible
        action = choose(state, random)
        after = state.apply(action)
        match action:
            case Roll():
                expected = naive_turn.after_roll(agenda, action.first, action.second, fields)
                assert after.line == moved_on(state, expected)
            case Name():
                expected = naive_turn.after_name(agenda, action.number, fields)
                assert after.line == moved_on(state, expected)
            case _:
                assert isinstance(action, Play)
                check_play(state, action, after, agenda, fields)
        check_laws(after)
        state = after
    raise AssertionError("the game does not end")


def choose(state: State, random: Random) -> Roll | Name | Play:
    if state.agenda[0] is ROLL:
        return Roll(random.randint(1, 6), random.randint(1, 6))
    if state.agenda[0] is NAME:
        return Name(random.randint(1, 6))
    return random.choice(state.legal_plays())


def moved_on(state: State, agenda: list[str]) -> str:
    return f"{state.position}:{state.turn.letter}:{'.'.join(agenda)}"


def check_play(
    state: State, action: Play, after: State, agenda: list[str], fields: dict[str, str]
) -> None:
    dice = int(agenda[0][0]), int(agenda[0][1])
    board = naive.read(state.line)
    legal = naive.legal(board, dice, fields["overshoot"])
    found = {naive.write(reached, state.line): reached for reached in legal}
    plays = state.legal_plays()
    assert sorted(found) == sorted(str(play.after) for play in plays)
    reached = found[str(action.after)]
    if reached.mine[naive.HOME] == 15:
        assert after.outcome is not None
        winner = state.turn.letter
        assert after.line == f"{action.after}:{winner}:-"
        assert after.outcome.winner is state.turn
        assert after.outcome.points == naive_turn.points(after.line, winner, fields)
        return
    used = len(legal[reached][0])
    rest = naive_turn.after_play(agenda, used, reached.mine[naive.BAR] > 0, fields)
    turn = state.turn.letter if rest else state.turn.other.letter
    assert after.line == f"{action.after}:{turn}:{'.'.join(rest or ['R'])}"
    steps = legal[reached][-1]
    written = WrittenPlay(tuple(WrittenMove(step.source, (step.target,)) for step in steps))
    assert state.apply(written) == after


def check_laws(state: State) -> None:
    position = state.position
    for side in Side:
        places = [position.count(side, place) for place in (*range(1, 25), UNENTERED)]
        assert sum(places) + position.on_bar(side) + position.borne_off(side) == 15
    assert State.parse(state.line, state.rules) == state


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("seed", range(3))
def test_a_random_game_of_each_preset(rules: RuleSet, seed: int) -> None:
    state = play_out(State.start(rules, (seed + 1, 6 - seed)), Random(seed))
    assert state.outcome is not None


@pytest.mark.parametrize("part", range(8))
def test_a_short_game_under_every_combination_of_fields(part: int) -> None:
    assert len(COMBINATIONS) == 864
    ended: list[str] = []
    for number, text in list(enumerate(COMBINATIONS))[part::8]:
        rules = rule_set(text)
        start = "-----B----------aabB------:0:0:x:R" if "setup=backgammon" in text else SHORT
        state = play_out(State.parse(start, rules), Random(number))
        assert state.outcome is not None
        ended.append(text)
    assert len(ended) == 108


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_a_whole_game_under_every_combination_of_fields(part: int) -> None:
    for number, text in list(enumerate(COMBINATIONS))[part::8]:
        state = play_out(State.start(rule_set(text), (6, 1)), Random(number))
        assert state.outcome is not None
