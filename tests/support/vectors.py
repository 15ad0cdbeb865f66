"""The rows of spec/vectors/, read strictly: a field that is missing or unknown is an error.

For tests of the library, which take every row, and for tests that send a sample of each file
through a daemon::

    from tests.support.vectors import play_vectors, sample

    for row in sample(play_vectors(), 50): ...
"""

import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from acey_rules import BAR, OFF, UNENTERED, Action, Name, Roll, WrittenMove, WrittenPlay

VECTORS = Path(__file__).resolve().parents[2] / "spec" / "vectors"


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One JSON object of a file; ``place`` says where it stands, for a failure's message."""

    rules: str
    place: str


class PlayVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every position line that the first stage of ``position`` can lead to."""

    position: str
    family: str
    plays: int
    results: tuple[str, ...] | None = None
    sha256: str | None = None

    def agrees(self, lines: Sequence[str]) -> bool:
        """Say whether ``lines``, in any order, are the results."""
        found = sorted(lines)
        if self.results is not None:
            return found == list(self.results) and len(found) == self.plays
        digest = sha256("\n".join(found).encode()).hexdigest()
        return digest == self.sha256 and len(found) == self.plays


class Over(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The end of a game."""

    over: str
    points: int


class TurnVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One action and what comes of it."""

    position: str
    action: str
    result: str | Over


class Final(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a whole game ended."""

    winner: str
    points: int


class GameVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole game: ``positions[i]`` is the line after ``actions[i]``."""

    start: str
    actions: tuple[str, ...]
    positions: tuple[str, ...]
    final: Final


class IllegalVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An action that must be refused."""

    position: str
    action: str
    error: bool
    why: str


class TextVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The legal plays of a roll in canonical text, in their order."""

    position: str
    plays: tuple[str, ...]


class SpellingVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Texts that all mean the play ``play``, which is canonical."""

    position: str
    play: str
    spellings: tuple[str, ...]


class AmbiguousVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A play that can be read in the ways given, in their order."""

    position: str
    play: str
    ways: tuple[str, ...]


class PositionVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A position line that must be refused, and the field at fault."""

    position: str
    field: str
    why: str


class ScoreVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What it costs each side to give up, and the most it may agree to."""

    position: str
    x: int
    x_most: int
    o: int
    o_most: int


R = TypeVar("R", bound=Row)


def read(name: str, kind: type[R]) -> list[R]:
    """Return the rows of a file of spec/vectors, each as a ``kind``."""
    rows: list[R] = []
    with (VECTORS / name).open("rb") as lines:
        for number, line in enumerate(lines, 1):
            fields: dict[str, Any] = msgspec.json.decode(line, type=dict[str, Any])
            rows.append(msgspec.convert({**fields, "place": f"{name}:{number}"}, kind))
    return rows


class PerftVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many positions there are ``depth`` plies on."""

    position: str
    depth: int
    count: int


class PolicyFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of a playout's policy."""

    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    halving: int


class PlayoutVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the random game from ``seed`` ends."""

    position: str
    seed: int
    policy: PolicyFields | None = None
    winner: str
    points: int
    rolls: int
    plays: int


@cache
def perft_vectors() -> list[PerftVector]:
    return read("perft.jsonl", PerftVector)


@cache
def playout_vectors() -> list[PlayoutVector]:
    return read("playouts.jsonl", PlayoutVector)


@cache
def play_vectors() -> list[PlayVector]:
    return read("plays.jsonl", PlayVector)


@cache
def turn_vectors() -> list[TurnVector]:
    return read("turns.jsonl", TurnVector)


@cache
def game_vectors() -> list[GameVector]:
    return read("games.jsonl", GameVector)


@cache
def illegal_vectors() -> list[IllegalVector]:
    return read("illegal.jsonl", IllegalVector)


@cache
def text_vectors() -> list[TextVector]:
    return read("texts.jsonl", TextVector)


@cache
def spelling_vectors() -> list[SpellingVector]:
    return read("spellings.jsonl", SpellingVector)


@cache
def ambiguous_vectors() -> list[AmbiguousVector]:
    return read("ambiguous.jsonl", AmbiguousVector)


@cache
def position_vectors() -> list[PositionVector]:
    return read("positions.jsonl", PositionVector)


@cache
def score_vectors() -> list[ScoreVector]:
    return read("scores.jsonl", ScoreVector)


def sample(rows: Sequence[R], count: int) -> list[R]:
    """Return about ``count`` rows spread evenly over the file, always the same ones."""
    return list(rows[:: max(1, len(rows) // count)])


# --- the actions of vectors as values ---------------------------------------------------------

PLACES = {"bar": BAR} | {str(point): point for point in range(1, 25)}
MOVE = re.compile(r"(\w+)((?:/\w+\*?)+)(?:\(([234])\))?")


def action_of(text: str) -> Action:
    """Return the action a text spells: ``roll 63``, ``name 6``, ``play 13/7(2) bar/20*``.

    A small reader of its own, so that vectors test the rules without the grammar. Raises ValueError
    for a text that is no action.
    """
    verb, *words = text.split(" ")
    match verb, words:
        case "roll", [dice]:
            first, second = dice
            return Roll(int(first), int(second))
        case "name", [number]:
            return Name(int(number))
        case "play", ["-"]:
            return WrittenPlay(())
        case "play", [_, *_]:
            return WrittenPlay(tuple(map(move_of, words)))
        case _:
            raise ValueError(f"{text!r} is no action of a vector")


def move_of(text: str) -> WrittenMove:
    """Return one checker's way: ``13/7``, ``bar/20*/14``, ``off/24(2)``."""
    parts = MOVE.fullmatch(text)
    if parts is None:
        raise ValueError(f"{text!r} is no move")
    source, way, times = parts.groups()
    words = way[1:].split("/")
    stops = [(PLACES | {"off": OFF})[word.rstrip("*")] for word in words]
    hits = [stop for stop, word in zip(stops, words, strict=True) if word.endswith("*")]
    origin = (PLACES | {"off": UNENTERED})[source]
    return WrittenMove(origin, tuple(stops), tuple(hits), int(times or 1))
