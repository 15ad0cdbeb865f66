"""The client for asyncio: many tasks over one connection, none of which disturbs another."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
import zmq
from tests.support.acey import DEADLINE
from tests.support.inner import serving
from tests.support.mortal import killed_server
from tests.support.ports import held_port

from acey_daemon.server import Server
from acey_grammar import validate
from acey_protocol.client import Client, Seat
from acey_protocol.client_async import AsyncClient, AsyncSeat
from acey_protocol.errors import (
    BadToken,
    IllegalPlay,
    NoReply,
    NoSuchTable,
    ReplyError,
    StalePly,
)
from acey_protocol.replies import LegalPlays, OpenedTable, Result
from acey_rules import AMERICAN, State

START = "--------------------------:15:15:x"
ROLLS = [f"{high}{low}" for high in range(3, 7) for low in range(1, high)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path) as running:
        yield running


def connected(server: Server) -> AsyncClient:
    return AsyncClient(server.bound.requests[0], timeout=DEADLINE)


async def play(seat: AsyncSeat, chance: Random, decisions: int = 10**9) -> Result | None:
    """Play up to so many decisions; how the match ended, when it did."""
    while (turn := await seat.wait(5)).over is None:
        if decisions == 0:
            return None
        if turn.position is not None:
            decisions -= 1
            if turn.due == "name":
                await seat.name(turn.ply, chance.randint(1, 6))
            else:
                plays = State.parse(turn.position, AMERICAN).legal_plays()
                await seat.play(turn.ply, chance.choice(plays).text)
    return turn.over


# --- the vocabulary -------------------------------------------------------------------------------


def vocabulary(kind: type) -> dict[str, list[tuple[str, object, object]]]:
    """The public methods of a class and the arguments they take, with their defaults."""
    return {
        name: [
            (each.name, each.kind, each.default)
            for each in inspect.signature(member).parameters.values()
        ]
        for name, member in vars(kind).items()
        if inspect.isfunction(member) and not name.startswith("_")
    }


def test_it_speaks_as_the_blocking_client_does() -> None:
    asynchronous = vocabulary(AsyncClient)
    assert [name for name, _, _ in asynchronous.pop("abort")] == ["self"]
    assert asynchronous == vocabulary(Client)
    assert vocabulary(AsyncSeat) == vocabulary(Seat)
    blocking = {"seat", "abort"}
    for kind in (AsyncClient, AsyncSeat):
        for name in vocabulary(kind):
            assert inspect.iscoroutinefunction(getattr(kind, name)) == (name not in blocking), name


def test_every_verb_of_the_oracle_is_answered_as_to_the_blocking_client(server: Server) -> None:
    record = '[X "a"]\n[O "b"]\n[Rules "american"]\n\n*\n'

    async def run() -> list[object]:
        async with connected(server) as client:
            return [
                (await client.hello("test/1")).protocol,
                await client.ping(),
                await client.help("ping"),
                await client.legal(f"{START}:63"),
                await client.apply(f"{START}:63", "play off/16", "american"),
                await client.show(f"{START}:63"),
                await client.validate(record),
                await client.convert(record, "acey", "json"),
                await client.tables(),
            ]

    with Client(server.bound.requests[0]) as client:
        assert asyncio.run(run()) == [
            "acey/1",
            None,
            client.help("ping"),
            client.legal(f"{START}:63"),
            client.apply(f"{START}:63", "play off/16", "american"),
            client.show(f"{START}:63"),
            client.validate(record),
            client.convert(record, "acey", "json"),
            client.tables(),
        ]


def test_refusals_are_the_errors_of_the_blocking_client(server: Server) -> None:
    async def run() -> None:
        async with connected(server) as client:
            with pytest.raises(NoSuchTable, match="there is no table 'nowhere'"):
                await client.state("nowhere")
            with pytest.raises(IllegalPlay) as caught:
                await client.apply(f"{START}:63", "play off/19")
            assert caught.value.details["section"] == "§4"
            table = await client.open(x="alpha", o="beta", dice="seed:7")
            with pytest.raises(BadToken):
                await client.seat(table.table, "0" * 32).wait(0)

    asyncio.run(run())


# --- matches --------------------------------------------------------------------------------------


def test_many_bots_play_whole_matches_over_one_connection(server: Server) -> None:
    async def run() -> None:
        async with connected(server) as client:
            tables = [await client.open(match=3, dice=f"seed:{seed}") for seed in range(10)]
            seats = [
                client.seat(table.table, token) for table in tables for token in (table.x, table.o)
            ]
            bots = [play(seat, Random(number)) for number, seat in enumerate(seats)]
            ends = await asyncio.gather(*bots)
            for table, ours, theirs in zip(tables, ends[::2], ends[1::2], strict=True):
                assert ours == theirs == (await client.state(table.table)).over
                record = await client.record(table.table)
                assert max(record.score) >= 3
                assert [validate(game).faults for game in record.games] == [()] * len(record.games)
                events = await client.history(table.table)
                assert [seq for seq, _ in events] == list(range(1, len(events) + 1))

    asyncio.run(run())


def test_a_seat_is_resumed_by_its_token(server: Server) -> None:
    """Three clients one after the other play X; the second is closed in the middle of a wait."""

    async def run() -> None:
        async with connected(server) as other:
            table = await other.open(dice="seed:3")
            opponent = asyncio.create_task(play(other.seat(table.table, table.o), Random(1)))
            for decisions in (5, 10):
                client = connected(server)
                seat = client.seat(table.table, table.x)
                assert await play(seat, Random(2), decisions) is None
                waiting = asyncio.create_task(seat.wait(DEADLINE))
                await client.ping()  # sent after it, so that the wait has reached the server
                client.abort()
                await asyncio.wait([waiting])
                assert waiting.exception() is None or isinstance(waiting.exception(), NoReply)
            async with connected(server) as client:
                seat = client.seat(table.table, table.x)
                ended = await play(seat, Random(2))
                assert ended == await opponent
            (game,) = (await other.record(table.table)).games
            assert validate(game).faults == ()

    asyncio.run(run())


def test_an_action_sent_twice_is_done_once(server: Server) -> None:
    async def run() -> None:
        async with connected(server) as client:
            table = await client.open(dice="seed:7")
            seats = [client.seat(table.table, token) for token in (table.x, table.o)]
            turns = await asyncio.gather(*(seat.wait(1) for seat in seats))
            seat, turn = next(
                (seat, turn)
                for seat, turn in zip(seats, turns, strict=True)
                if turn.position is not None
            )
            assert turn.position is not None
            first, *_, last = State.parse(turn.position, AMERICAN).legal_plays()
            same = await asyncio.gather(*(seat.play(turn.ply, first.text) for _ in range(20)))
            assert same == [same[0]] * 20
            with pytest.raises(StalePly, match=first.text):
                await seat.play(turn.ply, last.text)

    asyncio.run(run())


# --- one connection, many tasks -------------------------------------------------------------------


class Stage:
    """A server whose every reply the test gives by hand."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]") -> None:
        self.socket = context.socket(zmq.ROUTER)
        self.socket.linger = 0
        self.socket.rcvtimeo = DEADLINE * 1000
        self.address = f"tcp://127.0.0.1:{self.socket.bind_to_random_port('tcp://127.0.0.1')}"
        self.names: dict[str, bytes] = {}

    async def requests(self, count: int) -> list[str]:
        """The next requests, without their ids, each of which is remembered by its words."""
        return [await asyncio.to_thread(self._request) for _ in range(count)]

    def _request(self) -> str:
        name, data = self.socket.recv_multipart()
        self.name = name
        return data.decode()

    def reply(self, text: str) -> None:
        self.socket.send_multipart([self.name, text.encode()])


