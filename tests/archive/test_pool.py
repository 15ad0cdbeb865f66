"""Several processes: what is started, and what happens when one is ended or all are interrupted."""

import multiprocessing
import os
import signal
import subprocess
import threading
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Never

import pytest
from tests.support.acey import ACEY, DEADLINE
from tests.support.random_games import random_game

from acey_daemon import cli
from acey_daemon.archive import pool
from acey_daemon.archive.judging import Options
from acey_daemon.archive.pool import ProcessLostError, read_archive
from acey_daemon.archive.units import Unit, units
from acey_grammar import write_game

GAME = f"# {'a long remark ' * 1000}\n{write_game(random_game('american', 1, 60))}"
"""Mostly remark, so that the processes have little to judge."""


def archive(size: int) -> str:
    return "\n".join([GAME] * (size // len(GAME) + 1))


@pytest.fixture
def big(tmp_path: Path) -> Path:
    path = tmp_path / "big.acey"
    path.write_text(archive(4 * pool.ALONE))
    return path


def end_at_once(_unit: Unit, _options: Options) -> Never:
    os._exit(3)


def test_a_process_that_is_ended_is_told(big: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_judge_elsewhere", end_at_once)
    with pytest.raises(ProcessLostError, match="a process was ended from outside, reading "):
        list(read_archive([str(big)], Options(), 2))


def test_no_file_is_left_when_a_process_is_ended(
    big: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pool, "_judge_elsewhere", end_at_once)
    target = big.with_name("big.jsonl")
    assert cli.run(["convert", "--jobs", "2", str(big), "-o", str(target)]) == cli.INTERNAL
    assert capsys.readouterr().err == (
        f"acey: a process was ended from outside, reading {big}; no more was read\n"
    )
    assert [path.name for path in big.parent.iterdir()] == ["big.acey"]


def test_little_is_judged_without_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_judge_elsewhere", end_at_once)
    path = tmp_path / "small.acey"
    path.write_text(archive(pool.ALONE // 2))
    for number in range(100):
        (tmp_path / f"empty{number}.acey").touch()
    found = list(read_archive([str(tmp_path)], Options(), 2))
    assert sum(verdict.game > 0 for verdict in found) == path.read_text().count("[Rules")
    assert [fault for verdict in found for fault in verdict.faults] == []


@pytest.mark.parametrize("games", [1, None])
def test_nothing_of_the_pool_is_left_to_end_by_itself(big: Path, games: int | None) -> None:
    """What was still ending with the program told of it on standard error, once in a while."""
    before = set(threading.enumerate())
    assert list(islice(read_archive([str(big)], Options(), 2), games))
    assert set(threading.enumerate()) == before
    assert multiprocessing.active_children() == []


def test_an_interrupt_ends_every_process_without_a_word() -> None:
    """The text is long enough to be with other processes when it has been taken from the pipe."""
    process = subprocess.Popen(
        [ACEY, "validate", "--jobs", "2", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(archive(4_000_000).encode())
    process.stdin.flush()
    os.killpg(process.pid, signal.SIGINT)
    said, told = process.communicate(timeout=DEADLINE)
    assert (process.returncode, said, told) == (cli.INTERRUPTED, b"", b"")


def test_a_unit_says_how_much_there_is_to_judge() -> None:
    text = f"{GAME}\n63: 24/18\n"
    sizes = [unit.size for unit in units(BytesIO(text.encode()))]
    assert sizes == [len(text)]
    plays = "63: 24/18 13/10\n31: 8/5 6/5\n"
    assert [unit.size for unit in units(BytesIO(plays.encode()))] == [len(plays) - 2]
