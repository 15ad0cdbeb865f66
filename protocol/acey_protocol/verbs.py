"""The verbs of ``acey/1`` as one table. spec/protocol.md §5 is generated from it.

Dispatch, the checks of arguments, ``help`` and the specification read this table; a test holds
them together.
"""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from acey_protocol.arguments import (
    MAX_MATCH,
    Argument,
    Checker,
    Choice,
    Clock,
    Dice,
    DiceSpec,
    Hexadecimal,
    Kind,
    PlayerName,
    Rules,
    Seconds,
    Text,
    Whole,
)
from acey_protocol.errors import Code
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
    Record,
    Sought,
    Stats,
    Tables,
    TableState,
    Validated,
)

PROTOCOL: Final = "acey/1"
"""Name and version of the protocol."""
DEFAULT_RULES: Final = "american"
"""The rule set of a request that says none."""
LAST_PLY: Final = 10**9
"""A ply no match reaches."""
MAX_WAIT: Final = 3600
"""Seconds ``await`` and ``seek`` may be told to wait."""
TEXT_FORMAT: Final = "text"
"""``format=`` of a reply as text."""
JSON_FORMAT: Final = "json"
"""``format=`` of a reply as one JSON document."""

Group = Literal["oracle", "table"]
"""Whether a verb needs tables; oracle verbs answer on every carrier."""


class Verb(Struct, frozen=True, kw_only=True):
    """One verb: what it takes, what it answers and how it can be refused."""

    name: str
    about: str
    group: Group
    reply: str
    """The reply's first line after ``=``, and what its payload holds."""
    answers: tuple[type[Answer], ...]
    """The structs of ``format=json``."""
    arguments: tuple[Argument, ...] = ()
    payload: bool = False
    """Whether lines follow the request."""
    codes: tuple[Code, ...] = ()
    """How it can be refused, besides the codes that every verb has."""
    waits: bool = False
    """Whether the reply may come after those of later requests."""
    since: str = "0.1"
    section: str

    @property
    def usage(self) -> str:
        """The request as help shows it."""
        parts = [self.name, *(argument.usage for argument in self.arguments)]
        return " ".join(parts) + (" + payload" if self.payload else "")


COMMON_CODES: Final = (
    Code.SYNTAX,
    Code.UNKNOWN_VERB,
    Code.BAD_ARGUMENT,
    Code.TOO_LARGE,
    Code.RATE_LIMITED,
    Code.INTERNAL,
)
"""Codes any request can be refused with."""


def _word(name: str, about: str, kind: Kind | None = None, *, rest: bool = False) -> Argument:
    return Argument(
        name=name, kind=kind or Text(), about=about, positional=True, required=True, rest=rest
    )


def _named(
    name: str, kind: Kind, about: str, default: str = "", required: bool = False
) -> Argument:
    return Argument(name=name, kind=kind, about=about, default=default, required=required)


_POSITION = _word("position", "a position line", Text("position"))
_RULES = _named("rules", Rules(), "the rule set", DEFAULT_RULES)
_TABLE = _word("table", "the table's name")
_TOKEN = _word("token", "the seat's token")
_PLY = _named(
    "ply", Whole(1, LAST_PLY), "the ply this action is meant to be; makes it safe to send again"
)
_MATCH = _named("match", Whole(0, MAX_MATCH), "points the match goes to; 0 is one game", "0")
_CLOCK = _named("clock", Clock(), "bank and delay a decision, in seconds; none when left out")
_FORMAT = _named("format", Choice((TEXT_FORMAT, JSON_FORMAT)), "how the reply is written", "text")

_SEAT_CODES = (Code.NO_SUCH_TABLE, Code.BAD_TOKEN, Code.UNSUPPORTED)
_ACTION_CODES = (
    *_SEAT_CODES,
    Code.WRONG_ACTION,
    Code.NOT_YOUR_TURN,
    Code.STALE_PLY,
    Code.OVER,
    Code.BUSY,
)

