"""Records written in a foreign format and read again: nothing is lost that is not told."""

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.random_games import random_game

from acey_grammar import GameRecord, RollRecord, TurnRecord, validate
from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.registry import FORMATS, judge, sniff
from acey_grammar.formats.telling import tell
from acey_grammar.formats.verdict import Verdict
from acey_grammar.record import SideName
from acey_rules import PRESETS

RULES = {"mat": "backgammon", "sgf": "backgammon", "fibs": "backgammon", "plain": "backgammon"}
CASES = [*RULES.items(), ("bgammon", "backgammon"), ("bgammon", "bgammon"), ("plain", "american")]

words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=9)
names = st.one_of(words, st.builds(" ".join, st.lists(words, min_size=1, max_size=3)))
comments = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="{}\r\x00"), max_size=30), max_size=3
)
tags = st.dictionaries(
    st.sampled_from(
        ("Event", "Date", "Site", "Round", "XElo", "Odd", "XRating", "Started", "HeaderScore")
    ),
    st.one_of(
        names,
        st.sampled_from(("2026-11-30", "1700000001", "01700000001", "1969-01-01", "3-2", "0-0")),
    ),
    max_size=3,
)
glyphs = st.sampled_from(("", "!", "!!", "?", "??", "!?", "?!"))


@st.composite
def records(draw: st.DrawFn, rules: str) -> GameRecord:
    """A played game with names, tags, comments and marks of any kind."""
    game = random_game(rules, draw(st.integers(0, 14)), 20)
    players = (draw(names), draw(names))
    extra = [("X", players[0]), ("O", players[1]), ("Rules", rules)]
    if draw(st.booleans()):
        extra += [("Match", str(draw(st.integers(0, 25))))]
        extra += [("Score", f"{draw(st.integers(0, 0))}-0")]
    extra += list(draw(tags).items())
    turns = list(game.turns)
    if turns and draw(st.booleans()):
        index = draw(st.integers(0, len(turns) - 1))
        noted = tuple(draw(comments))
        turns[index] = replace(turns[index], comments=noted, glyph=draw(glyphs))
        if draw(st.booleans()):
            turns[index] = replace(turns[index], seconds=1.5)
    return replace(game, tags=tuple(extra), turns=tuple(turns), comments=tuple(draw(comments)[:1]))


def read_back(text: str, name: str, rules: str) -> list[Verdict]:
    form = FORMATS[name]
    lines = list(TextLines(BytesIO(text.encode())))
    assert sniff(lines)[0] == name
    return [judge(chunk, PRESETS[rules]) for chunk in form.split(lines)]


def rolls(record: GameRecord) -> list[tuple[str, tuple[RollRecord, ...]]]:
    return [(turn.side, turn.rolls) for turn in record.turns]


@pytest.mark.parametrize(("name", "rules"), CASES)
@settings(max_examples=15)
@given(st.data())
def test_what_is_not_told_as_lost_is_there_again(
    name: str, rules: str, data: st.DataObject
) -> None:
    record = data.draw(records(rules))
    if not record.turns:
        return
    raw = tell(record, FORMATS[name].held)
    text = "".join(FORMATS[name].write([raw]))
    (verdict,) = read_back(text, name, rules)
    assert verdict.record is not None
    assert verdict.faults == ()
    assert rolls(verdict.record) == rolls(record)
    if "how the game ended" not in raw.losses:
        assert verdict.record.result == record.result
    if not raw.losses:
        assert sorted(verdict.record.tags) == sorted(record.tags)
        assert verdict.record.turns == record.turns
        assert verdict.record.comments == record.comments
        assert verdict.losses == ()


