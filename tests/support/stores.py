"""Stores to be looked at, or damaged."""

import shutil
import sqlite3
from pathlib import Path
from random import Random

from tests.support.world import World, play_match, random_action


def filled(folder: Path, tables: int = 3) -> tuple[Path, list[str]]:
    """A store with some finished matches and one that goes on, closed as a kill would leave it."""
    world = World(folder)
    names: list[str] = []
    for seed in range(tables):
        table, x, o = world.open("match=2 dice=fair")
        play_match(world, table, (x, o), random_action(Random(seed)))
        names.append(table)
    table, x, o = world.open("clock=60+5")
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    names.append(table)
    copy = folder / "copy.sqlite"
    for suffix in ("", "-wal"):
        source = folder / f"store.sqlite{suffix}"
        if source.exists():
            shutil.copy(source, f"{copy}{suffix}")
    world.store.close()
    return copy, names


def checkpointed(path: Path) -> Path:
    """Put everything of the log into the file."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return path
