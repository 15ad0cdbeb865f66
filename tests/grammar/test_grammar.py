"""The grammar itself: strict, and everything it generates is read, written and read again alike."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark

from acey_grammar import RecordError, parse_games, parse_play, write_game
from acey_grammar.grammar import GRAMMAR, STARTS, Refusal, parse_tree, patterns
from acey_grammar.items import lines_of
from acey_grammar.record import (
    FileComment,
    GameRecord,
    Result,
    RollRecord,
    TurnRecord,
)

GENERATOR = Lark(GRAMMAR, parser="lalr", start=list(STARTS))


def test_the_grammar_is_strictly_lalr() -> None:
    Lark(GRAMMAR, parser="lalr", start=list(STARTS), strict=True)


def test_each_terminal_keeps_its_alternatives_together() -> None:
    """A terminal made of another must not fall apart at a bar of it."""
    assert patterns()["STOP"] == r"(?:2[0-4]|1[0-9]|[1-9])(?:\*)?"


def odd(text: str) -> bool:
    """Text that is well formed line by line and yet no game: its tags or times come twice."""
    tree = parse_tree("file", text)
    assert not isinstance(tree, Refusal)
    names = [str(line.children[0]).split('"')[0] for line in lines_of(tree) if line.data == "tag"]
    return "{%t" in text or len(names) > len({name.strip("[ \t") for name in names})


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(from_lark(GENERATOR, start="game"))
def test_every_game_of_the_grammar_comes_back(text: str) -> None:
    text = text if text.endswith("\n") else text + "\n"
    assume(not odd(text))
    (game,) = parse_games(text)
    assert {fault.kind for fault in game.faults} <= {"turn-number"}
    written = write_game(game.record)
    (again,) = parse_games(written)
    assert again.faults == ()
    assert again.record == game.record
    assert write_game(again.record) == written


@given(from_lark(GENERATOR, start="play"))
def test_every_play_of_the_grammar_comes_back(text: str) -> None:
    written = str(parse_play(text))
    assert str(parse_play(written)) == written


# --- records that no text made ----------------------------------------------------------------


LINE = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20)
COMMENT = st.text(st.characters(codec="utf-8", exclude_characters="\r{}"), max_size=20).filter(
    lambda text: not text.startswith("%t") or text[2:3].isalnum()
)
NAME = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,9}", fullmatch=True)
ROLLS = st.builds(
    RollRecord,
    st.from_regex("[1-6][1-6]", fullmatch=True),
    st.sampled_from(["-", "off/19 off/22", "13/7*(2) 8/2", "bar/20/15*/10", "6/off(4)"]),
    st.sampled_from(["rolled", "named", "complement"]),
)
TURNS = st.builds(
    TurnRecord,
    st.sampled_from("XO"),
    st.lists(ROLLS, min_size=1, max_size=4).map(tuple),
    st.sampled_from(["", "!", "!!", "?", "??", "!?", "?!"]),
    st.none() | st.floats(0, 1e9, exclude_max=True),
    st.lists(COMMENT, max_size=3).map(tuple),
)
RESULTS = st.builds(
    Result,
    st.sampled_from("XO"),
    st.integers(1, 999_999_999),
    st.sampled_from(["play", "resignation", "time", "forfeit"]),
)
GAMES = st.builds(
    GameRecord,
    st.lists(st.tuples(NAME, LINE), min_size=1, max_size=4, unique_by=lambda tag: tag[0]).map(
        tuple
    ),
    st.lists(TURNS, max_size=4).map(tuple),
    st.none() | RESULTS,
    st.lists(COMMENT, max_size=2).map(tuple),
)


@given(GAMES, st.lists(st.tuples(LINE, st.integers(0, 10)), max_size=3))
def test_every_record_comes_back(game: GameRecord, notes: list[tuple[str, int]]) -> None:
    last = len(game.tags) + len(game.turns) + 1
    ordered = sorted((min(place, last), text) for text, place in notes)
    comments = tuple(FileComment(text, place) for place, text in ordered)
    record = GameRecord(game.tags, game.turns, game.result, game.comments, comments)
    text = write_game(record)
    (read,) = parse_games(text)
    assert read.record == record
    assert read.faults == ()
    (two, three) = parse_games(text + "\n" + text)
    assert (two.record, three.record) == (record, record)


TAGS = (("X", "alpha"),)
TURN = TurnRecord("X", (RollRecord("63", "off/19 off/22"),))
UNWRITABLE = {
    "no tags": GameRecord(()),
    "tag name": GameRecord((("X Y", "alpha"),)),
    "tag value": GameRecord((("X", "a\nb"),)),
    "surrogate": GameRecord((("X", "\ud800"),)),
    "no rolls": GameRecord(TAGS, (TurnRecord("X", ()),)),
    "dice": GameRecord(TAGS, (TurnRecord("X", (RollRecord("73", "-"),)),)),
    "play": GameRecord(TAGS, (TurnRecord("X", (RollRecord("63", "off/19 33/2"),)),)),
    "blanks": GameRecord(TAGS, (TurnRecord("X", (RollRecord("63", "off/19  off/22"),)),)),
    "brace": GameRecord(TAGS, (TURN,), comments=("a}b",)),
    "time as comment": GameRecord(TAGS, (TURN,), comments=("%t 1",)),
    "negative time": GameRecord(TAGS, (TurnRecord("X", TURN.rolls, seconds=-1),)),
    "no time": GameRecord(TAGS, (TurnRecord("X", TURN.rolls, seconds=float("nan")),)),
    "endless time": GameRecord(TAGS, (TurnRecord("X", TURN.rolls, seconds=float("inf")),)),
    "points": GameRecord(TAGS, (TURN,), Result("X", 0)),
    "line": GameRecord(TAGS, file_comments=(FileComment("a\nb"),)),
    "place": GameRecord(TAGS, file_comments=(FileComment("a", 3),)),
    "order": GameRecord(TAGS, file_comments=(FileComment("a", 1), FileComment("b", 0))),
    "long line": GameRecord((("X", "a" * (1 << 20)),)),
    "long game": GameRecord(tuple((f"A{index}", "a" * 999_999) for index in range(5))),
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_a_record_that_no_text_can_say_is_refused(name: str) -> None:
    with pytest.raises(RecordError):
        write_game(UNWRITABLE[name])
