"""What the compiled kernel offers Python for plays; see kernel_plays.py."""

from collections.abc import Sequence

from acey_rules.generator import Endings
from acey_rules.play import Play
from acey_rules.position import Position, Side
from acey_rules.ruleset import Overshoot

def legal_plays(
    position: Position, side: Side, high: int, low: int, overshoot: Overshoot
) -> Sequence[Play]:
    """As plays.legal_plays: each distinct resulting position once, in canonical order."""

def find_text(
    position: Position, side: Side, high: int, low: int, overshoot: Overshoot, text: str
) -> Play | None:
    """The legal play whose canonical text is ``text``, or None."""

def legal_text(
    position: Position, side: Side, high: int, low: int, overshoot: Overshoot, endings: Endings
) -> str:
    r"""The legal plays as lines ``<play>\t<position after><ending>``, joined by newlines."""
