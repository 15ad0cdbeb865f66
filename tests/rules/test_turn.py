"""The agenda of a turn: what is due, earned and forfeited. spec/rules.md §2, §5 and §6."""

import pytest
from tests.support.vectors import action_of

from acey_rules import (
    AMERICAN,
    BACKGAMMON,
    BGAMMON,
    DICE_BOARD,
    EUROPEAN,
    PRESETS,
    Action,
    Concede,
    DiceError,
    How,
    IllegalAction,
    Name,
    Outcome,
    Roll,
    Rule,
    RulesError,
    RuleSet,
    Side,
    State,
    WrittenPlay,
    WrongAction,
    rule_set,
)

START = "--------------------------:15:15:x:R"
PASS = WrittenPlay(())


def run(rules: RuleSet, line: str, *actions: str) -> str:
    """Return the position line after some actions."""
    state = State.parse(line, rules)
    for action in actions:
        state = state.apply(action_of(action))
    return state.line


# --- the start -------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [AMERICAN, DICE_BOARD, EUROPEAN, BGAMMON])
def test_the_starter_rolls_anew(rules: RuleSet) -> None:
    assert State.start(rules, (3, 2)).line == "--------------------------:15:15:x:R"
    assert State.start(rules, (1, 2)).line == "--------------------------:15:15:o:R"


def test_the_starter_of_backgammon_plays_the_opening_dice() -> None:
    board = "-b----E-C---eE---c-e----B-:0:0"
    assert State.start(BACKGAMMON, (2, 1)).line == f"{board}:x:21"
    assert State.start(BACKGAMMON, (3, 6)).line == f"{board}:o:63"


def test_opening_dice_that_are_played_earn_what_a_roll_earns() -> None:
    rules = rule_set(AMERICAN.fields_text().replace("opening=reroll", "opening=play"))
    start = State.start(rules, (2, 1))
    assert start.line == "--------------------------:15:15:x:21.N.R"
    assert State.parse(start.line, rules) == start


@pytest.mark.parametrize("opening", [(1, 1), (6, 6)])
def test_tied_opening_dice_decide_nothing(opening: tuple[int, int]) -> None:
    with pytest.raises(RulesError, match=f"tied at {opening[0]}"):
        State.start(AMERICAN, opening)


@pytest.mark.parametrize("opening", [(0, 1), (7, 1), (1, -1), (7, 7), (0, 0)])
def test_opening_dice_that_do_not_exist(opening: tuple[int, int]) -> None:
    with pytest.raises(DiceError):
        State.start(AMERICAN, opening)


# --- what is due -----------------------------------------------------------------------------


def test_the_21_rolls_the_six_names_and_the_plays_are_what_can_be_done() -> None:
    start = State.parse(START, AMERICAN)
    rolls = [str(action) for action in start.legal_actions()]
    assert rolls == [
        "roll 11", "roll 21", "roll 22", "roll 31", "roll 32", "roll 33", "roll 41",
        "roll 42", "roll 43", "roll 44", "roll 51", "roll 52", "roll 53", "roll 54",
        "roll 55", "roll 61", "roll 62", "roll 63", "roll 64", "roll 65", "roll 66",
    ]  # fmt: skip
    acey = start.apply(Roll(1, 2))
    assert acey.dice == (2, 1)
    assert [str(action) for action in acey.legal_actions()] == ["off/23 off/24", "off/22"]
    naming = acey.apply(acey.legal_plays()[0])
    assert naming.dice is None
    assert [str(name) for name in naming.legal_actions()] == [f"name {n}" for n in range(1, 7)]


ROLL_DUE = START
NAME_DUE = "--------------------------:15:15:o:N.R"
PLAY_DUE = "--------------------------:15:15:x:63"
OVER = "------------------------a-:0:14:x:-"


