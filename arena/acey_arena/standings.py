"""What the results say of the players: standings, crosstable, ratings. docs/tournaments.md §6.

A number that the results do not give is None, with a word that says why; nothing is infinite.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from acey_arena.elo import PairScore, Rating, fit
from acey_arena.intervals import Estimate, estimate
from acey_arena.plan import Plan
from acey_arena.results import GameResult, PairResult
from acey_arena.run import Progress, pair_score
from acey_arena.schedule import byes, swiss_standings


class Number(Struct, frozen=True):
    """A mean with half the width of its 95 % interval; None where ``why`` says why."""

    mean: float | None
    margin: float | None
    why: str = ""


class Row(Struct, frozen=True):
    """One player's line of the standings."""

    rank: int
    """From 1; equal players share it."""
    player: int
    """Index in the plan."""
    name: str
    pairs: int
    games: int
    wins: int
    losses: int
    points: int
    """Points won less points lost."""
    score: float | None
    """What ranks the player in a Swiss system or a knockout; None elsewhere."""
    per_game: Number
    """Points a game."""
    win_rate: Number
    """Share of games won, or of matches in a run of matches, 0 to 1."""
    elo: Number
    decisions: int
    forfeits: int
    """Games lost by its own fault."""
    on_time: int
    """Games lost on time."""
    voided: int
    """Games it spoiled before its first answer."""


class Cell(Struct, frozen=True):
    """What a player scored against another."""

    player: int
    opponent: int
    pairs: int
    wins: int
    losses: int
    points: int
    per_game: Number


class Lengths(Struct, frozen=True):
    """How long games were."""

    turns: float | None
    """Mean number of turns, both sides' counted."""
    rolls: float | None
    shortest: int | None
    """Rolls."""
    longest: int | None


class TimeUse(Struct, frozen=True):
    """How long a player thought."""

    player: int
    seconds: float
    per_decision: float | None


def number(estimated: Estimate | Rating) -> Number:
    """An estimate or a rating for the report, rounded to what it can mean."""
    if isinstance(estimated, Estimate):
        return Number(_rounded(estimated.mean, 4), _margin(estimated.margin, 4), estimated.why)
    return Number(_rounded(estimated.elo, 1), _margin(estimated.margin, 1), estimated.why)


def share(estimated: Estimate) -> Number:
    """An estimate of a share for the report. Half an interval of 1 or more would say nothing."""
    if estimated.margin is not None and estimated.margin >= 1:
        estimated = estimated._replace(margin=None, why="few pairs")
    return number(estimated)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits) + 0.0


def _margin(value: float | None, digits: int) -> float | None:
    """Rounded, but never to 0: a small margin is no certainty."""
    return value and (_rounded(value, digits) or float(f"{value:.1g}"))


