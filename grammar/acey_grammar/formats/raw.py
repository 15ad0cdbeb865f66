"""A game as a foreign format tells it, before the rules have had their say. spec/formats/README.md.

A reader makes a ``RawGame``: who played, and what the file says happened, in order, each item with
its place. Points are the mover's own, whatever the format counts. ``replay`` carries it out.
"""

from enum import Enum
from typing import Literal, NamedTuple

from msgspec import Struct, field

from acey_grammar.faults import Fault, Place
from acey_grammar.formats.verdict import Notice
from acey_grammar.record import Glyph, HowName
from acey_rules import Side, WrittenMove


class Told(Enum):
    """What a file says about the play of a roll."""

    PLAYED = "moves are given"
    NOTHING = "the file says that nothing could be played"
    BLANK = "nothing stands there: nothing could be played, or the game was given up"
    UNKNOWN = "the file says that the play is not known"
    REACHED = "the file gives the position reached instead of an allowed play"
    PARTLY = "some moves are given, others cannot be read, which is told"
    CUT = "the text ends inside the play"


class Rolled(NamedTuple):
    """A roll and what the file says of its play."""

    place: Place
    """Where the dice stand."""
    side: Side | None
    """Who played it; None where the format leaves that to the rules."""
    dice: tuple[int, int]
    """In the order of the file."""
    told: Told
    moves: tuple[WrittenMove, ...] = ()
    """In the mover's own numbering; empty unless told PLAYED or PARTLY."""
    found: str = ""
    """The play as the file has it."""
    found_at: Place = Place(0, 0)
    """Where the play stands; the place of the dice where none stands."""
    reached: str = ""
    """The first three fields of the position line reached; empty unless told REACHED."""
    torn: bool = False
    """Whether the text ends right after it without a line end, so that more may have followed."""


CubeAct = Literal["double", "take", "drop", "beaver"]


class Cube(NamedTuple):
    """Something done with the doubling cube."""

    place: Place
    side: Side
    act: CubeAct
    value: int | None = None
    """What the cube would show after a double; None where the file does not say."""


class GaveUp(NamedTuple):
    """A side loses otherwise than on the board: it offers to give up, or is out of time."""

    place: Place
    side: Side
    points: int | None = None
    how: HowName = "resignation"


class Mark(NamedTuple):
    """A judgement on the turn before it."""

    place: Place
    glyph: Glyph


class Took(NamedTuple):
    """How long the turn before it took, in seconds."""

    place: Place
    seconds: float


class Remark(NamedTuple):
    """A comment on what stands before it."""

    place: Place
    text: str


class SetUp(NamedTuple):
    """The board is set by hand in the middle of a game."""

    place: Place
    position: str
    """The first three fields of a position line."""
    turn: Side | None


class Passed(NamedTuple):
    """Nothing stands where a roll of a side is due."""

    place: Place
    side: Side


Item = Rolled | Passed | Cube | GaveUp | Remark | Mark | Took | SetUp
"""What a file says happened."""


class Ended(NamedTuple):
    """What the file says of the end of the game."""

    place: Place
    winner: Side
    points: int | None
    """As stated; None where the format does not state them."""
    exact: bool = True
    """Whether ``points`` are what the game counted, and no mere hint."""
    decides: bool = True
    """Whether this ends the game; False for a header, which tells of an end the game must show."""


class RawGame(Struct, kw_only=True):
    """A game as a file tells it."""

    format: str
    """Name of the format, as ``formats.FORMATS`` lists it."""
    place: Place
    """Where the game starts."""
    rules: str
    """The rule set the format plays by, where nobody says otherwise; empty: none of ours."""
    players: tuple[str, str] = ("", "")
    """The names of X and O; empty where the file names nobody."""
    match: int | None = None
    """The match length; 0 is a money session, None is not said."""
    score: tuple[int, int] | None = None
    """X's and O's points before the game, as stated."""
    tags: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """What else the file says about the game, under the names of our tags."""
    cube: int = 1
    """What the cube shows at the start."""
    start: str = ""
    """The first three fields of the position line at the start; empty: the rule set's own."""
    turn: Side | None = None
    """Who is to roll at that start, where the file says so."""
    items: list[Item] = field(default_factory=list[Item])
    end: Ended | None = None
    ends_expected: bool = True
    """Whether a game without a stated end is one that stopped; False where none is ever stated."""
    broken: bool = False
    """Whether part of the game could not be read, so that its end is not known."""
    faults: list[Fault] = field(default_factory=list[Fault])
    notices: list[Notice] = field(default_factory=list[Notice])
    losses: list[str] = field(default_factory=list[str])
    """What the file says and a record cannot hold."""

    def fault(self, kind: str, place: Place, message: str, found: str = "") -> None:
        """Report something wrong with the text itself."""
        self.faults.append(
            Fault(kind=kind, line=place.line, column=place.column, message=message, found=found)
        )

    def notice(self, kind: str, place: Place, message: str) -> None:
        """Report something worth knowing that is no fault."""
        self.notices.append(Notice(kind, place.line, place.column, message))

    def lose(self, what: str) -> None:
        """Report once what a record cannot hold."""
        if what not in self.losses:
            self.losses.append(what)


class Line(NamedTuple):
    """A line of a file, decoded, without its end and its trailing blanks."""

    number: int
    """From 1."""
    text: str
    offset: int = 0
    """Of its first byte in the file, from 0."""
    torn: bool = False
    """Whether it is the last of the file and has no line end."""
    blanks: str = ""
    """The spaces and tabs at its end, which mean something in comments of our notation alone."""

    @property
    def whole(self) -> "Line":
        """The line with the blanks at its end as part of its text."""
        return self._replace(text=self.text + self.blanks, blanks="") if self.blanks else self


class Chunk(NamedTuple):
    """The text of one game, with what the file said before that concerns it."""

    format: str
    lines: tuple[Line, ...]
    """At least one; blank ones may be left out."""
    context: tuple[object, ...] = ()
    """What the reader of the format remembers from earlier in the file."""
    faults: tuple[Fault, ...] = ()
    """What was wrong with its lines before any was read."""
    cut: bool = False
    """Whether it was cut off because no game is so long."""

    @property
    def place(self) -> Place:
        """Where the text starts."""
        return Place(self.lines[0].number, 1)
