"""The two simplest bots: what they choose, and that they play whole games in every rule set."""

import pytest

from acey_arena.bots import BOTS, Bot, PipBot, RandomBot, pip_lead
from acey_rules import (
    AMERICAN,
    BACKGAMMON,
    NAME,
    PRESETS,
    Draw,
    Name,
    Outcome,
    Roll,
    RuleSet,
    Side,
    State,
    seeded,
)


def play_game(rules: RuleSet, bots: tuple[Bot, Bot], seed: int) -> tuple[Outcome, list[str]]:
    """A whole game with seeded dice; its outcome and every state it went through."""
    dice, draws = seeded(seed), 0
    opening = (0, 0)
    while opening[0] == opening[1]:
        draws += 1
        opening = dice.draw(Draw(1, None, draws, draws - 1))
    state, lines = State.start(rules, opening), list[str]()
    rolls = [0, 0]
    while state.outcome is None:
        lines.append(state.line)
        bot = bots[state.turn]
        if state.agenda[0] is NAME:
            state = state.apply(Name(bot.choose_double(state)))
        elif state.dice is None:
            rolls[state.turn] += 1
            draws += 1
            state = state.apply(Roll(*dice.draw(Draw(1, state.turn, rolls[state.turn], draws - 1))))
        else:
            state = state.apply(bot.choose_play(state, state.legal_plays()))
    return state.outcome, lines


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS.keys())
def test_the_bots_play_whole_games_under_every_rule_set(rules: RuleSet) -> None:
    outcome, lines = play_game(rules, (RandomBot(1), PipBot()), 1)
    assert outcome.points in range(1, 16)
    assert len(lines) > 40


def test_the_same_seed_plays_the_same_game_and_another_seed_another() -> None:
    first = play_game(AMERICAN, (RandomBot(1), RandomBot(2)), 7)
    assert play_game(AMERICAN, (RandomBot(1), RandomBot(2)), 7) == first
    assert play_game(AMERICAN, (RandomBot(3), RandomBot(2)), 7) != first


def test_random_chooses_every_play_about_as_often() -> None:
    state = State.parse("--------------------------:15:15:x:55", AMERICAN)
    plays = state.legal_plays()
    bot = RandomBot(11)
    chosen = [bot.choose_play(state, plays).text for _ in range(1000)]
    # 1000 draws of 5: the standard deviation is 12.6, so 5 of them is beyond chance.
    assert {play.text for play in plays} == set(chosen)
    assert all(abs(chosen.count(play.text) - 200) < 64 for play in plays)
    numbers = [bot.choose_double(state) for _ in range(1200)]
    assert all(abs(numbers.count(number) - 200) < 65 for number in range(1, 7))


def test_pip_hits_when_it_can() -> None:
    # O's blot on X's 18 is 6 from X's 24; hitting it sends it back by its whole way.
    state = State.parse("-b----E-C---eE---bae----B-:0:0:x:61", BACKGAMMON)
    chosen = PipBot().choose_play(state, state.legal_plays())
    assert "*" in chosen.text
    assert pip_lead(chosen.after, Side.X) == max(
        pip_lead(play.after, Side.X) for play in state.legal_plays()
    )


def test_pip_leaves_the_fewest_blots_and_takes_the_first_of_equal_plays() -> None:
    state = State.parse("--------------------------:15:15:x:63", AMERICAN)
    assert PipBot().choose_play(state, state.legal_plays()).text == "off/16"
    state = State.parse("--------------------------:15:15:x:55", AMERICAN)
    assert [play.text for play in state.legal_plays()][:1] == ["off/20(4)"]
    assert PipBot().choose_play(state, state.legal_plays()).text == "off/20(4)"


def test_two_racers_come_home() -> None:
    for seed in range(3):
        outcome, lines = play_game(AMERICAN, (PipBot(), PipBot()), seed)
        assert outcome.points >= 1
        assert len(lines) < 1000


def test_pip_names_the_highest_double_it_can_play_in_full() -> None:
    opening = State.parse("--------------------------:15:15:x:N.R", AMERICAN)
    assert PipBot().choose_double(opening) == 6
    # With the 6s and the 5s blocked, four 4s and the roll after them are worth more than either.
    blocked = State.parse("-------------------bb-----:15:11:x:N.R", AMERICAN)
    assert PipBot().choose_double(blocked) == 4


def test_pip_gives_up_the_bonus_roll_only_for_more_than_it_is_worth() -> None:
    # X enters with 1s only (2-6 are held); after entering, three more 1s. All other names play
    # nothing and end the turn.
    held = State.parse("-------------------bbbbb--:15:5:x:N.R", AMERICAN)
    assert PipBot().choose_double(held) == 1


def test_every_bot_has_a_name_and_is_made_from_a_seed() -> None:
    assert list(BOTS)[:2] == ["random", "pip"]
    state = State.parse("--------------------------:15:15:x:63", AMERICAN)
    for make in BOTS.values():
        assert make(1).choose_play(state, state.legal_plays()) in state.legal_plays()
