"""What a reader of any format yields: games, where their parts stand, and what is wrong.

A reader of a format is a function of the form of ``Reader``. It yields a ReadGame for every game it
finds, in order, and never fewer games than there are without a fault that says where. It repairs
nothing silently, and one bad game hides no other.
"""

from collections.abc import Callable, Iterator
from typing import Final, Protocol, TextIO

from acey_grammar.faults import Fault
from acey_grammar.places import Places
from acey_grammar.record import GameRecord

NO_PLACES: Final = Places()
"""Of a game that came from no text."""


class ReadGame:
    """One game as it was read."""

    __slots__ = (
        "_places",
        "capped",
        "complete",
        "faults",
        "format",
        "line",
        "multiplier",
        "record",
    )

    record: GameRecord
    """All that could be read of it. Where a turn was not readable, the turns end before it."""
    faults: tuple[Fault, ...]
    """What is wrong with the text, in the order of the file."""
    line: int
    """The line its first tag stands on; 0 where it came from no text."""
    complete: bool
    """Whether ``record`` holds every turn and the result; if not, a fault says what is missing."""
    format: str
    multiplier: int
    """What a cube made of every point: the result may be this many times what the board says."""
    capped: bool
    """Whether the result counts no more points than the winner still needed for the match."""

    def __init__(
        self,
        record: GameRecord,
        places: Places | Callable[[], Places] = NO_PLACES,
        faults: tuple[Fault, ...] = (),
        line: int = 0,
        complete: bool = True,
        *,
        format: str = "acey",
        multiplier: int = 1,
        capped: bool = False,
    ) -> None:
        """Take what was read; ``places`` may be a function that finds them when asked for."""
        self.record = record
        self._places = places
        self.faults = faults
        self.line = line
        self.complete = complete
        self.format = format
        self.multiplier = multiplier
        self.capped = capped

    @property
    def places(self) -> Places:
        """Where the parts of ``record`` stand in the file."""
        if not isinstance(self._places, Places):
            self._places = self._places()
        return self._places


class Reader(Protocol):
    """Reads a text of one format, game by game.

    ``file`` is decoded text with any line ends; ``name`` is put into the faults. The reader holds
    one game at a time, so that a file of any size can be read.
    """

    def __call__(self, file: TextIO, name: str = "") -> Iterator[ReadGame]:
        """Yield the games of the file, in order."""
        ...
