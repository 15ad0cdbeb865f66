"""``acey validate``: faults with their places, summaries, JSON lines and exit statuses."""

import json
import re
from pathlib import Path

import pytest
from tests.support.acey import Terminal, acey, refused
from tests.support.archive import DATA

GOOD = """\
[X "alpha"]
[O "beta"]
[Rules "american"]

1. X 63: off/19 off/22
1. O 54: off/20 off/21 {a comment}
2. X 21: off/24 off/23, =66: off/19(4), 52: 19/14 off/23 !
*
"""
FAULTY = GOOD.replace("=66: off/19(4)", "=66: off/19(3)")


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.acey"
    path.write_text(GOOD)
    return path


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "faulty.acey"
    path.write_text(f"{GOOD}\n{FAULTY}")
    return path


def test_a_good_file_is_counted(good: Path) -> None:
    result = acey("validate", str(good))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"{good}: 1 game, 3 turns, no fault\n"


def test_a_fault_has_its_place_its_rule_the_position_and_what_was_legal(faulty: Path) -> None:
    result = acey("validate", str(faulty))
    assert (result.returncode, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert lines == [
        f"{faulty}:16:30 'off/19(3)' uses 3 dice of 6-6; four can be played (spec/rules.md §4)",
        "    position before  ----aa-------------A--AAA-:11:13:x:66.R",
        lines[2],
        f"{faulty}: 2 games, 6 turns, 1 fault",
        "",
        "files   1",
        "games   2",
        "turns   6",
        "faults  1  illegal-play 1",
    ]
    assert lines[2].startswith("    71 legal plays   off/19(4), ")
    assert lines[2].endswith(", …")


def test_json_is_a_line_a_game(faulty: Path) -> None:
    result = acey("validate", "--json", str(faulty))
    assert (result.returncode, result.stderr) == (1, "")
    first, second = map(json.loads, result.stdout.splitlines())
    assert first == {
        "file": str(faulty),
        "game": 1,
        "line": 1,
        "format": "acey",
        "rules": "american",
        "players": ["alpha", "beta"],
        "match": None,
        "score": None,
        "first": "X",
        "winner": None,
        "points": None,
        "how": "unfinished",
        "turns": 3,
        "final": "----aa--------A----D--ABA-:6:13:o:R",
        "faults": [],
        "notices": [],
        "losses": [],
        "clean_under": [],
    }
    (fault,) = second["faults"]
    assert (second["game"], fault["kind"], fault["line"], fault["column"]) == (
        2,
        "illegal-play",
        16,
        30,
    )
    assert (fault["file"], fault["found"], fault["legal"]) == (str(faulty), "off/19(3)", 71)


def test_standard_input_is_a_dash_and_rules_can_be_given() -> None:
    assert acey("validate", "-", stdin=GOOD).stdout == "-: 1 game, 3 turns, no fault\n"
    unnamed = GOOD.replace('[Rules "american"]\n', "")
    assert acey("validate", "-", stdin=unnamed).returncode == 1
    assert acey("validate", "--rules", "american", "-", stdin=unnamed).returncode == 0
    # European doubles are followed by their complement, which this game lacks.
    assert acey("validate", "--rules", "european", "-", stdin=GOOD).returncode == 1


def test_a_file_that_cannot_be_read_hides_no_other(good: Path, tmp_path: Path) -> None:
    result = acey("validate", str(tmp_path / "none.acey"), str(good))
    assert result.returncode == 2
    assert result.stdout == f"{good}: 1 game, 3 turns, no fault\n"
    assert result.stderr == f"acey: {tmp_path}/none.acey: no such file or directory\n"


def test_no_game_and_no_text_are_bad_input(tmp_path: Path) -> None:
    empty = tmp_path / "empty.acey"
    empty.write_text("\n# nothing played\n")
    assert refused("validate", str(empty), status=1) == f"acey: {empty}: there is no game in it"
    folder = tmp_path / "folder"
    folder.mkdir()
    assert refused("validate", str(folder), status=1) == f"acey: {folder}: there is no file in it"
    binary = tmp_path / "binary.acey"
    binary.write_bytes(bytes(range(128, 256)) * 10)
    result = acey("validate", str(binary))
    assert result.returncode == 1
    assert f"{binary}:1:1 the text is of none of the formats that are read" in result.stdout


SAMPLES = DATA / "samples"


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_results_go_to_standard_output_past_the_bar_of_a_terminal(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    words = ("validate", *options, str(SAMPLES))
    results = tmp_path / "results"
    with (
        results.open("wb") as file,
        Terminal(*words, output=file.fileno()) as terminal,
    ):
        assert terminal.finish() == 1
    assert results.read_text("utf-8") == acey(*words).stdout
    assert "games/s" in terminal.shown
    assert ": 1 game" not in terminal.shown


def test_a_folder_is_summed_up() -> None:
    result = acey("validate", "--quiet", "--jobs", "2", str(SAMPLES))
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert lines[-6:] == [
        "",
        "files    13",
        "games    21",
        "turns   595",
        "faults    6  result 2, illegal-play 2, cut-off 1, hit-mark 1",
        "notes     5  points 3, format 1, score 1",
    ]
    assert not any(line.endswith("no fault") for line in lines)


def test_only_so_many_faults_of_a_file_are_listed() -> None:
    cut = SAMPLES / "faulty/acey_cut.match"
    lines = acey("validate", "--max-faults", "1", str(cut)).stdout.splitlines()
    assert lines[:3] == [
        f"{cut}:60:17 the text ends inside the move '1'",
        f"{cut}: 1 more fault not listed (--max-faults)",
        f"{cut}: 1 game, 58 turns, 2 faults",
    ]


def test_the_rules_are_inferred() -> None:
    game = SAMPLES / "bgammon/acey_full_spaces.match"
    lines = acey("validate", "--infer-rules", str(game)).stdout.splitlines()
    assert f"{game}: bgammon 1 of 1" in lines
    assert lines[-1] == "rules   bgammon 1 of 1"
    wrong = acey("validate", "--rules", "american", str(game)).stdout.splitlines()
    assert f"{game}:1: game 1 has no fault under bgammon" in wrong


def test_an_unknown_format_is_refused() -> None:
    assert "there is no format 'pgn'" in refused("validate", "--format", "pgn", "x", status=2)


def test_a_bar_on_a_terminal_shows_games_and_games_a_second(tmp_path: Path) -> None:
    path = tmp_path / "many.acey"
    path.write_text("\n".join([GOOD] * 20_000))
    with Terminal("validate", "--jobs", "1", str(path)) as terminal:
        shown = terminal.read_until("20000 games, 60000 turns, no fault")
        assert terminal.finish() == 0
    assert re.search(r"many\.acey .*[1-9][\d,]* games, [1-9][\d,]* games/s", shown)
