"""What can be wrong with text, and where: places, faults and the error that carries one.

    NotationError (a ValueError)   text that is not well formed, or one place of it that is wrong

A ``Fault`` is a value: readers and ``validate`` collect them, so that one fault hides no other.
"""

from typing import NamedTuple

from msgspec import Struct


class Place(NamedTuple):
    """A place in a file, both counted from 1; columns count characters."""

    line: int
    column: int


class Fault(Struct, frozen=True, kw_only=True):
    """One thing that is wrong in a file of games, with all that helps to understand it."""

    kind: str
    """One of ``KINDS``."""
    line: int
    """From 1; 0 where the game came from no text."""
    column: int
    """From 1, in characters; 0 where the game came from no text."""
    message: str
    """What is wrong, for people; it does not repeat the place."""
    rule: str = ""
    """The section that says so, as ``spec/rules.md §4``."""
    position: str = ""
    """The position line before the fault, where the game was replayed that far."""
    found: str = ""
    """What stands there."""
    expected: tuple[str, ...] = ()
    """What could stand there, in the terms of the notation."""
    legal: int | None = None
    """How many legal plays there were, where a play was due."""
    alternatives: tuple[str, ...] = ()
    """Up to five of what would have been legal."""
    turn: int = 0
    """Which turn of the game, from 1; 0 where it concerns none."""
    file: str = ""
    """The file's name, as given; empty where there is none."""

    def __str__(self) -> str:
        """``file:line:column message``, without what is not known."""
        return self.where + self.message

    @property
    def where(self) -> str:
        """``file:line:column `` with the blank, or less where less is known."""
        place = f"{self.line}:{self.column}" if self.line else f"turn {self.turn}" * (self.turn > 0)
        return ":".join(filter(None, (self.file, place))) + (" " if self.file or place else "")


KINDS = {
    "syntax": "the text is not well formed",
    "cut-off": "the text ends in the middle of something",
    "separator": "two games are not on lines of their own",
    "encoding": "bytes that are no text in the encoding of the file",
    "turn-number": "a turn is not numbered as it is counted",
    "tag": "a tag is missing, given twice, or has a value that cannot be",
    "opening": "the opening dice do not lead to the game that follows",
    "side": "the turn is of the other side",
    "dice": "dice that cannot have been rolled here",
    "roll-kind": "a roll is written as of another kind than it is",
    "missing-roll": "the turn ends before a roll that is due",
    "missing-name": "the turn ends before a double that is to be named",
    "missing-complement": "the turn ends before a complement that is due",
    "missing-play": "a roll whose play is not known",
    "extra-roll": "the turn has a roll that is not due",
    "illegal-play": "a play that the rules forbid",
    "hit-mark": "a hit is marked where nothing is hit",
    "after-end": "something stands after the end of the game",
    "result": "the result is not that of the position",
    "score": "the score does not follow",
    "unsupported": "something this program does not read",
    "format": "a file of none of the formats that are read",
    "file": "a file that is damaged",
    "missing": "a file that is not there or may not be read",
}
"""Every kind of fault, and what it means. spec/notation.md §7."""


class NotationError(ValueError):
    """Text that is not well formed; ``fault`` holds the place and what could stand there."""

    def __init__(self, fault: Fault) -> None:
        """Take what is wrong."""
        super().__init__(fault)
        self.fault = fault

    def __str__(self) -> str:
        """The place and the message."""
        return str(self.fault)

    @property
    def file(self) -> str:
        """The file's name, as given; empty where there is none."""
        return self.fault.file

    @property
    def line(self) -> int:
        """From 1."""
        return self.fault.line

    @property
    def column(self) -> int:
        """From 1, in characters."""
        return self.fault.column

    @property
    def found(self) -> str:
        """What stands there; empty at the end of the text."""
        return self.fault.found

    @property
    def expected(self) -> tuple[str, ...]:
        """What could stand there."""
        return self.fault.expected

    @property
    def message(self) -> str:
        """What is wrong, without the place."""
        return self.fault.message
