"""Elo: fits with known answers, errors by hand, and players that no number fits."""

from math import log, sqrt
from random import Random

import pytest

from acey_arena.elo import PairScore, Rating, fit, linked_groups, solve
from acey_arena.intervals import student_quantile


def elos(ratings: list[Rating]) -> list[float]:
    return [rating.elo for rating in ratings if rating.elo is not None]


def test_three_games_of_four() -> None:
    # A score of 75 % is 400 log10(3) = 190.8 Elo.
    ratings = fit(2, [PairScore(0, 1, score, 2) for score in (1, 1, 0.5, 0.5)])
    first, second = elos(ratings)
    assert first - second == pytest.approx(400 * log(3) / log(10))
    assert first + second == pytest.approx(0)


def test_the_error_of_two_players_by_hand() -> None:
    # One parameter d: information 4 pairs x 2 games x p (1 - p), pulls 2 (s - p).
    scores = (1, 1, 0.5, 0.5)
    p = 0.75
    information = 4 * 2 * p * (1 - p)
    spread = sum((2 * (score - p)) ** 2 for score in scores)
    deviation = sqrt(spread) / information * sqrt(4 / 3) * 400 / log(10)
    rating = fit(2, [PairScore(0, 1, score, 2) for score in scores])[0]
    # Either player's rating is half the difference.
    assert rating.margin == pytest.approx(student_quantile(0.95, 3) * deviation / 2)


def test_a_chain_adds_up() -> None:
    # 0 scores 2/3 against 1, and 1 scores 2/3 against 2: 0 is twice 120.4 above 2.
    pairs = [PairScore(a, b, score, 2) for a, b in ((0, 1), (1, 2)) for score in (1, 0.5, 0.5)]
    first, second, third = elos(fit(3, pairs))
    step = 400 * log(2) / log(10)
    assert first - second == pytest.approx(step)
    assert second - third == pytest.approx(step)


def test_true_strengths_lie_within_the_intervals() -> None:
    random = Random(4)
    true = [120.0, 20.0, -40.0, -100.0]
    pairs: list[PairScore] = []
    for a in range(4):
        for b in range(a + 1, 4):
            chance = 1 / (1 + 10 ** ((true[b] - true[a]) / 400))
            for _ in range(300):
                won = (random.random() < chance) + (random.random() < chance)
                pairs.append(PairScore(a, b, won / 2, 2))
    for rating, strength in zip(fit(4, pairs), true, strict=True):
        assert rating.elo is not None
        assert rating.margin is not None
        assert 10 < rating.margin < 30
        assert abs(rating.elo - strength) < 1.5 * rating.margin


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([], ["no games", "no games"]),
        ([PairScore(0, 1, 1, 2)], ["won all", "lost all"]),
        ([PairScore(0, 1, 1, 2)] * 50, ["won all", "lost all"]),
    ],
    ids=["none", "one", "many"],
)
def test_one_sided_results_have_a_word(pairs: list[PairScore], words: list[str]) -> None:
    assert fit(2, pairs) == [Rating(None, None, word) for word in words]


def test_level_results_have_no_spread() -> None:
    assert fit(2, [PairScore(0, 1, 0.5, 2)] * 9) == [Rating(0, None, "no spread")] * 2


def test_one_pair_is_too_few() -> None:
    assert fit(2, [PairScore(0, 1, 0.5, 2)]) == [Rating(0, None, "few pairs")] * 2


def test_who_cannot_be_linked_is_left_out() -> None:
    # 0 and 1 share points; 2 lost everything to them; 3 beat all it met; 4 never played.
    pairs = [PairScore(0, 1, score, 2) for score in (1, 0.5, 0.5)]
    pairs += [PairScore(0, 2, 1, 2), PairScore(1, 2, 1, 2), PairScore(3, 2, 1, 2)]
    ratings = fit(5, pairs)
    assert [rating.why for rating in ratings[2:]] == ["lost all", "won all", "no games"]
    assert ratings[0].elo == pytest.approx(200 * log(2) / log(10))
    assert sorted(map(tuple, linked_groups(5, pairs))) == [(0, 1), (2,), (3,), (4,)]


def test_a_player_between_groups_is_not_linked() -> None:
    # 2 beats 3 and loses to both of the others: its results lead nowhere back.
    pairs = [PairScore(0, 1, 0.5, 2), PairScore(0, 2, 1, 2), PairScore(2, 3, 1, 2)]
    assert fit(4, pairs)[2].why == "not linked"


def test_linear_equations() -> None:
    assert solve([[0, 2], [3, 1]], [[4], [5]]) == [[1], [2]]
