"""What the compiled kernel offers Python; see kernel.py."""

from collections.abc import Sequence

from typing_extensions import Buffer

from acey_rules.generator import Endings
from acey_rules.play import Play
from acey_rules.playout import Policy
from acey_rules.position import Position, Side
from acey_rules.ruleset import Overshoot
from acey_rules.turn import State

__all__ = [
    "count",
    "find_result",
    "find_text",
    "legal_plays",
    "legal_text",
    "perft",
    "playout",
    "position_text",
    "read_position",
    "results",
    "results_into",
]

def count(packed: bytes, side: int, high: int, low: int, overshoot: str) -> int:
    """How many legal plays a roll has."""

def results(packed: bytes, side: int, high: int, low: int, overshoot: str) -> bytes:
    """The packed positions after every legal play, in canonical order, 28 bytes each."""

def results_into(
    positions: Buffer, rolls: Buffer, overshoot: str, out: Buffer, ends: Buffer
) -> int:
    """The results of many positions at once; how many of them were answered."""

def legal_plays(
    position: Position, side: Side, high: int, low: int, overshoot: Overshoot
) -> Sequence[Play]:
    """As plays.legal_plays: each distinct resulting position once, in canonical order."""

def find_result(plays: Sequence[Play], packed: bytes) -> Play | None:
    """The play of a list of legal ones that leads to a packed position, or None."""

def find_text(plays: Sequence[Play], text: str) -> Play | None:
    """The play of a list of legal ones whose canonical text is ``text``, or None."""

def legal_text(
    position: Position, side: Side, high: int, low: int, overshoot: Overshoot, endings: Endings
) -> tuple[int, str]:
    r"""The number of legal plays, and a line ``<play>\t<position after><ending>`` for each."""

def position_text(packed: bytes) -> str:
    """The first three fields of a position line."""

def read_position(line: str) -> tuple[bytes, str] | None:
    """The position of a position line that has nothing wrong: packed, and what follows it."""

def perft(state: State, plies: int, made: bool) -> int:
    """As perft.reference; with ``made`` every last position is made, not only counted."""

def playout(
    state: State, seed: int, policy: Policy | None, longest: int
) -> tuple[int, int, int, int] | None:
    """Winner, points, rolls and plays of a playout; None for more rolls than ``longest``."""
