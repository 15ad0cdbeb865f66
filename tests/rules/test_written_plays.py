"""Which play a written one means, and what is wrong with one that means none.

spec/rules.md §3, §4 and §9, spec/notation.md §3.
"""

import pytest
from tests.support.vectors import action_of

from acey_rules import PRESETS, AmbiguousPlay, IllegalAction, State, WrittenPlay


def at(line: str, rules: str) -> State:
    return State.parse(line, PRESETS[rules])


def refusal(state: State, text: str) -> IllegalAction:
    with pytest.raises(IllegalAction) as caught:
        state.apply(action_of(f"play {text}"))
    assert caught.value.position == state.line
    return caught.value


def meant(state: State, text: str) -> str:
    """Return the canonical text of the play that ``text`` means."""
    written = action_of(f"play {text}")
    assert isinstance(written, WrittenPlay)
    return state.find(written).text


def texts(state: State) -> list[str]:
    return [play.text for play in state.legal_plays()]


# --- plays people stumbled over ----------------------------------------------------------------


def test_the_only_way_to_use_both_dice_is_the_only_play() -> None:
    state = at("----b-M-A-------b-cdd---A-:0:0:x:62", "backgammon")
    assert texts(state) == ["24/22 8/2"]
    after = "--A-b-M---------b-cdd-A---:0:0:o:R"
    assert state.apply(action_of("play 8/2 24/22")).line == after
    error = refusal(state, "8/2")
    assert error.rule.code == "more-dice"
    assert error.message == "'8/2' uses one die of 6-2; two can be played"


@pytest.mark.parametrize(
    ("rules", "texts_", "same", "other"),
    [
        ("american", ["4/off"], ["4/off", "4/2/off", "4/2 2/off", "2/off 4/2"], "4/2"),
        ("backgammon", ["4/off"], ["4/off", "4/2/off"], "4/2"),
        ("dice-board", ["4/off"], ["4/off", "4/2/off"], "4/2"),
        ("bgammon", ["4/2"], ["4/2"], "4/off"),
        ("european", ["4/2"], ["4/2"], "4/off"),
    ],
)
def test_the_last_checker_on_4_with_6_2(
    rules: str, texts_: list[str], same: list[str], other: str
) -> None:
    state = at("----A-------------------a-:0:0:x:62", rules)
    assert texts(state) == texts_
    (only,) = state.legal_plays()
    for spelling in same:
        written = action_of(f"play {spelling}")
        assert state.apply(written) == state.apply(only)
    refusal(state, other)


@pytest.mark.parametrize(
    ("rules", "plays"),
    [
        ("american", ["2/off(2) 1/off(2)"]),
        ("backgammon", ["2/off(2) 1/off(2)"]),
        ("dice-board", ["2/off(2) 1/off(2)", "2/off 1/off(3)"]),
        ("bgammon", ["-"]),
        ("european", ["-"]),
    ],
)
def test_forced_bear_offs_are_listed_once(rules: str, plays: list[str]) -> None:
    state = at("-CB---------------------b-:0:0:x:R", rules).apply(action_of("roll 66"))
    assert texts(state) == plays


def test_a_stop_left_out_matters_only_where_the_ways_differ() -> None:
    blots = at("----aa-----A-B----------b-:0:0:x:61", "backgammon")
    with pytest.raises(AmbiguousPlay) as caught:
        blots.apply(action_of("play 11/4"))
    assert caught.value.ways == ("11/10/4*", "11/5*/4*")
    assert caught.value.message == "'11/4' can be read as '11/10/4*' or as '11/5*/4*'"
    assert refusal(blots, "11/4*").rule.code == "ambiguous"
    for text in ("11/10/4*", "11/10/4", "11/5*/4*", "11/5/4", "11/5/4*", "11/5*/4"):
        stop = text.split("/")[1].rstrip("*")
        assert f"/{stop}" in meant(blots, text)
    one_blot = at("----a------A-B----------b-:0:0:x:61", "backgammon")
    assert meant(one_blot, "11/4") == "11/4*"
    held = at("----ab-----A-B----------b-:0:0:x:61", "backgammon")
    assert meant(held, "11/4") == "11/4*"
    assert refusal(held, "11/5/4").rule.code == "point-held"


def test_a_double_in_any_order_is_one_play() -> None:
    state = at("-b----E-C---eE---c-e----B-:0:0:x:66", "backgammon")
    spellings = ["13/7(2) 8/2(2)", "13/7 13/7 8/2 8/2", "8/2(2) 13/7(2)", "8/2 13/7 8/2 13/7"]
    assert {state.apply(action_of(f"play {text}")).line for text in spellings} == {
        "-bB---EBA---eC---c-e----B-:0:0:o:R"
    }


def test_each_side_writes_its_own_points() -> None:
    state = at("--------------------------:15:15:o:63", "american")
    assert texts(state) == ["off/19 off/22", "off/16"]
    assert state.apply(action_of("play off/19 off/22")).line == (
        "---a--a-------------------:15:13:x:R"
    )


# --- hit marks ---------------------------------------------------------------------------------


def test_hit_marks_may_be_left_out_but_not_made_up() -> None:
    state = at("-------a-----B----------b-:0:0:x:61", "backgammon")
    assert meant(state, "13/7 13/12") == "13/7* 13/12"
    assert meant(state, "13/12 13/7*") == "13/7* 13/12"
    error = refusal(state, "13/7* 13/12*")
    assert error.rule.code == "no-hit"
    assert error.message == "'13/7* 13/12*' marks a hit on 12; nothing is hit"
    assert refusal(state, "13/7/6*").rule.code == "no-hit"


