"""The daemon as a process: sockets, bytes that are no request, and being killed."""

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import zmq
from tests.support.daemon import DEADLINE, Daemon, witness
from tests.support.vectors import (
    Over,
    game_vectors,
    illegal_vectors,
    play_vectors,
    sample,
    turn_vectors,
)

from acey_grammar import parse_games, validate
from acey_protocol.errors import BadArgument, IllegalPlay, TableOver, WrongAction
from acey_protocol.events import Named, Played
from acey_protocol.lines import parse_reply

START = "--------------------------:15:15:x"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with Daemon(tmp_path_factory.mktemp("daemon")) as daemon:
        yield daemon


def test_plays_of_the_vectors(daemon: Daemon) -> None:
    with daemon.client() as client:
        for row in sample(play_vectors(), 150):
            reply = client.request("legal", row.position, rules=row.rules)
            lines = [line.split("\t")[1] for line in reply.lines]
            assert reply.text == str(len(lines))
            assert row.agrees(lines), row.place


def test_turns_of_the_vectors(daemon: Daemon) -> None:
    with daemon.client() as client:
        for row in sample(turn_vectors(), 120):
            after = client.apply(row.position, row.action, row.rules)
            if isinstance(row.result, Over):
                assert after.over is not None
                assert (after.over.winner, after.over.points) == (
                    row.result.over,
                    row.result.points,
                ), row.place
            else:
                assert after.position == row.result, row.place


def test_games_of_the_vectors(daemon: Daemon) -> None:
    with daemon.client() as client:
        for row in sample(game_vectors(), 3):
            line, over = row.start, None
            for action, expected in zip(row.actions, row.positions, strict=True):
                after = client.apply(line, action, row.rules)
                line, over = after.position, after.over
                assert line == expected, row.place
            assert over is not None
            assert (over.winner, over.points) == (row.final.winner, row.final.points)


def test_refusals_of_the_vectors(daemon: Daemon) -> None:
    with daemon.client() as client:
        for row in sample(illegal_vectors(), 75):
            with pytest.raises((IllegalPlay, WrongAction, BadArgument, TableOver)):
                client.apply(row.position, row.action, row.rules)


def bare(daemon: Daemon, kind: int) -> zmq.Socket[bytes]:
    sock = zmq.Context.instance().socket(kind)
    sock.linger = 0
    sock.rcvtimeo = DEADLINE * 1000
    sock.connect(daemon.requests)
    return sock


def test_req_and_dealer_are_served_alike(daemon: Daemon) -> None:
    with bare(daemon, zmq.REQ) as req, bare(daemon, zmq.DEALER) as dealer:
        req.send(b"1 ping")
        assert req.recv() == b"=1"
        dealer.send_multipart([b"", b"2 ping"])
        assert dealer.recv_multipart() == [b"", b"=2"]
        dealer.send(b"3 ping")
        assert dealer.recv_multipart() == [b"=3"]
        req.send_multipart([b"4 ping", b"5 ping", b""])
        assert req.recv() == b"?4 syntax a request is one frame, not 3"
        for number in range(100):
            dealer.send(b"%d legal %b:63" % (number, START.encode()))
        ids = [parse_reply(dealer.recv()).id for _ in range(100)]
        assert ids == [str(number) for number in range(100)]


def test_a_request_of_several_frames_is_refused_in_its_turn(daemon: Daemon) -> None:
    with daemon.client() as client:
        opened = client.open()
    table, x = opened.table, opened.x
    with bare(daemon, zmq.DEALER) as dealer:
        dealer.send(b"1 validate\n" + b"[X alpha]\n" * 2000)  # which is judged beside the loop
        dealer.send_multipart([f"2 resign {table} {x}".encode(), b"3 ping"])
        dealer.send(b"4 ping")
        dealer.send_multipart([b"", b"", b"5 ping"])
        dealer.send_multipart([b"ping", b""])
        dealer.send(f"6 state {table}".encode())
        replies = [dealer.recv_multipart() for _ in range(6)]
    assert replies[0][0].startswith(b"?1 bad-record ")
    assert replies[1:5] == [
        [b"?2 syntax a request is one frame, not 2"],
        [b"=4"],
        [b"", b"? syntax a request is one frame, not 2"],
        [b"? syntax a request is one frame, not 2"],
    ]
    assert replies[5][0].startswith(b"=6 waiting - seq=1 ")


