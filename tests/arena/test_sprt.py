"""The SPRT against published runs of chess engine tests, and its errors by simulation."""

from math import log
from random import Random

import pytest

from acey_arena.sprt import Sprt, Verdict, count_scores, expected_score, with_mean

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
PUBLISHED = [
    # Runs of Stockfish's testing framework, 2020: counts of pair scores, the two Elo of the
    # hypotheses and the log likelihood ratio it printed (pull requests of official-stockfish).
    ([491, 7345, 29693, 7670, 465], -0.25, 1.25, 2.96),
    ([53, 2220, 21459, 2445, 47], 0.25, 1.25, 2.97),
    ([253, 4282, 17604, 4431, 286], -0.25, 1.25, 2.94),
    ([174, 2658, 10273, 2713, 178], -1.5, 0.5, 2.96),
    ([17, 253, 1042, 337, 39], -0.5, 1.5, 2.96),
    ([424, 2948, 5832, 3045, 460], -1.0, 3.0, 2.94),
    ([665, 4806, 9333, 4893, 747], -0.5, 1.5, 2.95),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "ratio"), PUBLISHED, ids=range(len(PUBLISHED)))
def test_published_runs(counts: list[float], elo0: float, elo1: float, ratio: float) -> None:
    found = Sprt(elo0, elo1).log_ratio(dict(zip(SCORES, counts, strict=True)))
    assert found == pytest.approx(ratio, abs=0.005)


def test_the_bounds_of_wald() -> None:
    # log(0.95 / 0.05) = 2.9444, as published with every run above.
    assert Sprt(0, 5).bounds == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert Sprt(0, 5, alpha=0.1, beta=0.2).bounds == pytest.approx((log(0.2 / 0.9), log(8)))


def test_the_logistic_curve() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert expected_score(-400) == pytest.approx(1 / 11)


def test_the_closest_distribution_by_hand() -> None:
    # Two scores only: the share of the upper one is the mean.
    assert with_mean({0.0: 0.5, 1.0: 0.5}, 0.3) == pytest.approx({0.0: 0.7, 1.0: 0.3})
    # The observed distribution itself, when it has the mean already.
    observed = {0.0: 0.2, 0.5: 0.5, 1.0: 0.3}
    assert with_mean(observed, 0.55) == pytest.approx(observed)


def test_two_scores_are_walds_own_test() -> None:
    sprt = Sprt(0, 100)
    p0, p1 = expected_score(0), expected_score(100)
    by_hand = 30 * log(p1 / p0) + 20 * log((1 - p1) / (1 - p0))
    assert sprt.log_ratio({0.0: 20, 1.0: 30}) == pytest.approx(by_hand, abs=1e-6)


def test_one_sided_results_are_finite() -> None:
    sprt = Sprt(0, 50)
    assert sprt.log_ratio(count_scores([])) == 0
    won, lost = sprt.log_ratio(count_scores([1.0] * 40)), sprt.log_ratio(count_scores([0.0] * 40))
    assert won > 2.9444
    assert lost < -2.9444
    assert sprt.verdict(won) is Verdict.H1
    assert sprt.verdict(lost) is Verdict.H0
    assert sprt.verdict(sprt.log_ratio(count_scores([1.0]))) is Verdict.OPEN


def verdict_of(sprt: Sprt, elo: float, random: Random) -> Verdict:
    """Play pairs of games without draws at a true strength until the test decides."""
    chance = expected_score(elo)
    scores: list[float] = []
    while len(scores) < 5000:
        scores += [
            ((random.random() < chance) + (random.random() < chance)) / 2 for _ in "ten times "
        ]
        verdict = sprt.verdict(sprt.log_ratio(count_scores(scores)))
        if verdict is not Verdict.OPEN:
            return verdict
    return Verdict.OPEN


def test_the_errors_are_as_rare_as_stated() -> None:
    sprt, random = Sprt(0, 60), Random(11)
    under_h0 = [verdict_of(sprt, 0, random) for _ in range(60)]
    under_h1 = [verdict_of(sprt, 60, random) for _ in range(60)]
    # 5 % of 60 are 3; more than 9 would be a chance of 1 in 500 with a true 5 %.
    assert under_h0.count(Verdict.H1) <= 9
    assert under_h1.count(Verdict.H0) <= 9
    assert Verdict.OPEN not in under_h0 + under_h1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 5), "elo0 is less than elo1"),
        ((0, 5, 0.6), "alpha is between"),
        ((0, 5, 0.05, 0), "beta"),
    ],
)
def test_impossible_tests_are_refused(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sprt(*arguments)
