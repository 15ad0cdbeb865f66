"""A client of ``acey/1`` over ZeroMQ: every verb as a typed method.

    from acey_protocol.client import Client

    with Client("tcp://127.0.0.1:5858") as client:
        table = client.open(x="alpha", o="beta")
        seat = client.seat(table.table, table.x)
        while (turn := seat.wait()).due != "over":
            ...
            seat.play(turn.ply, "off/19 off/22")

A reply that does not come within ``timeout`` seconds makes the client connect anew and send the
request again, up to ``attempts`` times, where that is safe: questions always are, actions are
because they carry their ``ply``. Requests that would open a second table are not sent again; they
raise NoReply.

Errors are those of acey_protocol.errors: a refused request raises the class of its code.
"""

from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeVar

import msgspec
import zmq

from acey_protocol.errors import CLASSES, BadAddress, Code, NoReply, ProtocolError, ReplyError
from acey_protocol.events import AnyEvent
from acey_protocol.lines import Reply, parse_reply, write_request
from acey_protocol.records import MatchRecord
from acey_protocol.replies import (
    Acted,
    Answer,
    Applied,
    Awaited,
    Board,
    Converted,
    Done,
    Hello,
    Help,
    History,
    LegalNames,
    LegalNothing,
    LegalPlays,
    LegalRolls,
    OpenedTable,
    Sought,
    Stats,
    Tables,
    TableState,
    Validated,
)

DEFAULT_ADDRESS: Final = "tcp://127.0.0.1:5858"
KEY_CHARACTERS: Final = 40
"""Characters of a CURVE key in Z85."""
WAIT_SECONDS: Final = 30.0
"""How long ``await`` and ``seek`` ask the server to wait."""

_Answer = TypeVar("_Answer", bound=Answer)
Legal = LegalPlays | LegalNames | LegalRolls | LegalNothing
"""What ``legal`` answers, by what is due."""


