"""An archive of any size is validated in bounded memory."""

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.acey import ACEY
from tests.support.random_games import random_game

from acey_grammar import write_game

MEGABYTE = 1_000_000
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True, text=True)
print(done.stdout.splitlines()[-1])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Runs a command and prints its last line and the most memory one process of it had, in KiB."""


def archive(path: Path, size: int) -> int:
    """Write an archive of at least ``size`` bytes; how many games there are."""
    texts: list[bytes] = []
    for seed in range(20):
        game = random_game("american", seed, 60)
        remark = f"a long remark on game {seed} " * 80
        turns = tuple(replace(turn, comments=(remark,)) for turn in game.turns)
        texts.append(write_game(replace(game, turns=turns)).encode())
    games = 0
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(texts[games % 20] + b"\n")
            games += 1
    return games


def peak(path: Path, games: int) -> int:
    """The most memory one process had while the archive was validated, in bytes."""
    command = [sys.executable, "-c", MEASURE, ACEY, "validate", "--jobs", "2", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    said, most = done.stdout.splitlines()
    assert said.startswith(f"{path}: {games} games, ")
    assert said.endswith(", no fault")
    return int(most) * 1024


@pytest.mark.slow
def test_ten_times_the_archive_takes_no_more_memory(tmp_path: Path) -> None:
    peaks: list[int] = []
    for size in (20 * MEGABYTE, 200 * MEGABYTE):
        path = tmp_path / f"{size}.acey"
        games = archive(path, size)
        peaks.append(peak(path, games))
        sys.stdout.write(
            f"{size:,} bytes, {games:,} games: at most {peaks[-1]:,} bytes a process\n"
        )
    assert peaks[1] < 200 * MEGABYTE
    assert peaks[1] - peaks[0] < 20 * MEGABYTE
