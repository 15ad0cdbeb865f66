"""The .mat reader on what writers of such files really do. spec/formats/mat.md."""

import re
from pathlib import Path

import pytest
from tests.support.archive import DATA, text_verdicts, verdicts
from tests.support.random_games import random_game

from acey_grammar.formats import mat_writer
from acey_grammar.formats.telling import tell
from acey_grammar.formats.verdict import Verdict
from acey_rules import BACKGAMMON, rule_set

HEAD = " 3 point match\n\n Game 1\n alpha : 0                       beta : 0\n"


def read(folder: Path, text: str | bytes) -> Verdict:
    (verdict,) = text_verdicts(folder, "match.mat", text)
    return verdict


def kinds(verdict: Verdict) -> list[tuple[str, int, int]]:
    return [(fault.kind, fault.line, fault.column) for fault in verdict.faults]


def plays(verdict: Verdict) -> list[str]:
    assert verdict.record is not None
    return [
        f"{turn.side} {roll.dice}: {roll.play}"
        for turn in verdict.record.turns
        for roll in turn.rolls
    ]


@pytest.mark.parametrize(
    ("text", "winner"),
    [
        (
            "Game 1\nA : 0\t\t\tB : 0\n1)\t31: 8/5 6/5\t63: 24/15\n"
            "2)\t62: 24/18 13/11\n\t\t\t\tWins 1 point\n",
            "O",
        ),
        (" 1) 31: 8/5 6/5   63: 24/15\n 2) 62: 24/18 13/11\n      Wins 1 point\n", "X"),
        (
            "Game 1\nalpha : 0                            beta : 0\n"
            "  1) 31: 8/5 6/5                     63: 24/15\n"
            "  2) 62: 24/18 13/11\n"
            "                                     Wins 1 point\n",
            "O",
        ),
        (
            "Game 1\nalpha : 0 beta : 0\n"
            "  1) 31: 8/5 6/5 63: 24/15\n"
            "  2) 62: 24/18 13/11\n"
            "  Wins 1 point\n",
            "X",
        ),
    ],
    ids=("tabs", "no header", "column 37", "one blank between"),
)
def test_columns_are_found_by_the_rolls(tmp_path: Path, text: str, winner: str) -> None:
    verdict = read(tmp_path, text)
    assert plays(verdict) == ["X 31: 8/5 6/5", "O 63: 24/15", "X 62: 24/18 13/11"]
    assert (verdict.faults, verdict.winner, verdict.how) == ((), winner, "resign")


@pytest.mark.parametrize("first", ["", "\t"], ids=["number and cell", "a tab before each cell"])
@pytest.mark.parametrize("winner", ["X", "O"])
def test_tabs_tell_whose_a_roll_or_a_result_is_that_stands_alone(
    tmp_path: Path, first: str, winner: str
) -> None:
    second = f"{first}\t"
    win = ("          " if winner == "X" else second) + "Wins 1 point"
    text = f"Game 1\nA : 0\tB : 0\n1) {second}31: 8/5 6/5\n2) {first}63: 24/15{{}}\n{win}\n"
    verdict = read(tmp_path, text.format(f"\t62: 24/18 13/11\n3) {first}41: 13/9 6/5"))
    assert plays(verdict)[:3] == ["O 31: 8/5 6/5", "X 63: 24/15", "O 62: 24/18 13/11"]
    assert (verdict.faults, verdict.winner) == ((), winner)


@pytest.mark.parametrize(
    "play", ["25/21 6/5", "bar/21 6/5", "Bar/21 6/5", "6/5 25/21", "BAR/21 6/5"]
)
def test_the_bar_is_a_word_or_25(tmp_path: Path, play: str) -> None:
    rows = f"  1) 62: 24/18 13/11             61: 13/7* 8/7\n  2) 41: {play}\n"
    assert plays(read(tmp_path, HEAD + rows))[2] == "X 41: bar/21 6/5"


