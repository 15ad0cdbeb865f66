"""A BEI engine in a seat: a scripted peer on a socket of this machine."""

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from tests.arena.runs import BLOCKADE, PIP, run, small_plan, timeless

from acey_arena.bei_seat import BeiSeat
from acey_arena.blockade import BlockadeBot
from acey_arena.plan import Player
from acey_arena.seat import Fault, FaultKind, GameStart
from acey_protocol.bei import read_state, write_okmove
from acey_rules import AMERICAN, BACKGAMMON, BGAMMON, PRESETS, Side, State

Answer = Callable[[str], bytes | None]


@contextmanager
def peer(answer: Answer) -> Generator[Player]:
    """Listen on a free port and answer each line; None hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                for line in lines:
                    said = answer(line.decode().rstrip("\n"))
                    if said is None:
                        break
                    connection.sendall(said)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        host, port = listener.getsockname()
        yield Player(name="peer", bei=f"{host}:{port}", deadline=0.5, start=0.5)
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def blockade(line: str) -> bytes:
    """What an engine that plays like blockade answers."""
    word, _, rest = line.partition(" ")
    if word == "bei":
        return b'{"Type":"okbei","Version":1,"ID":{"name":"blockade"}}\n'
    integers = [int(number) for number in rest.split(",")]
    rules = PRESETS["bgammon" if integers[42] else "backgammon"]
    state, bot = read_state(integers, rules), BlockadeBot()
    if word == "choose":
        rolls = [{"Roll": bot.choose_double(state)}]
        return msgspec.json.encode({"Type": "okchoose", "Rolls": rolls}) + b"\n"
    return write_okmove(bot.choose_play(state, state.legal_plays())).encode() + b"\n"


@pytest.mark.parametrize("rules", ["bgammon", "backgammon"])
def test_an_engine_over_tcp_plays_the_same_games(rules: str, tmp_path: Path) -> None:
    inside = small_plan(players=(PIP, BLOCKADE), rules=rules, pairs=1)
    expected = run(inside, tmp_path / "inside").counted
    with peer(blockade) as player:
        outside = small_plan(
            players=(PIP, Player(name="blockade", bei=player.bei)), rules=rules, pairs=1
        )
        assert timeless(run(outside, tmp_path / "outside").counted) == timeless(expected)


STATE = State.parse("--------------------------:15:15:x:63", BGAMMON)
NAMING = State.parse("--------------------------:13:15:x:N.R", BGAMMON)


def ask(seat: BeiSeat, state: State) -> object:
    if state is NAMING:
        return seat.choose_double(state, None)
    return seat.choose_play(state, state.legal_plays(), None)


def fault_of(answer: Answer, state: State = STATE) -> Fault:
    with peer(lambda line: blockade(line) if line == "bei" else answer(line)) as player:
        seat = BeiSeat(player)
        seat.new_game(GameStart(BGAMMON, Side.X, 0))
        assert seat.name == "blockade"
        with pytest.raises(Fault) as caught:
            ask(seat, state)
        seat.close()
        return caught.value


@pytest.mark.parametrize(
    ("said", "kind", "reason"),
    [
        (b"", FaultKind.HANG, "no answer to 'move' in time"),
        (None, FaultKind.CRASH, "hung up after 'move'"),
        (b"banana\n", FaultKind.GARBAGE, "'banana' is no okmove event"),
        (b'{"Type":"okchoose","Rolls":[{"Roll":3}]}\n', FaultKind.GARBAGE, "answered 'okchoose'"),
        (b'{"Type":"failmove","Reason":"what?"}\n', FaultKind.GARBAGE, "'okmove': what?"),
        (b"x" * 100_000, FaultKind.BABBLE, "wrote more than 65536 bytes"),
    ],
    ids=["silent", "gone", "word", "other", "failed", "babble"],
)
def test_what_a_failing_peer_is_told(said: bytes | None, kind: FaultKind, reason: str) -> None:
    fault = fault_of(lambda _line: said)
    assert fault.kind is kind
    assert reason in fault.reason


def test_a_bad_choice() -> None:
    fault = fault_of(lambda _line: b'{"Type":"okchoose","Rolls":[{"Roll":9}]}\n', NAMING)
    assert fault.kind is FaultKind.GARBAGE


def test_nobody_listens() -> None:
    seat = BeiSeat(Player(name="x", bei="127.0.0.1:1", start=1))
    with pytest.raises(Fault, match=r"cannot connect to 127\.0\.0\.1:1") as caught:
        seat.new_game(GameStart(BACKGAMMON, Side.X, 0))
    assert caught.value.kind is FaultKind.START


def test_rules_bei_does_not_know() -> None:
    seat = BeiSeat(Player(name="x", bei="127.0.0.1:1"))
    with pytest.raises(Fault, match="knows backgammon and bgammon, not american"):
        seat.new_game(GameStart(AMERICAN, Side.X, 0))
