"""What was played: games, pairs of games, faults. One line of results.jsonl is one PairResult."""

from typing import Literal

from msgspec import Struct

from acey_grammar.record import GameRecord, HowName

Winner = Literal["X", "O"]


class FaultNote(Struct, frozen=True, gc=False):
    """A player's fault, as results and the log say it."""

    player: int
    """Index in the plan's players."""
    kind: str
    """One of ``seat.FaultKind``'s values."""
    reason: str
    leg: int
    """0 or 1: which game or match of the pair."""
    game: int
    """Number of the game in its match, from 1."""
    decision: int
    """How many decisions the player had made in that game."""
    void: bool = False
    """Whether the game was played again instead of being lost."""
    last_lines: tuple[str, ...] = ()
    """The end of what the engine wrote on its standard error."""


class GameResult(Struct, frozen=True, gc=False):
    """One finished game."""

    leg: int
    """0: the pair's first player has X; 1: its second."""
    game: int
    """Number in the match, from 1."""
    winner: Winner
    points: int
    how: HowName
    turns: int
    rolls: int
    """Rolls played, named doubles counted."""
    decisions: tuple[int, int]
    """How often the pair's first and second player were asked."""
    seconds: tuple[float, float]
    """How long they took together."""
    record: GameRecord

    @property
    def points_of_first(self) -> int:
        """The points the pair's first player won, negative when it lost."""
        return self.points if (self.winner == "X") == (self.leg == 0) else -self.points


class PairResult(Struct, frozen=True, gc=False):
    """Two games, or two matches, with the same dice and swapped seats."""

    number: int
    """Of the pair in the run, from 1: what its dice depend on."""
    round: int
    first: int
    """Index of a player in the plan."""
    second: int
    games: tuple[GameResult, ...]
    faults: tuple[FaultNote, ...] = ()
    lost: str = ""
    """Why it could not be played, by no player's fault; such a pair is void and not counted."""

    def leg(self, leg: int) -> list[GameResult]:
        """The games of one leg."""
        return [game for game in self.games if game.leg == leg]
