"""A client of ``acey/1`` over ZeroMQ: every verb as a typed method.

    from acey_protocol.client import Client

    with Client("tcp://127.0.0.1:5858") as client:
        table = client.open(x="alpha", o="beta")
        seat = client.seat(table.table, table.x)
        while (turn := seat.wait()).due != "over":
            ...
            seat.play(turn.ply, "off/19 off/22")

A connection that is lost is noticed at once, a reply that does not come after ``timeout`` seconds.
The client then connects anew and sends the request again, up to ``attempts`` times, where that is
safe: questions always are, actions are because they carry their ``ply``. Requests that would open a
second table are not sent again; they raise NoReply. A daemon may so be killed and started again
while a match is played.

Errors are those of acey_protocol.errors: a refused request raises the class of its code.
acey_protocol.client_async is the same for asyncio.
"""

from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Self, TypeVar

import zmq

from acey_protocol import calls
from acey_protocol.calls import WAIT_SECONDS, Call, Legal, Value
from acey_protocol.client_link import DEFAULT_ADDRESS, CurveKeys, Link, resolve
from acey_protocol.errors import NoReply
from acey_protocol.events import AnyEvent
from acey_protocol.lines import Reply, parse_reply
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


class Client:
    """A connection to a server. Not thread-safe; one request at a time."""

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        timeout: float = 5.0,
        attempts: int = 5,
        curve: CurveKeys | None = None,
        context: "zmq.Context[zmq.Socket[bytes]] | None" = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Connect when the first request is made; nothing is sent yet.

        ``timeout`` is seconds for one attempt, and how long one tries to connect; ``curve`` is
        needed where the server encrypts; ``tell`` is told when the connection is lost, and when
        there is one again.
        """
        self.address = address
        self.timeout = timeout
        self.attempts = attempts
        self._curve = curve
        self._tell = tell
        self._own_context = context is None
        self._context = context or zmq.Context()
        self._link: Link | None = None
        self._resolved = False
        self._away = False
        """Whether the connection was lost and there has been none since."""
        self._last_id = 0

    def __enter__(self) -> Self:
        """The client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._drop()
        if self._own_context:
            self._context.term()

    # --- requests --------------------------------------------------------------------------------

    def request(
        self,
        verb: str,
        *words: str,
        payload: str = "",
        patience: float = 0.0,
        again: bool = True,
        **named: Value,
    ) -> Reply:
        """Send a request and return the reply, whatever it says.

        ``patience`` is added to the time-out: what the server was asked to wait. ``again`` is
        whether the request may be sent again when no reply comes. Named arguments that are None
        or empty are left out; a trailing underscore in a name is dropped (``from_``). Raises as
        ``run`` does.
        """
        call = calls.plain(verb, *words, payload=payload, patience=patience, again=again, **named)
        return self.run(call)

    def ask(
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
        return self.run(call)

    def run(self, call: Call[_Read]) -> _Read:
        """Carry a call out, again where it may be when no reply comes.

        Raises BadAddress, NoReply, NotAdmitted, ReplyError, and ProtocolError's class for a
        refusal.
        """
        self._last_id += 1
        id = str(self._last_id)
        data = call.data(id)
        why = ""
        for _ in range(self.attempts if call.again else 1):
            reply, why = self._attempt(id, data, call.patience)
            if reply is not None:
                return call.read(reply)
        why = why or f"none came within {self.timeout + call.patience:g} s"
        raise NoReply(f"{self.address}: no reply to {call.verb!r}: {why}")

    def _attempt(self, id: str, data: bytes, patience: float) -> tuple[Reply | None, str]:
        """Send once and wait: the reply, or none and why. The connection is new after that."""
        try:
            link = self._linked()
            link.socket.send(data)
            reply = self._reply(link, id, patience)
        except BaseException:
            # Whatever cut the wait short: a reply that comes later must not be taken for another's.
            self._drop()
            raise
        why = link.trouble() if reply is None else ""
        if reply is None:
            self._drop()
        return reply, why

    def _linked(self) -> Link:
        """A connection that has not been lost. Raises BadAddress."""
        if self._link is not None and self._link.look():
            self._lost()
        if self._link is None:
            if not self._resolved:
                resolve(self.address)
                self._resolved = True
            self._link = Link(self._context, zmq.DEALER, self.address, self._curve)
        return self._link

    def _reply(self, link: Link, id: str, patience: float) -> Reply | None:
        """The reply, or None when it does not come in time or the connection is lost."""
        poller = zmq.Poller()
        for each in (link.socket, link.monitor):
            poller.register(each, zmq.POLLIN)
        was_up = link.up
        until = monotonic() + self.timeout + (patience if was_up else 0.0)
        while poller.poll(max(0, round((until - monotonic()) * 1000))):
            lost = link.look()
            if link.up and not was_up:  # only now the server begins to wait for us
                was_up = True
                until = monotonic() + self.timeout + patience
                self._back()
            reply = _read(link, id)
            if lost:  # which does not take back a reply that came before
                self._lost()
            if reply is not None or lost:
                return reply
        return None

    def _lost(self) -> None:
        """The connection is no more."""
        self._drop()
        self._away = True
        if self._tell is not None:
            self._tell(f"the connection to {self.address} is lost; trying to connect anew")

    def _back(self) -> None:
        """There is a connection, the first one or another."""
        if self._away and self._tell is not None:
            self._tell(f"connected to {self.address} again")
        self._away = False

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    # --- the oracle ------------------------------------------------------------------------------

    def hello(self, client: str = "") -> Hello:
        """Who is there and what it offers."""
        return self.run(calls.hello(client))

    def ping(self) -> None:
        """Return when the server answers."""
        self.run(calls.ping())

    def help(self, verb: str = "") -> list[str]:
        """The verbs, or the description of one."""
        return list(self.run(calls.help(verb)).lines)

    def legal(self, position: str, rules: str = "") -> Legal:
        """What can be done in a position. Raises BadPosition."""
        return self.run(calls.legal(position, rules))

    def apply(self, position: str, action: str, rules: str = "") -> Applied:
        """The position after an action. Raises BadPosition, IllegalPlay, WrongAction, TableOver."""
        return self.run(calls.apply(position, action, rules))

    def show(self, position: str, rules: str = "") -> str:
        """The position as a text board. Raises BadPosition."""
        return self.run(calls.show(position, rules)).board

    def validate(self, text: str, rules: str = "") -> Validated:
        """Replay a record. Raises BadRecord, whose details hold every fault."""
        return self.run(calls.validate(text, rules))

    def convert(self, text: str, source: str, target: str) -> str:
        """A record in another format. Raises BadRecord, BadArgument."""
        return self.run(calls.convert(text, source, target)).output

    # --- tables ----------------------------------------------------------------------------------

    def open(
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
        return self.run(calls.open(rules, x, o, match, clock, dice))

    def seek(
        self,
        name: str,
        *,
        rules: str = "",
        match: int = 0,
        clock: str = "",
        timeout: float = WAIT_SECONDS,
    ) -> "Seat | None":
        """A seat shared with another seeker of the same, or None when none came in time.

        Not sent again when no reply comes.
        """
        sought = self.run(calls.seek(name, rules, match, clock, timeout))
        if sought.table is None or sought.token is None:
            return None
        return Seat(self, sought.table, sought.token)

    def seat(self, table: str, token: str) -> "Seat":
        """A seat at a table, by its token; nothing is sent."""
        return Seat(self, table, token)

    def state(self, table: str) -> TableState:
        """Where a table stands. Raises NoSuchTable."""
        return self.run(calls.state(table))

    def history(self, table: str, start: int = 1) -> list[tuple[int, AnyEvent]]:
        """Every event of a table from number ``start`` on. Raises NoSuchTable."""
        found: list[tuple[int, AnyEvent]] = []
        while True:
            page = self.run(calls.history(table, start))
            found += [(item.seq, item.event) for item in page.events]
            if not page.events:
                return found
            start = page.next

    def record(self, table: str) -> MatchRecord:
        """The record of a table. Raises NoSuchTable."""
        return self.run(calls.record(table))

    def record_text(self, table: str, form: str = "acey") -> str:
        """The record of a table as text. Raises NoSuchTable, BadArgument."""
        return self.run(calls.record_text(table, form))

    def tables(self, status: str = "", start: str = "") -> Tables:
        """Up to 1000 tables, ``open`` or ``over`` or both."""
        return self.run(calls.tables(status, start))

    def stats(self) -> dict[str, float]:
        """The server's counters."""
        return self.run(calls.stats()).values


class Seat:
    """One seat at a table. What it sends is safe to send again, since it carries its ply."""

    def __init__(self, client: Client, table: str, token: str) -> None:
        """Nothing is sent yet; the first ``wait`` takes the seat."""
        self.client = client
        self.table = table
        self.token = token

    def wait(self, timeout: float = WAIT_SECONDS) -> Awaited:
        """What is to be decided, ``over``, or ``wait`` after ``timeout`` seconds."""
        return self.client.run(calls.wait(self.table, self.token, timeout))

    def play(self, ply: int | None, play: str) -> Acted:
        """Play the dice. Raises IllegalPlay, WrongAction, NotYourTurn, StalePly, TableOver."""
        return self._act("play", play, ply)

    def name(self, ply: int | None, number: int) -> Acted:
        """Name the double to play, 1-6. Raises as ``play`` does."""
        return self._act("name", str(number), ply)

    def roll(self, ply: int | None, dice: str) -> Acted:
        """Give the dice, two digits, where they are rolled by hand. Raises as ``play`` does."""
        return self._act("roll", dice, ply)

    def resign(self, ply: int | None = None) -> Acted:
        """Lose the game for what the position scores now."""
        return self._act("resign", "", ply)

    def leave(self) -> Acted:
        """Give the seat up: the game and the match are forfeited."""
        return self.client.run(calls.leave(self.table, self.token))

    def nonce(self, nonce: bytes) -> None:
        """Add entropy to fair dice, before the seat is taken. Raises WrongAction."""
        self.client.run(calls.nonce(self.table, self.token, nonce))

    def _act(self, verb: str, word: str, ply: int | None) -> Acted:
        return self.client.run(calls.act(self.table, self.token, verb, word, ply))


def _read(link: Link, id: str) -> Reply | None:
    """The reply among what has arrived, if it is there. Raises ReplyError."""
    while True:
        try:
            reply = parse_reply(link.socket.recv(zmq.NOBLOCK))
        except zmq.Again:
            return None
        # A request that could not be read at all is answered without an id.
        if reply.id in (id, ""):
            return reply


__all__ = ["DEFAULT_ADDRESS", "Client", "CurveKeys", "Legal", "Seat"]
