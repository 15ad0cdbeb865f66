"""What each verb answers: structs, and the text they are written as. spec/protocol.md §5.

With ``format=json`` a reply is the struct as one JSON document; its JSON Schema is generated into
spec/schema/. Otherwise it is ``text()`` and the lines of ``payload()``.
"""

from typing import Literal

import msgspec

from acey_protocol.events import AnyEvent, Letter, event_line
from acey_protocol.lines import quote


class Answer(msgspec.Struct, frozen=True, gc=False):
    """Base of all answers."""

    def text(self) -> str:
        """What follows ``=`` on the reply's first line."""
        return ""

    def payload(self) -> str:
        """The lines after the first, joined by newlines."""
        return ""


class Hello(Answer, frozen=True, gc=False):
    """Who is there and what it offers."""

    protocol: str
    server: str
    rules: tuple[str, ...]
    durability: str
    """``disk``: acknowledged means on disk; ``process``: survives a killed daemon, not a power
    cut; ``none``: no tables here."""
    generator: str
    """Which generator of plays serves: ``kernel`` or ``reference``."""

    def text(self) -> str:
        """``acey/1 aceydeucey/0.1.0 rules=american,… durability=disk``."""
        rules = ",".join(self.rules)
        return (
            f"{self.protocol} {self.server} rules={rules} durability={self.durability} "
            f"generator={self.generator}"
        )


class Done(Answer, frozen=True, gc=False):
    """Nothing to tell but that it was done."""


class Help(Answer, frozen=True, gc=False):
    """The verbs, or one of them."""

    lines: tuple[str, ...]

    def text(self) -> str:
        """The number of lines."""
        return str(len(self.lines))

    def payload(self) -> str:
        """A line for each verb, or the description of one."""
        return "\n".join(self.lines)


class StepMove(msgspec.Struct, frozen=True, gc=False, rename={"source": "from", "target": "to"}):
    """One checker moved with one die; points are the mover's own."""

    source: str
    """``bar``, ``off`` (unentered) or ``1`` to ``24``."""
    target: str
    """``1`` to ``24``, or ``off`` (borne off)."""
    die: int
    hit: bool


class NextStep(StepMove, frozen=True, gc=False, rename={"source": "from", "target": "to"}):
    """A move that can come next, and the step it leads to."""

    step: int


class LegalPlay(msgspec.Struct, frozen=True, gc=False):
    """A legal play, move by move, and the position after it."""

    play: str
    moves: tuple[StepMove, ...]
    position: str


class LegalPlays(Answer, frozen=True, gc=False, tag_field="due", tag="play"):
    """The legal plays in canonical order.

    ``steps`` is the same as a graph, for a board on which a person moves checker by checker:
    step 0 is before the first move, and each step lists the moves that can come next. A step
    without moves completes a play. The position after tells which.
    """

    position: str
    plays: tuple[LegalPlay, ...]
    steps: tuple[tuple[NextStep, ...], ...]


class LegalNames(Answer, frozen=True, gc=False, tag_field="due", tag="name"):
    """A double is to be named: any number."""

    position: str
    names: tuple[int, ...]


class LegalRolls(Answer, frozen=True, gc=False, tag_field="due", tag="roll"):
    """The dice are to be rolled: the 21 rolls."""

    position: str
    rolls: tuple[str, ...]


class LegalNothing(Answer, frozen=True, gc=False, tag_field="due", tag="nothing"):
    """The game is over."""

    position: str


class Result(msgspec.Struct, frozen=True, gc=False):
    """How a game ended."""

    winner: Letter
    points: int
    how: Literal["", "by resignation", "on time", "by forfeit"] = ""
    """Empty when the winner bore off."""
    score: tuple[int, int] | None = None
    """At the end of a match, the points of X and of O."""

    def text(self) -> str:
        """``over x 7``, with how it ended, and ``score=7-4`` at the end of a match."""
        text = f"over {self.winner} {self.points} {self.how}".rstrip()
        return text if self.score is None else f"{text} score={self.score[0]}-{self.score[1]}"


class Applied(Answer, frozen=True, gc=False):
    """The position after an action."""

    position: str
    over: Result | None = None

    def text(self) -> str:
        """The position line, with ``over x 7`` when the game ended."""
        return self.position if self.over is None else f"{self.position} {self.over.text()}"


class Acted(Answer, frozen=True, gc=False):
    """An action at a table that is on disk."""

    ply: int
    position: str
    over: Result | None = None

    def text(self) -> str:
        """``7 <position>``, with ``over x 7`` when the game ended."""
        text = f"{self.ply} {self.position}"
        return text if self.over is None else f"{text} {self.over.text()}"


class Board(Answer, frozen=True, gc=False):
    """A position as a text board."""

    board: str
    x_pips: int
    o_pips: int

    def text(self) -> str:
        """``pips x 375 o 375``."""
        return f"pips x {self.x_pips} o {self.o_pips}"

    def payload(self) -> str:
        """The board."""
        return self.board


class Validated(Answer, frozen=True, gc=False):
    """A record that reads and replays."""

    games: int
    turns: int

    def text(self) -> str:
        """``games=1 turns=62``."""
        return f"games={self.games} turns={self.turns}"


class Converted(Answer, frozen=True, gc=False):
    """A text in another format."""

    output: str
    losses: tuple[str, ...] = ()
    """What the games say and the format cannot hold."""

    def text(self) -> str:
        """``lost: comments; the tag Date``; nothing where nothing is lost."""
        return f"lost: {'; '.join(self.losses)}" if self.losses else ""

    def payload(self) -> str:
        """The text."""
        return self.output


