"""Clocks, by a monotonic time that the test moves. spec/protocol.md §6.4."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.world import World

from acey_daemon.clock import TableClock
from acey_rules import Side

START = "--------------------------:15:15:x"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.store.close()


def seated(world: World, clock: str, match: int = 0) -> tuple[str, str, str]:
    """A table after the opening, X to roll 6-3 by hand, no time used."""
    table, x, o = world.open(f"dice=manual clock={clock} match={match}")
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    world.ask(f"roll {table} {x} 61")
    world.ask(f"roll {table} {x} 63")
    return table, x, o


def banks(world: World, table: str) -> tuple[int, int]:
    clock = json.loads(world.ask(f"state {table} format=json")[2:])["clock"]
    return clock["x_ms"], clock["o_ms"]


def test_the_delay_costs_nothing_and_what_is_beyond_is_taken_from_the_bank(world: World) -> None:
    table, x, o = seated(world, "120+8")
    world.wait(8)
    assert banks(world, table) == (120_000, 120_000)
    world.wait(2.5)
    assert banks(world, table) == (117_500, 120_000)
    assert world.ask(f"play {table} {x} off/19 off/22").startswith("= ")
    assert world.history(table)[-1] == "clock x 117.5 o 120.0"
    world.wait(7)
    assert world.ask(f"roll {table} {o} 54").startswith("= ")
    world.wait(8)
    assert world.ask(f"play {table} {o} off/20 off/21").startswith("= ")
    assert banks(world, table) == (117_500, 120_000)


def test_each_decision_has_its_own_delay(world: World) -> None:
    table, x, _ = seated(world, "120+8")
    world.ask(f"play {table} {x} off/19 off/22")
    state = world.ask(f"state {table}").split()[2]
    assert state.endswith(":o:R")
    other, y, z = world.open("dice=manual clock=60+5")
    world.send(f"await {other} {y} timeout=0", f"await {other} {z} timeout=0")
    for action in ("roll {} {} 61", "roll {} {} 21", "play {} {} off/23 off/24", "name {} {} 6"):
        world.wait(4.999)
        assert world.ask(action.format(other, y)).startswith("= ")
    assert banks(world, other) == (60_000, 60_000)


def test_a_flag_falls_at_its_moment_without_a_message(world: World) -> None:
    table, x, o = seated(world, "2+1")
    world.send(f"7 await {table} {o} timeout=60")
    world.wait(2.999)
    assert world.ask(f"state {table}").startswith("= playing")
    assert world.wait(0.001) == ["=7 over o 15 on time"]
    assert world.history(table)[-2:] == ["over o 15 on time", "match o 0-15"]
    assert world.ask(f"play {table} {x} off/19 off/22").startswith("? over ")
    assert world.ask(f"record {table}").endswith("O wins 15 on time")


def test_a_request_that_comes_with_the_flag_is_too_late(world: World) -> None:
    table, x, _ = seated(world, "2+1")
    world.now += 3.0
    assert world.ask(f"play {table} {x} off/19 off/22").startswith("? over ")
    second, y, _ = seated(world, "2+1")
    world.now += 2.999
    assert world.ask(f"play {second} {y} off/19 off/22").startswith("= ")


def test_a_bank_of_nothing_works(world: World) -> None:
    table, x, _ = seated(world, "0+8")
    world.wait(7.9)
    assert world.ask(f"play {table} {x} off/19 off/22").startswith("= ")
    world.wait(8)
    assert world.history(table)[-2] == "over x 15 on time"


def test_nothing_is_taken_while_nobody_has_to_decide(world: World) -> None:
    table, x, _ = seated(world, "5+0")
    world.wait(1)
    world.ask(f"play {table} {x} off/19 off/22")
    world.wait(3)
    assert banks(world, table) == (4_000, 2_000)


def test_an_opponent_who_never_comes_loses_on_time(world: World) -> None:
    table, x, _ = world.open("clock=10+2")
    world.ask(f"await {table} {x} timeout=0")
    world.wait(11.9)
    assert world.ask(f"state {table}").startswith("= waiting")
    world.wait(0.2)
    assert world.ask(f"await {table} {x}") == "= over x 15 on time"
    record = world.ask(f"record {table}")
    assert record.endswith("\n\nX wins 15 on time")
    assert world.ask(f"validate\n{record.partition(chr(10))[2]}") == "= games=1 turns=0"


def test_an_opponent_who_comes_late_has_less_time(world: World) -> None:
    table, x, o = world.open("clock=10+2 dice=manual")
    world.ask(f"await {table} {o} timeout=0")
    world.wait(5)
    world.ask(f"await {table} {x} timeout=0")
    assert banks(world, table) == (7_000, 10_000)


def test_before_anybody_comes_no_clock_runs(world: World) -> None:
    table, _, _ = world.open("clock=1+0")
    world.wait(1000)
    assert world.ask(f"state {table}").startswith("= waiting")


def test_each_game_of_a_match_has_its_own_bank(world: World) -> None:
    table, x, o = seated(world, "10+0", match=20)
    world.wait(4)
    world.ask(f"resign {table} {x}")
    assert banks(world, table) == (10_000, 10_000)
    world.wait(10)
    over = [event for event in world.history(table) if event.startswith("over ")]
    assert over == ["over o 15 by resignation", "over o 15 on time"]
    assert world.ask(f"await {table} {o}") == "= over o 15 on time score=0-30"


def test_the_time_the_daemon_is_down_is_nobodys(world: World) -> None:
    table, x, _ = seated(world, "60+5")
    world.wait(12)
    world.ask(f"play {table} {x} off/19 off/22")
    assert banks(world, table) == (53_000, 60_000)
    world.now += 10_000
    world.restart()
    assert banks(world, table) == (53_000, 60_000)
    world.wait(64.9)
    assert world.ask(f"state {table}").startswith("= playing")
    world.wait(0.2)
    assert world.history(table)[-2] == "over x 15 on time"


def test_a_running_clock_is_written_down_every_ten_seconds(world: World) -> None:
    """A daemon that is killed gives a decision back at most ten seconds; one told to stop none."""
    table, _, _ = seated(world, "60+5")
    world.wait(17)
    assert "clock x 55.0 o 60.0" in world.history(table)
    world.restart()
    assert banks(world, table) == (55_000, 60_000)
    world.wait(4)
    assert banks(world, table) == (51_000, 60_000)
    world.service.drain(world.now)
    world.restart()
    assert banks(world, table) == (51_000, 60_000)
    world.wait(50.9)
    assert world.ask(f"state {table}").startswith("= playing")
    world.wait(0.2)
    assert world.history(table)[-2] == "over o 15 on time"


def test_the_record_has_the_time_of_each_turn(world: World) -> None:
    table, x, _ = seated(world, "60+5")
    world.wait(1.25)
    world.ask(f"play {table} {x} off/19 off/22")
    assert "1. X 63: off/19 off/22 {%t 1.25}" in world.ask(f"record {table}")


def test_a_clock_alone() -> None:
    clock = TableClock(10_000, 2_000)
    assert clock.deadline() is None
    clock.start(Side.O, 5.0)
    assert clock.deadline() == 17.0
    assert clock.spent(4.0) == 0  # a clock never runs backwards
    assert clock.left(Side.O, 8.5) == 8_500
    assert clock.left(Side.X, 8.5) == 10_000
    assert clock.charge(Side.O, 2_000) is False
    assert clock.charge(Side.O, 99_000) is True
    assert clock.banks == [10_000, 0]