class Tally:
    """The results of a run by player."""

    def __init__(self, plan: Plan, progress: Progress) -> None:
        """Count what counts."""
        self.plan = plan
        self.progress = progress
        self.pairs = progress.counted
        self._ratings = fit(len(plan.players), [_score(pair) for pair in self.pairs])

    # --- one player ------------------------------------------------------------------------------

    def _of(self, player: int) -> list[tuple[PairResult, int]]:
        """The pairs of a player, each with 1 when it is the first player and -1 when second."""
        return [
            (pair, 1 if pair.first == player else -1)
            for pair in self.pairs
            if player in (pair.first, pair.second)
        ]

    def row(self, player: int, score: float | None) -> Row:
        """The player's line; its rank is given later."""
        mine = self._of(player)
        games = [(game, sign) for pair, sign in mine for game in pair.games]
        wins = sum(sign * game.points_of_first > 0 for game, sign in games)
        faults = [fault for pair, _ in mine for fault in pair.faults if fault.player == player]
        lost = [game for game, sign in games if sign * game.points_of_first < 0]
        return Row(
            0,
            player,
            self.plan.players[player].name,
            len(mine),
            len(games),
            wins,
            len(games) - wins,
            sum(sign * game.points_of_first for game, sign in games),
            score,
            number(estimate([_per_game(pair.games, sign) for pair, sign in mine])),
            share(estimate([_share(pair, sign) for pair, sign in mine])),
            number(self._ratings[player]),
            sum(game.decisions[sign < 0] for game, sign in games),
            sum(game.how == "forfeit" for game in lost),
            sum(game.how == "time" for game in lost),
            sum(fault.void for fault in faults),
        )

    def time_use(self, player: int) -> TimeUse:
        """How long the player thought."""
        games = [(game, sign) for pair, sign in self._of(player) for game in pair.games]
        seconds = sum(game.seconds[sign < 0] for game, sign in games)
        decisions = sum(game.decisions[sign < 0] for game, sign in games)
        return TimeUse(
            player, round(seconds, 3), round(seconds / decisions, 6) if decisions else None
        )

    # --- all players -----------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        """The standings, best first, by the rule that ``order_rule`` states."""
        scores = self._scores()
        rows = [self.row(player, scores[player]) for player in range(len(self.plan.players))]
        main = {row.player: self._main(row) for row in rows}
        tied = Counter(main.values())
        mutual = {
            row.player: self._mutual(row.player, main) if tied[main[row.player]] > 1 else 0
            for row in rows
        }
        key = {row.player: (main[row.player], mutual[row.player], row.points) for row in rows}
        ordered = sorted(rows, key=lambda row: [-value for value in key[row.player]])
        ranks = [1]
        for place, (above, below) in enumerate(pairwise(ordered), 2):
            same = key[above.player] == key[below.player]
            ranks.append(ranks[-1] if same else place)
        return [replace(row, rank=rank) for row, rank in zip(ordered, ranks, strict=True)]

    def _scores(self) -> list[float | None]:
        """What ranks players where it is not what they won in games."""
        players = range(len(self.plan.players))
        meetings = self.progress.meetings
        if self.plan.format == "swiss":
            return [standing.points for standing in swiss_standings(self.plan, meetings)]
        if self.plan.format == "knockout":
            reached = [0] * len(players)
            for meeting, _ in meetings:
                for player in (meeting.first, meeting.second):
                    reached[player] = max(reached[player], meeting.round)
            winner = self._champion()
            return [float(reached[player] + (player == winner)) for player in players]
        return [None for _ in players]

    def _champion(self) -> int | None:
        """Who won the last round of a knockout."""
        meetings = self.progress.meetings
        if not meetings:
            return None
        last = max(meeting.round for meeting, _ in meetings)
        final = [(meeting, margin) for meeting, margin in meetings if meeting.round == last]
        margin = sum(margin for _, margin in final)
        return final[0][0].second if margin < 0 else final[0][0].first

    def _main(self, row: Row) -> float:
        """The number that ranks a player first of all."""
        if row.score is not None:
            return row.score
        if self.plan.match:
            return row.win_rate.mean if row.win_rate.mean is not None else -1.0
        return row.per_game.mean if row.per_game.mean is not None else -99.0

    def _mutual(self, player: int, main: dict[int, float]) -> int:
        """The player's points over all games among those that are level with it."""
        return sum(
            sign * game.points_of_first
            for pair, sign in self._of(player)
            if main[pair.first] == main[pair.second]
            for game in pair.games
        )

    @property
    def order_rule(self) -> str:
        """How the standings are ordered, in words to be printed with them."""
        main = {
            "swiss": "points for meetings (1 won, 1/2 level, 1 for a bye)",
            "knockout": "the round reached",
        }.get(self.plan.format, "matches won" if self.plan.match else "points a game")
        return (
            f"Ordered by {main}; those level by points over all games among themselves, "
            "then by points over all games; those still level share a rank."
        )

    def cells(self) -> list[Cell]:
        """The crosstable: a cell for each player and each opponent it met."""
        players = range(len(self.plan.players))
        return [
            self._cell(player, opponent)
            for player in players
            for opponent in players
            if player != opponent and self._against(player, opponent)
        ]

    def _against(self, player: int, opponent: int) -> list[tuple[PairResult, int]]:
        return [
            (pair, sign) for pair, sign in self._of(player) if opponent in (pair.first, pair.second)
        ]

    def _cell(self, player: int, opponent: int) -> Cell:
        mine = self._against(player, opponent)
        won = [sign * game.points_of_first for pair, sign in mine for game in pair.games]
        wins = sum(points > 0 for points in won)
        per_game = estimate([_per_game(pair.games, sign) for pair, sign in mine])
        return Cell(player, opponent, len(mine), wins, len(won) - wins, sum(won), number(per_game))

    def lengths(self) -> Lengths:
        """How long the games were that ended on the board."""
        games = [game for pair in self.pairs for game in pair.games if game.how == "play"]
        if not games:
            return Lengths(None, None, None, None)
        rolls = [game.rolls for game in games]
        return Lengths(
            round(fmean(game.turns for game in games), 2),
            round(fmean(rolls), 2),
            min(rolls),
            max(rolls),
        )

    def bye_rounds(self) -> dict[int, list[int]]:
        """The rounds in which players of a Swiss system had no opponent."""
        found: dict[int, list[int]] = {}
        for bye in byes(self.plan, [meeting for meeting, _ in self.progress.meetings]):
            found.setdefault(bye.player, []).append(bye.round)
        return found


def _score(pair: PairResult) -> PairScore:
    return PairScore(pair.first, pair.second, pair_score(pair), 2)


def _share(pair: PairResult, sign: int) -> float:
    return pair_score(pair) if sign > 0 else 1 - pair_score(pair)


def _per_game(games: Sequence[GameResult], sign: int) -> float:
    return sign * fmean(game.points_of_first for game in games)
