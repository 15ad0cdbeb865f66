"""The positions of tests/golden_boards, and the comparison with what was drawn before."""

import os
from pathlib import Path
from typing import NamedTuple

from acey_rules import PRESETS, Side, State

FOLDER = Path(__file__).parent.parent / "golden_boards"


HOSTILE = {
    "markup": "<script>alert(1)</script>",
    "direction": "a\u202eb\u2066c\u200f",
    "long": "x" * 10_000,
    "terminal": "a\x1b[2J\r\nb\x9b31m\x00",
    "marks": "e" + "\u0301" * 500,
    "wide": "艦" * 500,
    "surrogate": "\ud800",
}
"""Names that somebody could write into a record or give a table."""


class Sample(NamedTuple):
    """One position and the side that views it."""

    name: str
    state: State
    view: Side | None


def samples() -> list[Sample]:
    """Every position of positions.tsv."""
    found: list[Sample] = []
    for row in (FOLDER / "positions.tsv").read_text("utf-8").splitlines():
        name, rules, view, line = row.split("\t")
        side = None if view == "-" else Side[view]
        found.append(Sample(name, State.parse(line, PRESETS[rules]), side))
    return found


def check_golden(name: str, text: str) -> None:
    """Compare with the file of that name; with ACEY_GOLDEN=write, write it instead."""
    file = FOLDER / name
    if os.environ.get("ACEY_GOLDEN") == "write":
        file.write_text(text, "utf-8", newline="\n")
    assert text == file.read_text("utf-8")
