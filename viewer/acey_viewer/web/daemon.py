"""The daemon as seen from asyncio: questions asked in threads, and tables watched.

A watched table keeps every event it has shown, numbered without gaps: whatever wakes it, it asks
``history`` for what comes after the last one it has.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import anyio
from anyio import CapacityLimiter, Event, create_task_group, move_on_after, to_thread

from acey_protocol.client import Client, CurveKeys
from acey_protocol.client_events import Subscriber
from acey_protocol.errors import AceyError, NoReply, NotAdmitted
from acey_protocol.replies import Awaited
from acey_viewer.web.tablefilm import Shown, TableFilm

log = logging.getLogger(__name__)
T = TypeVar("T")

THREADS: Final = 8
"""Questions asked at once, besides those of seats that wait."""
TIMEOUT: Final = 3.0
"""Seconds for one reply before the daemon counts as away."""
PERIOD: Final = 1.0
"""Seconds after which a watched table is asked about even if nothing woke it."""
HEARING: Final = 0.5
"""Seconds the subscription is listened to before it looks whether it should end."""


class Daemon:
    """Asks a daemon, from asyncio."""

    def __init__(self, address: str, events: str = "", curve: CurveKeys | None = None) -> None:
        """Nothing is sent yet.

        ``events`` is where the daemon publishes, if it does; ``curve`` is needed where it encrypts.
        """
        self.address = address
        self._curve = curve
        self._complaint = ""
        self._events = events
        self._closed = threading.Event()
        self._idle: list[Client] = []
        self._limit = CapacityLimiter(THREADS)
        self._rooms: dict[str, Room] = {}

    def _client(self) -> Client:
        return Client(self.address, timeout=TIMEOUT, attempts=1, curve=self._curve)

    def seat_wait(self, table: str, token: str) -> "SeatWait":
        """A wait at a seat; close it."""
        return SeatWait(self._client(), table, token)

    async def ask(self, question: Callable[[Client], T]) -> T:
        """Ask with a client from the pool. Raises AceyError as the client does."""

        def work() -> T:
            client = self._idle.pop() if self._idle else self._client()
            try:
                return question(client)
            except NotAdmitted as error:
                self._complain(error)
                raise
            finally:
                self._idle.append(client)

        return await to_thread.run_sync(work, limiter=self._limit)

    @asynccontextmanager
    async def room(self, table: str) -> AsyncGenerator["Room"]:
        """A watched table, shared by everyone who watches it."""
        room = self._rooms.get(table)
        if room is None:
            room = self._rooms[table] = Room(self, table)
        room.watchers += 1
        try:
            async with create_task_group() as tasks:
                # Whoever came first keeps the room going; when that one leaves, another takes over.
                tasks.start_soon(room.run)
                yield room
                tasks.cancel_scope.cancel()
        finally:
            room.watchers -= 1
            if not room.watchers:
                self._rooms.pop(table, None)

    def listen(self) -> None:
        """Wake watched tables as soon as something happens there; call it in the event loop."""
        if self._events:
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._listen, args=(loop,), daemon=True).start()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hear events until closed; while there are none to be had, tables are looked at anyway."""
        while not self._closed.is_set():
            try:
                with Subscriber(self._events, curve=self._curve) as subscriber:
                    self._hear(subscriber, loop)
            except AceyError as error:  # a daemon that refuses us now may admit us later
                self._complain(error)
                self._closed.wait(PERIOD)

    def _hear(self, subscriber: Subscriber, loop: asyncio.AbstractEventLoop) -> None:
        while not self._closed.is_set():
            try:
                heard = subscriber.hear(HEARING)
            except NotAdmitted:
                raise
            except NoReply as error:
                if not subscriber.reached:  # a wrong address, and no daemon that is restarted
                    self._complain(error)
                continue
            if heard is not None:
                loop.call_soon_threadsafe(self._wake, heard.table)

    def _complain(self, error: AceyError) -> None:
        """Say what is wrong with the daemon, unless that was said last."""
        if str(error) != self._complaint:
            self._complaint = str(error)
            log.warning("%s", error)

    def _wake(self, table: str) -> None:
        room = self._rooms.get(table)
        if room is not None:
            room.wake()

    def close(self) -> None:
        """Stop listening and close the idle connections."""
        self._closed.set()
        while self._idle:
            self._idle.pop().close()


class SeatWait:
    """Waits at one seat, in threads, with a connection of its own."""

    def __init__(self, client: Client, table: str, token: str) -> None:
        """Take the client, which is closed when the wait is given up."""
        self._client = client
        self._seat = client.seat(table, token)
        self._using = threading.Lock()
        self._gone = False

    async def wait(self, seconds: float) -> Awaited:
        """What the seat has to decide. Raises AceyError as the client does."""
        return await to_thread.run_sync(lambda: self._wait(seconds), abandon_on_cancel=True)

    def _wait(self, seconds: float) -> Awaited:
        with self._using:
            try:
                return self._seat.wait(seconds)
            finally:
                if self._gone:
                    self._client.close()

    def close(self) -> None:
        """Close the connection, now or when the thread that uses it has its answer."""
        self._gone = True
        if self._using.acquire(blocking=False):
            self._client.close()
            self._using.release()


class Room:
    """A watched table: its events so far, as shown."""

    def __init__(self, daemon: Daemon, table: str) -> None:
        """Nothing is known yet."""
        self.film = TableFilm()
        self.events: list[Shown] = []
        self.watchers = 0
        self.away = False
        """Whether the daemon did not answer last time."""
        self._daemon = daemon
        self._table = table
        self._news = Event()
        self._woken = Event()
        self._lock = anyio.Lock()

    def wake(self) -> None:
        """Look for news now."""
        self._woken.set()

    async def run(self) -> None:
        """Keep asking for news. Only one of the watchers does so at a time."""
        async with self._lock:
            while True:
                self._woken = Event()
                await self._look()
                with move_on_after(PERIOD):
                    await self._woken.wait()

    async def _look(self) -> None:
        start = len(self.events) + 1
        try:
            found = await self._daemon.ask(lambda client: client.history(self._table, start))
        except NoReply:
            self._tell((), away=True)
        except AceyError as error:
            log.warning("table %s: %s", self._table, error)
            self._tell((), away=True)
        else:
            self._tell([self.film.take(seq, event) for seq, event in found], away=False)

    def _tell(self, found: Sequence[Shown], *, away: bool) -> None:
        """Wake whoever watches, if there is something new."""
        if not found and away is self.away:
            return
        self.away = away
        self.events += found
        self._news.set()
        self._news = Event()

    async def after(self, count: int, *, away: bool) -> list[Shown]:
        """The events after the first ``count``, as soon as there are any.

        None come when the daemon has begun or ceased to answer; ``away`` is what was known of that.
        """
        while len(self.events) <= count and self.away is away:
            with move_on_after(30):
                await self._news.wait()
        return self.events[count:]