@pytest.mark.parametrize(
    "play", ["2/off 1/off", "2/0 1/0", "2/Off 1/Off", "1/0 2/off", "2/OFF 1/0"]
)
def test_off_is_a_word_or_0(tmp_path: Path, play: str) -> None:
    text = (DATA / "samples/mat/xg_bom_crlf_cubeless.mat").read_text("utf-8-sig")
    verdict = text_verdicts(tmp_path, "x.mat", text.replace("35: 2/0 1/0", f"35: {play}"))[0]
    assert (verdict.faults, verdict.turns) == ((), 39)


def test_names_with_ratings_and_windows_letters(tmp_path: Path) -> None:
    text = HEAD.replace("alpha", "Zoë,1770").replace("beta", "beta,1500.5")
    verdict = read(tmp_path, (text + "  1) 31: 8/5 6/5\n").encode("cp1252"))
    assert verdict.players == ("Zoë", "beta")
    assert verdict.record is not None
    assert verdict.record.tag("XRating") == "1770"
    assert verdict.record.tag("ORating") == "1500.5"


def test_what_is_not_understood_is_a_fault_and_hides_nothing(
    tmp_path: Path,
) -> None:
    rows = (
        "  1) 31: 8/5 6/5 foo             63: 24/15\n  2) 62: 24/18 13/11\n hello\n"
        "      Wins 1 point\n"
    )
    verdict = read(tmp_path, HEAD + rows)
    assert kinds(verdict) == [("syntax", 5, 18), ("syntax", 7, 2)]
    assert plays(verdict) == ["X 31: 8/5 6/5", "O 63: 24/15", "X 62: 24/18 13/11"]


def test_dice_that_do_not_exist_end_the_replay_and_say_so(tmp_path: Path) -> None:
    verdict = read(
        tmp_path, HEAD + "  1) 73: 8/5 6/5                 63: 24/15\n      Wins 1 point\n"
    )
    assert kinds(verdict) == [("dice", 5, 6)]
    assert [notice.kind for notice in verdict.notices] == ["unchecked"]
    assert (verdict.winner, verdict.how) == ("X", "unknown")


def test_a_play_unknown_in_the_middle_is_a_fault(tmp_path: Path) -> None:
    rows = "  1) 31: 8/5 6/5                 63: ????\n  2) 62: 24/18 13/11\n      Wins 1 point\n"
    verdict = read(tmp_path, HEAD + rows)
    assert [fault.kind for fault in verdict.faults] == ["missing-play"]
    assert verdict.faults[0].legal == 14
    assert verdict.losses == ("everything from the roll 63 of line 5",)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("  2) 62: 24/18 13/11\n", "1 roll after that was"),
        ("  2) 62: 24/18 13/11             41: 13/8\n", "2 rolls after that were"),
    ],
)
def test_rolls_behind_an_unknown_play_are_counted(tmp_path: Path, rows: str, told: str) -> None:
    unknown = "  1) 31: 8/5 6/5                 63: ????\n"
    verdict = read(tmp_path, HEAD + unknown + rows)
    (notice, _) = verdict.notices
    assert notice.message == f"the position was lost; {told} not checked"


@pytest.mark.parametrize(
    "reached",
    [
        "4HPwATDgc/ABMA",
        "4HPwATDgc/ABMA:cAkAAAAAAAAA",
        "3;0;0;0;0;alpha;beta;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;0;0;",
        "3;0;0;0;1;beta;alpha;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;0;0;",
    ],
    ids=("position id", "position and match id", "numbers", "numbers of the right player"),
)
def test_an_illegal_play_carries_the_position_reached(tmp_path: Path, reached: str) -> None:
    rows = (
        f"  1) 31: Illegal play ({reached})   63: 24/15\n  2) 62: 24/18 13/11\n      Wins 1 point\n"
    )
    verdict = read(tmp_path, HEAD + rows)
    assert [fault.kind for fault in verdict.faults] == ["illegal-play"]
    assert verdict.final == "-a----E-C-aAeD---cAe----A-:0:0:o:R"
    assert verdict.turns == 3
    # The game is recorded to its end, with moves that lead to the position.
    assert plays(verdict) == ["X 31: -", "O 63: 24/15", "X 62: 24/18 13/11"]
    assert verdict.losses == ()
    assert verdict.notices[0].message.startswith("the moves are not given; '-' leads to")