def no_requests() -> Iterator[bytes]:
    """Bytes that are no request."""
    yield from (b"", b"\0", b"ping\0", b"\xff\xfe", b"\xed\xa0\x80 ping", b"\n", b"\r\n", b" ")
    yield from (b'"', b"=1", b"?1 over", b"x" * 1_048_576, b"1 ping " + b"y" * 1_048_576)
    random = Random(6)
    for _ in range(10_000):
        data = random.randbytes(random.randint(0, 60))
        # A verb in random bytes would be a request.
        yield data if random.random() < 0.5 else bytes(byte % 96 + 32 for byte in data) + b"\0"


def test_bytes_that_are_no_request_each_get_an_error(daemon: Daemon) -> None:
    with bare(daemon, zmq.DEALER) as dealer:
        for data in no_requests():
            dealer.send(data)
            reply = parse_reply(dealer.recv())
            assert not reply.ok, data[:80]
            assert reply.code in ("syntax", "unknown-verb", "too-large", "bad-argument"), data[:80]
        dealer.send(b"7 ping")
        assert dealer.recv() == b"=7"


@pytest.mark.parametrize("rules", ["american", "european"])
def test_a_match_survives_a_daemon_that_is_killed(tmp_path: Path, rules: str) -> None:
    """Killed six times at random moments: the match goes on, what was acknowledged is there."""
    random = Random()
    with Daemon(tmp_path) as daemon:
        with daemon.client() as client:
            table = client.open(rules=rules, x="alpha", o="beta", match=30, clock="600+10")
        logs = tmp_path / "x.log", tmp_path / "o.log"
        bots = [
            witness(daemon, table.table, token, seed, log)
            for seed, (token, log) in enumerate(zip((table.x, table.o), logs, strict=True))
        ]
        try:
            for _ in range(6):
                time.sleep(random.uniform(0.05, 0.6))
                daemon.kill()
                daemon.start()
            statuses = [bot.wait(DEADLINE) for bot in bots]
            assert statuses == [0, 0], [bot.communicate()[1] for bot in bots]
        finally:
            for bot in bots:
                bot.kill()
                bot.communicate()
        with daemon.client() as client:
            history = client.history(table.table)
            record = client.record_text(table.table)
        assert [seq for seq, _ in history] == list(range(1, len(history) + 1))
        check_nothing_was_lost(logs, [event for _, event in history])
        for game in parse_games(record):
            assert validate(game).faults == ()


def check_nothing_was_lost(logs: tuple[Path, Path], events: list[object]) -> None:
    """Every acknowledged action happened, once, as it was acknowledged; no action twice."""
    done: dict[int, str] = {}
    for event in events:
        if isinstance(event, Played):
            assert event.ply not in done
            done[event.ply] = f"played {event.play}\t{event.position}"
        elif isinstance(event, Named):
            assert event.ply not in done
            done[event.ply] = f"named {event.number}\t{event.position}"
    acknowledged = [line for log in logs for line in log.read_text().splitlines()]
    assert len(acknowledged) > 20
    for line in acknowledged:
        ply, _, action = line.partition("\t")
        assert done[int(ply)] == action


def test_a_daemon_that_is_told_to_stop_ends_well(tmp_path: Path) -> None:
    with Daemon(tmp_path) as daemon:
        with bare(daemon, zmq.DEALER) as dealer:
            dealer.send(b"open clock=60+5")
            table, x, _ = dealer.recv().decode().split()[1:4]
            dealer.send(f"9 await {table} {x.removeprefix('x=')} timeout=100".encode())
            dealer.send(f"10 state {table}".encode())
            assert dealer.recv().startswith(b"=10 ")
            assert daemon.stop() == 0
            assert dealer.recv() == b"=9 wait"
        daemon.start()
        with daemon.client() as client:
            assert client.state(table).seated == "x"
