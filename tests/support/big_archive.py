"""Archives of any size, and how much memory reading them takes."""

import subprocess
import sys
from pathlib import Path

from msgspec.structs import replace
from tests.support.random_games import random_game

from acey_grammar import write_game

_MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True, text=True)
print(done.stdout.splitlines()[-1])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Runs a command and prints its last line and the most memory one process of it had, in KiB."""


def write_archive(path: Path, size: int) -> int:
    """Write an archive of at least ``size`` bytes in our notation; how many games there are."""
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


def validate_measured(path: Path, jobs: int) -> tuple[str, int]:
    """Run ``acey validate``: its last line, and the most memory one process had, in bytes."""
    acey = Path(sys.executable).with_name("acey")
    command = [
        sys.executable,
        "-c",
        _MEASURE,
        str(acey),
        "validate",
        "--jobs",
        str(jobs),
        str(path),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    said, most = done.stdout.splitlines()
    return said, int(most) * 1024