def staged(scene: Callable[[Stage, AsyncClient], Awaitable[None]], attempts: int = 5) -> None:
    """Run a scene between such a server and a client."""

    async def run(stage: Stage) -> None:
        client = AsyncClient(stage.address, timeout=DEADLINE, attempts=attempts)
        try:
            await scene(stage, client)
        finally:
            client.abort()

    with zmq.Context() as context:
        stage = Stage(context)
        with closing(stage.socket):
            asyncio.run(run(stage))


def asked(client: AsyncClient, verb: str) -> "asyncio.Task[str]":
    async def text() -> str:
        return (await client.request(verb)).text

    return asyncio.create_task(text())


def test_replies_find_their_requests_in_any_order() -> None:
    async def scene(stage: Stage, client: AsyncClient) -> None:
        tasks = [asked(client, verb) for verb in ("a", "b", "c")]
        assert sorted(await stage.requests(3)) == ["1 a", "2 b", "3 c"]
        for id in (2, 3, 1):
            stage.reply(f"={id} to {id}")
        assert await asyncio.gather(*tasks) == ["to 1", "to 2", "to 3"]

    staged(scene)


def test_a_cancelled_task_leaves_the_others_their_replies() -> None:
    async def scene(stage: Stage, client: AsyncClient) -> None:
        first, second = asked(client, "a"), asked(client, "b")
        assert await stage.requests(2) == ["1 a", "2 b"]
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        third = asked(client, "c")
        assert await stage.requests(1) == ["3 c"]
        for id in (1, 3, 2):  # the reply nobody waits for comes nevertheless, and first
            stage.reply(f"={id} to {id}")
        assert await asyncio.gather(second, third) == ["to 2", "to 3"]

    staged(scene)


def test_tasks_cancelled_at_any_moment_disturb_nobody(server: Server) -> None:
    chance = Random(5)

    async def run() -> None:
        async with connected(server) as client:

            async def legal(roll: str) -> str:
                answer = await client.legal(f"{START}:{roll}")
                assert isinstance(answer, LegalPlays)
                return answer.position

            await client.ping()
            kept = 0
            for _ in range(200):
                rolls = [chance.choice(ROLLS) for _ in range(8)]
                tasks = [asyncio.create_task(legal(roll)) for roll in rolls]
                for _ in range(chance.randrange(12)):
                    await asyncio.sleep(0)
                for task in tasks[::2]:
                    task.cancel()
                ends = await asyncio.gather(*tasks, return_exceptions=True)
                for roll, end in zip(rolls, ends, strict=True):
                    if not isinstance(end, asyncio.CancelledError):
                        kept += 1
                        assert end == f"{START}:{roll}"
            assert kept >= 800

    asyncio.run(run())


