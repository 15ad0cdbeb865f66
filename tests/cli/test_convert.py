"""``acey convert``: every target, what it cannot hold, and that no half file is left."""

import json
import os
import subprocess
from pathlib import Path

from tests.support.acey import acey, refused
from tests.support.archive import DATA

SGF = DATA / "samples/sgf/gnubg_match_3pt.sgf"
MAT = DATA / "samples/mat/jellyfish_gnubg_5pt.mat"
ACEY = DATA / "samples/bgammon/acey_full_spaces.match"


def test_the_target_is_told_by_the_ending_and_the_file_is_valid(tmp_path: Path) -> None:
    target = tmp_path / "games.acey"
    result = acey("convert", str(MAT), "-o", str(target))
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == "4 games written as acey\n"
    assert acey("validate", str(target)).stdout == f"{target}: 4 games, 71 turns, no fault\n"


def test_what_a_target_cannot_hold_is_listed_and_refused_with_strict(tmp_path: Path) -> None:
    target = tmp_path / "games.mat"
    result = acey("convert", str(SGF), "-o", str(target))
    assert result.returncode == 0
    assert f"{SGF}:1: mat cannot hold comments: game 1" in result.stderr.splitlines()
    before = target.read_bytes()
    said = refused("convert", "--strict", str(SGF), "-o", str(target), status=1)
    assert said.startswith("acey: nothing was written (--strict): ")
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["games.mat"]


def test_acey_deucey_has_no_place_in_mat_and_sgf(tmp_path: Path) -> None:
    for name in ("games.mat", "games.sgf", "games.fibs"):
        result = acey("convert", str(MAT), str(ACEY), "-o", str(tmp_path / name))
        assert result.returncode == 1
        last = result.stderr.splitlines()[-1]
        assert last.startswith("acey: unsupported: ")
        assert last.endswith("not bgammon; nothing was written")
    assert list(tmp_path.iterdir()) == []


def test_there_and_back_by_way_of_standard_output(tmp_path: Path) -> None:
    text = acey("convert", str(ACEY), "--to", "acey").stdout
    source = tmp_path / "one.acey"
    source.write_text(text)
    for target in ("json", "jsonl", "bgammon"):
        written = acey("convert", str(source), "--to", target).stdout
        back = acey("convert", "-", "--to", "acey", stdin=written).stdout
        assert back == text
    document = json.loads(acey("convert", str(source), "--to", "json").stdout)
    assert document["format"] == "acey-game/1"


def test_faults_are_told_and_the_game_is_converted_as_written(tmp_path: Path) -> None:
    faulty = DATA / "samples/faulty/half_a_roll.mat"
    target = tmp_path / "one.acey"
    result = acey("convert", str(faulty), "-o", str(target))
    assert result.returncode == 1
    assert f"{faulty}:8:38 '6/2' uses one die of 4-3" in result.stderr
    assert "O 43: 6/2\n" in target.read_text()


def test_what_is_no_file_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link.json", tmp_path / "games.json"
    os.mkfifo(pipe)
    target.write_text("old")
    link.symlink_to(target)
    games = str(DATA / "own" / "games.acey")
    position = "--------------------------:15:15:x:63"
    for words in (
        ("convert", games, "--to", "json", "-o"),
        ("replay", games, "--html"),
        ("show", position, "--svg", "-o"),
    ):
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
            status = acey(*words, str(pipe)).returncode
            if status or not pipe.is_fifo():
                reader.kill()  # nobody has written to it, so it would wait for ever
            received = reader.communicate(timeout=60)[0]
        assert status == 0
        assert pipe.is_fifo()
        assert acey(*words, str(link)).returncode == 0
        assert link.is_symlink()
        assert target.read_bytes() == received != b""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.json", "link.json", "pipe"]


def test_what_was_named_and_is_not_there_is_told_once(tmp_path: Path) -> None:
    missing, target = tmp_path / "none.acey", tmp_path / "games.json"
    line = refused("convert", str(missing), "-o", str(target), status=2)
    assert line == f"acey: {missing}: no such file or directory"
    folder = tmp_path / "folder"
    folder.mkdir()
    line = refused("convert", str(folder), "-o", str(target), status=1)
    assert line == "acey: there is no game to convert; nothing was written"
    line = refused("convert", str(missing), "-o", str(folder), status=2)
    assert line == f"acey: {folder}: is a directory"
    assert not target.exists()


def test_usage(tmp_path: Path) -> None:
    assert "say the format with --to" in refused("convert", str(MAT), status=2)
    assert "there is no format 'pgn'" in refused("convert", str(MAT), "--to", "pgn", status=2)
    nowhere = str(tmp_path / "no" / "games.acey")
    assert refused("convert", str(MAT), "-o", nowhere, status=2).endswith(
        "no such file or directory"
    )


def test_the_verbs_read_and_write_foreign_formats() -> None:
    text = MAT.read_text("utf-8")
    asked = acey("stdio", stdin=f"validate\n{text}.\nconvert from=auto to=sgf\n{text}.\n").stdout
    assert asked.startswith("= games=4 turns=72\n\n= lost: ")
    assert "\n;W[53hcfc]\n" in asked
    faulty = (DATA / "samples/faulty/half_a_roll.mat").read_text("utf-8")
    assert acey("stdio", stdin=f"validate\n{faulty}.\n").stdout.startswith(
        "? bad-record 8:38 '6/2'"
    )
    acey_text = ACEY.read_text("utf-8")
    asked = acey("stdio", stdin=f"convert from=auto to=mat\n{acey_text}\n.\n").stdout
    assert asked == "? unsupported a .mat file holds backgammon, not bgammon\n\n"