def test_a_hit_mark_may_tell_two_ways_apart() -> None:
    state = at("--------a----A----------b-:0:0:x:65", "backgammon")
    assert refusal(state, "13/2").rule.code == "ambiguous"
    assert refusal(state, "13/2*").rule.code == "no-hit"


# --- what is wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "rules", "text", "code", "message"),
    [
        (
            "----------------------bbBA:0:11:x:63",
            "american",
            "24/18",
            "bar-first",
            "'24/18' leaves a checker on the bar, which must enter first",
        ),
        (
            "-------------------c-----A:14:12:x:61",
            "american",
            "off/24 bar/19",
            "bar-first",
            "'off/24' leaves a checker on the bar, which must enter first",
        ),
        (
            "-------------------c-----B:13:12:x:61",
            "american",
            "bar/19",
            "point-held",
            "'bar/19': the 19 point is held by 3 opposing checkers",
        ),
        (
            "-------bb----B----------b-:0:0:x:65",
            "american",
            "13/2",
            "nothing-playable",
            "no part of 6-5 can be played, only '-'; '13/2': every point to stop on by the way"
            " is held",
        ),
        (
            "--------------------------:15:15:x:63",
            "american",
            "19/16 off/19 off/19",
            "too-many-moves",
            "3 moves are written; 6-3 gives 2",
        ),
        (
            "--------------------------:15:15:x:63",
            "american",
            "bar/19",
            "no-checker",
            "'bar/19': no checker of the mover is on the bar",
        ),
        (
            "-A----------------------b-:0:0:x:63",
            "american",
            "off/19",
            "no-checker",
            "'off/19': no checker of the mover is unentered",
        ),
        (
            "--------------------------:15:15:x:63",
            "american",
            "off/20 off/22",
            "not-these-dice",
            "'off/20' is 5 pips, not to be had from the 6 and 3 left of 6-3",
        ),
        (
            "------BA------------a-----:3:0:x:61",
            "american",
            "6/off 7/6",
            "not-home",
            "'6/off' may not bear off yet: 3 checkers are unentered",
        ),
        (
            "------BB------------a-----:0:0:x:61",
            "american",
            "6/off 7/6",
            "not-home",
            "'6/off' may not bear off yet: 2 checkers are outside the home board",
        ),
        (
            "------BAA-----------a-----:0:0:x:61",
            "american",
            "6/off 7/1",
            "not-home",
            "'6/off' may not bear off yet: 2 checkers are outside the home board",
        ),
        (
            "------B-------------a-----:1:0:x:61",
            "american",
            "6/off off/24",
            "not-home",
            "'6/off' may not bear off yet: 1 checker is unentered",
        ),
        (
            "-------------b-----B------:0:13:x:61",
            "american",
            "19/20",
            "not-these-dice",
            "'19/20' moves backwards",
        ),
        (
            "-------------b-----B------:0:13:x:61",
            "american",
            "19/19",
            "not-these-dice",
            "'19/19' is 0 pips, not to be had from the 6 and 1 left of 6-1",
        ),
        (
            "-------------b-----B------:0:13:x:65",
            "american",
            "19/18 19/14",
            "not-these-dice",
            "'19/18' is 1 pip, not to be had from the 6 and 5 left of 6-5",
        ),
        (
            "-A-AA--------------b----b-:0:0:x:61",
            "american",
            "3/off 1/off",
            "overshoot",
            "'3/off': a 6 takes off from a lower point only the highest checker",
        ),
        (
            "-A-AA-A------------b----b-:0:0:x:51",
            "dice-board",
            "3/off 4/3",
            "overshoot",
            "'3/off': a 5 takes off from a lower point only when no checker stands on 5 or above",
        ),
        (
            "-A-AA--------------b----b-:0:0:x:61",
            "bgammon",
            "4/off 4/3",
            "overshoot",
            "'4/off': a 6 takes a checker off from the 6 point only",
        ),
        (
            "---------A---A--------b---:0:0:x:63",
            "american",
            "9/off",
            "not-home",
            "'9/off' may not bear off yet: 1 checker is outside the home board",
        ),
        (
            "---------A---A--------b---:0:0:x:65",
            "american",
            "9/off",
            "not-home",
            "'9/off' may not bear off yet: 1 checker is outside the home board",
        ),
        (
            "-------------------------B:13:15:x:43",
            "american",
            "bar/18",
            "bar-first",
            "'bar/18' leaves a checker on the bar, which must enter first",
        ),
        (
            "-----A--A---------------b-:0:0:x:64",
            "american",
            "8/off",
            "overshoot",
            "'8/off': a 4 takes off from a lower point only the highest checker",
        ),
        (
            "-----A--A---------------b-:0:0:x:64",
            "bgammon",
            "8/off",
            "overshoot",
            "'8/off': a 4 takes a checker off from the 4 point only",
        ),
        (
            "--b----------A------------:0:13:x:65",
            "american",
            "13/8",
            "higher-die",
            "'13/8' uses the 5 of 6-5; only one die can be played, and it must be the 6",
        ),
        (
            "--------------------------:15:15:x:66",
            "american",
            "off/19(3)",
            "more-dice",
            "'off/19(3)' uses 3 dice of 6-6; four can be played",
        ),
        (
            "--------------------------:15:15:x:63",
            "american",
            "-",
            "must-play",
            "'-' plays nothing of 6-3; two can be played: 'off/19 off/22'",
        ),
    ],
)
def test_the_rule_broken_is_named(
    line: str, rules: str, text: str, code: str, message: str
) -> None:
    error = refusal(at(line, rules), text)
    assert (error.rule.code, error.message) == (code, message)
    assert str(error) == f"{message} (spec/rules.md {error.rule.section})"
