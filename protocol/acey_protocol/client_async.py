"""The client of ``acey/1`` for asyncio: every verb of acey_protocol.client as a coroutine.

    async with AsyncClient("tcp://127.0.0.1:5858") as client:
        table = await client.open(x="alpha", o="beta")
        seat = client.seat(table.table, table.x)
        while (turn := await seat.wait()).due != "over":
            ...
            await seat.play(turn.ply, "off/19 off/22")

Any number of tasks may ask at once: their requests share one connection, and none waits for the
reply of another. A task that is cancelled while it waits disturbs nobody. Sending again, connecting
anew and errors are those of the blocking client.
"""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from acey_protocol import calls
from acey_protocol.calls import WAIT_SECONDS, Call, Legal, Value
from acey_protocol.client_exchange import Exchange
from acey_protocol.client_link import DEFAULT_ADDRESS, CurveKeys
from acey_protocol.errors import NoReply
from acey_protocol.events import AnyEvent
from acey_protocol.lines import Reply
from acey_protocol.records import MatchRecord
from acey_protocol.replies import (
    Acted,
    Answer,
    Applied,
    Awaited,
    Hello,
    OpenedTable,
    Tables,
    TableState,
    Validated,
)

_Read = TypeVar("_Read")
_Answer = TypeVar("_Answer", bound=Answer)


class AsyncClient:
    """A connection to a server, for the tasks of one event loop."""

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        timeout: float = 5.0,
        attempts: int = 5,
        curve: CurveKeys | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Connect when the first request is made; the arguments are those of ``Client``."""
        self.address = address
        self.timeout = timeout
        self.attempts = attempts
        self._exchange = Exchange(address, timeout, curve, tell)
        self._last_id = 0
        self._running = 0
        """Calls that have not ended."""
        self._idle = asyncio.Event()
        self._closing = self._closed = False

    async def __aenter__(self) -> Self:
        """The client itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it; after an error without waiting for what is in flight."""
        if kind is None:
            await self.close()
        else:
            self.abort()

    async def close(self) -> None:
        """Let every request in flight have its reply, or its time-out, then close.

        Requests made from now on raise NoReply.
        """
        self._closing = True
        try:
            while self._running:
                self._idle.clear()
                await self._idle.wait()
        finally:
            self.abort()

    def abort(self) -> None:
        """Close now; what is in flight raises NoReply, and may have been carried out."""
        self._closing = True
        if not self._closed:
            self._closed = True
            self._exchange.close()

    # --- requests --------------------------------------------------------------------------------

    async def request(
        self,
        verb: str,
        *words: str,
        payload: str = "",
        patience: float = 0.0,
        again: bool = True,
        **named: Value,
    ) -> Reply:
        """Send a request and return the reply, whatever it says; as ``Client.request`` does."""
        call = calls.plain(verb, *words, payload=payload, patience=patience, again=again, **named)
        return await self.run(call)

    async def ask(
        self,
        kind: type[_Answer],
        verb: str,
        *words: str,
        payload: str = "",
        patience: float = 0.0,
        again: bool = True,
        **named: Value,
    ) -> _Answer:
        """Send a request with ``format=json`` and return the struct it is answered with."""
        call = calls.answered(
            kind, verb, *words, payload=payload, patience=patience, again=again, **named
        )
        return await self.run(call)

    async def run(self, call: Call[_Read]) -> _Read:
        """Carry a call out, again where it may be when no reply comes.

        Raises BadAddress, NoReply, NotAdmitted, ReplyError, and ProtocolError's class for a
        refusal.
        """
        if self._closing:
            raise NoReply(f"{self.address}: the client was closed")
        self._running += 1
        try:
            return await self._run(call)
        finally:
            self._running -= 1
            self._idle.set()

    async def _run(self, call: Call[_Read]) -> _Read:
        self._last_id += 1
        id = str(self._last_id)
        data = call.data(id)
        why = ""
        for _ in range(self.attempts if call.again else 1):
            reply, why = await self._exchange.attempt(id, data, call.patience)
            if reply is not None:
                return call.read(reply)
        why = why or f"none came within {self.timeout + call.patience:g} s"
        raise NoReply(f"{self.address}: no reply to {call.verb!r}: {why}")

    # --- the oracle ------------------------------------------------------------------------------

    async def hello(self, client: str = "") -> Hello:
        """Who is there and what it offers."""
        return await self.run(calls.hello(client))

    async def ping(self) -> None:
        """Return when the server answers."""
        await self.run(calls.ping())

    async def help(self, verb: str = "") -> list[str]:
        """The verbs, or the description of one."""
        return list((await self.run(calls.help(verb))).lines)

    async def legal(self, position: str, rules: str = "") -> Legal:
        """What can be done in a position. Raises BadPosition."""
        return await self.run(calls.legal(position, rules))

    async def apply(self, position: str, action: str, rules: str = "") -> Applied:
        """The position after an action. Raises BadPosition, IllegalPlay, WrongAction, TableOver."""
        return await self.run(calls.apply(position, action, rules))

    async def show(self, position: str, rules: str = "") -> str:
        """The position as a text board. Raises BadPosition."""
        return (await self.run(calls.show(position, rules))).board

    async def validate(self, text: str, rules: str = "") -> Validated:
        """Replay a record. Raises BadRecord, whose details hold every fault."""
        return await self.run(calls.validate(text, rules))

    async def convert(self, text: str, source: str, target: str) -> str:
        """A record in another format. Raises BadRecord, BadArgument."""
        return (await self.run(calls.convert(text, source, target))).output

    # --- tables ----------------------------------------------------------------------------------

    async def open(
        self,
        *,
        rules: str = "",
        x: str = "",
        o: str = "",
        match: int = 0,
        clock: str = "",
        dice: str = "",
    ) -> OpenedTable:
        """Open a table and return its name and tokens. Not sent again when no reply comes."""
        return await self.run(calls.open(rules, x, o, match, clock, dice))

    async def seek(
        self,
        name: str,
        *,
        rules: str = "",
        match: int = 0,
        clock: str = "",
        timeout: float = WAIT_SECONDS,
    ) -> "AsyncSeat | None":
        """A seat shared with another seeker of the same, or None when none came in time.

        Not sent again when no reply comes.
        """
        sought = await self.run(calls.seek(name, rules, match, clock, timeout))
        if sought.table is None or sought.token is None:
            return None
        return AsyncSeat(self, sought.table, sought.token)

    def seat(self, table: str, token: str) -> "AsyncSeat":
        """A seat at a table, by its token; nothing is sent."""
        return AsyncSeat(self, table, token)

    async def state(self, table: str) -> TableState:
        """Where a table stands. Raises NoSuchTable."""
        return await self.run(calls.state(table))

    async def history(self, table: str, start: int = 1) -> list[tuple[int, AnyEvent]]:
        """Every event of a table from number ``start`` on. Raises NoSuchTable."""
        found: list[tuple[int, AnyEvent]] = []
        while True:
            page = await self.run(calls.history(table, start))
            found += [(item.seq, item.event) for item in page.events]
            if not page.events:
                return found
            start = page.next

    async def record(self, table: str) -> MatchRecord:
        """The record of a table. Raises NoSuchTable."""
        return await self.run(calls.record(table))

    async def record_text(self, table: str, form: str = "acey") -> str:
        """The record of a table as text. Raises NoSuchTable, BadArgument."""
        return await self.run(calls.record_text(table, form))

    async def tables(self, status: str = "", start: str = "") -> Tables:
        """Up to 1000 tables, ``open`` or ``over`` or both."""
        return await self.run(calls.tables(status, start))

    async def stats(self) -> dict[str, float]:
        """The server's counters."""
        return (await self.run(calls.stats())).values