def test_an_illegal_play_without_a_position_is_told(tmp_path: Path) -> None:
    verdict = read(
        tmp_path, HEAD + "  1) 31: Illegal play              63: 24/15\n      Wins 1 point\n"
    )
    assert [fault.kind for fault in verdict.faults] == ["syntax", "missing-play"]


def test_one_illegal_play_hides_no_other(tmp_path: Path) -> None:
    rows = (
        "  1) 31: 8/5                     63: 24/15\n"
        "  2) 62: 24/18 13/12             21: 13/11 6/5\n"
        "  3) 41: 13/9 6/5\n      Wins 1 point\n"
    )
    verdict = read(tmp_path, HEAD + rows)
    assert kinds(verdict) == [("illegal-play", 5, 10), ("illegal-play", 6, 10)]
    assert verdict.turns == 5


def test_a_turn_left_out_is_told_and_the_game_goes_on(tmp_path: Path) -> None:
    rows = (
        "  1) 31: 8/5 6/5                 63: 24/15\n"
        "  2)                             21: 6/4 6/5\n      Wins 1 point\n"
    )
    verdict = read(tmp_path, HEAD + rows)
    assert kinds(verdict) == [("side", 6, 34)]
    assert verdict.faults[0].message == "X is to roll, not O"


def test_the_cube(tmp_path: Path) -> None:
    rows = (
        "  1) 31: 8/5 6/5                 63: 24/15\n"
        "  2)  Doubles => 2                Takes\n"
        "  3) 62: 24/18 13/11              Doubles => 4\n"
        "  4)  Drops\n                                  Wins 2 points\n"
    )
    verdict = read(tmp_path, HEAD + rows)
    assert (verdict.faults, verdict.winner, verdict.points, verdict.how) == ((), "O", 2, "drop")
    assert verdict.record is not None
    assert [turn.comments for turn in verdict.record.turns] == [
        (),
        ("%cube X double 2", "%cube O take"),
        ("%cube O double 4", "%cube X drop"),
    ]
    assert verdict.record.tag("Points") == "2"


def test_a_drop_that_states_other_points_is_a_fault(tmp_path: Path) -> None:
    rows = "  1) 31: 8/5 6/5                 63: 24/15\n  2)  Doubles => 2                Drops\n"
    verdict = read(tmp_path, f"{HEAD}{rows}      Wins 2 points\n")
    assert kinds(verdict) == [("result", 7, 7)]
    assert "a drop loses what the cube shows, 1, not 2" in verdict.faults[0].message


@pytest.mark.parametrize(
    ("end", "kind"),
    [("24/", "cut-off"), ("24/18", "cut-off"), ("24/1", "cut-off"), ("24/15", None)],
)
def test_a_text_that_ends_inside_a_play_is_cut_off(
    tmp_path: Path, end: str, kind: str | None
) -> None:
    verdict = read(tmp_path, f"{HEAD}  1) 31: 8/5 6/5                 63: {end}")
    assert [fault.kind for fault in verdict.faults] == ([kind] if kind else [])
    assert verdict.how == "unfinished"


