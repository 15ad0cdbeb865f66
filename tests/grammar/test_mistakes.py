"""Mistakes people make in notation: each is told at its place, in the user's words."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.recorded import random_game

from acey_grammar import (
    Fault,
    NotationError,
    parse_action,
    parse_games,
    parse_play,
    validate,
    write_game,
)
from acey_grammar.grammar import parser
from acey_grammar.mistake import Mistake
from acey_grammar.reference import MistakeRow, mistakes
from acey_rules import EUROPEAN

ROWS = mistakes(Path(__file__).parents[2] / "spec")
TAGS = '[X "alpha"]\n[O "beta"]\n[Rules "american"]\n'
FRAMES = {
    "turn": f"{TAGS}\n%s\n*\n",
    "tag": f"%s\n{TAGS}\n*\n",
    "result": f"{TAGS}\n%s\n",
    "file": "%s",
    "game": f"{TAGS}%s\n*\n",
}


def faults(where: str, text: str) -> list[Fault]:
    """What is wrong with a text, its lines counted from its own first."""
    if where in {"play", "action"}:
        with pytest.raises(NotationError) as caught:
            (parse_play if where == "play" else parse_action)(text)
        return [caught.value.fault]
    before, _, after = FRAMES[where].partition("%s")
    games = parse_games(before + text + after)
    if where == "game":
        return [fault for game in games for fault in validate(game).faults]
    return [fault for game in games for fault in game.faults]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.where} {row.text!r}" for row in ROWS])
def test_a_mistake_is_told_once_with_its_message(row: MistakeRow) -> None:
    (fault,) = faults(row.where, row.text)
    by = FRAMES[row.where].partition("%s")[0].count("\n") if row.where in FRAMES else 0
    assert (fault.line - by, fault.column, fault.message) == (row.line, row.column, row.message)


def test_there_are_mistakes_of_every_sort() -> None:
    counts = {where: sum(row.where == where for row in ROWS) for where in ("play", *FRAMES)}
    assert len(ROWS) >= 60
    assert min(counts.values()) >= 8


def test_no_message_names_a_terminal_of_the_grammar() -> None:
    names = {terminal.name for terminal in vars(parser())["terminals"]}
    said = {word for row in ROWS for word in re.findall(r"[A-Z_]{2,}", row.message)}
    assert said & names == set()


def test_a_long_text_is_shown_short() -> None:
    assert Mistake(0, "x" * 100, ("y",)).message == f"expected y; found '{'x' * 39}…'"
    assert Mistake(0, "a\nb", ("y",)).message == "expected y; found 'a'"


def test_a_line_end_in_a_play_is_told() -> None:
    (fault,) = faults("play", "off/19 off/22\n")
    assert (fault.column, fault.message) == (14, "found the end of a line")


# --- characters that cannot be seen ------------------------------------------------------------

SHORT = f"{TAGS}\n1. X 63: off/19 off/22 ! {{a}}\nX wins 3 by resignation\n"
"""A game; no name, value or comment is a place to put the characters below."""
HIDDEN = ["\xa0", "\u3000", "\v", "\f", "\0", "\x85", "\u2028", "\u200b", "\ufeff"]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_a_character_that_cannot_be_seen_is_told_where_it_stands(hidden: str) -> None:
    free = re.compile(r'(?<=")[^"\n]+(?=")|(?<={).*?(?=})')
    kept = {at for each in free.finditer(SHORT) for at in range(each.start(), each.end() + 1)}
    for at in sorted(set(range(1, len(SHORT))) - kept):
        before = SHORT[:at]
        games = list(parse_games(before + hidden + SHORT[at:]))
        found = [(fault.line, fault.column, fault.message) for fault in games[0].faults]
        message = f"found an invisible character, U+{ord(hidden):04X}; blanks are spaces and tabs"
        place = (before.count("\n") + 1, at - before.rfind("\n"))
        assert found == [(*place, message)]


# --- broken by chance -------------------------------------------------------------------------

GAME = write_game(random_game(EUROPEAN, random.Random(5))[0])
CHANGES = st.lists(
    st.tuples(
        st.integers(0, len(GAME) - 1),
        st.sampled_from(["delete", "insert", "replace", "double", "cut"]),
        st.sampled_from(list('/*(){}[]":,.=~-!?#XObarof0123456789 \n\té“')),
    ),
    min_size=1,
    max_size=3,
)


def changed(text: str, changes: list[tuple[int, str, str]]) -> str:
    for place, how, letter in changes:
        at = min(place, len(text))
        match how:
            case "delete":
                text = text[:at] + text[at + 1 :]
            case "insert":
                text = text[:at] + letter + text[at:]
            case "replace":
                text = text[:at] + letter + text[at + 1 :]
            case "double":
                text = text[:at] + text[at : at + 9] + text[at:]
            case _:
                text = text[:at]
    return text


@given(CHANGES)
def test_faults_of_broken_text_are_in_the_text(changes: list[tuple[int, str, str]]) -> None:
    text = changed(GAME, changes)
    lines = text.split("\n")
    for game in parse_games(text):
        for fault in game.faults:
            assert 1 <= fault.line <= len(lines)
            line = lines[fault.line - 1]
            assert 1 <= fault.column <= len(line) + 1
            first = fault.found.partition("\n")[0].strip()
            assert line[fault.column - 1 :].lstrip().startswith(first)
            assert fault.message
            assert not re.search(r"\b[A-Z]{3,}\b|_[A-Z]", fault.message.replace(first, ""))


@given(CHANGES)
def test_text_without_a_fault_reads_the_same_twice(changes: list[tuple[int, str, str]]) -> None:
    for game in parse_games(changed(GAME, changes)):
        if not game.faults:
            (again,) = parse_games(write_game(game.record))
            assert again.record == game.record
