"""What a client can ask: every verb as a request and how its reply is read. spec/protocol.md §5.

A ``Call`` is not bound to a connection; the clients, blocking and asyncio, carry it out. It knows
whether it may be sent again when no reply comes: questions may, actions may because they carry
their ``ply``, requests that would open a second table may not.
"""

from collections.abc import Callable, Mapping
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from acey_protocol.errors import CLASSES, Code, ProtocolError, ReplyError
from acey_protocol.lines import Reply, write_request
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

WAIT_SECONDS: Final = 30.0
"""How long ``await`` and ``seek`` ask the server to wait."""

Legal = LegalPlays | LegalNames | LegalRolls | LegalNothing
"""What ``legal`` answers, by what is due."""
Value = str | int | float | None
"""The value of a named argument; None and an empty text leave it out."""

_Read = TypeVar("_Read")
_Answer = TypeVar("_Answer", bound=Answer)


class Call(NamedTuple, Generic[_Read]):
    """A request without an id, and how its reply is read."""

    verb: str
    words: tuple[str, ...]
    named: Mapping[str, str]
    payload: str
    patience: float
    """Seconds the server was asked to wait, beyond what any reply may take."""
    again: bool
    """Whether it may be sent again when no reply comes."""
    reader: Callable[[Reply], _Read]

    def data(self, id: str) -> bytes:
        """The request as bytes."""
        return write_request(self.verb, self.words, dict(self.named), self.payload, id)

    def read(self, reply: Reply) -> _Read:
        """What the reply says. Raises ReplyError, and the class of its code for a refusal."""
        if reply.code is not None:
            raise _refusal(reply.code, reply)
        return self.reader(reply)


def plain(
    verb: str,
    *words: str,
    payload: str = "",
    patience: float = 0.0,
    again: bool = True,
    **named: Value,
) -> Call[Reply]:
    """Any request, its reply as it is. A trailing underscore in a name is dropped (``from_``)."""
    return _call(lambda reply: reply, verb, words, named, payload, patience, again)


def answered(
    kind: type[_Answer],
    verb: str,
    *words: str,
    payload: str = "",
    patience: float = 0.0,
    again: bool = True,
    **named: Value,
) -> Call[_Answer]:
    """A request with ``format=json``, read as the struct it is answered with."""

    def read(reply: Reply) -> _Answer:
        try:
            return msgspec.json.decode(reply.text, type=kind)
        except msgspec.MsgspecError as error:
            raise ReplyError(f"{reply.text[:80]!r} is no {kind.__name__}: {error}") from error

    return _call(read, verb, words, named | {"format": "json"}, payload, patience, again)


def _call(
    reader: Callable[[Reply], _Read],
    verb: str,
    words: tuple[str, ...],
    named: Mapping[str, Value],
    payload: str,
    patience: float,
    again: bool,
) -> Call[_Read]:
    texts = {
        key.rstrip("_"): _text(value) for key, value in named.items() if value not in (None, "")
    }
    return Call(verb, words, texts, payload, patience, again, reader)


def _text(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _refusal(code: Code, reply: Reply) -> ProtocolError:
    message, details = reply.text, {}
    if message.startswith("{"):
        try:
            details = msgspec.json.decode(message, type=dict[str, object])
        except msgspec.MsgspecError as error:
            raise ReplyError(f"{message[:80]!r}: {error}") from error
        message = str(details.pop("message", ""))
    return CLASSES[code](code, message, details=details, payload=reply.payload, id=reply.id)


# --- the oracle -----------------------------------------------------------------------------------


def hello(client: str) -> Call[Hello]:
    """Who is there and what it offers."""
    return answered(Hello, "hello", client=client)


def ping() -> Call[Done]:
    """Whether the server answers."""
    return answered(Done, "ping")


def help(verb: str) -> Call[Help]:
    """The verbs, or the description of one."""
    return answered(Help, "help", *filter(None, [verb]))


def legal(position: str, rules: str) -> Call[Legal]:
    """What can be done in a position."""

    def read(reply: Reply) -> Legal:
        try:
            return msgspec.json.decode(reply.text, type=Legal)
        except msgspec.MsgspecError as error:
            raise ReplyError(f"legal: {error}") from error

    named = {"rules": rules, "format": "json"}
    return _call(read, "legal", (position,), named, "", 0.0, again=True)


def apply(position: str, action: str, rules: str) -> Call[Applied]:
    """The position after an action."""
    return answered(Applied, "apply", position, action, rules=rules)


def show(position: str, rules: str) -> Call[Board]:
    """The position as a text board."""
    return answered(Board, "show", position, rules=rules)


def validate(text: str, rules: str) -> Call[Validated]:
    """Whether a record replays."""
    return answered(Validated, "validate", payload=text, rules=rules)


def convert(text: str, source: str, target: str) -> Call[Converted]:
    """A record in another format."""
    return answered(Converted, "convert", payload=text, from_=source, to=target)


# --- tables ---------------------------------------------------------------------------------------


def open(rules: str, x: str, o: str, match: int, clock: str, dice: str) -> Call[OpenedTable]:
    """Open a table."""
    return answered(
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


def seek(name: str, rules: str, match: int, clock: str, timeout: float) -> Call[Sought]:
    """A seat shared with another seeker of the same."""
    return answered(
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


def state(table: str) -> Call[TableState]:
    """Where a table stands."""
    return answered(TableState, "state", table)


def history(table: str, start: int) -> Call[History]:
    """A page of a table's events."""
    return answered(History, "history", table, from_=start)


def record(table: str) -> Call[MatchRecord]:
    """The record of a table."""

    def read(reply: Reply) -> MatchRecord:
        try:
            return msgspec.json.decode(reply.text, type=MatchRecord)
        except msgspec.MsgspecError as error:
            raise ReplyError(f"record: {error}") from error

    return _call(read, "record", (table,), {"format": "json"}, "", 0.0, again=True)


def record_text(table: str, form: str) -> Call[str]:
    """The record of a table as text."""
    named = {"format": form}
    return _call(lambda reply: reply.payload, "record", (table,), named, "", 0.0, again=True)


def tables(status: str, start: str) -> Call[Tables]:
    """Up to 1000 tables."""
    return answered(Tables, "tables", *filter(None, [status]), from_=start)


def stats() -> Call[Stats]:
    """The server's counters."""
    return answered(Stats, "stats")


# --- seats ----------------------------------------------------------------------------------------


def wait(table: str, token: str, timeout: float) -> Call[Awaited]:
    """What a seat has to decide."""
    return answered(Awaited, "await", table, token, patience=timeout, timeout=timeout)


def act(table: str, token: str, verb: str, word: str, ply: int | None) -> Call[Acted]:
    """An action of a seat; with its ply it may be sent again."""
    words = filter(None, [word])
    return answered(Acted, verb, table, token, *words, again=ply is not None, ply=ply)


def leave(table: str, token: str) -> Call[Acted]:
    """Give a seat up; a second time it changes nothing."""
    return answered(Acted, "leave", table, token)


def nonce(table: str, token: str, nonce: bytes) -> Call[Reply]:
    """Add entropy to fair dice."""
    return plain("nonce", table, token, nonce.hex())
