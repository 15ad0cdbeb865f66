"""What happens at a table: the events, as structs, as JSON and as lines. spec/protocol.md §7.

The daemon's store is a list of these events and nothing else: a table is what its events make of
it. On the wire an event is a line, ``<seq> <event> …``; ``history … format=json`` gives the
structs. ``seq`` counts the events of one table from 1 without gaps.
"""

from typing import Literal

import msgspec

from acey_protocol.lines import quote

Letter = Literal["x", "o"]
"""A seat, as position lines write it."""


class Event(msgspec.Struct, frozen=True, gc=False, tag_field="event", omit_defaults=True):
    """Base of all events."""

    def text(self) -> str:
        """The event as its line says it, without the sequence number."""
        raise NotImplementedError


class Opened(Event, frozen=True, gc=False, tag="opened"):
    """The table was opened; always the first event."""

    rules: str
    """A preset's name, or every field of the rule set as ``field=value``."""
    dice: str
    """``fair``, ``seed:<n>``, ``manual`` or ``file:<name>``."""
    x: str = ""
    """Name of the player X, or empty."""
    o: str = ""
    match: int = 0
    """Points the match goes to; 0 is one game for its own sake."""
    clock: str = ""
    """``<bank>+<delay>`` in seconds, or empty: no clock."""
    commitment: str = ""
    """With fair dice, the SHA-256 of the secret, in hexadecimal."""

    def text(self) -> str:
        """``opened rules=american dice=fair x=alpha …``; empty values are left out."""
        pairs = {
            "rules": self.rules,
            "dice": self.dice,
            "x": self.x,
            "o": self.o,
            "match": str(self.match or ""),
            "clock": self.clock,
            "commitment": self.commitment,
        }
        return " ".join(
            ["opened", *(f"{key}={quote(value)}" for key, value in pairs.items() if value)]
        )


class Seated(Event, frozen=True, gc=False, tag="seated"):
    """A seat was taken: its token was used for the first time."""

    side: Letter
    late_ms: int = 0
    """How long after the other seat, in milliseconds, where a clock runs."""

    def text(self) -> str:
        """``seated x``."""
        return f"seated {self.side}"


class Nonce(Event, frozen=True, gc=False, tag="nonce"):
    """A seat added its own entropy to the dice."""

    side: Letter
    nonce: str
    """Lower-case hexadecimal."""

    def text(self) -> str:
        """``nonce x 00ff…``."""
        return f"nonce {self.side} {self.nonce}"


class Opening(Event, frozen=True, gc=False, tag="opening"):
    """Each player rolled one die to see who starts; equal dice are rolled again."""

    dice: str
    """Two digits, X's die first."""
    ply: int

    def text(self) -> str:
        """``opening 42``."""
        return f"opening {self.dice}"


class Began(Event, frozen=True, gc=False, tag="game"):
    """A game of the match began."""

    game: int
    """From 1."""
    x_score: int
    """Points X had won before."""
    o_score: int
    position: str

    def text(self) -> str:
        """``game 2 7-0 <position>``."""
        return f"game {self.game} {self.x_score}-{self.o_score} {self.position}"


class Rolled(Event, frozen=True, gc=False, tag="rolled"):
    """Both dice were rolled."""

    side: Letter
    dice: str
    """Two digits, higher first."""
    position: str
    """The position line after it."""
    ply: int

    def text(self) -> str:
        """``rolled x 63 <position>``."""
        return f"rolled {self.side} {self.dice} {self.position}"


class Played(Event, frozen=True, gc=False, tag="played"):
    """Dice were played, or passed when nothing could be."""

    side: Letter
    play: str
    """Canonical text."""
    position: str
    ply: int
    spent_ms: int = 0
    """How long the decision took, in milliseconds."""
    written: str = ""
    """The play as the player wrote it, where that was not the canonical text."""

    def text(self) -> str:
        """``played x off/19 off/22 <position>``."""
        return f"played {self.side} {self.play} {self.position}"