@pytest.mark.parametrize(("name", "rules"), CASES)
def test_several_games_stay_apart(name: str, rules: str) -> None:
    games = [random_game(rules, seed, 80) for seed in range(5)]
    text = "".join(FORMATS[name].write(tell(game, FORMATS[name].held) for game in games))
    found = [verdict.record for verdict in read_back(text, name, rules)]
    assert [rolls(record) for record in found if record] == [rolls(game) for game in games]


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_cube_a_drop_and_a_roll_not_played_come_back(name: str) -> None:
    game = random_game("backgammon", 3, 40)
    last = game.turns[-1]
    doubler = "O" if last.side == "X" else "X"
    noted = (f"%cube {doubler} double 2", f"%cube {last.side} take")
    turns = (*game.turns[:-1], replace(last, comments=noted))
    tags = (*game.tags, ("Match", "5"), ("Score", "0-0"), ("Cube", "2"))
    record = replace(game, tags=tags, turns=turns, result=None)
    raw = tell(record, FORMATS[name].held)
    (verdict,) = read_back("".join(FORMATS[name].write([raw])), name, "backgammon")
    assert verdict.record is not None
    if name == "plain":
        assert "the doubling cube" in raw.losses
        return
    assert verdict.record.turns == record.turns
    assert verdict.record.tag("Cube") == "2"
    assert isinstance(verdict.record.turns[-1], TurnRecord)


@pytest.mark.parametrize("side", ["X", "O"])
@pytest.mark.parametrize("dice", ["31", "22"])
def test_a_game_from_a_position_comes_back_whatever_its_first_roll(
    side: SideName, dice: str
) -> None:
    line = f"-----A------A------a--a---:0:0:{side.lower()}:R"
    tags = (("X", "alpha"), ("O", "beta"), ("Rules", "backgammon"), ("Position", line))
    play = {"X31": "12/8", "X22": "12/4", "O31": "6/5 3/off", "O22": "6/off 3/1"}[side + dice]
    record = GameRecord(tags, (TurnRecord(side, (RollRecord(dice, play),)),))
    assert validate(record).faults == ()
    raw = tell(record, FORMATS["sgf"].held)
    (verdict,) = read_back("".join(FORMATS["sgf"].write([raw])), "sgf", "backgammon")
    assert (verdict.faults, raw.losses) == ((), [])
    assert verdict.record == record


@pytest.mark.parametrize("side", ["X", "O"])
def test_a_position_without_a_roll_comes_back_with_whose_turn_it_is(side: str) -> None:
    line = f"-----A------A------a--a---:0:0:{side.lower()}:R"
    record = GameRecord(
        (("X", "alpha"), ("O", "beta"), ("Rules", "backgammon"), ("Position", line))
    )
    raw = tell(record, FORMATS["sgf"].held)
    (verdict,) = read_back("".join(FORMATS["sgf"].write([raw])), "sgf", "backgammon")
    assert (verdict.record, raw.losses, verdict.losses) == (record, [], ())


def test_a_name_that_is_empty_is_told_as_lost() -> None:
    record = replace(
        random_game("backgammon", 4, 20), tags=(("X", ""), ("O", "b"), ("Rules", "backgammon"))
    )
    raw = tell(record, FORMATS["sgf"].held)
    text = "".join(FORMATS["sgf"].write([raw]))
    assert raw.losses == ["a name that is empty"]
    (verdict,) = read_back(text, "sgf", "backgammon")
    assert verdict.record is not None
    assert verdict.record.tag("X") == "?"


@pytest.mark.parametrize(("name", "rules"), CASES)
@pytest.mark.parametrize("shown", ["2", "x"])
def test_a_cube_that_nobody_turned_comes_back_or_is_told_as_lost(
    name: str, rules: str, shown: str
) -> None:
    game = random_game(rules, 3, 40)
    tags = (("X", "a"), ("O", "b"), ("Rules", rules), ("Cube", shown))
    raw = tell(replace(game, tags=tags, result=None), FORMATS[name].held)
    (verdict,) = read_back("".join(FORMATS[name].write([raw])), name, rules)
    assert verdict.record is not None
    assert (verdict.record.tag("Cube") == shown) is ("the tag Cube" not in raw.losses)
    assert verdict.record.tag("Cube") == ("2" if name == "sgf" and shown == "2" else None)


def test_a_score_without_a_match_length_is_told_in_sgf() -> None:
    tags = (("X", "a"), ("O", "b"), ("Rules", "backgammon"), ("Score", "3-2"))
    raw = tell(replace(random_game("backgammon", 3, 40), tags=tags), FORMATS["sgf"].held)
    (verdict,) = read_back("".join(FORMATS["sgf"].write([raw])), "sgf", "backgammon")
    assert raw.losses == ["that no match length is stated: it is written as 0"]
    assert verdict.record is not None
    assert verdict.record.tag("Match") == "0"
