"""The benchmark measures what it says; no figure is asserted."""

import json
from pathlib import Path

from tests.support.acey import acey
from tests.support.world import World

from acey_daemon.bench import measure_play, middle_positions, scripted_game
from acey_daemon.bench_bare import raw_commits
from acey_rules import BACKGAMMON, State


def test_positions_are_of_the_middle_and_have_dice_to_play() -> None:
    lines = middle_positions(BACKGAMMON, 20, 1)
    assert len(set(lines)) == 20
    assert all(State.parse(line, BACKGAMMON).dice is not None for line in lines)


def test_a_scripted_game_is_the_one_its_seed_gives(tmp_path: Path) -> None:
    world = World(tmp_path)
    table, x, o = world.open("dice=seed:4")
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    for side, action in scripted_game(4).actions:
        reply = world.ask(action.format(f"{table} {(x, o)[side]}"))
        assert reply.startswith("= "), reply
    assert world.ask(f"await {table} {x}").startswith("= over ")
    world.store.close()


def test_raw_commits_write_every_row(tmp_path: Path) -> None:
    rows: list[tuple[str | int, ...]] = [(n, n - 1, "t", n, 0, "[]", 0) for n in range(1, 11)]
    assert raw_commits(str(tmp_path / "raw.sqlite"), rows, 3, "process") > 0


def test_plays_are_measured() -> None:
    figures = measure_play(0.2, 3, "process")
    assert 1 <= figures.rows_per_commit <= 3
    assert figures.bare_per_second > 0
    assert figures.pause_ms == 0


def test_a_slower_disk_is_slower_for_all_that_is_compared() -> None:
    figures = measure_play(0.2, 3, "disk", 0.02)
    assert figures.pause_ms == 20
    assert figures.raw_commit_ms >= 20
    # One action of each table, or one message of each client, is in flight: no more are answered
    # in a commit. The first one may have begun before the time that is measured.
    assert figures.plays_per_second < 2 * 3 / 0.02
    assert figures.bare_per_second < 2 * 16 / 0.02


def test_the_command_gives_json() -> None:
    result = acey("bench", "daemon", "--seconds", "0.2", "--tables", "4", "--json")
    document = json.loads(result.stdout)
    assert [each["durability"] for each in document["play"]] == ["disk", "disk", "process"]
    assert [each["pause_ms"] for each in document["play"]] == [0, 4, 0]
    assert document["legal"]["reply_bytes"] > 500
