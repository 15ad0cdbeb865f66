"""Every error code is provoked, and every verb's refusals are among those it lists. §3."""

from pathlib import Path

import pytest
from tests.support.world import World

from acey_daemon import oracle
from acey_daemon.answering import Call, Connection, Outcome
from acey_daemon.store import StoreBusyError
from acey_protocol.errors import Code
from acey_protocol.lines import parse_reply
from acey_protocol.verbs import COMMON_CODES, VERBS

START = "--------------------------:15:15:x"


def provoked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[Code, list[tuple[str, str]]]:
    """Verbs and replies by code, for at least one request of every code."""
    world = World(folder, max_tables=2, max_waiting_each=1)
    table, x, o = world.open("dice=manual")
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    world.ask(f"roll {table} {x} 61")
    world.ask(f"roll {table} {x} 63")
    requests = [
        'ping "',
        "frobnicate",
        "legal",
        "legal xyz",
        "validate\n[X",
        f"apply {START}:63 play off/19",
        f"name {table} {x} 6",
        f"play {table} {o} off/19 off/22",
        f"play {table} {x} off/16 ply=1",
        "state nowhere",
        f"play {table} {x[::-1]} off/16",
        "apply ------------------------a-:0:14:x:- play -",
        "ping " + "x" * 70_000,
        "open dice=file:none",
    ]
    found: dict[Code, list[tuple[str, str]]] = {}

    def note(request: str) -> None:
        reply = world.ask(request)
        code = parse_reply(reply.encode()).code
        assert code is not None, (request, reply)
        found.setdefault(code, []).append((request.split(maxsplit=1)[0], reply))

    for request in requests:
        note(request)
    world.send(f"await {table} {o} timeout=9")
    note(f"await {table} {o} timeout=9")  # one request of this connection may wait
    world.open()
    note("open")  # no third table
    monkeypatch.setattr(world.service.tables, "find", broken)
    note(f"state {table}")
    monkeypatch.undo()
    world.store.close()
    return found


def broken(id: str) -> None:
    raise ZeroDivisionError(id)


def test_every_code_is_provoked_and_none_is_unlisted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = provoked(tmp_path, monkeypatch)
    assert set(found) == set(Code)
    for code, requests in found.items():
        for verb, reply in requests:
            if verb in VERBS:
                assert code in (*VERBS[verb].codes, *COMMON_CODES), reply


def test_a_fault_of_ours_is_told_as_such_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fault(call: Call) -> Outcome:
        raise ZeroDivisionError(call.request.verb)

    monkeypatch.setattr(oracle, "_show", fault)
    world = World(tmp_path)
    assert (
        world.ask(f"7 show {START}:R")
        == "?7 internal a fault of this server, which its log describes"
    )
    assert "ZeroDivisionError" in caplog.text
    assert world.ask("ping") == "="
    world.store.close()


def test_when_the_store_cannot_be_written_nothing_has_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    table, x, o = world.open("dice=manual")
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    before = world.ask(f"state {table}")
    published = len(world.events)

    def full(group: object) -> None:
        raise StoreBusyError(f"database or disk is full: {group!r}")

    waiting = Connection(b"gamma")
    world.send(f"5 await {table} {x[::-1]} timeout=9", connection=waiting)
    world.send(f"6 await {table} {o} timeout=9", connection=waiting)
    monkeypatch.setattr(world.store, "commit", full)
    replies = world.send(
        f"1 roll {table} {x} 61 ply=1", f"2 state {table}", "3 ping", "4 open x=alpha"
    )
    busy = "the store cannot be written now; nothing was changed"
    assert replies == [f"?1 busy {busy}", f"?2 busy {busy}", "=3", f"?4 busy {busy}"]
    assert (waiting, f"?6 busy {busy}") in world.replies
    monkeypatch.undo()
    assert world.ask(f"state {table}") == before
    assert len(world.events) == published
    assert world.ask("tables").split("\n")[0] == "= 1"
    assert world.ask(f"roll {table} {x} 61 ply=1").startswith("= 1 ")
    world.restart()
    assert len(world.history(table)) == 5
    world.store.close()
