"""Position IDs and XGIDs: GNU Backgammon's own values, round trips, refusals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acey_protocol.position_id import (
    PositionIdError,
    decode_gnubg,
    decode_xgid,
    encode_gnubg,
    encode_xgid,
)
from acey_rules import AMERICAN, BACKGAMMON, Position, Side, State

START = Position.start("backgammon")
GNU_VALUES = [  # made with GNU Backgammon's library from random games
    ("abBaBCD----Bd-----Bc---ca-:0:0", Side.O, "ZvdgwAAdDngAWQ"),
    ("--EcbBC-B---aaA-A-ac--Aca-:0:0", Side.X, "HS4owA4+dgYSCA"),
    ("-BDbBE-bA---A--aa-bba--bb-:0:0", Side.O, "e/YRAgAbbQowDA"),
    ("-EF------a-a--a-a--e--bbb-:0:0", Side.X, "2/hIJADfDwAAAA"),
    # Shown by the program itself for a board with two checkers on its owner's 6 point, and one of
    # the side on roll on 11: the side on roll comes second.
    ("-----------A-------b------:0:0", Side.X, "YAAAACAAAAAAAA"),
]


def test_the_start_is_the_known_id() -> None:
    assert encode_gnubg(START, Side.X) == "4HPwATDgc/ABMA"
    assert decode_gnubg("4HPwATDgc/ABMA", Side.X) == START


@pytest.mark.parametrize(
    ("text", "roller", "position_id"), GNU_VALUES, ids=[r[2] for r in GNU_VALUES]
)
def test_ids_are_those_of_gnu_backgammon(text: str, roller: Side, position_id: str) -> None:
    position = Position.parse(text)
    assert encode_gnubg(position, roller) == position_id
    assert decode_gnubg(position_id, roller) == position


@st.composite
def boards(draw: st.DrawFn) -> Position:
    """Any position without unentered checkers."""
    owners = draw(st.lists(st.sampled_from("XO"), min_size=24, max_size=24))
    letters = [""] * 26
    left = {"X": 15, "O": 15}
    for point, owner in [(25, "X"), (0, "O"), *enumerate(owners, 1)]:
        count = draw(st.integers(0, min(left[owner], 4)))
        left[owner] -= count
        letter = "-ABCD"[count]
        letters[point] = letter if owner == "X" else letter.lower()
    return Position.parse(f"{''.join(letters)}:0:0")


@given(boards(), st.sampled_from(list(Side)))
def test_an_id_reads_back(position: Position, roller: Side) -> None:
    assert decode_gnubg(encode_gnubg(position, roller), roller) == position


@given(boards(), st.sampled_from(list(Side)), st.sampled_from([None, (6, 3), (2, 2)]))
def test_an_xgid_reads_back(position: Position, roller: Side, dice: tuple[int, int] | None) -> None:
    assert decode_xgid(encode_xgid(position, roller, dice)) == (position, roller, dice)


def test_the_xgid_of_the_start() -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:63:2:1:0:7:10"
    assert encode_xgid(START, Side.X, (6, 3), (2, 1), 7) == xgid
    assert decode_xgid(xgid.removeprefix("XGID=")) == (START, Side.X, (6, 3))


@given(st.text(max_size=20))
def test_any_text_is_an_id_or_refused(text: str) -> None:
    try:
        position = decode_gnubg(text, Side.X)
    except PositionIdError:
        return
    assert len(text) == 14
    assert encode_gnubg(position, Side.X)[:13] == text[:13]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4HPwATDgc/ABM", "a position ID has 14 characters, not 13"),
        ("4HPwATDgc/AB!!", "is no position ID"),
        ("//////////////", "more than 15"),
        ("AAAAAAAAAAAAgA", "bits are left after both sides"),
    ],
)
def test_what_is_wrong_with_an_id_is_said(text: str, message: str) -> None:
    with pytest.raises(PositionIdError, match=message):
        decode_gnubg(text, Side.X)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("XGID=abc", "an XGID has 10 fields separated by ':', not 1"),
        ("-b----E-C---eE---c-e----B-:0:0:0:63:0:0:0:0:10", "the turn of an XGID is 1 or -1"),
        ("-b----E-C---eE---c-e----B-:0:0:1:79:0:0:0:0:10", "two digits 1-6 or 00, not '79'"),
        ("-b----E-C---eE---c-e----B:0:0:1:63:0:0:0:0:10", "26 characters are needed"),
    ],
)
def test_what_is_wrong_with_an_xgid_is_said(text: str, message: str) -> None:
    with pytest.raises(PositionIdError, match=message):
        decode_xgid(text)


def test_unentered_checkers_have_no_id() -> None:
    start = State.start(AMERICAN, (3, 1)).position
    with pytest.raises(PositionIdError, match="O has unentered checkers"):
        encode_gnubg(start, Side.X)
    with pytest.raises(PositionIdError, match="X has unentered checkers"):
        encode_xgid(start, Side.X, None)
    assert encode_gnubg(State.start(BACKGAMMON, (3, 1)).position, Side.O) == "4HPwATDgc/ABMA"
