"""What can go wrong between a client and a server. spec/protocol.md §3.

    AceyError
    ├── ProtocolError         a request was refused: ``code`` says why (one subclass for each code)
    │   ├── SyntaxRefused     … UnknownVerb, BadArgument, BadPosition, BadRecord, IllegalPlay,
    │   │                     WrongAction, NotYourTurn, StalePly, NoSuchTable, BadToken, TableOver,
    │   └── …                 TooLarge, RateLimited, Busy, Unsupported, InternalError
    ├── BadAddress            no address that can be connected to
    ├── BadKeys               a file that should hold a CURVE key holds none
    ├── ReplyError            what the server sent is no reply
    └── NoReply               nothing came in time, or the connection was lost
        └── NotAdmitted       the server ends every connection: keys that do not fit

Nothing was changed by a request that was refused. After NoReply the request may have been carried
out; ``ply`` makes it safe to send an action again.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar


class Code(StrEnum):
    """Why a request was refused: the closed set of spec/protocol.md §3."""

    SYNTAX = "syntax"
    UNKNOWN_VERB = "unknown-verb"
    BAD_ARGUMENT = "bad-argument"
    BAD_POSITION = "bad-position"
    BAD_RECORD = "bad-record"
    ILLEGAL_PLAY = "illegal-play"
    WRONG_ACTION = "wrong-action"
    NOT_YOUR_TURN = "not-your-turn"
    STALE_PLY = "stale-ply"
    NO_SUCH_TABLE = "no-such-table"
    BAD_TOKEN = "bad-token"
    OVER = "over"
    TOO_LARGE = "too-large"
    RATE_LIMITED = "rate-limited"
    BUSY = "busy"
    UNSUPPORTED = "unsupported"
    INTERNAL = "internal"


MEANINGS: Mapping[Code, str] = {
    Code.SYNTAX: "the request cannot be read; the message says where it broke",
    Code.UNKNOWN_VERB: "there is no such verb",
    Code.BAD_ARGUMENT: "an argument is missing, unknown, given twice or cannot have that value",
    Code.BAD_POSITION: "the position line says something impossible; the message names the field",
    Code.BAD_RECORD: "the record does not read or does not replay; every fault is listed",
    Code.ILLEGAL_PLAY: "the rules forbid it; the message names the rule",
    Code.WRONG_ACTION: "another kind of action is due now",
    Code.NOT_YOUR_TURN: "the other seat has to decide",
    Code.STALE_PLY: "that ply is past and something else was done, or it has not come yet",
    Code.NO_SUCH_TABLE: "no table has that name",
    Code.BAD_TOKEN: "the token opens no seat of this table",
    Code.OVER: "the table's match is over, or the table was stopped",
    Code.TOO_LARGE: "the line, the payload or the reply is beyond its limit",
    Code.RATE_LIMITED: "this connection asks for too much; try again later",
    Code.BUSY: "the server cannot do it now; nothing was changed, try again",
    Code.UNSUPPORTED: "this server, or this carrier, does not offer it",
    Code.INTERNAL: "a fault of the server; nothing was changed",
}
"""What each code means, as spec/protocol.md prints it."""


class AceyError(Exception):
    """Base of everything acey_protocol raises."""


class ProtocolError(AceyError):
    """A request that was refused; nothing was changed.

    ``code`` is why, ``message`` is for people, ``details`` is what a program may use besides
    (rule, section, ways, …; only with ``format=json``), ``payload`` holds further lines, such as
    the faults of a record. ``id`` is the request's id as far as it could be read.
    """

    default: ClassVar[Code] = Code.INTERNAL

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        details: Mapping[str, object] | None = None,
        payload: str = "",
        id: str = "",
    ) -> None:
        """Say why, and what a person or a program may want to know besides."""
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.details: Mapping[str, object] = details or {}
        self.payload = payload
        self.id = id

    def __str__(self) -> str:
        """``illegal-play '24/18' uses one die …``."""
        return f"{self.code} {self.message}"


class SyntaxRefused(ProtocolError):
    """The request cannot be read."""

    default = Code.SYNTAX


class UnknownVerb(ProtocolError):
    """There is no such verb."""

    default = Code.UNKNOWN_VERB


class BadArgument(ProtocolError):
    """An argument is missing, unknown, given twice or cannot have that value."""

    default = Code.BAD_ARGUMENT


class BadPosition(ProtocolError):
    """The position line says something impossible."""

    default = Code.BAD_POSITION


class BadRecord(ProtocolError):
    """The record does not read or does not replay; ``payload`` lists further faults."""

    default = Code.BAD_RECORD


class IllegalPlay(ProtocolError):
    """The rules forbid the action."""

    default = Code.ILLEGAL_PLAY


class WrongAction(ProtocolError):
    """Another kind of action is due."""

    default = Code.WRONG_ACTION


class NotYourTurn(ProtocolError):
    """The other seat has to decide."""

    default = Code.NOT_YOUR_TURN


class StalePly(ProtocolError):
    """That ply is past and something else was done, or it has not come yet."""

    default = Code.STALE_PLY


class NoSuchTable(ProtocolError):
    """No table has that name."""

    default = Code.NO_SUCH_TABLE


class BadToken(ProtocolError):
    """The token opens no seat of this table."""

    default = Code.BAD_TOKEN


class TableOver(ProtocolError):
    """The table's match is over, or its dice have ended."""

    default = Code.OVER


class TooLarge(ProtocolError):
    """The line, the payload or the reply is beyond its limit."""

    default = Code.TOO_LARGE


class RateLimited(ProtocolError):
    """This connection asks for too much."""

    default = Code.RATE_LIMITED


class Busy(ProtocolError):
    """The server cannot do it now; try again."""

    default = Code.BUSY


class Unsupported(ProtocolError):
    """This server, or this carrier, does not offer it."""

    default = Code.UNSUPPORTED


class InternalError(ProtocolError):
    """A fault of the server."""

    default = Code.INTERNAL


CLASSES: Mapping[Code, type[ProtocolError]] = {
    kind.default: kind
    for kind in (
        SyntaxRefused,
        UnknownVerb,
        BadArgument,
        BadPosition,
        BadRecord,
        IllegalPlay,
        WrongAction,
        NotYourTurn,
        StalePly,
        NoSuchTable,
        BadToken,
        TableOver,
        TooLarge,
        RateLimited,
        Busy,
        Unsupported,
        InternalError,
    )
}
"""The error class of each code."""


def refused(
    code: Code, message: str, *, details: Mapping[str, object] | None = None, payload: str = ""
) -> ProtocolError:
    """The error of the class that belongs to ``code``."""
    return CLASSES[code](code, message, details=details, payload=payload)


class ReplyError(AceyError):
    """What the server sent is no reply of ``acey/1``."""


class BadAddress(AceyError):
    """What was given as a server's address is none."""


class BadKeys(AceyError):
    """A file that should hold a CURVE key is missing or holds none; the message says the remedy."""


class NoReply(AceyError):
    """Nothing came in time. The request may have been carried out nevertheless."""


class NotAdmitted(NoReply):
    """The server takes no connection with these keys, or without; nothing was carried out."""
