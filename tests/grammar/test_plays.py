"""Plays and actions as text: what is read, and where what is not is wrong. spec/notation.md §3."""

import pytest

from acey_grammar import NotationError, parse_action, parse_play
from acey_rules import (
    BACKGAMMON,
    BAR,
    OFF,
    UNENTERED,
    AmbiguousPlay,
    Concede,
    Name,
    Roll,
    State,
    WrittenMove,
    WrittenPlay,
)

PLAYS = {
    "-": (),
    " - ": (),
    "off/19 off/22": (WrittenMove(UNENTERED, (19,)), WrittenMove(UNENTERED, (22,))),
    "bar/20 6/off": (WrittenMove(BAR, (20,)), WrittenMove(6, (OFF,))),
    "13/7(2)\t8/2*": (WrittenMove(13, (7,), times=2), WrittenMove(8, (2,), (2,))),
    "24/18*/12/6*(4)": (WrittenMove(24, (18, 12, 6), (18, 6), 4),),
    "1/off": (WrittenMove(1, (OFF,)),),
}


@pytest.mark.parametrize("text", PLAYS)
def test_a_play_is_read(text: str) -> None:
    assert parse_play(text) == WrittenPlay(PLAYS[text])


ACTIONS = {
    "roll 63": Roll(6, 3),
    "roll 36": Roll(3, 6),
    "play off/19 off/22": WrittenPlay(PLAYS["off/19 off/22"]),
    "play -": WrittenPlay(()),
    "name 6": Name(6),
    "resign": Concede(),
    "resign 3": Concede(points=3),
}


@pytest.mark.parametrize("text", ACTIONS)
def test_an_action_is_read(text: str) -> None:
    assert parse_action(text) == ACTIONS[text]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("13/7(1)", 5),
        ("13/7(5)", 5),
        ("13/7(0)", 5),
        ("13/7(2)(2)", 8),
        ("13/7 (2)", 6),
        ("", 1),
        ("13/7 8/25", 8),
        ("25/19", 1),
        ("13/7 - 8/2", 6),
        ("13/7,8/2", 5),
        ("13/7off/3", 5),
        ("13/7\n8/2", 5),
    ],
)
def test_a_wrong_play_is_refused_at_its_column(text: str, column: int) -> None:
    with pytest.raises(NotationError) as caught:
        parse_play(text)
    assert (caught.value.line, caught.value.column) == (1, column)


def test_a_double_can_be_written_in_several_ways() -> None:
    state = State.parse("--------B----B---------c--:0:0:x:66", BACKGAMMON)
    texts = ("13/7(2) 8/2(2)", "13/7 13/7 8/2 8/2", "8/2(2) 13/7(2)")
    found = {state.find(parse_play(text)).text for text in texts}
    assert found == {"13/7(2) 8/2(2)"}


def test_a_stop_that_matters_must_be_written() -> None:
    state = State.parse("----aa-----A-B----------b-:0:0:x:61", BACKGAMMON)
    with pytest.raises(AmbiguousPlay) as caught:
        state.apply(parse_play("11/4"))
    assert caught.value.ways == ("11/10/4*", "11/5*/4*")


@pytest.mark.parametrize(
    "line", ["----a------A-B----------b-:0:0:x:61", "----ab-----A-B----------b-:0:0:x:61"]
)
def test_a_stop_that_does_not_matter_may_be_left_out(line: str) -> None:
    state = State.parse(line, BACKGAMMON)
    assert state.find(parse_play("11/4")).text == "11/4*"
