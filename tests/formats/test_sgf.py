"""The SGF reader on broken and unusual files. spec/formats/sgf.md."""

from pathlib import Path

import pytest
from tests.support.archive import DATA, text_verdicts

SAMPLE = (DATA / "samples/sgf/gnubg_match_3pt.sgf").read_text("utf-8")
HEAD = "(;FF[4]GM[6]PW[alpha]PB[beta]MI[length:3][game:0][ws:0][bs:0]"


def test_a_bracket_that_is_not_escaped_spoils_one_game(tmp_path: Path) -> None:
    text = SAMPLE.replace(r"a note with \] and", "a note with ] and")
    first, *others = text_verdicts(tmp_path, "match.sgf", text)
    (fault,) = first.faults
    assert (fault.kind, fault.line, fault.column) == ("syntax", 3, 27)
    assert (
        fault.message == r"a value has ended before 'and \\ and'; inside one, ']' is written '\]'"
    )
    assert (first.how, first.turns) == ("unknown", 1)
    assert [(verdict.turns, verdict.faults) for verdict in others] == [(34, ()), (10, ())]


def test_a_comment_that_is_never_closed_spoils_one_game(tmp_path: Path) -> None:
    found = text_verdicts(tmp_path, "match.sgf", SAMPLE.replace("two lines]", "two lines"))
    assert found[0].faults[0].message == (
        "the comment holds what looks like moves; is its ']' missing?"
    )
    assert [verdict.faults for verdict in found[1:]] == [(), ()]


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    *_, last = text_verdicts(tmp_path, "match.sgf", SAMPLE[:-20])
    assert [fault.kind for fault in last.faults] == ["cut-off"]
    assert (last.turns, last.how, last.winner) == (8, "unknown", "X")


def test_text_around_the_trees_is_told(tmp_path: Path) -> None:
    found = text_verdicts(tmp_path, "match.sgf", f"mail header\n\n{SAMPLE}\nbye\n")
    said = [(notice.line, notice.message) for verdict in found for notice in verdict.notices]
    assert said == [(1, "not part of a game: 'mail header'"), (62, "not part of a game: 'bye'")]
    assert [verdict.line for verdict in found] == [3, 15, 50]


def test_several_trees_on_one_line(tmp_path: Path) -> None:
    text = f"{HEAD};W[31hefe])" * 3
    found = text_verdicts(tmp_path, "match.sgf", text)
    assert [(verdict.turns, verdict.faults) for verdict in found] == [(1, ())] * 3
    assert found[1].notices[0].column == len(text) // 3 + len(HEAD) + 2


def test_another_game_is_unsupported_and_hides_no_other(tmp_path: Path) -> None:
    found = text_verdicts(tmp_path, "match.sgf", f"(;FF[4]GM[1]SZ[19];B[aa])\n{HEAD};W[31hefe])")
    assert [fault.kind for fault in found[0].faults] == ["unsupported"]
    assert found[1].faults == ()


def test_comments_marks_and_soft_line_breaks(tmp_path: Path) -> None:
    text = f"{HEAD};W[31hefe]BM[2]C[one \\\ntwo \\\\ \\] three];B[21lnqr]TE[1])"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert verdict.record is not None
    first, second = verdict.record.turns
    assert (first.glyph, first.comments) == ("??", ("one two \\ ] three",))
    assert second.glyph == "!"


def test_a_position_set_up_before_the_first_roll(tmp_path: Path) -> None:
    text = f"{HEAD};AE[a:y]AW[a][a][f]AB[x][s]PL[B];B[21xz])"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert verdict.record is not None
    assert verdict.record.tag("Position") == "-B----A------------a----a-:0:0:o:R"


@pytest.mark.parametrize(
    ("result", "how", "points"),
    [("W+2R", "resign", 2), ("B+1T", "time", 1), ("W+1F", "forfeit", 1)],
)
def test_how_a_game_was_lost(tmp_path: Path, result: str, how: str, points: int) -> None:
    (verdict,) = text_verdicts(tmp_path, "match.sgf", f"{HEAD}RE[{result}];W[31hefe])")
    assert (verdict.how, verdict.points, verdict.faults) == (how, points, ())
    assert verdict.winner == ("X" if result[0] == "W" else "O")


def test_a_property_that_is_not_held_is_told(tmp_path: Path) -> None:
    (verdict,) = text_verdicts(tmp_path, "match.sgf", f"{HEAD};W[31hefe]A[x]LU[0.5])")
    assert verdict.losses == ("the property A", "the property LU")
