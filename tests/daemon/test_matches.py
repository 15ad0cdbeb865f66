"""Whole matches through the service, without a socket. spec/protocol.md §6."""

import io
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.support.world import World, play_match, random_action

from acey_grammar import read_acey, validate
from acey_protocol.records import MatchRecord, decode_json


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.store.close()


@pytest.mark.parametrize("rules", ["american", "dice-board", "european", "bgammon", "backgammon"])
def test_a_match_is_played_and_its_record_replays(world: World, rules: str) -> None:
    table, x, o = world.open(f"rules={rules} x=alpha o=beta match=3 clock=60+5")
    over = play_match(world, table, (x, o), random_action(Random(5)), rules)
    words = over.split()
    score = [int(each) for each in words[-1].removeprefix("score=").split("-")]
    assert max(score) >= 3
    text = world.ask(f"record {table}").partition("\n")[2]
    games = list(read_acey(io.StringIO(text)))
    assert [fault for game in games for fault in validate(game).faults] == []
    document = decode_json(world.ask(f"record {table} format=json").removeprefix("= "))
    assert isinstance(document, MatchRecord)
    assert document.score == tuple(score)
    assert document.winner == ("X" if score[0] >= 3 else "O")
    assert document.games == tuple(game.record for game in games)


def test_a_restart_brings_a_table_back_as_it_was(world: World) -> None:
    table, x, o = world.open()
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    before = world.ask(f"state {table}"), world.history(table)
    world.restart()
    assert (world.ask(f"state {table}"), world.history(table)) == before