class Named(Event, frozen=True, gc=False, tag="named"):
    """A double was named."""

    side: Letter
    number: int
    """1-6."""
    position: str
    ply: int
    spent_ms: int = 0

    def text(self) -> str:
        """``named x 6 <position>``."""
        return f"named {self.side} {self.number} {self.position}"


class ClockRead(Event, frozen=True, gc=False, tag="clock"):
    """The clocks' banks, told when one has changed and now and then while one runs."""

    x_ms: int
    """What is left in X's bank, in milliseconds."""
    o_ms: int
    used_ms: int = 0
    """What the decision that is running has used so far, the delay included."""

    def text(self) -> str:
        """``clock x 83.2 o 120.0``, in seconds."""
        return f"clock x {self.x_ms / 1000:.1f} o {self.o_ms / 1000:.1f}"


class Over(Event, frozen=True, gc=False, tag="over"):
    """A game ended."""

    winner: Letter
    points: int
    how: Literal["", "by resignation", "on time", "by forfeit"] = ""
    """Empty when the winner bore off."""
    ply: int = 0
    """The ply that ended it, unless a play did."""
    spent_ms: int = 0

    def text(self) -> str:
        """``over x 7``, or ``over x 7 on time``."""
        return f"over {self.winner} {self.points} {self.how}".rstrip()


class MatchOver(Event, frozen=True, gc=False, tag="match"):
    """The match ended and the table with it."""

    winner: Letter
    x_score: int
    o_score: int
    secret: str = ""
    """With fair dice, what the commitment committed to, in hexadecimal."""

    def text(self) -> str:
        """``match x 7-4 secret=…``."""
        secret = f" secret={self.secret}" if self.secret else ""
        return f"match {self.winner} {self.x_score}-{self.o_score}{secret}"


class Stopped(Event, frozen=True, gc=False, tag="stopped"):
    """The table ends without a result: its script of dice has ended, or everybody has left it."""

    reason: str
    secret: str = ""
    """With fair dice, what the commitment committed to, in hexadecimal."""

    def text(self) -> str:
        """``stopped "the script …" secret=…``."""
        secret = f" secret={self.secret}" if self.secret else ""
        return f"stopped {quote(self.reason)}{secret}"


class Snapshot(Event, frozen=True, gc=False, tag="state"):
    """Where the table stands; told to a new subscriber, with the seq of the last event."""

    position: str
    """The position line, or empty before the first game."""
    game: int
    x_score: int
    o_score: int
    x_ms: int | None = None
    """What is left in X's bank, in milliseconds, or None without a clock."""
    o_ms: int | None = None

    def text(self) -> str:
        """``state 2 7-0 <position> [x 83.2 o 120.0]``; ``-`` stands for no position."""
        text = f"state {self.game} {self.x_score}-{self.o_score} {self.position or '-'}"
        if self.x_ms is None or self.o_ms is None:
            return text
        return f"{text} x {self.x_ms / 1000:.1f} o {self.o_ms / 1000:.1f}"


AnyEvent = (
    Opened
    | Seated
    | Nonce
    | Opening
    | Began
    | Rolled
    | Played
    | Named
    | ClockRead
    | Over
    | MatchOver
    | Stopped
    | Snapshot
)
"""Every event there is."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(tuple[AnyEvent, ...])


def encode_events(events: list[AnyEvent]) -> bytes:
    """The events as one JSON array."""
    return _encoder.encode(events)


def decode_events(data: bytes | str) -> tuple[AnyEvent, ...]:
    """Read what ``encode_events`` wrote. Raises msgspec.ValidationError or DecodeError."""
    return _decoder.decode(data)


def event_line(seq: int, event: AnyEvent) -> str:
    """The event as subscribers and ``history`` get it."""
    return f"{seq} {event.text()}"