_ORACLE = (
    Verb(
        name="hello",
        about="says who is there and what it offers",
        group="oracle",
        arguments=(_named("client", Text("name/version"), "who asks"), _FORMAT),
        reply="`acey/1 aceydeucey/<version> rules=<names> durability=<disk, process or none> "
        "generator=<kernel or reference>`",
        answers=(Hello,),
        section="§5.1",
    ),
    Verb(
        name="ping",
        about="does nothing",
        group="oracle",
        arguments=(_FORMAT,),
        reply="nothing",
        answers=(Done,),
        section="§5.1",
    ),
    Verb(
        name="help",
        about="lists the verbs, or describes one",
        group="oracle",
        arguments=(
            Argument(name="verb", kind=Text(), about="the verb to describe", positional=True),
            _FORMAT,
        ),
        reply="`<n>`, then n lines: a verb each, or the description of one",
        answers=(Help,),
        section="§5.1",
    ),
    Verb(
        name="legal",
        about="lists what can be done in a position",
        group="oracle",
        arguments=(_POSITION, _RULES, _FORMAT),
        reply="`<n>`, then n lines `<play>⇥<position after>` in canonical order; when a double is "
        "to be named `name 1` to `name 6`, when dice are to be rolled the 21 rolls, each with the "
        "position after; `0` when the game is over",
        answers=(LegalPlays, LegalNames, LegalRolls, LegalNothing),
        codes=(Code.BAD_POSITION,),
        section="§5.2",
    ),
    Verb(
        name="apply",
        about="does an action in a position",
        group="oracle",
        arguments=(
            _POSITION,
            _word("action", "`roll 63`, `play …`, `name 6` or `resign [points]`", rest=True),
            _RULES,
            _FORMAT,
        ),
        reply="`<position after>`, followed by `over <winner> <points>` when the game ends",
        answers=(Applied,),
        codes=(Code.BAD_POSITION, Code.ILLEGAL_PLAY, Code.WRONG_ACTION, Code.OVER),
        section="§5.2",
    ),
    Verb(
        name="show",
        about="draws a position as text",
        group="oracle",
        arguments=(_POSITION, _RULES, _FORMAT),
        reply="`pips x <n> o <n>`, then the board",
        answers=(Board,),
        codes=(Code.BAD_POSITION,),
        section="§5.2",
    ),
    Verb(
        name="validate",
        about="reads a record and replays it",
        group="oracle",
        arguments=(
            _named(
                "format",
                Text("format"),
                "the payload's format; `json` makes the reply JSON and reads a payload that "
                "begins with a bracket as JSON",
                "auto",
            ),
            _named("rules", Rules(), "the rule set, where the record names none"),
        ),
        payload=True,
        reply="`games=<n> turns=<n>`; or `bad-record <line>:<column> <message>`, then every "
        "further fault, a line each",
        answers=(Validated,),
        codes=(Code.BAD_RECORD, Code.BUSY),
        section="§5.3",
    ),
    Verb(
        name="convert",
        about="writes a record in another format",
        group="oracle",
        arguments=(
            _named("from", Text("format"), "the payload's format", required=True),
            _named("to", Text("format"), "the format wanted", required=True),
            _FORMAT,
        ),
        payload=True,
        reply="nothing, or `lost: <what>; <what>` for what the format cannot hold, then the text",
        answers=(Converted,),
        codes=(Code.BAD_RECORD, Code.UNSUPPORTED, Code.BUSY),
        section="§5.3",
    ),
)

