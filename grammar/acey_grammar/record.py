"""A game as its text says it: what the parser makes and the writer writes. spec/notation.md §5.

Records hold what was written, whether or not the rules allow it; ``validate`` judges them. They
compare by content: where an item stood in a file is kept beside the record (places.py), never in
it. Tuples and ``gc=False`` keep a large archive cheap to hold.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, ValidationError

from acey_rules import RuleSet, rule_set

SideName = Literal["X", "O"]
"""A player, as notation writes it."""
RollKind = Literal["rolled", "named", "complement"]
"""Where the dice of a roll come from: thrown, named after a 2-1, or the complement of a double."""
HowName = Literal["play", "resignation", "time", "forfeit"]
"""How a game ended: all checkers borne off, given up, out of time, or forfeited."""
Glyph = Literal["", "!", "!!", "?", "??", "!?", "?!"]
"""A judgement on a turn; empty is none."""

_WORDS: dict[str, str] = {}
"""What msgspec says that it expected, and the same for people."""


def text_like(pattern: str, words: str) -> Meta:
    """What a text must be like: as a pattern of all of it, and in words for schemas and errors."""
    # Python's "$" also matches before a last line feed; this end means the same to every reader of
    # a JSON Schema.
    whole = rf"^{pattern}(?![\s\S])"
    _WORDS[f"`str` matching regex {whole!r}"] = words
    return Meta(pattern=whole, description=words)


def in_words(error: ValidationError) -> str:
    """What is wrong with a record and where, without patterns."""
    text = str(error)
    for expected, words in _WORDS.items():
        text = text.replace(expected, words)
    return text


TagName = Annotated[
    str, text_like("[A-Za-z][A-Za-z0-9_]*", "a name of letters, digits and '_', a letter first")
]
TagValue = Annotated[str, text_like(r"[^\r\n]*", "a text of one line")]
DiceText = Annotated[str, text_like("[1-6][1-6]", "two digits 1-6")]
CommentText = Annotated[
    str,
    # %t is the time of a turn
    text_like(r"(?!%t(?![A-Za-z0-9_]))[^{}\r]*", "a text without '{', '}' and '\\r', not '%t …'"),
]
LineText = Annotated[str, text_like(r"[^\r\n]*", "a text of one line")]

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
