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


def test_a_roll_of_the_side_that_is_not_set_up_to_roll_is_told(tmp_path: Path) -> None:
    text = f"{HEAD};AE[a:y]AW[a][a][f]AB[x][s]PL[W];B[21xzsu])"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert [fault.message for fault in verdict.faults] == ["X is to roll, not O"]
    text = f"{HEAD};AE[a:y]AW[a][a][f]AB[x][s]PL[Q];B[21xzsu])"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert [fault.message for fault in verdict.faults] == ["'Q' is nobody to roll: PL is W or B"]


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


def test_other_variations_are_told_at_their_place(tmp_path: Path) -> None:
    text = f"{HEAD};W[31hefe](;B[63apjp];W[21])\n(;B[21lnqr])(;B[21]))"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert [(one.line, one.column, one.message) for one in verdict.notices if one.line == 2] == [
        (2, 3, "2 more variations start here; only the first is read")
    ]
    assert "other variations than the first" in verdict.losses


@pytest.mark.parametrize(
    ("charset", "told"),
    [("UTF-8", False), ("ISO-8859-1", False), ("iso_8859-1", False), ("KOI8-R", True)],
)
def test_an_encoding_that_is_not_read_is_told(tmp_path: Path, charset: str, told: bool) -> None:
    text = HEAD.replace("GM[6]", f"CA[{charset}]GM[6]") + ";W[31hefe])"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    said = [(one.column, one.message) for one in verdict.notices if one.kind == "encoding"]
    message = (
        "the game calls itself KOI8-R; it is read as UTF-8 or Windows-1252, so letters may be wrong"
    )
    assert said == ([(8, message)] if told else [])


@pytest.mark.parametrize("twice", ["PW[alpha][gamma]", "PW[alpha]PW[gamma]"])
def test_what_is_given_twice_is_told(tmp_path: Path, twice: str) -> None:
    text = HEAD.replace("PW[alpha]", twice) + ";W[31hefe])"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert verdict.players == ("alpha", "beta")
    assert [(fault.column, fault.message) for fault in verdict.faults] == [
        (13, "PW can be given once; what follows the first is not read")
    ]


def test_a_second_move_in_one_property_is_told(tmp_path: Path) -> None:
    (verdict,) = text_verdicts(tmp_path, "match.sgf", f"{HEAD};W[31hefe][21])")
    assert [fault.found for fault in verdict.faults] == ["W"]


def test_every_comment_of_a_node_is_kept(tmp_path: Path) -> None:
    (verdict,) = text_verdicts(tmp_path, "match.sgf", f"{HEAD};W[31hefe]C[one][two]C[three])")
    assert verdict.faults == ()
    assert verdict.record is not None
    assert verdict.record.turns[0].comments == ("one", "two", "three")


def test_what_belongs_to_the_first_node_is_lost_elsewhere_and_told(tmp_path: Path) -> None:
    (verdict,) = text_verdicts(tmp_path, "match.sgf", f"{HEAD};W[31hefe]PW[gamma]EV[x]PL[B])")
    assert verdict.losses == (
        "the property PW behind the first node",
        "the property EV behind the first node",
        "the property PL without a position",
    )


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("MI[length:many]", "MI[length:many] is not understood"),
        ("MI[length:3][length:5]", "MI[length:5] is not understood"),
        ("RE[W+1 or so]", "RE[W+1 or so] is not understood"),
    ],
)
def test_headers_that_are_not_understood_are_told(tmp_path: Path, header: str, said: str) -> None:
    text = f"(;FF[4]GM[6]PW[alpha]PB[beta]{header};W[31hefe])"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert said in [notice.message for notice in verdict.notices]


def test_results_in_words(tmp_path: Path) -> None:
    text = f"{HEAD.replace('MI', 'RE[W+2Resign]MI')};W[31hefe])"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert (verdict.winner, verdict.points, verdict.how) == ("X", 2, "resign")


@pytest.mark.parametrize("stones", ["AW[]", "AW[a:]", "AW[a:b:c]", "AW[aa]", "AE[1]", "AB[A]"])
def test_points_that_are_none_are_told(tmp_path: Path, stones: str) -> None:
    (verdict,) = text_verdicts(tmp_path, "match.sgf", f"{HEAD}{stones})")
    (fault,) = verdict.faults
    assert fault.message.startswith("the position set up cannot be: '")


def test_a_mistake_in_a_variation_keeps_the_nodes_before_it(tmp_path: Path) -> None:
    text = f"{HEAD};W[31hefe]C[a; b(](;B[63aggj](;W[21hgxv];B 1"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert [fault.kind for fault in verdict.faults] == ["syntax"]
    assert verdict.turns == 3


def test_a_play_of_several_meanings_is_told_with_the_one_it_is_taken_for(tmp_path: Path) -> None:
    text = f"{HEAD};AE[a:y]AW[k][m][m]AB[d][e][x][x]PL[W];W[61kd])"
    (verdict,) = text_verdicts(tmp_path, "match.sgf", text)
    assert [fault.message for fault in verdict.faults] == [
        "'11/4' can be read as '11/10/4*' or as '11/5*/4*'; taken for '11/10/4*'"
    ]
    assert verdict.record is not None
    assert verdict.record.turns[0].rolls[0].play == "11/10/4*"
    assert verdict.final == "a---Aa-------B----------b-:0:0:o:R"
