"""``acey engine``: an engine process at a seat of a daemon, against a bot of ours."""

import sys
import threading
from collections.abc import Iterator

import pytest
from tests.arena.test_engines import ACEY, SCRIPTED
from tests.support.acey import acey

from acey_arena.blockade import BlockadeBot
from acey_arena.bots import PipBot
from acey_arena.daemon import RefereeDaemon
from acey_arena.player import play_seat
from acey_protocol.client import Client
from acey_protocol.replies import OpenedTable, Result


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    daemon = RefereeDaemon()
    yield daemon.address
    daemon.close()


def pip_against(address: str, table: OpenedTable) -> threading.Thread:
    """Let pip play O in a thread."""

    def play() -> None:
        with Client(address) as client:
            play_seat(client.seat(table.table, table.o), PipBot())

    thread = threading.Thread(target=play)
    thread.start()
    return thread


def opened(address: str, match: int = 0, clock: str = "") -> OpenedTable:
    with Client(address) as client:
        return client.open(x="engine", o="pip", match=match, clock=clock, dice="seed:5")


def seat_engine(address: str, table: OpenedTable, *command: str) -> tuple[int, str, str]:
    opponent = pip_against(address, table)
    done = acey(
        *("engine", "--address", address, "--table", table.table, "--token", table.x),
        *("--deadline", "20", "--", *command),
    )
    opponent.join()
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("clock", ["", "600+10"])
def test_an_engine_plays_a_match(clock: str, address: str) -> None:
    table = opened(address, match=20, clock=clock)
    status, out, err = seat_engine(address, table, str(ACEY), "ubgi", "--bot", "blockade")
    with Client(address) as client:
        state, record = client.state(table.table), client.record(table.table)
    assert (status, err) == (0, "")
    assert state.over is not None
    assert out == f"{state.over.text()}\n"
    assert max(record.score) >= 20
    assert len(record.games) >= 2
    # The engine plays as the bot itself would: the same dice, the same turns.
    again = opened(address, match=20, clock=clock)
    opponent = pip_against(address, again)
    with Client(address) as client:
        result = play_seat(client.seat(again.table, again.x), BlockadeBot())
        assert isinstance(result, Result)
        games = client.record(again.table).games
    opponent.join()
    assert [[t.rolls for t in g.turns] for g in games] == [
        [t.rolls for t in g.turns] for g in record.games
    ]


def test_a_failing_engine_gives_its_seat_up(address: str) -> None:
    table = opened(address)
    status, out, err = seat_engine(address, table, sys.executable, str(SCRIPTED), "illegal", "2")
    assert (status, out) == (1, "")
    assert "engine: about to illegal" in err
    assert "acey: the engine has forfeited: illegal: '24/1' at " in err
    with Client(address) as client:
        over = client.state(table.table).over
    assert over is not None
    assert (over.winner, over.how) == ("o", "by forfeit")
