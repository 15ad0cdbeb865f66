"""Stopping early: the sequential probability ratio test on the scores of pairs.

Wald's test of H0, the expected score of a pair is that of ``elo0``, against H1, it is that of
``elo1``. A pair of games with the same dice and swapped seats is one observation. The likelihood
ratio is the generalized one over the counts of the scores a pair can have, five of them where
games can be drawn, three where they cannot: under each hypothesis the distribution is the one
closest to the observed that has the expected score of the hypothesis. It is the test of chess
engine matches, where it goes by the name pentanomial (M. Van den Bergh, "A practical introduction
to the GSPRT", 2018). docs/tournaments.md §7.
"""

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from math import log
from typing import Final

from msgspec import Struct

SMALLEST: Final = 1e-3
"""Count given to a score that was never seen, so that a hypothesis is never impossible."""


class Verdict(Enum):
    """What the test says now."""

    OPEN = "open"
    """Neither hypothesis is accepted yet."""
    H0 = "H0"
    """Accepted: the first player is no stronger than ``elo0``."""
    H1 = "H1"
    """Accepted: the first player is at least as strong as ``elo1``."""


class Sprt(Struct, frozen=True, forbid_unknown_fields=True):
    """The hypotheses and the errors allowed."""

    elo0: float = 0.0
    """H0: the first player is this many Elo stronger than the second."""
    elo1: float = 20.0
    """H1, more than ``elo0``."""
    alpha: float = 0.05
    """Probability of accepting H1 when H0 is true."""
    beta: float = 0.05
    """Probability of accepting H0 when H1 is true."""

    def __post_init__(self) -> None:
        """Raise ValueError on hypotheses that cannot be told apart and on impossible errors."""
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 is less than elo1, not {self.elo0} and {self.elo1}")
        for name, error in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < error < 0.5:
                raise ValueError(f"{name} is between 0 and 0.5, not {error}")

    @property
    def bounds(self) -> tuple[float, float]:
        """H0 is accepted at or below the first, H1 at or above the second."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def verdict(self, ratio: float) -> Verdict:
        """What a log likelihood ratio says."""
        lower, upper = self.bounds
        if ratio >= upper:
            return Verdict.H1
        return Verdict.H0 if ratio <= lower else Verdict.OPEN

    def log_ratio(self, counts: dict[float, float]) -> float:
        """The log likelihood ratio of H1 to H0; ``counts``: how many pairs had which score.

        Scores are means of the games of a pair, 0 to 1.
        """
        if not any(counts.values()):
            return 0.0
        return generalized_ratio(counts, expected_score(self.elo0), expected_score(self.elo1))

    def describe(self) -> str:
        """One line that states the test."""
        lower, upper = self.bounds
        return (
            f"SPRT of H0: Elo = {self.elo0:g} against H1: Elo = {self.elo1:g}, "
            f"alpha {self.alpha:g}, beta {self.beta:g}, on the scores of pairs; "
            f"stops at a log likelihood ratio of {lower:.2f} or {upper:.2f}"
        )


def expected_score(elo: float) -> float:
    """The expected score of a game against an opponent that is ``elo`` points weaker."""
    return 1 / (1 + 10 ** (-elo / 400))


def generalized_ratio(counts: dict[float, float], mean0: float, mean1: float) -> float:
    """Log of the largest likelihood with mean ``mean1`` over the largest with mean ``mean0``."""
    padded = {score: float(count) or SMALLEST for score, count in counts.items()}
    for end in (0.0, 1.0):
        padded.setdefault(end, SMALLEST)
    total = sum(padded.values())
    observed = {score: count / total for score, count in padded.items()}
    under0, under1 = with_mean(observed, mean0), with_mean(observed, mean1)
    return total * sum(
        share * log(under1[score] / under0[score]) for score, share in observed.items()
    )


def with_mean(observed: dict[float, float], mean: float) -> dict[float, float]:
    """The distribution of most likelihood among those with that mean, on the same scores.

    It is p(s) / (1 + x (s - mean)) with the one x for which the deviations sum to 0; the sum falls
    in x, so bisection finds it.
    """
    low, high = -1 / (max(observed) - mean), -1 / (min(observed) - mean)
    for _ in range(200):
        middle = (low + high) / 2
        slope = sum(
            share * (score - mean) / (1 + middle * (score - mean))
            for score, share in observed.items()
        )
        if slope > 0:
            low = middle
        else:
            high = middle
    return {
        score: share / (1 + (low + high) / 2 * (score - mean)) for score, share in observed.items()
    }


def count_scores(scores: Iterable[float]) -> dict[float, float]:
    """How often each score occurs, with the three scores of a pair without draws always there."""
    found = Counter(scores)
    return {score: float(found[score]) for score in {0.0, 0.5, 1.0} | set(found)}
