"""Bots at the seats of a daemon, as processes, over sockets; the daemon may die meanwhile."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.acey import ACEY, DEADLINE
from tests.support.daemon import Daemon

from acey_arena.bots import BOTS
from acey_grammar import parse_games, validate
from acey_protocol.client import Client


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    with Daemon(tmp_path) as daemon:
        yield daemon


def start_bot(
    daemon: Daemon, name: str, table: str, token: str, seed: int
) -> subprocess.Popen[str]:
    words = ["bot", "--name", name, "--table", table, "--seed", str(seed)]
    return subprocess.Popen(
        [ACEY, *words, "--address", daemon.requests],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"ACEY_TOKEN": token},
    )


def test_two_bots_play_a_match_and_the_record_is_right(daemon: Daemon) -> None:
    with Client(daemon.requests) as client, ExitStack() as stack:
        table = client.open(x="one", o="two", match=5, rules="european", dice="seed:5")
        bots = [
            stack.enter_context(start_bot(daemon, name, table.table, token, 1))
            for name, token in (("random", table.x), ("pip", table.o))
        ]
        said = [bot.communicate(timeout=DEADLINE) for bot in bots]
        assert [bot.returncode for bot in bots] == [0, 0]
        over = client.state(table.table).over
        assert over is not None
        assert [out for out, _ in said] == [f"{over.text()}\n"] * 2
        assert [err for _, err in said] == [
            f"bot {name}, seed 1, table {table.table} at {daemon.requests}\n"
            for name in ("random", "pip")
        ]
        record = client.record(table.table)
        assert record.length == 5
        assert max(record.score) >= 5
        assert [game.faults for game in map(validate, record.games)] == [()] * len(record.games)
        text = client.record_text(table.table)
        assert tuple(game.record for game in parse_games(text)) == record.games


def test_bots_outlive_a_daemon_that_is_killed(daemon: Daemon) -> None:
    with Client(daemon.requests, timeout=2, attempts=30) as client, ExitStack() as stack:
        table = client.open(match=30, dice="seed:6")
        bots = [
            stack.enter_context(start_bot(daemon, name, table.table, token, 2))
            for name, token in (("pip", table.x), ("pip", table.o))
        ]
        for ply in (20, 150):
            while client.state(table.table).ply < ply:
                pass
            daemon.kill()
            daemon.start()
        assert [bot.wait(DEADLINE) for bot in bots] == [0, 0]
        record = client.record(table.table)
        assert max(record.score) >= 30
        assert [game.faults for game in map(validate, record.games)] == [()] * len(record.games)
        played = [seq for seq, _ in client.history(table.table)]
        assert played == list(range(1, len(played) + 1))


def next_line(bot: subprocess.Popen[str]) -> str:
    """The next line a bot notes; waited for, however long it takes."""
    assert bot.stderr is not None
    return bot.stderr.readline()


def test_a_bot_that_waits_notices_that_its_daemon_is_killed(daemon: Daemon) -> None:
    with Client(daemon.requests) as client:
        table = client.open(dice="seed:6")
        other = client.seat(table.table, table.o)
        with start_bot(daemon, "pip", table.table, table.x, 2) as bot:
            other.wait(0)
            assert next_line(bot).startswith("bot pip, seed 2")
            while client.state(table.table).status == "waiting":
                pass
            daemon.kill()
            lost = f"the connection to {daemon.requests} is lost; trying to connect anew\n"
            assert next_line(bot) == lost
            daemon.start()
            assert next_line(bot) == f"connected to {daemon.requests} again\n"
            other.leave()
            out, err = bot.communicate(timeout=DEADLINE)
        assert (bot.returncode, err) == (0, "")
        over = client.state(table.table).over
        assert over is not None
        assert (over.winner, over.how) == ("x", "by forfeit")
        assert out == f"{over.text()}\n"


def test_a_bot_whose_daemon_does_not_return_ends_and_says_so(daemon: Daemon) -> None:
    with daemon.client() as client:
        table = client.open(dice="seed:6")
    words = ["bot", "--table", table.table, "--address", daemon.requests, "--patience", "0"]
    with subprocess.Popen(
        [ACEY, *words], stderr=subprocess.PIPE, text=True, env=os.environ | {"ACEY_TOKEN": table.x}
    ) as bot:
        assert next_line(bot).startswith("bot random")
        with daemon.client() as client:  # both seats are taken, so that the bot has sat down
            client.seat(table.table, table.o).wait(0)
            while client.state(table.table).status == "waiting":
                pass
        daemon.kill()
        _, err = bot.communicate(timeout=DEADLINE)
    assert bot.returncode == 2
    lost, end = err.splitlines()
    assert lost == f"the connection to {daemon.requests} is lost; trying to connect anew"
    assert end.startswith(f"acey: {daemon.requests}: no reply to ")


def test_bots_end_where_the_table_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "short").write_text("42 63 54 31")
    with Daemon(tmp_path, "--dice-dir", str(tmp_path)) as daemon, ExitStack() as stack:
        with Client(daemon.requests) as client:
            table = client.open(dice="file:short")
        bots = [
            stack.enter_context(start_bot(daemon, "random", table.table, token, 1))
            for token in (table.x, table.o)
        ]
        said = [bot.communicate(timeout=DEADLINE) for bot in bots]
    stopped = "over the table has stopped: the script of dice has 4 rolls, and no other comes"
    assert [err.splitlines()[-1] for _, err in said] == [
        f"acey: table {table.table}: {stopped}"
    ] * 2
    assert [bot.returncode for bot in bots] == [2, 2]


def test_a_bot_says_in_one_line_why_it_cannot_play(daemon: Daemon) -> None:
    with Client(daemon.requests) as client:
        table = client.open(dice="manual")
        wrong = client.open()

    def last_line(table: str, token: str, *words: str) -> tuple[int, str]:
        result = subprocess.run(
            [ACEY, "bot", "--table", table, "--token", token, *words],
            check=False, capture_output=True, text=True, timeout=DEADLINE,
        )  # fmt: skip
        return result.returncode, result.stderr.splitlines()[-1]

    at = ("--address", daemon.requests)
    assert last_line(wrong.table, "0" * 32, *at) == (
        2,
        f"acey: table {wrong.table}: bad-token the token opens no seat of table {wrong.table}",
    )
    assert last_line("nowhere", "0" * 32, *at) == (
        2,
        "acey: table nowhere: no-such-table there is no table 'nowhere'",
    )
    assert last_line(table.table, table.x, *at, "--name", "deep") == (
        2,
        f"acey: there is no bot 'deep'; there are {', '.join(BOTS)}",
    )
    silent = ("--address", "tcp://127.0.0.1:1", "--patience", "0")
    code, line = last_line(table.table, table.x, *silent)
    assert (code, line) == (
        2,
        "acey: tcp://127.0.0.1:1: no reply to 'state': nobody listens there, or it cannot be "
        "reached",
    )