def test_what_is_no_reply_ends_every_request_and_the_next_goes_on() -> None:
    async def scene(stage: Stage, client: AsyncClient) -> None:
        for nonsense, message in (
            ("hello", "'hello' is no reply"),
            ("? syntax what", "a reply without an id: syntax what"),
        ):
            tasks = [asked(client, "a"), asked(client, "b")]
            await stage.requests(2)
            stage.reply(nonsense)
            for task in tasks:
                with pytest.raises(ReplyError, match=message.replace("?", r"\?")):
                    await task
        task = asked(client, "c")
        (line,) = await stage.requests(1)
        stage.reply(f"={line.split()[0]} fine")
        assert await task == "fine"

    staged(scene)


# --- a server that goes away ----------------------------------------------------------------------


def test_requests_are_sent_again_to_a_server_that_came_back() -> None:
    told: list[str] = []

    async def run(address: str) -> None:
        async with AsyncClient(address, timeout=DEADLINE, attempts=3, tell=told.append) as client:
            await client.ping()

    with killed_server(b"=1 {}") as (address, requests):
        asyncio.run(run(address))
        assert requests == [b"1 ping format=json"] * 2
    assert told == [
        f"the connection to {address} is lost; trying to connect anew",
        f"connected to {address} again",
    ]


def test_what_would_open_a_second_table_is_not_sent_again() -> None:
    async def run(address: str) -> None:
        async with AsyncClient(address, timeout=DEADLINE, attempts=3) as client:
            with pytest.raises(NoReply, match="no reply to 'open': the connection is lost"):
                await client.open()
            await client.ping()

    with killed_server(b"=2 {}") as (address, requests):
        asyncio.run(run(address))
        assert requests == [b"1 open match=0 format=json", b"2 ping format=json"]


def test_a_lost_connection_ends_every_wait_at_once() -> None:
    async def scene(stage: Stage, client: AsyncClient) -> None:
        seat = client.seat("7", "0" * 32)
        # A day, in which nothing would happen if only the time were waited for.
        waits = [asyncio.create_task(seat.wait(86400)) for _ in range(3)]
        await stage.requests(3)
        stage.socket.close()
        for wait in waits:
            with pytest.raises(NoReply, match="no reply to 'await': the connection is lost"):
                await wait

    staged(scene, attempts=1)


def test_what_was_given_up_before_there_was_a_connection_is_not_sent_later() -> None:
    with held_port() as port, zmq.Context() as context, context.socket(zmq.ROUTER) as server:
        server.linger = 0
        server.rcvtimeo = DEADLINE * 1000
        address = f"tcp://127.0.0.1:{port}"

        async def run() -> None:
            async with AsyncClient(address, timeout=0.3, attempts=1) as client:
                with pytest.raises(NoReply, match="nobody listens there"):
                    await client.open()
                await asyncio.to_thread(server.bind, address)
                client.timeout = client._exchange.timeout = DEADLINE
                task = asked(client, "ping")
                name, request = await asyncio.to_thread(server.recv_multipart)
                assert request == b"2 ping"
                server.send_multipart([name, b"=2"])
                assert await task == ""

        asyncio.run(run())


# --- the end --------------------------------------------------------------------------------------


def test_closing_waits_for_every_reply() -> None:
    async def scene(stage: Stage, client: AsyncClient) -> None:
        tasks = [asked(client, verb) for verb in ("a", "b")]
        await stage.requests(2)
        closing = asyncio.create_task(client.close())
        await asyncio.sleep(0)
        with pytest.raises(NoReply, match="the client was closed"):
            await client.ping()
        stage.reply("=1 one")
        assert await tasks[0] == "one"
        assert not closing.done()
        stage.reply("=2 two")
        assert await tasks[1] == "two"
        await closing
        await client.close()  # once more changes nothing

    staged(scene)


def test_an_error_closes_without_waiting() -> None:
    async def scene(stage: Stage, client: AsyncClient) -> None:
        async def fail() -> None:
            async with client:
                await stage.requests(1)
                raise KeyError

        task = asked(client, "a")
        with pytest.raises(KeyError):
            await fail()
        with pytest.raises(NoReply, match="the client was closed"):
            await task

    staged(scene)


def test_an_opened_table_is_told_to_whoever_asked(server: Server) -> None:
    async def run() -> list[OpenedTable]:
        async with connected(server) as client:
            return await asyncio.gather(*(client.open(x=f"bot {n}") for n in range(50)))

    opened = asyncio.run(run())
    with Client(server.bound.requests[0]) as client:
        names = [client.state(table.table).x for table in opened]
    assert names == [f"bot {number}" for number in range(50)]
