"""Positions and position lines. spec/rules.md §1, spec/notation.md §2."""

import pytest
from hypothesis import given
from tests.rules.test_naive import presets
from tests.support.positions import boards, dice, turns

from acey_rules import (
    AMERICAN,
    BAR,
    PRESETS,
    UNENTERED,
    Position,
    PositionError,
    Roll,
    RuleSet,
    Side,
    State,
)

EXAMPLE = "bA-c-------------B-----e-C:2:4"


@pytest.mark.parametrize(
    ("side", "point", "count"),
    [
        (Side.X, 1, 1),
        (Side.X, 17, 2),
        (Side.X, 3, 0),
        (Side.X, BAR, 3),
        (Side.X, UNENTERED, 2),
        (Side.O, 22, 3),  # X's 3
        (Side.O, 2, 5),  # X's 23
        (Side.O, 24, 0),
        (Side.O, BAR, 2),
        (Side.O, UNENTERED, 4),
    ],
)
def test_each_side_counts_the_points_from_its_own_end(side: Side, point: int, count: int) -> None:
    assert Position.parse(EXAMPLE).count(side, point) == count


def test_where_the_checkers_of_a_side_are() -> None:
    position = Position.parse(EXAMPLE)
    assert (position.on_bar(Side.X), position.on_bar(Side.O)) == (3, 2)
    assert (position.unentered(Side.X), position.unentered(Side.O)) == (2, 4)
    assert (position.borne_off(Side.X), position.borne_off(Side.O)) == (7, 1)


@pytest.mark.parametrize(
    ("text", "x", "o"),
    [
        ("--------------------------:15:15", 375, 375),
        ("-b----E-C---eE---c-e----B-:0:0", 167, 167),
        ("--A---------------------b-:0:0", 2, 2),
        ("-------------------------B:1:0", 75, 0),
        ("b------------------------A:0:1", 25, 75),
        ("-o----------------------O-:0:0", 360, 360),
        ("--------------------------:0:15", 0, 375),
        (EXAMPLE, 1 + 34 + 75 + 50, 66 + 10 + 50 + 100),
    ],
)
def test_pips(text: str, x: int, o: int) -> None:
    position = Position.parse(text)
    assert (position.pips(Side.X), position.pips(Side.O)) == (x, o)


def test_the_packed_bytes_are_what_the_class_says() -> None:
    packed = bytes([254, 1, 0, 253, *[0] * 13, 2, *[0] * 5, 251, 0, 3, 2, 4])
    assert Position.parse(EXAMPLE).packed == packed
    assert Position(packed) == Position.parse(EXAMPLE)


@pytest.mark.parametrize("text", [f"{EXAMPLE}:x:R", EXAMPLE.rpartition(":")[0], ""])
def test_a_position_is_three_fields(text: str) -> None:
    with pytest.raises(PositionError) as caught:
        Position.parse(text)
    assert caught.value.field == "fields"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a:b", "fields: a position line has 5 fields separated by ':', not 2"),
        (
            "-------------------------:15:15:x:R",
            "board: 26 characters are needed, 25 are given",
        ),
        (
            "-P------------------------:0:15:x:R",
            "board: 'P' at index 1 is none of -, A-O, a-o",
        ),
        (
            "A-------------------------:14:15:x:R",
            "board: index 0 is the bar of O; 'A' is of X",
        ),
        (
            "-------------------------a:15:14:x:R",
            "board: index 25 is the bar of X; 'a' is of O",
        ),
        (
            "-OA-----------------------:0:15:x:R",
            "board: X has 16 checkers; a side has 15",
        ),
        (
            "-O------------------------:1:15:x:R",
            "X unentered: X has 15 on board and 1 unentered; a side has 15",
        ),
        (
            "--------------------------:15:01:x:R",
            "O unentered: '01' is no number from 0 to 15",
        ),
        ("--------------------------:15:15:w:R", "turn: 'w' is neither 'x' nor 'o'"),
        (
            "--------------------------:15:15:x:12",
            "agenda: '12' cannot occur under american",
        ),
        (
            "--------------------------:15:15:x:-",
            "agenda: '-' ends the game, but X has not borne off",
        ),
        (
            "------------------------a-:0:14:x:R",
            "agenda: X has borne off, so it can only be '-'",
        ),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        State.parse(line, AMERICAN)
    assert str(caught.value) == message


@given(boards(), turns, dice, presets)
def test_a_line_is_read_and_written_back(
    board: str, turn: str, roll: tuple[int, int], rules: RuleSet
) -> None:
    position = Position.parse(board)
    assert str(position) == board
    line = f"{board}:{turn}:R"
    state = State.parse(line, rules)
    assert state.line == line
    assert state.position == position
    after = state.apply(Roll(*roll))
    assert State.parse(after.line, rules) == after


def mirror(line: str) -> str:
    """The position line with the sides exchanged."""
    board, unentered_x, unentered_o, turn, agenda = line.split(":")
    other = "o" if turn == "x" else "x"
    return f"{board[::-1].swapcase()}:{unentered_o}:{unentered_x}:{other}:{agenda}"


@given(boards(), turns, dice, presets)
def test_the_mirrored_position_has_the_same_plays(
    board: str, turn: str, roll: tuple[int, int], rules: RuleSet
) -> None:
    state = State.parse(f"{board}:{turn}:R", rules).apply(Roll(*roll))
    other = State.parse(mirror(state.line), rules)
    assert other.position == state.position.mirrored()
    assert other.position.mirrored() == state.position
    plays, others = state.legal_plays(), other.legal_plays()
    assert [play.text for play in others] == [play.text for play in plays]
    assert [play.moves for play in others] == [play.moves for play in plays]
    for play, twin in zip(plays, others, strict=True):
        assert twin.after == play.after.mirrored()
        assert other.apply(twin).line == mirror(state.apply(play).line)


@pytest.mark.parametrize("side", Side)
def test_a_side_and_its_opponent(side: Side) -> None:
    assert side.other is Side(1 - side)
    assert side.other.other is side
    assert side.letter == side.name.lower()


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_a_finished_line_says_who_won_and_for_how_much(rules: RuleSet) -> None:
    state = State.parse("------------------------a-:0:14:x:-", rules)
    assert state.outcome is not None
    points = {"per-checker": 15, "single": 1, "gammon": 2}[rules.scoring]
    assert (state.outcome.winner, state.outcome.points) == (Side.X, points)
    assert state.agenda == ()
