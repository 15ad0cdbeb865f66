"""How things are timed: processor time, in rounds that take turns, the median of the rounds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import process_time

ROUNDS = 7
"""Each contender has this many rounds; the contenders of a table take turns."""
ROUND_SECONDS = 0.25
"""A round repeats the work until this much processor time has passed."""

Work = Callable[[], int]
"""Does a piece of work and returns how many units it was."""


@dataclass(frozen=True)
class Rate:
    """Units of work a second of processor time."""

    median: float
    slowest: float
    fastest: float


def rates(works: Mapping[str, Work]) -> dict[str, Rate]:
    """Time every work; the rounds take turns, so that a slow minute of the machine hits all."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            found[name].append(_round(work))
    return {name: Rate(median(each), min(each), max(each)) for name, each in found.items()}


def _round(work: Work) -> float:
    units = 0
    begun = process_time()
    while (taken := process_time() - begun) < ROUND_SECONDS or not units:
        units += work()
    return units / taken if taken else float("inf")
