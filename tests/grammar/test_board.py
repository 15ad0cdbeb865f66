"""The text board and the drawing model: what stands where, from either side, in 80 columns."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.golden import HOSTILE, Sample, check_golden, samples

from acey_grammar.board import WIDTH, text_board
from acey_grammar.diagram import Stack, diagram
from acey_grammar.printable import columns, printable
from acey_rules import AMERICAN, Concede, Name, Roll, Side, State

START = State.start(AMERICAN, (6, 3))


def drawn(sample: Sample, *, ascii_only: bool) -> str:
    return text_board(sample.state, sample.view, names=("alpha", "beta"), ascii_only=ascii_only)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_text_boards_are_as_they_were_looked_at(sample: Sample) -> None:
    check_golden(f"{sample.name}.txt", drawn(sample, ascii_only=False) + "\n")
    check_golden(f"{sample.name}.ascii.txt", drawn(sample, ascii_only=True) + "\n")


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_ascii_boards_are_ascii_and_all_fit(sample: Sample) -> None:
    assert drawn(sample, ascii_only=True).isascii()
    for ascii_only in (True, False):
        lines = drawn(sample, ascii_only=ascii_only).split("\n")
        assert len(lines) == 14
        assert max(map(columns, lines)) <= WIDTH


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_colour_changes_nothing_but_colour(sample: Sample) -> None:
    coloured = text_board(sample.state, sample.view, names=("alpha", "beta"), colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == drawn(sample, ascii_only=False)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
@pytest.mark.parametrize("view", list(Side))
def test_all_thirty_checkers_are_on_the_diagram(sample: Sample, view: Side) -> None:
    board = diagram(sample.state, view)
    for seat in (board.near, board.far):
        on_points = sum(stack.height for stack in board.points if stack.side is seat.side)
        assert on_points + seat.bar + seat.unentered + seat.off == 15


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_the_other_side_sees_the_same_stacks_from_the_other_end(sample: Sample) -> None:
    x, o = diagram(sample.state, Side.X), diagram(sample.state, Side.O)
    assert x.points == o.points[::-1]
    assert (x.near, x.far) == (o.far, o.near)


def test_the_start_is_fifteen_unentered_checkers_a_side() -> None:
    board = diagram(START)
    assert (board.near.unentered, board.far.unentered) == (15, 15)
    assert (board.near.pips, board.far.pips) == (375, 375)
    assert all(board.stack(point) == Stack(None, 0) for point in range(1, 25))


def test_the_diagram_says_what_the_turn_still_holds() -> None:
    state = START.apply(Roll(2, 1))
    board = diagram(state)
    assert board.dice == (2, 1)
    assert board.later == ("N", "R")
    assert board.due == "X to play 2-1, then name a double, then roll"
    assert diagram(START).due == "X to roll"
    assert diagram(START).dice == ()


def test_a_double_is_four_dice() -> None:
    naming = State.parse("-aa-baab-ad----B--AA-B-AC-:5:2:x:N.R", AMERICAN)
    board = diagram(naming.apply(Name(4)))
    assert board.dice == (4, 4, 4, 4)
    assert board.due == "X to play 4-4, then roll"


def test_a_game_that_is_over_says_who_won_and_how() -> None:
    state = START.apply(Concede())
    assert diagram(state).due == "O wins 15 by resignation"
    assert diagram(state).dice == ()
    assert text_board(state).endswith("\nO wins 15 by resignation.")


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_hostile_name_disturbs_nothing_beside_it(name: str, ascii_only: bool) -> None:
    text = text_board(START, names=(name, name), ascii_only=ascii_only)
    plain = text_board(START, ascii_only=ascii_only)
    lines, plain_lines = text.split("\n"), plain.split("\n")
    assert len(lines) == len(plain_lines)
    assert max(map(columns, lines)) <= WIDTH
    for line, plain_line in zip(lines, plain_lines, strict=True):
        assert line.startswith(plain_line)
    assert not set(text) & set("\x1b\r\x00\x9b\u202e\u2066\u200f\ud800")


@given(st.text(), st.integers(3, 40), st.booleans())
def test_printable_text_is_one_line_that_fits(text: str, width: int, ascii_only: bool) -> None:
    line = printable(text, width, ascii_only=ascii_only)
    assert columns(line) <= width
    assert line.isprintable()
    assert line.isascii() or not ascii_only


def test_printable_keeps_what_harms_nothing() -> None:
    assert printable("Ångström  Ünal", 20) == "Ångström Ünal"
    assert printable("Ångström", 20, ascii_only=True) == "?ngstr?m"
    assert printable("a long name of someone", 10) == "a long na…"
    assert printable("a long name of someone", 10, ascii_only=True) == "a long..."
