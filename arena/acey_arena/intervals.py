"""Means with confidence intervals, pairs of games being the unit. docs/tournaments.md §6.

Two games with the same dice and swapped seats are not independent, so a pair counts once, with
its mean. What cannot be said is not said: an interval that the data do not give is None, and
``why`` has the word that stands in its place.
"""

from collections.abc import Sequence
from functools import cache
from math import atan, exp, fsum, lgamma, log, log1p, pi, sqrt
from typing import Final, NamedTuple

CONFIDENCE: Final = 0.95
"""Level of every interval the arena reports."""


class Estimate(NamedTuple):
    """A mean and its interval of confidence."""

    mean: float | None
    """None when there is nothing to take the mean of."""
    margin: float | None
    """Half the width of the interval, more than 0; None when the data give none."""
    units: int
    """How many values the mean is of."""
    why: str = ""
    """Why a number is missing: ``no games``, ``one pair``, ``no spread``; else empty."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper end, or None."""
        if self.mean is None or self.margin is None:
            return None
        return self.mean - self.margin, self.mean + self.margin


def estimate(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean of independent values with Student's interval.

    One value, or equal values, have no spread to judge the mean by: the margin is None then, not 0.
    """
    count = len(values)
    if not count:
        return Estimate(None, None, 0, "no games")
    mean = fsum(values) / count
    if count == 1:
        return Estimate(mean, None, 1, "one pair")
    if min(values) == max(values):  # and not by their variance, which rounding makes more than 0
        return Estimate(values[0], None, count, "no spread")
    variance = fsum((value - mean) ** 2 for value in values) / (count - 1)
    return Estimate(mean, student_quantile(confidence, count - 1) * sqrt(variance / count), count)


@cache
def student_quantile(confidence: float, freedom: int) -> float:
    """How many standard errors the two-sided interval of that level spans to each side.

    ``freedom``: degrees of freedom, at least 1.
    """
    low, high = 0.0, 1.0
    while student_within(high, freedom) < confidence:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if student_within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def student_within(bound: float, freedom: int) -> float:
    """The probability that Student's t of ``freedom`` degrees lies between -bound and bound.

    The series of Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4 for
    few degrees; for many, the integral of the density by Simpson's rule.
    """
    if freedom > 200:
        return _simpson(bound, freedom)
    angle = atan(bound / sqrt(freedom))
    cosine = 1 / sqrt(1 + bound * bound / freedom)
    sine = cosine * bound / sqrt(freedom)
    if freedom == 1:
        return 2 * angle / pi
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term
    for step in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        total += term
    return 2 / pi * (angle + sine * total) if odd else sine * total


def _simpson(bound: float, freedom: int) -> float:
    scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    steps = 400
    width = bound / steps

    def density(value: float) -> float:
        return exp(scale - (freedom + 1) / 2 * log1p(value * value / freedom))

    inner = fsum((4 if step % 2 else 2) * density(step * width) for step in range(1, steps))
    return 2 * width / 3 * (density(0) + inner + density(bound))
