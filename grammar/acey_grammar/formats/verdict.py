"""What reading one game of an archive gives: the verdict, the record and all that was wrong.

``acey validate --json`` writes a ``GameReport`` as it stands.
"""

from typing import Final, Literal

from msgspec import Struct

from acey_grammar.faults import Fault
from acey_grammar.record import GameRecord, SideName

SIDE_NAMES: Final[tuple[SideName, SideName]] = ("X", "O")

Ending = Literal[
    "play", "drop", "resign", "resign-after-roll", "time", "forfeit", "unfinished", "unknown"
]
"""How a game ended: borne off, a double dropped, given up (after a roll that was not played), time,
forfeit, not at all, or in a way that cannot be told because the position was lost before."""


class Notice(Struct, frozen=True, gc=False):
    """Something worth knowing that is no fault: the file may be right and still surprise."""

    kind: str
    """``encoding``, ``score``, ``points``, ``header``, ``index``, ``unfinished``, ``text``."""
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        """``line:column message``."""
        return f"{self.line}:{self.column} {self.message}"


class GameReport(Struct, kw_only=True, gc=False):
    """One game of an archive: what it says, judged by a rule set."""

    file: str = ""
    """The file, and after a ``!`` the member of it, as given."""
    game: int = 0
    """Number of the game in its file, from 1."""
    line: int = 0
    """Where the game starts."""
    format: str
    rules: str
    """The rule set it was replayed under; empty where the game is of none of ours."""
    players: tuple[str, str]
    """X's name and O's."""
    match: int | None = None
    """The match length; 0 is a money session, None is not said."""
    score: tuple[int, int] | None = None
    """X's and O's points before the game, as stated."""
    first: SideName | None = None
    """Who had the first roll."""
    winner: SideName | None = None
    points: int | None = None
    """What the game counted, a cube included."""
    how: Ending = "unfinished"
    turns: int = 0
    """Rolls of which the file says how they were played."""
    final: str = ""
    """The position line at the end."""
    faults: tuple[Fault, ...] = ()
    notices: tuple[Notice, ...] = ()
    losses: tuple[str, ...] = ()
    """What the file says and a record cannot hold."""
    clean_under: tuple[str, ...] = ()
    """Where there are faults: the rule sets that replay the game without any."""


class Verdict(GameReport, kw_only=True, gc=False):
    """A report with the game it is about."""

    record: GameRecord | None = None
    """The game as a record; None where nothing of it could be read."""

    @property
    def report(self) -> GameReport:
        """The report alone."""
        fields = GameReport.__struct_fields__
        return GameReport(**{name: getattr(self, name) for name in fields})
