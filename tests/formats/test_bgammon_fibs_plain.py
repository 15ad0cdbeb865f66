"""The readers of bgammon.org, FIBS and plain lists on unusual files. spec/formats/."""

from io import BytesIO
from pathlib import Path

import pytest
from tests.support.archive import DATA, text_verdicts

from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.registry import FORMATS, judge
from acey_rules import AMERICAN, BGAMMON, PRESETS

ACEY = (DATA / "samples/bgammon/acey_full_spaces.match").read_text("utf-8")
INDEXED = (DATA / "samples/bgammon/backgammon_3pt_cube_index.match").read_text("utf-8")


def test_named_doubles_and_bonus_rolls_are_told_by_the_rules(tmp_path: Path) -> None:
    (verdict,) = text_verdicts(tmp_path, "one.match", ACEY)
    assert verdict.record is not None
    kinds = [roll.kind for turn in verdict.record.turns for roll in turn.rolls]
    assert kinds.count("named") == 9
    first = verdict.record.turns[0]
    assert [(roll.kind, roll.dice) for roll in first.rolls] == [
        ("rolled", "21"),
        ("named", "66"),
        ("rolled", "21"),
        ("named", "66"),
        ("rolled", "31"),
    ]


def test_an_incomplete_named_double_keeps_the_bonus_under_bgammon_alone() -> None:
    chunks = list(FORMATS["bgammon"].split(TextLines(BytesIO(ACEY.encode()))))
    assert judge(chunks[0], BGAMMON).faults == ()
    american = judge(chunks[0], AMERICAN)
    assert american.faults[0].kind in ("side", "illegal-play", "extra-roll")
    assert american.clean_under == ("bgammon",)


def test_line_ends_of_windows_make_the_index_wrong(tmp_path: Path) -> None:
    found = text_verdicts(tmp_path, "two.match", INDEXED.replace("\n", "\r\n"))
    said = [notice.message for verdict in found for notice in verdict.notices]
    assert said[0] == "the index says offset 48; the game is at 50"
    assert [verdict.turns for verdict in found] == [5, 34]


def test_the_score_before_a_game_is_computed(tmp_path: Path) -> None:
    found = text_verdicts(tmp_path, "two.match", INDEXED)
    assert [verdict.score for verdict in found] == [(0, 0), (1, 0)]
    assert [verdict.record.tag("Score") for verdict in found if verdict.record] == ["0-0", "1-0"]


def test_tabula_is_unsupported_and_the_next_game_is_read(tmp_path: Path) -> None:
    tabula = "i 1731000000 delfin Orrin 3 0 0 1 1 2\n1 r 3-2 off/22\n"
    found = text_verdicts(tmp_path, "two.match", tabula + ACEY)
    assert [fault.kind for fault in found[0].faults] == ["unsupported"]
    assert (found[1].turns, found[1].faults) == (110, ())


def test_events_that_are_none_are_told(tmp_path: Path) -> None:
    text = "i 0 a b 1 0 0 0 0 0\n1 r 3-1 8/5 6/5\nhello\n1 q\n2 d 2\n"
    (verdict,) = text_verdicts(tmp_path, "one.match", text)
    assert [(fault.kind, fault.line) for fault in verdict.faults] == [
        ("syntax", 3),
        ("syntax", 4),
        ("syntax", 5),
    ]


FIBS = "Score is 0-0 in an unlimited match.\nA is X - B is O\n\n"


@pytest.mark.parametrize(
    ("x_rolls", "o_rolls"),
    [
        (("X: (3 1) 17-20 19-20", "X: (4 2) 17-21 19-21"), ("O: (6 3) 24-15", "O: (2 1) 13-10")),
        (("X: (3 1) 8-5 6-5", "X: (4 2) 8-4 6-4"), ("O: (6 3) 1-10", "O: (2 1) 12-15")),
    ],
    ids=("X counts up", "X counts down"),
)
def test_the_moves_tell_which_way_x_counts(
    tmp_path: Path, x_rolls: tuple[str, str], o_rolls: tuple[str, str]
) -> None:
    lines = [x_rolls[0], o_rolls[0], x_rolls[1], o_rolls[1]]
    (verdict,) = text_verdicts(tmp_path, "one.fibs", FIBS + "\n".join(lines) + "\n")
    assert verdict.faults == ()
    assert verdict.record is not None
    assert [turn.rolls[0].play for turn in verdict.record.turns] == [
        "8/5 6/5",
        "24/15",
        "8/4 6/4",
        "13/10",
    ]