@pytest.mark.parametrize(
    ("line", "action", "rule", "message"),
    [
        (ROLL_DUE, PASS, Rule.ROLL_DUE, "X is to roll; a play is not due"),
        (ROLL_DUE, Name(6), Rule.ROLL_DUE, "X is to roll; a name is not due"),
        (NAME_DUE, PASS, Rule.NAME_DUE, "O is to name a double; a play is not due"),
        (NAME_DUE, Roll(6, 3), Rule.NAME_DUE, "O is to name a double; a roll is not due"),
        (PLAY_DUE, Name(6), Rule.PLAY_DUE, "X is to play 63; a name is not due"),
        (PLAY_DUE, Roll(6, 3), Rule.PLAY_DUE, "X is to play 63; a roll is not due"),
        (OVER, PASS, Rule.GAME_OVER, "the game is over; a play is not due"),
        (OVER, Name(6), Rule.GAME_OVER, "the game is over; a name is not due"),
        (OVER, Roll(6, 3), Rule.GAME_OVER, "the game is over; a roll is not due"),
        (OVER, Concede(), Rule.GAME_OVER, "the game is over; a resignation is not due"),
    ],
)
def test_another_kind_of_action_than_is_due(
    line: str, action: Action, rule: Rule, message: str
) -> None:
    with pytest.raises(WrongAction) as caught:
        State.parse(line, AMERICAN).apply(action)
    assert caught.value.rule is rule
    assert caught.value.message == message
    assert caught.value.position == line
    assert str(caught.value) == f"{message} (spec/rules.md {rule.section})"


def test_plays_are_listed_only_when_dice_are_to_be_played() -> None:
    for line in (ROLL_DUE, NAME_DUE, OVER):
        with pytest.raises(WrongAction):
            State.parse(line, AMERICAN).legal_plays()


@pytest.mark.parametrize("number", [0, 7, -1, 66])
def test_a_number_that_cannot_be_named(number: int) -> None:
    with pytest.raises(IllegalAction) as caught:
        State.parse(NAME_DUE, AMERICAN).apply(Name(number))
    assert caught.value.rule is Rule.BAD_NUMBER
    assert caught.value.position == NAME_DUE


@pytest.mark.parametrize("dice", [(0, 1), (1, 7), (-1, 3), (12, 1)])
def test_dice_that_do_not_exist(dice: tuple[int, int]) -> None:
    with pytest.raises(DiceError, match=f"not {dice[0]} and {dice[1]}"):
        State.parse(START, AMERICAN).apply(Roll(*dice))


# --- a whole turn ----------------------------------------------------------------------------


def test_a_2_1_in_full_a_named_double_and_another_2_1() -> None:
    one = run(AMERICAN, START, "roll 21", "play off/22")
    assert one == "----------------------A---:14:15:x:N.R"
    two = run(AMERICAN, one, "name 3", "play off/22(4)")
    assert two == "----------------------E---:10:15:x:R"
    three = run(AMERICAN, two, "roll 12", "play off/23 off/24")
    assert three == "----------------------EAA-:8:15:x:N.R"
    four = run(AMERICAN, three, "name 6", "play off/19(4)", "roll 65", "play off/20 off/19")
    assert four == "-------------------EA-EAA-:2:15:o:R"


def test_the_european_double_its_complement_and_the_roll_after_it() -> None:
    one = run(EUROPEAN, START, "roll 66")
    assert one == "--------------------------:15:15:x:66.11.R"
    two = run(EUROPEAN, one, "play off/19(4)")
    assert two == "-------------------D------:11:15:x:11.R"
    three = run(EUROPEAN, two, "play off/24(4)")
    assert three == "-------------------D----D-:7:15:x:R"
    four = run(EUROPEAN, three, "roll 21", "play off/23 off/24", "name 4")
    assert four == "-------------------D---AE-:5:15:x:44.33.R"


# --- forfeits --------------------------------------------------------------------------------

# O holds 23, 22 and 21: the 1 of a 2-1 enters, the 2 cannot be played by anything.
ONE_OF_21 = "---------------------bbb--:15:9:x:21.N.R"
# The same from the bar, with one more checker there that stays.
ONE_OF_21_BAR = "---------------------bbb-B:13:9:x:21.N.R"
# One checker on 19, one on the bar, and 7 held: three of four 6s can be played.
THREE_6S = "-b-----b-----------A-----A:0:11:x:66.R"