class OpenedTable(Answer, frozen=True, gc=False):
    """A new table and the tokens of its seats."""

    table: str
    x: str
    """Token of the seat X."""
    o: str
    commitment: str = ""

    def text(self) -> str:
        """``<table> x=<token> o=<token>``, and the commitment of fair dice."""
        text = f"{self.table} x={self.x} o={self.o}"
        return f"{text} commitment={self.commitment}" if self.commitment else text


class Sought(Answer, frozen=True, gc=False):
    """A seat that another seeker shares; all None when none came in time."""

    table: str | None = None
    side: Letter | None = None
    token: str | None = None

    def text(self) -> str:
        """``<table> x <token>``, or ``wait``."""
        return f"{self.table} {self.side} {self.token}" if self.table else "wait"


class Awaited(Answer, frozen=True, gc=False):
    """What a seat has to decide, or that there is nothing yet, or that it is over."""

    due: Literal["play", "name", "roll", "over", "wait"]
    ply: int | None = None
    position: str | None = None
    over: Result | None = None

    def text(self) -> str:
        """``play <ply> <position>``, ``over x 7`` or ``wait``."""
        if self.over is not None:
            return self.over.text()
        return "wait" if self.due == "wait" else f"{self.due} {self.ply} {self.position}"


class ClockState(msgspec.Struct, frozen=True, gc=False):
    """The clocks of a table, in milliseconds."""

    x_ms: int
    o_ms: int
    delay_ms: int
    running: Letter | None
    """Whose clock runs."""


class TableState(Answer, frozen=True, gc=False):
    """All that is public about a table now."""

    table: str
    status: Literal["waiting", "playing", "over"]
    seq: int
    ply: int
    """The ply that comes next."""
    rules: str
    x: str
    o: str
    match: int
    dice: str
    seated: str
    """``-``, ``x``, ``o`` or ``xo``."""
    game: int
    """Number of the game, 0 before the first."""
    score: tuple[int, int]
    position: str | None
    pips: tuple[int, int] | None
    clock: ClockState | None = None
    over: Result | None = None
    commitment: str = ""

    def text(self) -> str:
        """``<status> <position> seq=… ply=… …``; ``-`` stands for no position."""
        pairs = {
            "seq": str(self.seq),
            "ply": str(self.ply),
            "rules": self.rules,
            "x": self.x,
            "o": self.o,
            "match": str(self.match),
            "dice": self.dice,
            "seated": self.seated,
            "game": str(self.game),
            "score": f"{self.score[0]}-{self.score[1]}",
        }
        if self.pips is not None:
            pairs["pips"] = f"{self.pips[0]}-{self.pips[1]}"
        if self.clock is not None:
            clock = self.clock
            pairs["clock"] = f"{clock.x_ms / 1000:.1f}-{clock.o_ms / 1000:.1f}"
            pairs["running"] = clock.running or "-"
        if self.commitment:
            pairs["commitment"] = self.commitment
        if self.over is not None:
            pairs["over"] = self.over.text().removeprefix("over ")
        return " ".join(
            [
                self.status,
                self.position or "-",
                *(f"{key}={quote(value)}" for key, value in pairs.items()),
            ]
        )


class Numbered(msgspec.Struct, frozen=True, gc=False):
    """An event with its place in the table's history."""

    seq: int
    event: AnyEvent


class History(Answer, frozen=True, gc=False):
    """Events of a table, from a place in its history."""

    events: tuple[Numbered, ...]
    next: int
    """Where to go on asking; one more than the last event there is when all were given."""

    def text(self) -> str:
        """``<number of events> next=<seq>``."""
        return f"{len(self.events)} next={self.next}"

    def payload(self) -> str:
        """A line an event."""
        return "\n".join(event_line(item.seq, item.event) for item in self.events)


class Record(Answer, frozen=True, gc=False):
    """The record of a table as text."""

    output: str

    def payload(self) -> str:
        """The text."""
        return self.output


class Listed(msgspec.Struct, frozen=True, gc=False):
    """A table in a list."""

    table: str
    status: Literal["waiting", "playing", "over"]
    rules: str
    x: str
    o: str
    match: int
    score: tuple[int, int]

    def line(self) -> str:
        """``<table> <status> rules=… x=… o=… match=… score=…``."""
        return (
            f"{self.table} {self.status} rules={quote(self.rules)} x={quote(self.x)} "
            f"o={quote(self.o)} match={self.match} score={self.score[0]}-{self.score[1]}"
        )


class Tables(Answer, frozen=True, gc=False):
    """The tables, in the order of their names."""

    tables: tuple[Listed, ...]
    next: str = ""
    """Where to go on asking (``from=``), or empty when all were given."""

    def text(self) -> str:
        """Their number, and where to go on."""
        more = f" next={self.next}" if self.next else ""
        return f"{len(self.tables)}{more}"

    def payload(self) -> str:
        """A line a table."""
        return "\n".join(table.line() for table in self.tables)


class Stats(Answer, frozen=True, gc=False):
    """Counters of the daemon since it started."""

    values: dict[str, float]

    def text(self) -> str:
        """``<name>=<value> …``."""
        return " ".join(f"{name}={value:g}" for name, value in self.values.items())
