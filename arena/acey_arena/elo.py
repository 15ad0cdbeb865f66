"""Elo ratings from the scores of pairs: a maximum likelihood fit with robust errors.

The model is Bradley and Terry's: a player rated d points above another scores 1 / (1 + 10^(-d/400))
of a game. The fit is Newton's method on the log likelihood, which is concave. The errors are those
of the sandwich estimator with pairs as the unit, because two games with the same dice are not two
independent observations. docs/tournaments.md §6.

No library is used: the maintained one for this model (choix) brings NumPy and SciPy for a system
of as many equations as there are players, and gives no errors at all.
"""

from collections.abc import Sequence
from math import exp, log, sqrt
from typing import Final, NamedTuple

from acey_arena.intervals import CONFIDENCE, student_quantile

SCALE: Final = 400 / log(10)
"""Elo points of one unit of log odds."""


class PairScore(NamedTuple):
    """What one pair says of two players."""

    first: int
    second: int
    score: float
    """The first player's mean over the games of the pair, 0 to 1."""
    games: int
    """How many games the mean is of; at least 1."""


class Rating(NamedTuple):
    """A player's Elo, the mean of all rated players being 0."""

    elo: float | None
    margin: float | None
    """Half the width of the interval of confidence; None when the data give none."""
    why: str = ""
    """Why a number is missing: ``no games``, ``won all``, ``lost all``, ``not linked``,
    ``no spread``, ``few pairs``; else empty."""


def fit(players: int, pairs: Sequence[PairScore], confidence: float = CONFIDENCE) -> list[Rating]:
    """The rating of each player.

    A player can be rated among others only when a chain of results leads both from it to each of
    them and back (L. R. Ford, 1957): one that won or lost everything is stronger or weaker than
    any number says. The largest group that can be rated is; the rest have a word instead.
    """
    rated = max(linked_groups(players, pairs), key=len)
    ratings = [Rating(None, None, _why(player, pairs)) for player in range(players)]
    inside = [pair for pair in pairs if pair.first in rated and pair.second in rated]
    if not inside:
        return ratings
    place = {player: index for index, player in enumerate(rated)}
    local = [pair._replace(first=place[pair.first], second=place[pair.second]) for pair in inside]
    strengths = _newton(len(rated), local)
    errors, why = _errors(strengths, local, confidence)
    for player, strength, error in zip(rated, strengths, errors, strict=True):
        ratings[player] = Rating(strength * SCALE, error and error * SCALE, why)
    return ratings


def _why(player: int, pairs: Sequence[PairScore]) -> str:
    scores = [pair.score for pair in pairs if pair.first == player]
    scores += [1 - pair.score for pair in pairs if pair.second == player]
    if not scores:
        return "no games"
    if min(scores) == 1:
        return "won all"
    return "lost all" if max(scores) == 0 else "not linked"


def linked_groups(players: int, pairs: Sequence[PairScore]) -> list[list[int]]:
    """The players in groups within which each has scored, over others or not, against each."""
    scored: list[set[int]] = [set() for _ in range(players)]
    for pair in pairs:
        if pair.score > 0:
            scored[pair.first].add(pair.second)
        if pair.score < 1:
            scored[pair.second].add(pair.first)
    reach = [_reachable(player, scored) for player in range(players)]
    groups: list[list[int]] = []
    for player in range(players):
        if any(player in group for group in groups):
            continue
        groups.append([other for other in sorted(reach[player]) if player in reach[other]])
    return groups


def _reachable(start: int, edges: list[set[int]]) -> set[int]:
    found, new = {start}, [start]
    while new:
        for other in edges[new.pop()] - found:
            found.add(other)
            new.append(other)
    return found


def _chance(strengths: list[float], pair: PairScore) -> float:
    """The model's expected score of the pair's first player."""
    return 1 / (1 + exp(strengths[pair.second] - strengths[pair.first]))


def _information(strengths: list[float], pairs: Sequence[PairScore]) -> list[list[float]]:
    """The negative second derivative of the log likelihood, without the last player's row."""
    size = len(strengths)
    matrix = [[0.0] * size for _ in range(size)]
    for pair in pairs:
        chance = _chance(strengths, pair)
        weight = pair.games * chance * (1 - chance)
        matrix[pair.first][pair.first] += weight
        matrix[pair.second][pair.second] += weight
        matrix[pair.first][pair.second] -= weight
        matrix[pair.second][pair.first] -= weight
    return [row[:-1] for row in matrix[:-1]]


def _newton(size: int, pairs: Sequence[PairScore]) -> list[float]:
    """The strengths of most likelihood in log odds, their mean 0."""
    strengths = [0.0] * size
    for _ in range(100):
        slope = [0.0] * size
        for pair in pairs:
            pull = pair.games * (pair.score - _chance(strengths, pair))
            slope[pair.first] += pull
            slope[pair.second] -= pull
        step = solve(_information(strengths, pairs), [[value] for value in slope[:-1]])
        # A step of more than 2 in log odds would leave the region where the model bends.
        longest = max(abs(row[0]) for row in step)
        damping = min(1.0, 2 / longest) if longest else 1.0
        for player, row in enumerate(step):
            strengths[player] += damping * row[0]
        if longest < 1e-10:
            break
    mean = sum(strengths) / size
    return [strength - mean for strength in strengths]


def _errors(
    strengths: list[float], pairs: Sequence[PairScore], confidence: float
) -> tuple[list[float | None], str]:
    """Half the interval of each strength, or why there is none."""
    size, count = len(strengths), len(pairs)
    freedom = count - (size - 1)
    if freedom < 1:
        return [None] * size, "few pairs"
    pulls = [pair.games * (pair.score - _chance(strengths, pair)) for pair in pairs]
    if max(abs(pull) for pull in pulls) < 1e-9:
        return [None] * size, "no spread"
    identity = [[float(row == column) for column in range(size - 1)] for row in range(size - 1)]
    inverse = solve(_information(strengths, pairs), identity)
    # Influence of a pair on a strength, taken relative to the mean of all; its squares add up.
    inverse.append([0.0] * (size - 1))
    squares = [0.0] * size
    for pair, pull in zip(pairs, pulls, strict=True):
        moved = [pull * (_at(row, pair.first) - _at(row, pair.second)) for row in inverse]
        mean = sum(moved) / size
        for player, value in enumerate(moved):
            squares[player] += (value - mean) ** 2
    wide = student_quantile(confidence, freedom) * sqrt(count / freedom)
    return [wide * sqrt(square) for square in squares], ""


def _at(row: list[float], player: int) -> float:
    """The entry of a player; the last one's is 0, since it is the reference."""
    return row[player] if player < len(row) else 0.0


def solve(matrix: list[list[float]], right: list[list[float]]) -> list[list[float]]:
    """X with ``matrix`` X = ``right``: Gaussian elimination with row pivoting."""
    size = len(matrix)
    rows = [[*left, *beside] for left, beside in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = [value / rows[column][column] for value in rows[column]]
        rows[column] = head
        for row in range(size):
            factor = rows[row][column]
            if row != column and factor:
                rows[row] = [
                    value - factor * above for value, above in zip(rows[row], head, strict=True)
                ]
    return [row[size:] for row in rows]
