"""The worked examples of spec/rules.md §8, written out by hand."""

import pytest
from tests.support.vectors import action_of

from acey_rules import (
    AMERICAN,
    BGAMMON,
    DICE_BOARD,
    EUROPEAN,
    How,
    IllegalAction,
    Name,
    Outcome,
    Position,
    Roll,
    Rule,
    RuleSet,
    Side,
    State,
    WrongAction,
)
from acey_rules.plays import board_of, single_moves

START = "--------------------------:15:15:x:R"


def at(line: str, rules: RuleSet = AMERICAN) -> State:
    return State.parse(line, rules)


def texts(state: State) -> list[str]:
    return [play.text for play in state.legal_plays()]


def played(state: State, text: str) -> State:
    return state.apply(action_of(f"play {text}"))


def test_1_the_first_roll_6_3_has_two_plays() -> None:
    state = at(START).apply(Roll(6, 3))
    assert texts(state) == ["off/19 off/22", "off/16"]
    for way in ("off/16", "off/19/16", "off/22/16", "off/19 19/16", "22/16 off/22"):
        assert played(state, way).line == "----------------A---------:14:15:o:R"
    assert played(state, "off/22 off/19").line == "-------------------A--A---:13:15:o:R"


def test_2_the_first_roll_5_5_has_five_plays() -> None:
    state = at(START).apply(Roll(5, 5))
    plays = ["off/20(4)", "off/20(2) off/15", "off/20 off/10", "off/15(2)", "off/5"]
    assert texts(state) == plays
    assert [played(state, text).line for text in plays] == [
        "--------------------D-----:11:15:o:R",
        "---------------A----B-----:12:15:o:R",
        "----------A---------A-----:13:15:o:R",
        "---------------B----------:13:15:o:R",
        "-----A--------------------:14:15:o:R",
    ]


def test_3_two_on_the_bar_against_two_points_lose_the_turn_and_the_naming() -> None:
    state = at("-----------------------bbB:13:11:x:R").apply(Roll(2, 1))
    assert state.line == "-----------------------bbB:13:11:x:21.N.R"
    assert texts(state) == ["-"]
    assert played(state, "-").line == "-----------------------bbB:13:11:o:R"


def test_4_only_the_1_of_a_2_1_enters_and_nothing_is_named() -> None:
    state = at("-----------------------b-B:13:13:x:R").apply(Roll(1, 2))
    assert texts(state) == ["bar/24"]
    assert played(state, "bar/24").line == "-----------------------bAA:13:13:o:R"


@pytest.mark.parametrize(
    ("rules", "line", "after"),
    [
        (AMERICAN, "--------------b----bA-----:14:11:x:N.R", "o:R"),
        (EUROPEAN, "--------------b----bA-----:14:11:x:N.R", "o:R"),
        (DICE_BOARD, "--------------b----bA-----:14:11:x:N.R", "x:R"),
        (DICE_BOARD, "--------------b----bA----A:13:11:x:N.R", "o:R"),
        (BGAMMON, "--------------b----bA----A:13:11:x:N.R", "x:R"),
    ],
)
def test_5_a_named_6_that_is_blocked_ends_the_turn_or_not(
    rules: RuleSet, line: str, after: str
) -> None:
    state = at(line, rules).apply(Name(6))
    assert texts(state) == ["-"]
    board = line.removesuffix(":x:N.R")
    if rules is EUROPEAN:
        assert state.line == f"{board}:x:66.11.R"
    assert played(state, "-").line == f"{board}:{after}"


def test_6_a_5_takes_off_from_4_once_that_is_the_highest() -> None:
    state = at("-A--A-A-----------------b-:0:0:x:52")
    assert texts(state) == ["6/1 4/2", "6/4/off"]
    assert played(state, "6/1 4/2").line == "-BA---------------------b-:0:0:o:R"
    assert played(state, "6/4 4/off").line == "-A--A-------------------b-:0:0:o:R"


@pytest.mark.parametrize(
    ("rules", "sources"), [(DICE_BOARD, [4, 3, 1]), (AMERICAN, [4]), (EUROPEAN, [])]
)
def test_7_a_single_6_with_checkers_on_4_3_and_1(rules: RuleSet, sources: list[int]) -> None:
    board = board_of(Position.parse("-A-AA--------------b----b-:0:0"), Side.X)
    moves = list(single_moves(board, 6, rules.overshoot))
    assert [str(move) for move in moves] == [f"{source}/off" for source in sources]


def test_8_the_last_checker_borne_off_by_the_1_of_a_2_1_ends_the_game() -> None:
    state = at("-A----------------------d-:0:2:x:R").apply(Roll(2, 1))
    assert texts(state) == ["1/off"]
    over = played(state, "1/off")
    assert over.line == "------------------------d-:0:2:x:-"
    assert over.outcome == Outcome(Side.X, 6, How.BORNE_OFF)
    assert over.legal_actions() == ()
    with pytest.raises(WrongAction) as caught:
        over.apply(Name(3))
    assert caught.value.rule is Rule.GAME_OVER


def test_9_either_die_but_not_both_must_be_the_higher() -> None:
    state = at("--b----------A------------:0:13:x:65")
    assert texts(state) == ["13/7"]
    with pytest.raises(IllegalAction) as caught:
        played(state, "13/8")
    assert caught.value.rule is Rule.HIGHER_DIE
    assert str(caught.value) == (
        "'13/8' uses the 5 of 6-5; only one die can be played, and it must be the 6"
        " (spec/rules.md §4)"
    )
