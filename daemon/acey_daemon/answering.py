"""From the bytes of a request to the bytes of its reply: the part every carrier shares.

A request is read (lines.py), checked against the verb table (verbs.py), handed to the handler of
its verb and answered in the form it asked for. Whatever goes wrong becomes an error reply; nothing
a request says ends the program.
"""

import logging
from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from acey_daemon.store import StoreError
from acey_grammar import NotationError
from acey_protocol import lines
from acey_protocol.arguments import Values
from acey_protocol.errors import Code, ProtocolError, refused
from acey_protocol.lines import Limits, Request
from acey_protocol.replies import Answer
from acey_protocol.verbs import CHECKERS, JSON_FORMAT, VERBS, Verb
from acey_rules import (
    AmbiguousPlay,
    DiceError,
    IllegalAction,
    PositionError,
    RulesError,
    WrongAction,
)
from acey_rules.errors import Rule

log = logging.getLogger(__name__)


class Connection(NamedTuple):
    """Whose request it is, and how replies to it are framed."""

    name: bytes
    delimited: bool = False
    """Whether an empty frame comes before each message, as REQ sockets have it."""
    frames: int = 1
    """How many frames the request had, the empty one aside; 0 if they were not counted.

    Of more than one only the id is kept.
    """


class Call(NamedTuple):
    """A request that was read and whose arguments are right."""

    request: Request
    values: Values
    json: bool
    connection: Connection
    now: float
    """Seconds of a monotonic clock."""

    def text(self, name: str) -> str:
        """The value of a text argument; empty when it was left out."""
        value = self.values[name]
        return "" if value is None else str(value)


class Written(NamedTuple):
    """A reply's text and payload, already written; for replies that are made by the thousand."""

    text: str
    payload: str = ""


class Later(NamedTuple):
    """The reply comes later; the handler keeps the call."""


LATER = Later()
"""What a handler returns whose reply comes later."""

Outcome = Answer | Written | Later
Handler = Callable[[Call], Outcome]
Handlers = Mapping[str, Handler]


def respond(
    handlers: Handlers, data: bytes, limits: Limits, connection: Connection, now: float
) -> bytes | None:
    """The reply to one request, or None when it comes later. Raises nothing."""
    id, json = "", False
    try:
        if connection.frames != 1:
            id = lines.id_of(data)
            count = connection.frames or "so many"
            raise refused(Code.SYNTAX, f"a request is one frame, not {count}")
        request = lines.parse_request(data, limits)
        id = request.id
        verb, handler = find(handlers, request)
        json = request.named.get("format") == JSON_FORMAT
        call = Call(request, CHECKERS[verb.name].check(request), json, connection, now)
        outcome = handler(call)
        return None if outcome is LATER else write(id, outcome, json)
    except Exception as error:
        return lines.write_error(as_refusal(error, data), id, json)


def find(handlers: Handlers, request: Request) -> tuple[Verb, Handler]:
    """The verb of a request and its handler. Raises UnknownVerb, Unsupported or BadArgument."""
    verb = VERBS.get(request.verb)
    if verb is None:
        raise refused(Code.UNKNOWN_VERB, f"there is no verb {request.verb[:40]!r}; see help")
    if request.payload and not verb.payload:
        raise refused(Code.BAD_ARGUMENT, f"{verb.name} takes no payload")
    handler = handlers.get(verb.name)
    if handler is None:
        raise refused(Code.UNSUPPORTED, f"{verb.name} needs a server with tables: acey serve")
    return verb, handler


def write(id: str, outcome: Outcome, json: bool) -> bytes:
    """A handler's outcome as a reply."""
    match outcome:
        case Written(text, payload):
            return lines.write_reply(id, text, payload)
        case Answer():
            if json:
                return b"=%b %b" % (id.encode(), msgspec.json.encode(outcome))
            return lines.write_reply(id, outcome.text(), outcome.payload())
        case Later():
            raise AssertionError("a reply that comes later has nothing to write yet")


def as_refusal(error: Exception, data: bytes) -> ProtocolError:
    """Any error as the error reply it becomes."""
    match error:
        case ProtocolError():
            return error
        case PositionError():
            return refused(Code.BAD_POSITION, str(error), details={"field": error.field})
        case IllegalAction():
            return refused(_code(error), str(error), details=_details(error))
        case NotationError():
            return refused(
                Code.BAD_ARGUMENT,
                f"column {error.column}: {error.message}",
                details={"column": error.column, "expected": error.expected},
            )
        case DiceError() | RulesError():
            return refused(Code.BAD_ARGUMENT, str(error))
        case MemoryError():
            return refused(Code.TOO_LARGE, "it takes more memory than there is for a request")
        case StoreError():
            log.error("not read", extra={"fields": {"why": str(error)}})
            return refused(Code.BUSY, "the store cannot be read now")
        case _:
            log.exception("fault", extra={"fields": {"request_bytes": len(data)}})
            return refused(Code.INTERNAL, "a fault of this server, which its log describes")


def _code(error: IllegalAction) -> Code:
    if error.rule is Rule.GAME_OVER:
        return Code.OVER
    return Code.WRONG_ACTION if isinstance(error, WrongAction) else Code.ILLEGAL_PLAY


def _details(error: IllegalAction) -> dict[str, object]:
    details: dict[str, object] = {
        "rule": error.rule.code,
        "section": error.rule.section,
        "position": error.position,
    }
    if isinstance(error, AmbiguousPlay):
        details["ways"] = error.ways
    return details
