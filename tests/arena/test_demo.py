"""``acey demo`` as a newcomer runs it, and when things go wrong under it."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.support.acey import ACEY, DEADLINE, Terminal, acey, refused

from acey_arena.bots import BOTS
from acey_grammar import read_games, validate
from acey_protocol.records import MatchRecord, decode_json

QUICK = ("--x", "pip", "--o", "pip")
"""Bots whose games are short."""


def start_demo(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [ACEY, "demo", "--folder", "kept", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def processes_in(session: int) -> list[int]:
    """The processes that still run in a session, by number."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it ended meanwhile
            continue
        if int(its_session) == session and state != "Z":
            found.append(int(folder.name))
    return found


def process_of(session: int, word: str) -> int:
    """The process of a session whose command line has that word; waits until there is one."""
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        for number in processes_in(session):
            if word.encode() in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")[1:]:
                return number
        time.sleep(0.02)
    pytest.fail(f"no process {word!r} was started")


def wait_for_game(demo: subprocess.Popen[str]) -> None:
    assert demo.stderr is not None
    assert any(line.startswith("game 1 starts") for line in iter(demo.stderr.readline, ""))


def test_the_demo_plays_keeps_and_checks_a_match(tmp_path: Path) -> None:
    result = acey("demo", cwd=tmp_path)
    assert result.returncode == 0
    games = list(read_games(tmp_path / "demo.acey"))
    record = decode_json((tmp_path / "demo.json").read_bytes())
    assert isinstance(record, MatchRecord)
    assert tuple(game.record for game in games) == record.games
    assert [validate(game).faults for game in games] == [()] * len(games)
    assert (record.x, record.o, record.rules, record.length) == ("random", "pip", "american", 15)
    assert max(record.score) >= 15 > min(record.score)
    assert record.winner is not None
    assert record.winner == "XO"[record.score.index(max(record.score))]
    turns = sum(len(game.turns) for game in record.games)
    many = "s" * (len(games) != 1)
    loser = "XO".replace(record.winner, "")
    names = {"X": "random", "O": "pip"}
    assert result.stdout.splitlines() == [
        f"{names[record.winner]} ({record.winner}) beats {names[loser]} ({loser}) "
        f"{max(record.score)}-{min(record.score)}",
        f"demo.acey: {len(games)} game{many}, {turns} turns, no fault",
        f"demo.json: {len(games)} game{many}, {turns} turns, no fault",
        f"step through it with: {ACEY} replay demo.acey",
    ]
    said = result.stderr.splitlines()
    assert re.fullmatch(r"daemon at tcp://127\.0\.0\.1:\d+, store and logs in \S+", said[0])
    assert said[1] == "game 1 starts at random 0-0 pip"
    assert len(said) == 1 + len(games)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.acey", "demo.json"]
    assert not Path(said[0].rpartition(" ")[2]).exists()
    replayed = acey("replay", "demo.acey", cwd=tmp_path)
    assert replayed.returncode == 0
    assert replayed.stdout.startswith("game 1: random (X) and pip (O), american, match to 15")


def test_the_same_seed_plays_the_same_match(tmp_path: Path) -> None:
    played: list[list[object]] = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        assert acey("demo", "--seed", "3", "--match", "1", *QUICK, cwd=folder).returncode == 0
        games = [game.record for game in read_games(folder / "demo.acey")]
        played.append([[turn.rolls for turn in game.turns] for game in games])
    assert played[0] == played[1]
    assert played[0][0]


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_nothing_running(tmp_path: Path, number: signal.Signals) -> None:
    with start_demo(tmp_path, "--match", "900") as demo:
        wait_for_game(demo)
        process_of(demo.pid, "pip")
        if number is signal.SIGINT:
            os.killpg(demo.pid, number)  # what a terminal does with Ctrl-C
        else:
            demo.send_signal(number)
        _, errors = demo.communicate(timeout=DEADLINE)
        assert demo.returncode == 130
        assert "Traceback" not in errors
    assert processes_in(demo.pid) == []
    assert not (tmp_path / "demo.acey").exists()


def test_a_daemon_that_dies_is_started_again(tmp_path: Path) -> None:
    with start_demo(tmp_path, "--match", "200", *QUICK) as demo:
        wait_for_game(demo)
        os.kill(process_of(demo.pid, "serve"), signal.SIGKILL)
        output, errors = demo.communicate(timeout=DEADLINE)
    assert demo.returncode == 0, errors
    assert "the daemon ended: killed by SIGKILL" in errors
    assert " turns, no fault\ndemo.json: " in output
    assert processes_in(demo.pid) == []


def test_a_bot_that_dies_ends_the_demo_with_a_reason(tmp_path: Path) -> None:
    with start_demo(tmp_path, "--match", "900") as demo:
        wait_for_game(demo)
        os.kill(process_of(demo.pid, "pip"), signal.SIGKILL)
        output, errors = demo.communicate(timeout=DEADLINE)
    assert (demo.returncode, output) == (70, "")
    assert re.search(
        r"^acey: the demonstration stopped: the bot pip \(O\) ended early: killed by SIGKILL; "
        r"its last words: bot pip, seed \d+, ",
        errors,
        re.MULTILINE,
    )
    assert processes_in(demo.pid) == []


def test_a_named_folder_keeps_the_store_and_the_logs(tmp_path: Path) -> None:
    result = acey("demo", "--match", "1", *QUICK, "--folder", "deep/kept", cwd=tmp_path)
    assert result.returncode == 0
    kept = {path.name for path in (tmp_path / "deep" / "kept").iterdir()}
    assert kept >= {"demo.sqlite", "daemon.log", "bot-x.log", "bot-o.log"}
    # The folder can be used again: a table more in the same store.
    assert (
        acey("demo", "--match", "1", *QUICK, "--folder", "deep/kept", cwd=tmp_path).returncode == 0
    )


def test_a_terminal_shows_a_bar(tmp_path: Path) -> None:
    with Terminal("demo", "--match", "1", *QUICK, cwd=tmp_path) as terminal:
        terminal.read_until("game 1, ply ")
        assert terminal.finish() == 0
    assert "━" in terminal.shown


def test_what_cannot_be_played_is_usage() -> None:
    assert refused("demo", "--x", "deep", status=2) == (
        f"acey: there is no bot 'deep'; there are {', '.join(BOTS)}"
    )
    assert refused("demo", "--rules", "navy", status=2).startswith("acey: no rule set 'navy'")
    assert refused("demo", "--match", "0", status=2).startswith("acey demo: ")
    assert refused("demo", "--folder", "/proc/none", status=2) == (
        "acey: /proc/none: no such file or directory"
    )