class CurveKeys(NamedTuple):
    """The keys of an encrypted connection, in Z85."""

    server: str
    """The server's public key."""
    public: str
    secret: str

    @classmethod
    def load(cls, server: Path, secret: Path) -> Self:
        """Read the server's public key and the client's secret one, as ``acey keygen`` writes them.

        Raises OSError; ValueError for a file that holds no key.
        """
        keys = [path.read_text("ascii").strip() for path in (server, secret)]
        for path, key in zip((server, secret), keys, strict=True):
            if len(key) != KEY_CHARACTERS:
                raise ValueError(f"{path}: no CURVE key of {KEY_CHARACTERS} characters")
        return cls(keys[0], zmq.curve_public(keys[1].encode()).decode(), keys[1])


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
    ) -> None:
        """Connect. ``timeout`` is seconds for one attempt; nothing is sent yet.

        ``curve`` is needed where the server encrypts. A server that does not know the client's key
        answers nothing, which is NoReply.
        """
        self.address = address
        self.timeout = timeout
        self.attempts = attempts
        self._curve = curve
        self._own_context = context is None
        self._context = context or zmq.Context()
        self._socket: zmq.Socket[bytes] | None = None
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
        if self._socket is not None:
            self._socket.close(linger=0)
            self._socket = None
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
        **named: str | int | float | None,
    ) -> Reply:
        """Send a request and return the reply, whatever it says.

        ``patience`` is added to the time-out: what the server was asked to wait. ``again`` is
        whether the request may be sent again when no reply comes. Named arguments that are None
        or empty are left out; a trailing underscore in a name is dropped (``from_``). Raises
        NoReply, ReplyError, and ProtocolError's class for a refusal.
        """
        self._last_id += 1
        id = str(self._last_id)
        texts = {
            key.rstrip("_"): _text(value) for key, value in named.items() if value not in (None, "")
        }
        data = write_request(verb, words, texts, payload, id)
        for _ in range(self.attempts if again else 1):
            reply = self._attempt(id, data, self.timeout + patience)
            if reply is not None:
                return _checked(reply)
        raise NoReply(f"{self.address}: no reply to {verb!r} within {self.timeout + patience:g} s")

    def _attempt(self, id: str, data: bytes, seconds: float) -> Reply | None:
        """Send once and wait; None when nothing comes. The connection is new after that."""
        if self._socket is None:
            self._socket = self._context.socket(zmq.DEALER)
            self._socket.linger = 0
            if self._curve is not None:
                self._socket.curve_serverkey = self._curve.server.encode()
                self._socket.curve_publickey = self._curve.public.encode()
                self._socket.curve_secretkey = self._curve.secret.encode()
            try:
                self._socket.connect(self.address)
            except zmq.ZMQError as error:
                self._socket.close()
                self._socket = None
                raise BadAddress(
                    f"{self.address!r} is no address, such as {DEFAULT_ADDRESS} or ipc:///run/acey"
                ) from error
        self._socket.send(data)
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        while poller.poll(round(seconds * 1000)):
            reply = parse_reply(self._socket.recv())
            # A request that could not be read at all is answered without an id; a late reply to
            # an earlier attempt has an id that is past.
            if reply.id in (id, ""):
                return reply
        self._socket.close(linger=0)
        self._socket = None
        return None

    def ask(
        self,
        kind: type[_Answer],
        verb: str,
        *words: str,
        payload: str = "",
        patience: float = 0.0,
        again: bool = True,
        **named: str | int | float | None,
    ) -> _Answer:
        """Send a request with ``format=json`` and return the struct it is answered with."""
        reply = self.request(
            verb, *words, payload=payload, patience=patience, again=again, format="json", **named
        )
        return _decoded(reply, kind)

    # --- the oracle ------------------------------------------------------------------------------

    def hello(self, client: str = "") -> Hello:
        """Who is there and what it offers."""
        return self.ask(Hello, "hello", client=client)

    def ping(self) -> None:
        """Return when the server answers."""
        self.ask(Done, "ping")

    def help(self, verb: str = "") -> list[str]:
        """The verbs, or the description of one."""
        return list(self.ask(Help, "help", *filter(None, [verb])).lines)

    def legal(self, position: str, rules: str = "") -> Legal:
        """What can be done in a position. Raises BadPosition."""
        reply = self.request("legal", position, rules=rules, format="json")
        try:
            return msgspec.json.decode(reply.text, type=Legal)
        except msgspec.MsgspecError as error:
            raise ReplyError(f"legal: {error}") from error

    def apply(self, position: str, action: str, rules: str = "") -> Applied:
        """The position after an action. Raises BadPosition, IllegalPlay, WrongAction, TableOver."""
        return self.ask(Applied, "apply", position, action, rules=rules)

    def show(self, position: str, rules: str = "") -> str:
        """The position as a text board. Raises BadPosition."""
        return self.ask(Board, "show", position, rules=rules).board

    def validate(self, text: str, rules: str = "") -> Validated:
        """Replay a record. Raises BadRecord, whose details hold every fault."""
        reply = self.request("validate", payload=text, rules=rules, format="json")
        return _decoded(reply, Validated)

    def convert(self, text: str, source: str, target: str) -> str:
        """A record in another format. Raises BadRecord, BadArgument."""
        return self.ask(Converted, "convert", payload=text, from_=source, to=target).output

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
        return self.ask(
            OpenedTable,
            "open",
            again=False,
            rules=rules,
            x=x,
            o=o,
            match=match,
            clock=clock,
            dice=dice,
        )

    def seek(
        self,
        name: str,
        *,
        rules: str = "",
        match: int = 0,
        clock: str = "",
        timeout: float = WAIT_SECONDS,
    ) -> "Seat | None":
        """A seat shared with another seeker of the same, or None when none came in time."""
        sought = self.ask(
            Sought,
            "seek",
            again=False,
            patience=timeout,
            name=name,
            rules=rules,
            match=match,
            clock=clock,
            timeout=timeout,
        )
        if sought.table is None or sought.token is None:
            return None
        return Seat(self, sought.table, sought.token)

    def seat(self, table: str, token: str) -> "Seat":
        """A seat at a table, by its token; nothing is sent."""
        return Seat(self, table, token)

    def state(self, table: str) -> TableState:
        """Where a table stands. Raises NoSuchTable."""
        return self.ask(TableState, "state", table)

    def history(self, table: str, start: int = 1) -> list[tuple[int, AnyEvent]]:
        """Every event of a table from number ``start`` on. Raises NoSuchTable."""
        found: list[tuple[int, AnyEvent]] = []
        while True:
            page = self.ask(History, "history", table, from_=start)
            found += [(item.seq, item.event) for item in page.events]
            if not page.events:
                return found
            start = page.next

    def record(self, table: str) -> MatchRecord:
        """The record of a table. Raises NoSuchTable."""
        reply = self.request("record", table, format="json")
        try:
            return msgspec.json.decode(reply.text, type=MatchRecord)
        except msgspec.MsgspecError as error:
            raise ReplyError(f"record: {error}") from error

    def record_text(self, table: str, form: str = "acey") -> str:
        """The record of a table as text. Raises NoSuchTable, BadArgument."""
        return self.request("record", table, format=form).payload

    def tables(self, status: str = "", start: str = "") -> Tables:
        """Up to 1000 tables, ``open`` or ``over`` or both."""
        return self.ask(Tables, "tables", *filter(None, [status]), from_=start)

    def stats(self) -> dict[str, float]:
        """The server's counters."""
        return self.ask(Stats, "stats").values


