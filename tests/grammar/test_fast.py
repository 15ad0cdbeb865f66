"""The fast ways of reading come to the same as the grammar and State, on broken text too."""

import random
from io import StringIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark
from tests.support.recorded import random_game

from acey_grammar import GameRecord, ReadGame, Validation, parse_game, validate, write_game
from acey_grammar.agendas import agenda_table
from acey_grammar.chunks import BLOCK
from acey_grammar.fast import fast_game
from acey_grammar.games import read_acey, read_by
from acey_grammar.grammar import GRAMMAR, STARTS
from acey_grammar.judge import JudgedGame, judge_acey, scan
from acey_rules import PRESETS, ROLL, Name, Play, Roll, RuleSet, State

GENERATOR = Lark(GRAMMAR, parser="lalr", start=list(STARTS))


needs_scanner = pytest.mark.skipif(
    scan is None, reason="without the compiled scanner there is nothing to compare"
)


def slowly(text: str) -> list[ReadGame]:
    """The games as the grammar reads them."""
    games: list[ReadGame] = []
    for game in read_by(StringIO(text), lambda _: None):
        assert game is not None
        games.append(game)
    return games


def told(game: ReadGame) -> tuple[object, ...]:
    return game.record, game.faults, game.line, game.complete, game.places


def verdict(validation: Validation) -> tuple[object, ...]:
    rules = validation.rules
    state = validation.state
    return validation.faults, rules, state, validation.turns, validation.rolls


def check(text: str) -> None:
    """Every way of reading and judging the text, compared."""
    slow = slowly(text)
    assert [told(game) for game in read_acey(StringIO(text))] == [told(game) for game in slow]
    judged = list(judge_acey(StringIO(text)))
    assert [verdict(game.validation) for game in judged] == [
        verdict(validate(game)) for game in slow
    ]
    for game, read in zip(judged, slow, strict=True):
        record = read.record
        assert (game.tags, game.result, game.line) == (record.tags, record.result, read.line)
        assert game.first == (record.turns[0].side if record.turns else None)
        assert told(game.read) == told(read)


# --- good text --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("seed", range(3 if scan else 1))
def test_sound_games_are_read_and_judged_alike(rules: RuleSet, seed: int) -> None:
    record, end = random_game(rules, random.Random(seed))
    text = write_game(record)
    check(text)
    assert fast_game(text) == record
    (game,) = judge_acey(StringIO(text))
    assert game.validation.valid
    assert game.validation.state == end


