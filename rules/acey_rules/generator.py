"""The move generator in use: the compiled kernel, or the reference where there is none.

The environment variable ACEY_KERNEL chooses when this module is first imported: ``reference`` is
the reference, ``kernel`` the kernel or an ImportError, and unset or empty the kernel where it was
compiled.
"""

import os
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from typing import Final, NamedTuple

from acey_rules import plays
from acey_rules.play import Play
from acey_rules.position import Position, Side
from acey_rules.ruleset import Overshoot

__all__ = [
    "NAME",
    "Endings",
    "compiled",
    "find_result",
    "find_text",
    "is_extension",
    "legal_plays",
    "legal_text",
    "position_text",
    "read_position",
]

KERNEL: Final = (
    "kernel_home",
    "kernel_generate",
    "kernel_count",
    "kernel_make",
    "kernel_text",
    "kernel_rules",
    "kernel_plays",
    "kernel_perft",
    "kernel_playout",
    "kernel",
)
"""The modules of the kernel; it serves only when all are compiled."""


def is_extension(name: str) -> bool:
    """Whether a module was compiled; its source, found in its place, does not count."""
    spec = find_spec(name)
    origin = spec.origin if spec is not None else None
    return origin is not None and origin.endswith(tuple(EXTENSION_SUFFIXES))


def compiled() -> bool:
    """Whether the kernel was compiled."""
    return all(is_extension(f"acey_rules.{name}") for name in KERNEL)


def _chosen() -> str:
    wish = os.environ.get("ACEY_KERNEL", "")
    if wish not in ("", "kernel", "reference"):
        raise ImportError(f"ACEY_KERNEL is 'kernel' or 'reference', not {wish!r}")
    if wish == "reference":
        return "reference"
    if compiled():
        return "kernel"
    if wish == "kernel":
        raise ImportError("ACEY_KERNEL asks for the kernel, which was not compiled")
    return "reference"


NAME: Final = _chosen()
"""Which generator serves: ``kernel`` or ``reference``."""


class Endings(NamedTuple):
    """What completes a position line after a play, by how the play went."""

    complete: str
    """When every die is played."""
    partial: str
    """When not every die is played."""
    on_bar: str
    """When not every die is played and the mover still has a checker on the bar."""
    won: str
    """When the mover has borne off the last checker."""


if NAME == "kernel":
    from acey_rules.kernel import (
        find_result,
        find_text,
        legal_plays,
        legal_text,
        position_text,
        read_position,
    )
else:

    def legal_plays(
        position: Position, side: Side, high: int, low: int, overshoot: Overshoot
    ) -> Sequence[Play]:
        """Each distinct resulting position once, in canonical order; see plays.legal_plays."""
        return tuple(plays.legal_plays(position, side, high, low, overshoot))

    def find_result(plays: Sequence[Play], packed: bytes) -> Play | None:
        """The play of a list of legal ones that leads to a packed position, or None."""
        return next((play for play in plays if play.after.packed == packed), None)

    def find_text(plays: Sequence[Play], text: str) -> Play | None:
        """The play of a list of legal ones whose canonical text is ``text``, or None."""
        return next((play for play in plays if play.text == text), None)

    def legal_text(
        position: Position,
        side: Side,
        high: int,
        low: int,
        overshoot: Overshoot,
        endings: Endings,
    ) -> tuple[int, str]:
        r"""The number of legal plays, and a line ``<play>\t<position after><ending>`` for each."""
        lines: list[str] = []
        for play in plays.legal_plays(position, side, high, low, overshoot):
            if play.wins:
                ending = endings.won
            elif len(play.moves) == (4 if high == low else 2):
                ending = endings.complete
            else:
                ending = endings.on_bar if play.after.on_bar(side) else endings.partial
            lines.append(f"{play.text}\t{play.after}{ending}")
        return len(lines), "\n".join(lines)

    def position_text(packed: bytes) -> str:
        """The first three fields of a position line."""
        return str(Position(packed))

    def read_position(line: str) -> tuple[bytes, str] | None:
        """The kernel's short way to read a position line; here there is none."""
        del line
        return None