class Seat:
    """One seat at a table. What it sends is safe to send again, since it carries its ply."""

    def __init__(self, client: Client, table: str, token: str) -> None:
        """Nothing is sent yet; the first ``wait`` takes the seat."""
        self.client = client
        self.table = table
        self.token = token

    def wait(self, timeout: float = WAIT_SECONDS) -> Awaited:
        """What is to be decided, ``over``, or ``wait`` after ``timeout`` seconds."""
        return self.client.ask(
            Awaited, "await", self.table, self.token, patience=timeout, timeout=timeout
        )

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
        return self._act("leave", "", None, again=True)

    def nonce(self, nonce: bytes) -> None:
        """Add entropy to fair dice, before the seat is taken. Raises WrongAction."""
        self.client.request("nonce", self.table, self.token, nonce.hex())

    def _act(self, verb: str, word: str, ply: int | None, again: bool = False) -> Acted:
        words = [self.table, self.token, *filter(None, [word])]
        return self.client.ask(Acted, verb, *words, again=again or ply is not None, ply=ply)


def _text(value: str | int | float | None) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _checked(reply: Reply) -> Reply:
    """The reply, unless it is a refusal. Raises the class of its code."""
    if reply.code is None:
        return reply
    raise _refusal(reply.code, reply)


def _refusal(code: Code, reply: Reply) -> ProtocolError:
    message, details = reply.text, {}
    if message.startswith("{"):
        try:
            details = msgspec.json.decode(message, type=dict[str, object])
        except msgspec.MsgspecError as error:
            raise ReplyError(f"{message[:80]!r}: {error}") from error
        message = str(details.pop("message", ""))
    return CLASSES[code](code, message, details=details, payload=reply.payload, id=reply.id)


def _decoded(reply: Reply, kind: type[_Answer]) -> _Answer:
    try:
        return msgspec.json.decode(reply.text, type=kind)
    except msgspec.MsgspecError as error:
        raise ReplyError(f"{reply.text[:80]!r} is no {kind.__name__}: {error}") from error


__all__ = ["DEFAULT_ADDRESS", "Client", "CurveKeys", "Legal", "Seat"]
