"""A table of figures, each beside what it is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line: what was measured, how much, and the ratio to something else in the same run."""

    name: str
    value: float | None
    """None when it could not be measured; ``note`` then says why."""
    unit: str
    beside: str = ""
    """The name of what it is compared with."""
    ratio: float | None = None
    """How many times that."""
    aim: float | None = None
    """The ratio that is wanted at least."""
    note: str = ""
    spread: tuple[float, float] | None = None
    """The slowest and the fastest round."""


def table(title: str, figures: Sequence[Figure]) -> str:
    lines = [title]
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        value = "-" if figure.value is None else _short(figure.value)
        line = f"  {figure.name:<{width}}  {value:>9} {figure.unit}"
        if figure.ratio is not None:
            line += f"  = {_short(figure.ratio)} x {figure.beside}"
        if figure.aim is not None:
            line += f" (aim {_short(figure.aim)})"
        if figure.note:
            line += f"  {figure.note}"
        lines.append(line)
    return "\n".join(lines)


def _short(value: float) -> str:
    for limit, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g} {suffix}"
    return f"{value:.3g}"
