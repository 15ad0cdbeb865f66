"""``acey replay``: boards one after the other, or step by step on a terminal."""

from pathlib import Path

import pytest
from tests.support.acey import Terminal, acey, refused
from tests.support.archive import DATA

from acey_grammar.board import text_board
from acey_rules import AMERICAN, Side, State

GAMES = """\
[X "alpha"]
[O "beta"]
[Rules "american"]
[Match "15"]
[Score "3-2"]

1. X 63: off/19 off/22
1. O 54: off/20 off/21 {a comment}
2. X 21: off/24 off/23, =66: off/19(4), 52: 19/14 off/23 !
O wins 15 by resignation

[X "beta"]
[O "alpha"]
[Rules "american"]

1. O 63: off/19 off/22
*
"""
TITLES = [
    "game 1: alpha (X) and beta (O), american, match to 15, at 3-2",
    "1. X 63: off/19 off/22",
    "1. O 54: off/20 off/21 {a comment}",
    "2. X 21: off/24 off/23",
    "2. X names 6",
    "2. X =66: off/19(4)",
    "2. X 52: 19/14 off/23 !",
    "O wins 15 by resignation",
    "game 2: beta (X) and alpha (O), american",
    "1. O 63: off/19 off/22",
]


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.acey"
    path.write_text(GAMES)
    return path


def titles(output: str) -> list[str]:
    return [page.partition("\n")[0] for page in output.rstrip().split("\n\n")]


def test_every_board_is_written_where_there_is_no_terminal(games: Path) -> None:
    result = acey("replay", str(games), "--ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert titles(result.stdout) == TITLES
    state = State.parse("-------------------A--A---:13:15:o:R", AMERICAN)
    drawn = text_board(state, Side.X, names=("alpha", "beta"), ascii_only=True)
    assert f"1. X 63: off/19 off/22\n{drawn}\n\n" in result.stdout


def test_one_game_and_the_other_side_can_be_asked_for(games: Path) -> None:
    result = acey("replay", str(games), "--game", "2", "--view", "o", "--ascii")
    assert titles(result.stdout) == TITLES[8:]
    assert refused("replay", str(games), "--game", "3", status=1) == (
        f"acey: {games}: there is no game of number 3 in it"
    )
    assert refused("replay", str(games), "--game", "0", status=2).startswith("acey replay: ")


def test_a_faulty_game_is_shown_as_far_as_it_goes_and_the_status_says_so(tmp_path: Path) -> None:
    path = tmp_path / "faulty.acey"
    path.write_text(GAMES.replace("off/19(4)", "off/19(3)"))
    result = acey("replay", str(path))
    assert result.returncode == 1
    assert "2. X =66: off/19(3)  (not legal)\n" in result.stdout
    told = acey("validate", str(path)).stdout.splitlines()
    assert result.stderr.splitlines() == told[:3]  # the fault, the position, what was legal


def test_what_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing to see\n")
    assert refused("replay", str(path), status=1) == (
        f"{path}:1:1 the text is of none of the formats that are read"
    )
    path.write_text('[X alpha]\n[O "beta"]\n*\n')
    result = acey("replay", str(path))
    assert result.returncode == 1
    first, last = result.stderr.splitlines()
    assert first == f'{path}:1:1 the tag [Rules "..."] is missing (spec/notation.md §5)'
    assert last == f"{path}: 1 more fault; acey validate {path} lists all"


@pytest.mark.parametrize("name", ["mat/jellyfish_gnubg_5pt.mat", "sgf/gnubg_match_3pt.sgf"])
def test_games_of_any_format_are_shown(name: str) -> None:
    source = DATA / "samples" / name
    shown = acey("replay", str(source), "--ascii")
    converted = acey("convert", str(source), "--to", "acey").stdout
    same = acey("replay", "-", "--ascii", stdin=converted)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout == same.stdout
    assert len(titles(shown.stdout)) > 50


def test_keys_step_through_on_a_terminal(games: Path) -> None:
    with Terminal("replay", str(games)) as terminal:
        assert TITLES[0] in terminal.read_until("1/8")
        for key, place in (("\r", 2), ("\x1b[C", 3), (" ", 4), ("\x1b[D", 3), ("\x7f", 2)):
            terminal.press(key)
            assert TITLES[place - 1] in terminal.read_until(f"{place}/8")
        terminal.press("\x1b[F")
        assert TITLES[7] in terminal.read_until("8/8")
        terminal.press("\x1b[H")
        assert TITLES[0] in terminal.read_until("1/8")
        terminal.press("\x1b[F")
        terminal.read_until("8/8")
        terminal.press("\r")  # past the last board comes the next game
        assert TITLES[8] in terminal.read_until("1/2")
        terminal.press("q")
        assert terminal.finish() == 0
