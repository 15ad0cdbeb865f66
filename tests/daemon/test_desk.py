"""Records with requests are judged beside the loop: replies keep their order, nobody else waits."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
import zmq
from tests.support.daemon import DEADLINE, Daemon
from tests.support.random_games import random_game

from acey_daemon import judging
from acey_daemon.answering import Connection
from acey_daemon.desk import SHORT, Desk
from acey_daemon.quota import Quota
from acey_daemon.settings import Settings
from acey_grammar import write_game

GAME = write_game(random_game("american", 1, 200)).encode()
GOOD = b"=%d games=1 turns=96"
LONG = b"validate format=json\n" + b"[" * SHORT
"""A request that is too long to be judged with the short ones, and takes no time."""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    (tmp_path / "acey.toml").write_text("max_waiting_each = 3\n")
    with Daemon(tmp_path, "--config", str(tmp_path / "acey.toml")) as daemon:
        yield daemon


@pytest.fixture
def sock(daemon: Daemon) -> Iterator[zmq.Socket[bytes]]:
    with zmq.Context.instance().socket(zmq.DEALER) as sock:
        sock.linger = 0
        sock.rcvtimeo = DEADLINE * 1000
        sock.connect(daemon.requests)
        yield sock


def halted(daemon: Daemon, sock: zmq.Socket[bytes]) -> int:
    """The judge, which has judged something and now does nothing until it is continued."""
    sock.send(b"0 validate\n" + GAME)
    assert sock.recv() == GOOD % 0
    judge = judges(daemon)
    os.kill(judge, signal.SIGSTOP)
    return judge


def judges(daemon: Daemon) -> int:
    assert daemon.process is not None
    for task in Path(f"/proc/{daemon.process.pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            return int(child)
    raise AssertionError("no process judges")


def await_held(daemon: Daemon, count: int) -> None:
    """Wait until so many requests wait at the desk."""
    deadline = time.monotonic() + DEADLINE
    with daemon.client() as other:
        while (held := other.stats()["held"]) != count:
            assert time.monotonic() < deadline, held


def test_others_are_served_while_a_record_is_judged_and_order_is_kept(
    daemon: Daemon, sock: zmq.Socket[bytes]
) -> None:
    judge = halted(daemon, sock)
    sock.send(b"1 ping")
    sock.send(b"2 validate\n" + GAME)
    sock.send(b"3 ping")
    sock.send(b"4 convert from=acey to=json\n" + GAME)
    sock.send(b"5 ping")
    assert sock.recv() == b"=1"
    await_held(daemon, 4)
    with daemon.client() as other:
        for _ in range(20):
            other.ping()
        assert sock.poll(0) == 0
    os.kill(judge, signal.SIGCONT)
    assert sock.recv() == GOOD % 2
    assert sock.recv() == b"=3"
    assert sock.recv().startswith(b'=4\n{"')
    assert sock.recv() == b"=5"


def test_what_is_too_much_behind_a_record_is_refused_in_its_turn(
    daemon: Daemon, sock: zmq.Socket[bytes]
) -> None:
    judge = halted(daemon, sock)
    sock.send(b"1 validate\n" + GAME)
    for number in range(2, 8):
        sock.send(b"%d ping" % number)
    await_held(daemon, 7)
    os.kill(judge, signal.SIGCONT)
    assert sock.recv() == GOOD % 1
    for number in (2, 3, 4):
        assert sock.recv() == b"=%d" % number
    refusal = b"?%d rate-limited too much of this connection waits until its record is judged"
    for number in (5, 6, 7):
        assert sock.recv() == refusal % number
    sock.send(b"8 ping")
    assert sock.recv() == b"=8"


def test_short_records_do_not_wait_for_long_ones(daemon: Daemon, sock: zmq.Socket[bytes]) -> None:
    sock.send(b"0 " + LONG)
    assert sock.recv().startswith(b"?0 bad-record ")
    judge = judges(daemon)
    os.kill(judge, signal.SIGSTOP)
    sock.send(b"1 " + LONG)
    await_held(daemon, 1)
    with zmq.Context.instance().socket(zmq.DEALER) as other:
        other.linger = 0
        other.rcvtimeo = DEADLINE * 1000
        other.connect(daemon.requests)
        for number in (1, 2):
            other.send(b"%d validate\n" % number + GAME)
            assert other.recv() == GOOD % number
    assert sock.poll(0) == 0
    os.kill(judge, signal.SIGCONT)
    assert sock.recv().startswith(b"?1 bad-record ")


def test_a_judge_that_dies_costs_one_request(daemon: Daemon, sock: zmq.Socket[bytes]) -> None:
    judge = halted(daemon, sock)
    sock.send(b"1 validate\n" + GAME)
    sock.send(b"2 ping")
    await_held(daemon, 2)
    os.kill(judge, signal.SIGKILL)
    assert sock.recv() == b"?1 internal a fault of this server, which its log describes"
    assert sock.recv() == b"=2"
    sock.send(b"3 validate\n" + GAME)
    assert sock.recv() == GOOD % 3
    assert 'event="judge ended" status=-9' in daemon.log.read_text()


def test_a_daemon_that_stops_tells_whose_record_waits_and_leaves_no_process(
    daemon: Daemon, sock: zmq.Socket[bytes]
) -> None:
    judge = halted(daemon, sock)
    sock.send(b"1 validate\n" + GAME)
    sock.send(b"2 ping")
    sock.send(b"3 ping")
    sock.send(b"4 validate\n" + GAME)
    sock.send(b"5 ping")
    await_held(daemon, 5)
    assert daemon.stop() == 0
    stopping = b"?%d busy the server stops; nothing was changed"
    assert sock.recv() == stopping % 1
    assert [sock.recv() for _ in range(2)] == [b"=2", b"=3"]
    assert sock.recv() == stopping % 4
    assert sock.recv().startswith(b"?5 rate-limited ")
    assert not Path(f"/proc/{judge}").exists()
    assert "judge ended" not in daemon.log.read_text()


def test_nested_brackets_of_any_depth_are_a_bad_record(
    daemon: Daemon, sock: zmq.Socket[bytes]
) -> None:
    document = b'{"x":' * 200_000 + b"1" + b"}" * 200_000
    game = b'{"format":1,"what":"game","unknown":' + document + b"}"
    for payload in (b"[" * 200_000, document, game):
        sock.send(b"1 validate format=json\n" + payload)
        assert sock.recv().startswith(b"?1 bad-record ")
        sock.send(b"2 ping")
        assert sock.recv() == b"=2"
    assert "judge ended" not in daemon.log.read_text()


# --- without a daemon ---------------------------------------------------------------------------


@pytest.fixture
def settings() -> Settings:
    return Settings(max_line=256, max_payload=3 * len(GAME))


class Office:
    """A desk, and what it has given back."""

    def __init__(self, settings: Settings) -> None:
        self._woken = Event()
        counters = {"requests": 0.0, "refused": 0.0, "requests_ignored": 0.0, "held": 0.0}
        self.counters: dict[str, float] = counters
        self.desk = Desk(settings, Quota(0, 1), counters, self._woken.set)
        self.replies: list[tuple[bytes, bytes]] = []
        self.requests: list[tuple[bytes, bytes]] = []

    def bring(self, *arrived: tuple[bytes, bytes]) -> list[bytes]:
        """What arrives; the requests that are to be done at once."""
        others = self.desk.sort([(Connection(name), data) for name, data in arrived], 0.0)
        return [data for _, data in others]

    def wait(self, replies: int) -> None:
        """Wait until so many replies have come in all."""
        deadline = time.monotonic() + DEADLINE
        while len(self.replies) < replies:
            assert self._woken.wait(DEADLINE)
            assert time.monotonic() < deadline
            self._woken.clear()
            judged, requests = self.desk.finished(0.0)
            self.replies += [(to.name, reply) for to, reply in judged]
            self.requests += [(whose.name, data) for whose, data in requests]


@pytest.fixture
def office(settings: Settings) -> Iterator[Office]:
    office = Office(settings)
    yield office
    office.desk.close()


def test_only_records_stay(office: Office) -> None:
    passing = [b"ping", b"help validate", b"validate-all", b"", b"7 legal x", b"\0validate"]
    assert office.bring(*((b"a", data) for data in passing)) == passing
    staying = [b"validate\nx", b"\t1  convert\nx", b"12 validate format=json\n{}", b"validate"]
    for number, data in enumerate(staying):
        assert office.bring((b"%d" % number, data), (b"a", b"ping")) == [b"ping"]
    office.wait(4)
    assert [reply.partition(b" ")[0] for _, reply in office.replies] == [b"?", b"?1", b"?12", b"?"]
    assert office.counters == {"requests": 4, "refused": 4, "requests_ignored": 0, "held": 0}


def test_more_than_fits_in_all_is_busy(office: Office) -> None:
    big = GAME * 3
    office.bring(*((b"%d" % number, b"validate\n" + big) for number in range(6)))
    office.wait(6)
    refusals = [name for name, reply in office.replies if reply.startswith(b"? busy too many")]
    assert refusals == [b"4", b"5"]
    assert sum(reply == b"= games=3 turns=288" for _, reply in office.replies) == 4
    office.bring((b"4", b"validate\n" + GAME))
    office.wait(7)
    assert office.replies[-1] == (b"4", b"= games=1 turns=96")


def test_long_records_that_are_too_many_refuse_no_short_one() -> None:
    office = Office(Settings(max_line=256, max_payload=len(LONG)))
    with closing(office.desk):
        office.bring(*((b"%d" % number, LONG) for number in range(6)))
        office.bring((b"short", b"validate\n" + GAME))
        office.wait(7)
    replies = dict(office.replies)
    assert replies[b"short"] == b"= games=1 turns=96"
    codes = [replies[b"%d" % number].split()[1] for number in range(6)]
    assert codes == [b"bad-record"] * 4 + [b"busy"] * 2


def test_requests_behind_refusals_behind_records_come_in_their_order(office: Office) -> None:
    small = b"validate\n" + GAME
    others = [b"%d ping" % number for number in range(300)]
    office.bring((b"a", small), (b"a", small), *((b"a", data) for data in others), (b"b", small))
    office.wait(2 + 1 + 45)
    mine = [reply for name, reply in office.replies if name == b"a"]
    assert mine[:2] == [b"= games=1 turns=96"] * 2
    # 256 wait, the second record among them; the others are refused after them.
    assert [data for _, data in office.requests] == others[:255]
    assert [reply.split()[0] for reply in mine[2:]] == [b"?%d" % n for n in range(255, 300)]
    assert office.bring((b"a", b"ping")) == [b"ping"]


def test_a_record_that_takes_too_long_is_given_up(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "MOST_SECONDS", 0.0)
    office.bring((b"a", b"3 validate\n" + GAME))
    office.wait(1)
    assert office.replies == [
        (b"a", b"?3 too-large a record may take 0 seconds; acey validate has no such limit")
    ]
    monkeypatch.setattr(judging, "MOST_SECONDS", 60.0)
    office.bring((b"a", b"4 validate\n" + GAME))
    office.wait(2)
    assert office.replies[1] == (b"a", b"=4 games=1 turns=96")


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("subprocess.Popen", OSError(24, "Too many open files")),
        ("Timer", RuntimeError("can't start new thread")),
    ],
)
def test_where_the_system_gives_no_more_records_are_refused_and_later_judged(
    office: Office, monkeypatch: pytest.MonkeyPatch, what: str, error: Exception
) -> None:
    def refuse(*args: object, **options: object) -> None:
        del args, options
        raise error

    with monkeypatch.context() as scarce:
        scarce.setattr(f"acey_daemon.judging.{what}", refuse)
        office.bring((b"a", b"3 validate\n" + GAME), (b"a", b"ping"))
        office.wait(1)
    assert office.replies == [(b"a", b"?3 busy a record cannot be judged now; nothing was changed")]
    assert office.requests == [(b"a", b"ping")]
    office.bring((b"a", b"4 validate\n" + GAME))
    office.wait(2)
    assert office.replies[1] == (b"a", b"=4 games=1 turns=96")