class AsyncSeat:
    """One seat at a table. What it sends is safe to send again, since it carries its ply."""

    def __init__(self, client: AsyncClient, table: str, token: str) -> None:
        """Nothing is sent yet; the first ``wait`` takes the seat."""
        self.client = client
        self.table = table
        self.token = token

    async def wait(self, timeout: float = WAIT_SECONDS) -> Awaited:
        """What is to be decided, ``over``, or ``wait`` after ``timeout`` seconds."""
        return await self.client.run(calls.wait(self.table, self.token, timeout))

    async def play(self, ply: int | None, play: str) -> Acted:
        """Play the dice. Raises IllegalPlay, WrongAction, NotYourTurn, StalePly, TableOver."""
        return await self._act("play", play, ply)

    async def name(self, ply: int | None, number: int) -> Acted:
        """Name the double to play, 1-6. Raises as ``play`` does."""
        return await self._act("name", str(number), ply)

    async def roll(self, ply: int | None, dice: str) -> Acted:
        """Give the dice, two digits, where they are rolled by hand. Raises as ``play`` does."""
        return await self._act("roll", dice, ply)

    async def resign(self, ply: int | None = None) -> Acted:
        """Lose the game for what the position scores now."""
        return await self._act("resign", "", ply)

    async def leave(self) -> Acted:
        """Give the seat up: the game and the match are forfeited."""
        return await self.client.run(calls.leave(self.table, self.token))

    async def nonce(self, nonce: bytes) -> None:
        """Add entropy to fair dice, before the seat is taken. Raises WrongAction."""
        await self.client.run(calls.nonce(self.table, self.token, nonce))

    async def _act(self, verb: str, word: str, ply: int | None) -> Acted:
        return await self.client.run(calls.act(self.table, self.token, verb, word, ply))