def test_several_matches_in_one_file(tmp_path: Path) -> None:
    first = (
        '; [Site "here"]\n'
        + HEAD
        + "  1) 31: 8/5 6/5                 63: 24/15\n      Wins 1 point\n"
    )
    second = (
        "\n Game 2\n alpha : 2                       beta : 0\n"
        "  1)                             21: 13/11 6/5\n"
    )
    third = (
        '\n; [Site "there"]\n\n 5 point match\n\n Game 1\n gamma : 0       delta : 0\n'
        "  1) 31: 8/5 6/5\n"
    )
    found = text_verdicts(tmp_path, "matches.mat", first + second + third)
    assert [verdict.players for verdict in found] == [
        ("alpha", "beta"),
        ("alpha", "beta"),
        ("gamma", "delta"),
    ]
    assert [verdict.match for verdict in found] == [3, 3, 5]
    sites = [verdict.record.tag("Site") for verdict in found if verdict.record]
    assert sites == ["here", "here", "there"]
    messages = [notice.message for verdict in found for notice in verdict.notices]
    assert "the score is stated as 2-0; the games before make it 1-0" in messages


def test_a_game_that_opens_with_a_double_is_a_fault(tmp_path: Path) -> None:
    verdict = read(tmp_path, HEAD + "  1) 33: 8/5(2) 6/3(2)           63: 24/15\n")
    assert [fault.kind for fault in verdict.faults] == ["opening"]


def test_the_cube_is_refused_by_rules_without_one(tmp_path: Path) -> None:
    rows = "  1) 31: 8/5 6/5                 63: 24/15\n  2)  Doubles => 2                Drops\n"
    path = tmp_path / "match.mat"
    path.write_text(f"{HEAD}{rows}      Wins 1 point\n")
    single = rule_set(BACKGAMMON.fields_text().replace("scoring=gammon", "scoring=single"))
    (verdict,) = verdicts(path, single)
    assert [(fault.kind, fault.line) for fault in verdict.faults] == [("unsupported", 6)] * 2
    assert verdict.faults[0].message == "'double' is refused: custom is played without a cube"


@pytest.mark.parametrize(("match", "notes"), [(0, 0), (7, 1)])
def test_a_money_session_may_state_every_game_at_nought(
    tmp_path: Path, match: int, notes: int
) -> None:
    head = HEAD.replace("3 point", f"{match} point")
    game = "  1) 31: 8/5 6/5                 63: 24/15\n      Wins 1 point\n\n"
    again = head.split("\n\n")[1] + game
    found = text_verdicts(tmp_path, "money.mat", f"{head}{game}{again}")
    said = [notice.kind for verdict in found for notice in verdict.notices]
    assert said == ["score"] * notes


@pytest.mark.parametrize("seed", range(12))
def test_an_empty_cell_is_a_roll_that_could_not_be_played(tmp_path: Path, seed: int) -> None:
    game = random_game("backgammon", seed)
    text = "".join(mat_writer.write([tell(game, mat_writer.HELD)]))
    whole = read(tmp_path, text)
    emptied = re.sub(r"\d\d: Cannot Move", lambda found: " " * len(found[0]), text)
    verdict = read(tmp_path, emptied)
    assert verdict.faults == ()
    assert (verdict.final, verdict.winner, verdict.points) == (
        whole.final,
        whole.winner,
        whole.points,
    )
    said = [notice.message for notice in verdict.notices if "has no roll here" in notice.message]
    assert bool(said) is (emptied != text)
    # A record holds the dice of every roll, so it ends there, which is told.
    assert bool(verdict.losses) is bool(said)


def test_an_empty_cell_of_a_side_that_can_always_play_is_a_fault(tmp_path: Path) -> None:
    rows = "  1) 31: 8/5 6/5\n  2) 62: 24/18 13/11             63: 24/15\n"
    verdict = read(tmp_path, HEAD + rows)
    assert [(fault.kind, fault.line, fault.message) for fault in verdict.faults] == [
        ("side", 6, "O is to roll, not X")
    ]


def test_a_hit_off_the_board_is_no_move(tmp_path: Path) -> None:
    verdict = read(tmp_path, HEAD + "  1) 31: 8/off* 6/5                63: 24/15\n")
    assert kinds(verdict)[0] == ("syntax", 5, 15)
    assert verdict.faults[0].message == (
        "'8/off*' is no move: expected the end of the move; found '*'"
    )