_TABLES = (
    Verb(
        name="open",
        about="opens a table; the opener hands the tokens out",
        group="table",
        arguments=(
            _RULES,
            _named("x", PlayerName(), "name of the player X"),
            _named("o", PlayerName(), "name of the player O"),
            _MATCH,
            _CLOCK,
            _named("dice", DiceSpec(), "where the dice come from", "fair"),
            _FORMAT,
        ),
        reply="`<table> x=<token> o=<token>`, with fair dice followed by `commitment=<hex>`",
        answers=(OpenedTable,),
        codes=(Code.BUSY, Code.UNSUPPORTED),
        section="§6.1",
    ),
    Verb(
        name="seek",
        about="waits for another seeker with the same wishes and opens a table for both",
        group="table",
        arguments=(
            _named("name", PlayerName(), "the seeker's name", required=True),
            _RULES,
            _MATCH,
            _CLOCK,
            _named("timeout", Seconds(MAX_WAIT), "how long to wait", "30"),
            _FORMAT,
        ),
        reply="`<table> <x or o> <token>`, or `wait` after the timeout",
        answers=(Sought,),
        codes=(Code.BUSY, Code.UNSUPPORTED),
        waits=True,
        section="§6.1",
    ),
    Verb(
        name="nonce",
        about="adds the seat's own entropy to fair dice, once and before the seat is taken",
        group="table",
        arguments=(_TABLE, _TOKEN, _word("nonce", "up to 64 bytes", Hexadecimal(64)), _FORMAT),
        reply="nothing",
        answers=(Done,),
        codes=(*_SEAT_CODES, Code.WRONG_ACTION, Code.OVER, Code.BUSY),
        section="§6.1",
    ),
    Verb(
        name="await",
        about="takes the seat and answers when it has something to decide",
        group="table",
        arguments=(
            _TABLE,
            _TOKEN,
            _named("timeout", Seconds(MAX_WAIT), "how long to wait", "30"),
            _FORMAT,
        ),
        reply="`play <ply> <position>`, `name <ply> <position>`, with manual dice `roll <ply> "
        "<position>`, `over <winner> <points>`, or `wait` after the timeout",
        answers=(Awaited,),
        codes=(*_SEAT_CODES, Code.OVER, Code.BUSY),
        waits=True,
        section="§6.2",
    ),
    Verb(
        name="play",
        about="plays the dice",
        group="table",
        arguments=(
            _TABLE,
            _TOKEN,
            _word("play", "the moves, as `off/19 off/22`", rest=True),
            _PLY,
            _FORMAT,
        ),
        reply="`<ply> <position after>`, followed by `over <winner> <points>` when the game ends",
        answers=(Acted,),
        codes=(*_ACTION_CODES, Code.ILLEGAL_PLAY),
        section="§6.2",
    ),
    Verb(
        name="name",
        about="names the double to play",
        group="table",
        arguments=(_TABLE, _TOKEN, _word("number", "the number", Whole(1, 6)), _PLY, _FORMAT),
        reply="`<ply> <position after>`",
        answers=(Acted,),
        codes=_ACTION_CODES,
        section="§6.2",
    ),
    Verb(
        name="roll",
        about="gives the dice of a table with manual dice; of the opening, X's first",
        group="table",
        arguments=(_TABLE, _TOKEN, _word("dice", "two digits", Dice()), _PLY, _FORMAT),
        reply="`<ply> <position after>`",
        answers=(Acted,),
        codes=_ACTION_CODES,
        section="§6.2",
    ),
    Verb(
        name="resign",
        about="loses the game for what the position scores now",
        group="table",
        arguments=(_TABLE, _TOKEN, _PLY, _FORMAT),
        reply="`<ply> <position> over <winner> <points> by resignation`",
        answers=(Acted,),
        codes=(*_SEAT_CODES, Code.WRONG_ACTION, Code.STALE_PLY, Code.OVER, Code.BUSY),
        section="§6.2",
    ),
    Verb(
        name="leave",
        about="gives the seat up: the game and the match are forfeited",
        group="table",
        arguments=(_TABLE, _TOKEN, _FORMAT),
        reply="`<ply> <position> over <winner> <points> by forfeit`",
        answers=(Acted,),
        codes=(*_SEAT_CODES, Code.OVER, Code.BUSY),
        section="§6.2",
    ),
    Verb(
        name="state",
        about="tells where a table stands",
        group="table",
        arguments=(_TABLE, _FORMAT),
        reply="`<waiting, playing or over> <position> seq=<n> ply=<n> …`",
        answers=(TableState,),
        codes=(Code.NO_SUCH_TABLE, Code.UNSUPPORTED, Code.BUSY),
        section="§6.3",
    ),
    Verb(
        name="history",
        about="lists the events of a table, at most 1000 at once",
        group="table",
        arguments=(
            _TABLE,
            _named("from", Whole(1, LAST_PLY), "the first event wanted", "1"),
            _FORMAT,
        ),
        reply="`<n> next=<seq>`, then n events",
        answers=(History,),
        codes=(Code.NO_SUCH_TABLE, Code.UNSUPPORTED, Code.BUSY),
        section="§6.3",
    ),
    Verb(
        name="record",
        about="gives the record of a table",
        group="table",
        arguments=(
            _TABLE,
            _named(
                "format", Text("format"), "the format wanted; `json` is the record as JSON", "acey"
            ),
        ),
        reply="nothing, then the record",
        answers=(Record,),
        codes=(Code.NO_SUCH_TABLE, Code.UNSUPPORTED, Code.BUSY),
        section="§6.3",
    ),
    Verb(
        name="tables",
        about="lists the tables, at most 1000 at once",
        group="table",
        arguments=(
            Argument(
                name="status",
                kind=Choice(("open", "over")),
                about="only those still open, or only those that are over",
                positional=True,
            ),
            _named("from", Text("table"), "where to go on listing"),
            _FORMAT,
        ),
        reply="`<n> [next=<table>]`, then n lines "
        "`<table> <status> rules=… x=… o=… match=… score=…`",
        answers=(Tables,),
        codes=(Code.UNSUPPORTED, Code.BUSY),
        section="§6.3",
    ),
    Verb(
        name="stats",
        about="counts what the server has done since it started",
        group="table",
        arguments=(_FORMAT,),
        reply="`<name>=<value> …`",
        answers=(Stats,),
        codes=(Code.UNSUPPORTED,),
        section="§6.3",
    ),
)

VERBS: Final[Mapping[str, Verb]] = {verb.name: verb for verb in (*_ORACLE, *_TABLES)}
"""Every verb by its name, in the order they are listed everywhere."""

CHECKERS: Final[Mapping[str, Checker]] = {
    verb.name: Checker(verb.name, verb.arguments) for verb in VERBS.values()
}
"""The check of each verb's arguments."""


def describe(verb: Verb) -> list[str]:
    """The lines of ``help <verb>``."""
    lines = [verb.usage, f"  {verb.about}", f"  replies {verb.reply}".replace("`", "")]
    for argument in verb.arguments:
        default = f" (default {argument.default})" if argument.default else ""
        lines.append(f"  {argument.name}: {argument.about}{default}".replace("`", ""))
    codes = [str(code) for code in (*verb.codes, *COMMON_CODES)]
    lines.append(f"  refused with {', '.join(codes)}")
    lines.append(f"  spec/protocol.md {verb.section}, since {verb.since}")
    return lines
