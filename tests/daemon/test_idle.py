"""Tables that everybody has left are stopped, if the operator wants it, and no others."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.world import ALPHA, BETA, World

from acey_daemon import service
from acey_daemon.audit import audit
from acey_daemon.rows import NewTable
from acey_daemon.store import Group, LogRow, Store, StoreError
from acey_protocol.events import AnyEvent, Began, Opened, Opening, Stopped
from acey_protocol.fairness import verify_match
from acey_protocol.records import MatchRecord, decode_json
from acey_protocol.replies import Listed
from acey_rules import AMERICAN, Draw, State, StreamDice, commitment

DAY_MS = 24 * 60 * 60 * 1000
HOUR = 3600.0
STOPPED = "the table has stopped: nothing has happened for 30 days"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path, max_idle_days=30)
    world.wait(HOUR)
    yield world
    world.store.close()


def later(world: World, milliseconds: int) -> list[str]:
    """Let that time pass, and a minute at least; the replies that came."""
    world.wall += milliseconds
    return world.wait(max(60.0, milliseconds / 1000))


def stopped(world: World, table: str) -> bool:
    return world.history(table)[-1].startswith('stopped "nothing has happened for 30 days"')


def begun(world: World, options: str = "dice=seed:1") -> tuple[str, str, str, str]:
    """A game that has begun: its table, both tokens, and that of the side to play."""
    table, x, o = world.open(options)
    for token in (x, o):
        world.ask(f"await {table} {token} timeout=0")
    turn = x if " wait" not in world.ask(f"await {table} {x} timeout=0") else o
    return table, x, o, turn


def play_any(world: World, table: str, token: str) -> None:
    position = world.ask(f"await {table} {token} timeout=0").split()[3]
    text = world.ask(f"legal {position}").split("\n")[1].split("\t")[0]
    assert world.ask(f"play {table} {token} {text}").startswith("= ")


def test_a_table_is_stopped_when_nothing_has_happened_for_so_long(world: World) -> None:
    table, x, _, turn = begun(world)
    play_any(world, table, turn)
    later(world, 30 * DAY_MS)
    assert not stopped(world, table)
    later(world, 1)
    assert stopped(world, table)
    for request in (f"await {table} {x}", f"play {table} {x} -", f"resign {table} {x}"):
        assert world.ask(request) == f"? over {STOPPED}"
    assert world.ask("tables open") == "= 0"
    assert world.ask(f"record {table}").rstrip().endswith("*")
    world.restart()
    assert stopped(world, table)
    assert world.ask(f"await {table} {x}") == f"? over {STOPPED}"


def test_whatever_happens_begins_the_days_anew(world: World) -> None:
    table, *_, turn = begun(world)
    later(world, 20 * DAY_MS)
    play_any(world, table, turn)
    later(world, 20 * DAY_MS)
    assert not stopped(world, table)
    later(world, 11 * DAY_MS)
    assert stopped(world, table)


def test_only_those_are_stopped_where_nothing_happens(world: World) -> None:
    left = {world.open()[0] for _ in range(3)}
    table, *_, turn = begun(world)
    left.add(world.open("dice=manual match=5")[0])
    later(world, 29 * DAY_MS)
    play_any(world, table, turn)
    opened = world.open()[0]
    later(world, 2 * DAY_MS)
    assert {id for id in (*left, table, opened) if stopped(world, id)} == left
    assert world.ask("tables open").startswith("= 2\n")


def test_whoever_waits_is_told_and_so_are_subscribers(world: World) -> None:
    table, x, o = world.open()
    later(world, 30 * DAY_MS - 60_000)
    assert world.send(f"7 await {table} {x} timeout=3600") == []
    later(world, 30 * DAY_MS - 60_000)
    assert world.send(f"8 await {table} {x} timeout=3600") == []
    world.events.clear()
    assert later(world, 120_000) == [f"?8 over {STOPPED}"]
    (event,) = world.events
    assert event[0] == f"table.{table}"
    assert ' stopped "nothing has happened for 30 days" secret=' in event[1]
    assert world.ask(f"await {table} {o}") == f"? over {STOPPED}"


def test_the_dice_of_a_stopped_table_are_proven(world: World) -> None:
    table, *_, turn = begun(world, "dice=fair")
    play_any(world, table, turn)
    assert not verify_match(match_record(world, table)).proven
    later(world, 31 * DAY_MS)
    assert verify_match(match_record(world, table)).proven


def match_record(world: World, table: str) -> MatchRecord:
    record = decode_json(world.ask(f"record {table} format=json")[2:])
    assert isinstance(record, MatchRecord)
    return record


def test_none_is_stopped_unless_the_settings_say_so(tmp_path: Path) -> None:
    world = World(tmp_path)
    table, *_ = world.open()
    world.wait(HOUR)
    later(world, 36525 * DAY_MS)
    assert world.history(table)[-1].startswith("opened ")
    world.store.close()


def test_players_have_an_hour_to_come_back_after_a_start(world: World) -> None:
    table, x, _ = world.open()
    other, *_ = world.open()
    world.wall += 100 * DAY_MS
    world.restart()
    world.wait(HOUR - 1)
    assert not stopped(world, table)
    world.ask(f"await {table} {x} timeout=0")
    world.wait(2.0)
    assert not stopped(world, table)
    assert stopped(world, other)


def test_they_have_it_too_where_the_machine_was_suspended_or_its_time_was_set(
    world: World,
) -> None:
    table, x, _ = world.open()
    other, *_ = world.open()
    world.wall += 31 * DAY_MS
    world.wait(60.0)
    assert not stopped(world, other)
    world.ask(f"await {table} {x} timeout=0")
    later(world, 3_600_000)
    assert not stopped(world, table)
    assert stopped(world, other)


def test_whoever_thinks_while_the_clock_runs_is_left_alone(tmp_path: Path) -> None:
    world = World(tmp_path, max_idle_days=1)
    world.wait(HOUR)
    table, x, _, turn = begun(world, "dice=seed:1 clock=0+259200")
    later(world, 2 * DAY_MS)
    assert world.ask(f"state {table}").startswith("= playing ")
    later(world, 2 * DAY_MS)
    winner = "o" if turn == x else "x"
    assert world.history(table)[-2].startswith(f"over {winner} ")
    assert world.history(table)[-2].endswith(" on time")
    world.store.close()


def test_the_state_of_a_stopped_match_names_no_winner(world: World) -> None:
    table, x, _, _ = begun(world, "dice=seed:1 match=500")
    assert " over " in world.ask(f"resign {table} {x}")
    later(world, 31 * DAY_MS)
    assert stopped(world, table)
    state = world.ask(f"state {table}")
    assert state.startswith("= over ")
    assert " over=" not in state
    assert json.loads(world.ask(f"state {table} format=json")[2:])["over"] is None


@pytest.mark.parametrize("honest", [True, False])
def test_the_check_of_a_store_looks_at_the_dice_of_stopped_tables(
    tmp_path: Path, honest: bool
) -> None:
    path = tmp_path / "store.sqlite"
    secret = bytes(32)
    committed = commitment(secret if honest else bytes(31))
    x, o = StreamDice(secret, "", "").draw(Draw(1, None, 1, 0))
    events: list[AnyEvent] = [
        Opened(rules="american", dice="fair", commitment=committed),
        Opening(f"{x}{o}", 1),
        Began(1, 0, 0, State.start(AMERICAN, (x, o)).line),
        Stopped("nothing has happened for a day", secret.hex()),
    ]
    table = NewTable("t0000001", bytes(32), bytes(32), secret, "")
    listed = Listed(table.id, "over", "american", "", "", 0, (0, 0))
    with Store(path) as store:
        store.commit(Group([table], [LogRow(table.id, 1, events)], [listed], 0))
    messages = [flaw.message for flaw in audit(path).flaws]
    if honest:
        assert not messages
    else:
        (message,) = messages
        assert message.endswith("its SHA-256 is another")


def test_where_the_time_of_day_was_set_back_no_table_is_stopped_too_early(world: World) -> None:
    early, *_ = world.open()
    world.wall -= 365 * DAY_MS
    table, *_ = world.open()
    later(world, 29 * DAY_MS)
    assert not stopped(world, table)
    assert not stopped(world, early)
    later(world, 365 * DAY_MS)
    assert stopped(world, table)


def test_many_are_stopped_little_by_little(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "IDLE_TABLES", 4)
    for _ in range(10):
        world.open()
    left: list[str] = []
    for milliseconds in (31 * DAY_MS, 0, 0):
        later(world, milliseconds)
        left.append(world.ask("tables open").split("\n")[0])
    assert left == ["= 6", "= 2", "= 0"]


def test_a_table_that_is_stopped_leaves_room_for_another(tmp_path: Path) -> None:
    world = World(tmp_path, max_idle_days=1, max_tables=2, max_tables_each=1)
    world.wait(HOUR)
    world.ask("open", ALPHA)
    world.ask("open", BETA)
    assert world.ask("open", ALPHA).startswith("? busy ")
    later(world, DAY_MS + 1)
    assert world.ask("open", ALPHA).startswith("= ")
    assert world.ask("open", ALPHA).startswith("? rate-limited ")
    world.store.close()


def test_what_cannot_be_stored_is_stopped_later(world: World) -> None:
    table, *_ = world.open()
    with closing(sqlite3.connect(world.settings.store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        later(world, 31 * DAY_MS)
        assert not stopped(world, table)
        other.execute("ROLLBACK")
    later(world, 0)
    assert stopped(world, table)


def test_a_store_that_cannot_be_read_now_ends_no_daemon(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, *_ = world.open()

    def unreadable(row: int) -> int:
        raise StoreError(f"row {row}: disk I/O error")

    with monkeypatch.context() as broken:
        broken.setattr(world.store, "_written", unreadable)
        later(world, 31 * DAY_MS)
    assert not stopped(world, table)
    later(world, 0)
    assert stopped(world, table)
