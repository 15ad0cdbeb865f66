"""Means and intervals against published and hand-computed values."""

from math import sqrt

import pytest

from acey_arena.intervals import Estimate, estimate, student_quantile


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    # Two-sided 95 % points of Student's t, as tables print them.
    [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (5, 2.571),
        (9, 2.262),
        (10, 2.228),
        (30, 2.042),
        (120, 1.980),
        (201, 1.972),
        (1_000_000, 1.960),
    ],
)
def test_students_t_is_that_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(0.95, freedom) == pytest.approx(quantile, abs=5e-4)


def test_other_levels() -> None:
    assert student_quantile(0.99, 10) == pytest.approx(3.169, abs=5e-4)
    assert student_quantile(0.90, 4) == pytest.approx(2.132, abs=5e-4)


def test_a_mean_computed_by_hand() -> None:
    # Mean 2, deviations -1 0 1, variance 1, standard error 1/sqrt(3), t(2) 4.3027.
    found = estimate([1, 2, 3])
    assert found.mean == 2
    assert found.margin == pytest.approx(4.302653 / sqrt(3), rel=1e-6)
    assert found.interval == pytest.approx((2 - 2.484138, 2 + 2.484138), rel=1e-5)
    assert (found.units, found.why) == (3, "")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], Estimate(None, None, 0, "no games")),
        ([3.5], Estimate(3.5, None, 1, "one pair")),
        ([2, 2, 2], Estimate(2, None, 3, "no spread")),
    ],
    ids=["none", "one", "equal"],
)
def test_what_cannot_be_said_has_a_word(values: list[float], expected: Estimate) -> None:
    assert estimate(values) == expected
    assert expected.interval is None
