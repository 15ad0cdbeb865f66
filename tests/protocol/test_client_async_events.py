"""The subscriber for asyncio: an iterator that loses nothing, neither cancelled nor closed."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import zmq
from tests.support.acey import DEADLINE
from tests.support.inner import serving
from tests.support.mortal import bind_again

from acey_daemon.server import Server
from acey_protocol.client_async import AsyncClient, AsyncSeat
from acey_protocol.client_async_events import AsyncSubscriber
from acey_protocol.client_events import Heard
from acey_protocol.errors import NoReply, ReplyError
from acey_rules import AMERICAN, State


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path) as running:
        yield running


async def play(seat: AsyncSeat) -> None:
    """Play the first legal play until the match is over."""
    while (turn := await seat.wait(5)).due != "over":
        if turn.position is not None and turn.due == "play":
            (play, *_) = State.parse(turn.position, AMERICAN).legal_plays()
            await seat.play(turn.ply, play.text)
        elif turn.due == "name":
            await seat.name(turn.ply, 6)


def test_a_match_is_heard_from_its_state_to_its_end_though_hearing_is_cancelled(
    server: Server,
) -> None:
    chance = Random(3)

    async def hear(subscriber: AsyncSubscriber) -> Heard:
        """The next event, asked for again and again, and given up at any moment."""
        while True:
            hearing = asyncio.create_task(subscriber.hear())
            for _ in range(chance.randrange(8)):
                await asyncio.sleep(0)
            hearing.cancel()
            try:
                heard = await hearing
            except asyncio.CancelledError:
                continue
            assert heard is not None
            return heard

    async def run() -> None:
        async with AsyncClient(server.bound.requests[0], timeout=DEADLINE) as client:
            table = await client.open(x="alpha", o="beta", dice="seed:7", match=3)
            async with AsyncSubscriber(server.bound.events[0], table.table) as subscriber:
                first = await subscriber.hear(DEADLINE)
                assert first is not None
                assert first.table == table.table
                assert first.text.startswith("state 0 0-0 ")
                seats = (client.seat(table.table, token) for token in (table.x, table.o))
                bots = asyncio.gather(*(play(seat) for seat in seats))
                events = [first]
                while not events[-1].text.startswith("match "):
                    events.append(await hear(subscriber))
                await bots
            told = {seq: event.text() for seq, event in await client.history(table.table)}
        assert [event.seq for event in events] == list(range(first.seq, len(told) + 1))
        assert {event.seq: event.text for event in events[1:]} == {
            seq: text for seq, text in told.items() if seq > first.seq
        }

    asyncio.run(run())


def test_iterating_goes_on_when_the_publisher_comes_back() -> None:
    with zmq.Context() as context:
        first = context.socket(zmq.XPUB)
        first.linger = 0
        address = f"tcp://127.0.0.1:{first.bind_to_random_port('tcp://127.0.0.1')}"

        def publish(publisher: zmq.Socket[bytes], line: bytes) -> None:
            assert publisher.recv() == b"\x01table.7"
            publisher.send_multipart([b"table.7", line])

        async def run() -> None:
            async with AsyncSubscriber(address, "7", patience=DEADLINE) as subscriber:
                await asyncio.to_thread(publish, first, b"5 clock x 9.0 o 9.0")
                assert await anext(subscriber) == Heard("7", 5, "clock x 9.0 o 9.0")
                # A subscription is made again by whoever hears: so it is heard meanwhile.
                heard = asyncio.ensure_future(anext(subscriber))
                first.close()
                with context.socket(zmq.XPUB) as second:
                    second.linger = 0
                    await asyncio.to_thread(bind_again, second, address)
                    await asyncio.to_thread(publish, second, b"6 clock x 8.0 o 9.0")
                    assert await heard == Heard("7", 6, "clock x 8.0 o 9.0")

        asyncio.run(run())


def test_silence_is_told(server: Server) -> None:
    async def run() -> None:
        async with AsyncSubscriber(server.bound.events[0], "nowhere") as subscriber:
            assert await subscriber.hear(0) is None

    asyncio.run(run())


def test_iterating_where_nobody_publishes_ends_with_the_reason() -> None:
    async def run() -> None:
        async with AsyncSubscriber("tcp://127.0.0.1:1", patience=0.3) as subscriber:
            async for heard in subscriber:
                raise AssertionError(heard)

    with pytest.raises(NoReply) as caught:
        asyncio.run(run())
    assert str(caught.value) == (
        "tcp://127.0.0.1:1: no events: nobody listens there, or it cannot be reached"
    )


class Inproc:
    """A publisher in the subscriber's own context, where what is sent has arrived."""

    def __init__(self, subscriber: AsyncSubscriber) -> None:
        self._owned = subscriber._context.socket(zmq.PUB)
        self.socket: zmq.Socket[bytes] = zmq.Socket(shadow=self._owned)
        self.socket.bind(subscriber.address)

    async def subscribed(self, subscriber: AsyncSubscriber) -> None:
        """Publish number 0 until it is heard: from then on everything is."""
        heard = None
        while heard is None:
            self.publish(0)
            heard = await subscriber.hear(0)

    def publish(self, seq: int) -> None:
        self.socket.send_multipart([b"table.7", b"%d rolled x 63 -" % seq])

    def close(self) -> None:
        self._owned.close(linger=0)


def test_what_had_arrived_is_heard_after_closing() -> None:
    async def run() -> None:
        subscriber = AsyncSubscriber("inproc://events", "7")
        publisher = Inproc(subscriber)
        await publisher.subscribed(subscriber)
        for seq in range(1, 11):
            publisher.publish(seq)
        publisher.close()
        subscriber.close()
        assert [heard.seq async for heard in subscriber if heard.seq] == list(range(1, 11))
        assert await subscriber.hear() is None
        subscriber.close()  # once more changes nothing

    asyncio.run(run())


def test_closing_ends_whoever_iterates() -> None:
    async def run() -> None:
        subscriber = AsyncSubscriber("inproc://events", "7")
        publisher = Inproc(subscriber)
        await publisher.subscribed(subscriber)

        async def iterate() -> list[int]:
            return [heard.seq async for heard in subscriber if heard.seq]

        iterating = [asyncio.create_task(iterate()) for _ in range(2)]
        await asyncio.sleep(0)
        publisher.publish(1)
        publisher.publish(2)
        publisher.close()
        subscriber.close()
        first, second = await asyncio.gather(*iterating)
        assert sorted(first + second) == [1, 2]

    asyncio.run(run())


def test_what_is_no_event_is_refused() -> None:
    async def run() -> None:
        subscriber = AsyncSubscriber("inproc://events")
        publisher = Inproc(subscriber)
        await publisher.subscribed(subscriber)
        while await subscriber.hear(0) is not None:  # what was published before
            pass
        publisher.socket.send_multipart([b"table.7", b"no number"])
        with pytest.raises(ReplyError, match="is no event"):
            await subscriber.hear(DEADLINE)
        publisher.close()
        subscriber.close()

    asyncio.run(run())