@pytest.mark.parametrize(
    ("rules", "line", "play", "after"),
    [
        (AMERICAN, ONE_OF_21, "off/24", "---------------------bbbA-:14:9:o:R"),
        (EUROPEAN, ONE_OF_21, "off/24", "---------------------bbbA-:14:9:o:R"),
        (DICE_BOARD, ONE_OF_21, "off/24", "---------------------bbbA-:14:9:x:N.R"),
        (BGAMMON, ONE_OF_21, "off/24", "---------------------bbbA-:14:9:o:R"),
        (DICE_BOARD, ONE_OF_21_BAR, "bar/24", "---------------------bbbAA:13:9:o:R"),
        (BGAMMON, ONE_OF_21_BAR, "bar/24", "---------------------bbbAA:13:9:o:R"),
        (AMERICAN, THREE_6S, "bar/13 19/13", "-b-----b-----B------------:0:11:o:R"),
        (DICE_BOARD, THREE_6S, "bar/13 19/13", "-b-----b-----B------------:0:11:x:R"),
        (BGAMMON, THREE_6S, "bar/13 19/13", "-b-----b-----B------------:0:11:x:R"),
    ],
)
def test_a_stage_not_played_in_full(rules: RuleSet, line: str, play: str, after: str) -> None:
    state = State.parse(line, rules)
    assert [legal.text for legal in state.legal_plays()] == [play]
    assert state.apply(action_of(f"play {play}")).line == after


def test_an_incomplete_double_loses_its_complement_too() -> None:
    line = "-b-----b-----------A-----A:0:11:x:66.11.R"
    assert run(EUROPEAN, line, "play bar/13 19/13") == "-b-----b-----B------------:0:11:o:R"


def test_an_incomplete_complement_loses_the_roll() -> None:
    after_6s = run(EUROPEAN, "------------------b-----b-:15:11:x:66.11.R", "play off/19(4)")
    assert after_6s == "------------------bD----b-:11:11:x:11.R"
    assert run(EUROPEAN, after_6s, "play -") == "------------------bD----b-:11:11:o:R"


def test_a_roll_that_earns_nothing_just_passes_the_turn() -> None:
    for rules in PRESETS.values():
        line = "-------------------bbbbbbA:0:3:x:63"
        assert run(rules, line, "play -") == "-------------------bbbbbbA:0:3:o:R"


# --- giving up -------------------------------------------------------------------------------


def test_giving_up_is_the_side_to_act_and_what_the_position_scores() -> None:
    state = State.parse("aAA---------------------c-:0:3:o:N.R", AMERICAN)
    over = state.apply(Concede())
    assert over.outcome == Outcome(Side.X, 7, How.RESIGNATION)
    assert over.line == state.line
    assert (over.turn, over.agenda, over.position) == (state.turn, state.agenda, state.position)
    assert over.legal_actions() == ()
    assert over.dice is None
    assert over != state
    with pytest.raises(WrongAction) as caught:
        over.apply(Name(1))
    assert caught.value.rule is Rule.GAME_OVER


def test_a_conceded_game_has_nothing_to_play_though_its_line_has_dice() -> None:
    over = State.parse("aAA---------------------c-:0:3:o:63", AMERICAN).apply(Concede())
    assert over.line == "aAA---------------------c-:0:3:o:63"
    assert over.dice is None
    assert over.legal_actions() == ()
    for wrong in (over.legal_plays, over.legal_text, lambda: over.apply(PASS)):
        with pytest.raises(WrongAction) as caught:
            wrong()
        assert caught.value.rule is Rule.GAME_OVER


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Concede(), "resign"),
        (Concede(points=3), "resign 3"),
        (Roll(3, 6), "roll 63"),
        (Roll(6, 6), "roll 66"),
        (Name(6), "name 6"),
        (PASS, "-"),
    ],
)
def test_an_action_as_text(action: Action, text: str) -> None:
    assert str(action) == text
