"""A game as its text says it: what the parser makes and the writer writes. spec/notation.md §5.

Records hold what was written, whether or not the rules allow it; ``validate`` judges them. They
compare by content: where an item stood in a file is kept beside the record (places.py), never in
it. Tuples and ``gc=False`` keep a large archive cheap to hold.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from acey_rules import RuleSet, rule_set

SideName = Literal["X", "O"]
"""A player, as notation writes it."""
RollKind = Literal["rolled", "named", "complement"]
"""Where the dice of a roll come from: thrown, named after a 2-1, or the complement of a double."""
HowName = Literal["play", "resignation", "time", "forfeit"]
"""How a game ended: all checkers borne off, given up, out of time, or forfeited."""
Glyph = Literal["", "!", "!!", "?", "??", "!?", "?!"]
"""A judgement on a turn; empty is none."""

# Python's "$" also matches before a last line feed; this end means the same to every reader of a
# JSON Schema.
_END = r"(?![\s\S])"

TagName = Annotated[str, Meta(pattern=rf"^[A-Za-z][A-Za-z0-9_]*{_END}")]
TagValue = Annotated[str, Meta(pattern=rf"^[^\r\n]*{_END}")]
DiceText = Annotated[str, Meta(pattern=rf"^[1-6][1-6]{_END}")]
CommentText = Annotated[
    str, Meta(pattern=rf"^(?!%t(?![A-Za-z0-9_]))[^{{}}\r]*{_END}")  # %t is the time of a turn
]
LineText = Annotated[str, Meta(pattern=rf"^[^\r\n]*{_END}")]

REQUIRED_TAGS = ("X", "O", "Rules")
"""Tags without which a game is not complete."""


class RollRecord(Struct, frozen=True, gc=False):
    """One roll of a turn and how it was played."""

    dice: DiceText
    """Two digits 1-6 as written: ``63``; equal ones stand for four moves."""
    play: str
    """The play as written, its moves separated by single spaces; ``-`` when none was possible."""
    kind: RollKind = "rolled"


class TurnRecord(Struct, frozen=True, gc=False):
    """Everything one side did before the turn passed."""

    side: SideName
    rolls: Annotated[tuple[RollRecord, ...], Meta(min_length=1)]
    """In order."""
    glyph: Glyph = ""
    seconds: Annotated[float, Meta(ge=0, lt=1e9)] | None = None
    """The time the turn took, in seconds, 0 or more; None is unknown."""
    comments: tuple[CommentText, ...] = ()
    """The comments after the turn, without their braces. One that starts with ``%`` is a command
    to programs, as ``%name …``; the one named ``t`` is ``seconds`` and never stands here."""


class Result(Struct, frozen=True, gc=False):
    """Who won, what it is worth, and how the game ended."""

    winner: SideName
    points: Annotated[int, Meta(ge=1, lt=1_000_000_000)]
    how: HowName = "play"


class FileComment(Struct, frozen=True, gc=False):
    """A line that starts with ``#``."""

    text: LineText
    """The line without its ``#``."""
    after: Annotated[int, Meta(ge=0)] = 0
    """How many tags, turns and results of the game stand before it; 0 is before the first tag."""


class GameRecord(Struct, frozen=True, gc=False, tag_field="format", tag="acey-game/1"):
    """One game as text says it. ``format`` in JSON and MessagePack names form and version."""

    tags: Annotated[tuple[tuple[TagName, TagValue], ...], Meta(min_length=1)]
    """Names and values in the order written, unknown ones too."""
    turns: tuple[TurnRecord, ...] = ()
    result: Result | None = None
    """None is ``*``: not finished."""
    comments: tuple[CommentText, ...] = ()
    """The comments before the first turn."""
    file_comments: tuple[FileComment, ...] = ()

    def tag(self, name: str) -> str | None:
        """The value of the first tag of that name; None when there is none."""
        return next((value for tag, value in self.tags if tag == name), None)

    def numbers(self) -> list[int]:
        """The number of each turn: a turn and the other side's answer share one."""
        numbers: list[int] = []
        before = ""
        for turn in self.turns:
            new = turn.side in (self.turns[0].side, before)
            numbers.append((numbers[-1] if numbers else 0) + new)
            before = turn.side
        return numbers

    @property
    def rules(self) -> RuleSet:
        """The rule set its tags name. Raises RuleSetError when they name none that exists."""
        name = self.tag("Rules") or ""
        return rule_set(self.tag("RuleSet") or "" if name == "custom" else name)