def test_a_resignation_refused_and_a_double_rejected(tmp_path: Path) -> None:
    text = (
        "X: (6 3) 24-18 13-10\nO: (4 2) 12-16 17-19\nX: wants to resign\nO: rejects\n"
        "X: (3 1) 8-5 6-5\nO: doubles\nX: rejects\nO: wins 1 point\n"
    )
    (verdict,) = text_verdicts(tmp_path, "one.fibs", FIBS + text)
    assert (verdict.faults, verdict.winner, verdict.points, verdict.how) == ((), "O", 1, "drop")


@pytest.mark.parametrize(
    ("cube", "points", "scores"),
    [
        ("", 3, "3 points the position scores"),
        ("O: doubles\nX: accepts\n", 6, "6 points the position scores with the cube"),
    ],
)
def test_a_resignation_whose_points_nobody_says_is_noted(
    tmp_path: Path, cube: str, points: int, scores: str
) -> None:
    text = f"X: (6 3) 24-18 13-10\n{cube}O: (4 2) 12-16 17-19\nX: wants to resign\n"
    (verdict,) = text_verdicts(tmp_path, "one.fibs", FIBS + text)
    assert (verdict.faults, verdict.winner, verdict.points, verdict.how) == (
        (),
        "O",
        points,
        "resign",
    )
    (notice,) = verdict.notices
    line = text.count("\n") + FIBS.count("\n")
    assert (notice.line, notice.message) == (
        line,
        f"what giving up cost is not said: taken for the {scores}",
    )


def test_an_interrupted_game_simply_stops(tmp_path: Path) -> None:
    (verdict,) = text_verdicts(tmp_path, "one.fibs", FIBS + "X: (3 1) 8-5 6-5\n")
    assert (verdict.faults, verdict.how) == ((), "unfinished")
    assert [notice.kind for notice in verdict.notices] == ["unfinished"]


def test_a_line_that_is_none_is_told(tmp_path: Path) -> None:
    text = f"{FIBS}X: (3 1) 8-5 6-5\nO yawns\nO: (2 1) 12-14 19-20\n"
    (verdict,) = text_verdicts(tmp_path, "one.fibs", text)
    assert [(fault.kind, fault.line) for fault in verdict.faults] == [("syntax", 5)]


@pytest.mark.parametrize(
    ("text", "rules", "first"),
    [
        ("63: 24/18 13/10\n31: 8/5, 6/5\n", "backgammon", "X"),
        ("O 31: 8/5 6/5\n63: 24-18 13-10\n", "backgammon", "O"),
        ("1. 21: off/23 off/24\n2. 66: off/19(4)\n3. 53: off/20 off/22\n", "american", "X"),
        ("# log of a run\n6-3: 24/18 13/10 ; a comment\n", "backgammon", "X"),
    ],
)
def test_plain_lists(tmp_path: Path, text: str, rules: str, first: str) -> None:
    (verdict,) = text_verdicts(tmp_path, "list.txt", text)
    assert (verdict.faults, verdict.rules, verdict.first) == ((), rules, first)


def test_a_blank_line_separates_plain_games(tmp_path: Path) -> None:
    found = text_verdicts(tmp_path, "list.txt", "63: 24/18 13/10\n\n\n31: 8/5 6/5\n")
    assert [verdict.final for verdict in found] == [
        "-b----E-C-A-eD---cAe----A-:0:0:o:R",
        "-b---BD-B---eE---c-e----B-:0:0:o:R",
    ]


def test_every_preset_that_starts_alike_is_tried() -> None:
    chunks = list(FORMATS["bgammon"].split(TextLines(BytesIO(ACEY.encode()))))
    for rules in PRESETS.values():
        if rules.setup == "empty":
            assert ("bgammon" in judge(chunks[0], rules).clean_under) == (rules != BGAMMON)