@needs_scanner
@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_sound_games_are_scanned(rules: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(text: str) -> None:
        raise AssertionError(text)

    record, end = random_game(rules, random.Random(9))
    for path in ("judge.validate", "fast.fast_game", "games.fast_game", "games.parse_tree"):
        monkeypatch.setattr(f"acey_grammar.{path}", parsed)
    games = list(judge_acey(StringIO(write_game(record) + "\n" + write_game(record))))
    assert [game.validation.state for game in games] == [end, end]
    assert [game.line for game in games] == [1, write_game(record).count("\n") + 2]


HOME = '[X "a"]\n[O "b"]\n[Rules "american"]\n[Position "------B-----------------c-:0:0:x:R"]\n\n'
BODIES = [
    "*",
    "X wins 3",
    "O wins 2 by resignation",
    "X wins 3 on time",
    "O wins 1 by forfeit",
    "O wins 16 by forfeit",
    "1. X 21: 6/4 6/5, =66: 5/off 4/off\nX wins 3",
    "1. X 21: 6/4 6/5, =66: 5/off 4/off !? {%t 1.5} {a} {%eval 1}\nX wins 3",
    "1. X 21: 6/4 6/5, =66: 5/off 4/off {%t 1.5} {%t 1}\nX wins 3",
    "1. X 21: 6/4 6/5, =66: 5/off 4/off {%t 1.}\nX wins 3",
    "1. X 21: 6/4 6/5, =66: 5/off 4/off {%t}\nX wins 3",
    "1. X 21: 6/4 6/5, =66: 5/off 4/off {%time}\nX wins 3",
    "1. X 21: 6/4 6/5, =66: 5/off 4/off {é\n[X y]\n}\n{b}\nX wins 3",
    "{before}\n1. X 31: 6/3 6/5\n# between\n1. O 13: 1/off(2)\n*\n# behind",
    "{%t 1}\n1. X 31: 6/3 6/5\n*",
    "1. X 21: 6/4 6/5\n*",
    "1. X 21: 6/4 6/5\nO wins 2 by resignation",
    "1. X 21: 6/4 6/5\nX wins 3",
    "1. X 21: 6/4 6/5\n1. O 31: 1/off(2)\n*",
    "1. X 21: 6/5 6/4\n*",
    "1. X 12: 6/4 6/5, =66: 5/off 4/off\nX wins 3",
    "1. X 21: 6/4 6/5, =66: 5/off 4/off, 31: -\nX wins 3",
    "1. X 21: 6/4 6/5, =66: 5/off 4/off\n1. O 31: 1/off(2)\nX wins 3",
    "1. X 31: 6/3 6/5\n2. O 31: 1/off(2)\n*",
    "1. X 31: 6/3 6/5\n1. X 31: 5/4 3/off\n*",
    "1. X 31: 6/3\n*",
    "1. X 31: 6/3 6/5*\n*",
    "1. X 31: 6/3  6/5\n*",
    "1.X31:6/3 6/5,\n*",
    "1.X31:6/3 6/5\n*",
    "1. X 31: 6/3 6/5 !!!\n*",
    "1. X 31: 6/3 6/5 !!\n* *",
    "1. X =31: 6/3 6/5\n*",
    "1. X 31: 6/3 6/5\n\n\n*\n\n\n",
    "1. X 31: 6/3 6/5\t\n  *  ",
    "1. X 31: 6/3 6/5\nX  wins 3  by  resignation",
    "1. X 31: 6/3 6/5",
    "1. X 31: 6/3 6/5 {open\n*",
    "01. X 31: 6/3 6/5\n*",
    "1. X 31: 6/3 6/5\nX wins 3x",
]


@pytest.mark.parametrize("body", BODIES)
def test_every_shape_of_a_game_is_judged_alike(body: str) -> None:
    check(f"{HOME}{body}\n")
    check(f"{HOME}{body}\n\n{HOME}{body}\n")
    check(f"# first\n\n{HOME}{body}\n\n# next\n\n{HOME}*\n{HOME}{body}\n\n# last\n")


@needs_scanner
@pytest.mark.parametrize("rules", PRESETS)
def test_games_without_opening_dice_are_judged_alike(rules: str) -> None:
    record, _ = random_game(PRESETS[rules], random.Random(3))
    tags = tuple(tag for tag in record.tags if tag[0] != "Opening")
    text = write_game(GameRecord(tags, record.turns, record.result))
    check(text)
    check(text.replace('Rules "', 'Rules "x'))


@needs_scanner
def test_games_over_the_edge_of_a_block_are_whole() -> None:
    record, _ = random_game(PRESETS["european"], random.Random(6))
    text = write_game(record)
    games = text + ("\n" + text) * (2 * BLOCK // len(text) + 1)
    assert [game.record for game in read_acey(StringIO(games))] == [record] * (
        games.count("\n\n[") + 1
    )
    assert sum(game.validation.valid for game in judge_acey(StringIO(games))) == (
        games.count("\n\n[") + 1
    )


# --- text of the grammar, and broken text -----------------------------------------------------


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(from_lark(GENERATOR, start="game"), min_size=1, max_size=2))
def test_text_of_the_grammar_is_read_alike(texts: list[str]) -> None:
    check("\n".join(texts) + "\n")


SOUND = write_game(random_game(PRESETS["european"], random.Random(5))[0])
SHORT = f"{HOME}1. X 21: 6/4 6/5, =66: 5/off 4/off ! {{%t 1.25}} {{note}}\nX wins 3\n"
LETTERS = [*'/*(){}[]":,.=~-!?#XObarof0123456789 \n\r\té%t', "\n\n", "\n[X", "{%t 1}", "X wins "]
CHANGES = st.lists(
    st.tuples(
        st.floats(0, 1), st.sampled_from(["delete", "insert", "cut"]), st.sampled_from(LETTERS)
    ),
    min_size=1,
    max_size=4,
)


def changed(text: str, changes: list[tuple[float, str, str]]) -> str:
    for place, how, letters in changes:
        at = int(place * len(text))
        if how == "delete":
            text = text[:at] + text[at + 1 :]
        elif how == "insert":
            text = text[:at] + letters + text[at:]
        else:
            text = text[:at] + text[at + 7 :]
    return text


@given(CHANGES)
def test_broken_games_are_judged_alike(changes: list[tuple[float, str, str]]) -> None:
    check(changed(f"{SHORT}\n{SHORT}\n{SHORT}", changes))


@needs_scanner
@settings(max_examples=30)
@given(CHANGES)
def test_a_long_broken_game_is_judged_alike(changes: list[tuple[float, str, str]]) -> None:
    check(changed(SOUND, changes))


@given(CHANGES)
def test_what_the_expressions_take_the_grammar_takes(
    changes: list[tuple[float, str, str]],
) -> None:
    text = changed(SHORT, changes).replace("\r", "")
    record = fast_game(text if text.endswith("\n") else text + "\n")
    if record is not None:
        assert parse_game(text) == record


# --- the table of agendas ---------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_the_table_says_what_state_does(rules: RuleSet) -> None:
    """Followed through random games, it leads where State.apply does."""
    table = agenda_table(rules)
    rows = memoryview(table.rows).cast("h")
    rng = random.Random(2)
    state = State.start(rules, (6, 1))
    for _ in range(2000 if scan else 200):
        row = rows[40 * table.numbers[state.agenda] :]
        assert table.agendas[table.numbers[state.agenda]] == state.agenda
        action = rng.choice(state.legal_actions())
        if isinstance(action, Roll):
            action = Roll(rng.randint(1, 6), rng.randint(1, 6))
        after = state.apply(action)
        assert isinstance(action, Roll | Name | Play)
        if isinstance(action, Roll):
            follows = row[4 + 6 * (action.first - 1) + action.second - 1]
        elif isinstance(action, Name):
            follows = row[4 + action.number - 1]
        else:
            assert state.dice is not None
            assert tuple(row[1:3]) == state.dice
            complete = len(action.moves) == (4 if state.dice[0] == state.dice[1] else 2)
            on_bar = bool(action.after.on_bar(state.turn))
            follows = row[4 if complete else 6 if on_bar else 5]
        if after.outcome is not None:
            after = State.start(rules, (6, 1))
        else:
            due = table.agendas[follows]
            assert after.agenda == (due or (ROLL,))
            assert (after.turn is state.turn) == bool(due)
        state = after


def test_half_a_character_in_a_comment_is_judged_as_it_is_read() -> None:
    text = SHORT.replace("{note}", "{\udce9}")
    assert text != SHORT
    (game,) = judge_acey(StringIO(text))
    (read,) = read_acey(StringIO(text))
    assert isinstance(game, JudgedGame)
    assert game.read.record == read.record
    assert game.validation.faults == ()


def test_a_judged_game_gives_its_record_when_asked() -> None:
    (game,) = judge_acey(StringIO(SHORT))
    assert isinstance(game, JudgedGame)
    assert game.read.record == parse_game(SHORT)
    assert game.read.places.result == (7, 1)
