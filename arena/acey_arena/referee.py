"""Pairs of games: seeds, legs, matches, void games. docs/tournaments.md §3 to §5.

The two legs of a pair are played with the same dice and swapped seats. A leg is one game, or a
match of several.
"""

from hashlib import sha256
from typing import Final, NamedTuple

from acey_arena.clock import Clock
from acey_arena.game import Game, GameSetup, Played, Void
from acey_arena.plan import Plan
from acey_arena.results import FaultNote, GameResult, PairResult
from acey_arena.seat import Fault, Seat
from acey_arena.table import Script, Table
from acey_grammar.recorder import rule_tags
from acey_rules import RuleSet, Side

TRIES: Final = 2
"""How often a game is started that a player spoils before its first answer."""


class PairTask(NamedTuple):
    """A pair to play: its number decides the dice, its players who plays."""

    number: int
    """From 1, no number twice in a run."""
    round: int
    first: int
    """Index of a player in the plan."""
    second: int


def dice_seed(run_seed: int, pair: int, game: int) -> int:
    """The seed of a game's dice: ``seed:<this>`` at a daemon's table, ``seeded(this)`` here.

    Depends on the run's seed, the number of the pair and that of the game in its match alone: it
    is the same in both legs of the pair. docs/tournaments.md §3.
    """
    return _number(f"acey-arena/1 {run_seed} {pair} {game}")


def player_seed(run_seed: int, pair: int, leg: int, game: int, player: int) -> int:
    """The seed of whatever a player draws in one game; independent of the dice."""
    return _number(f"acey-arena/1 {run_seed} {pair} {leg} {game} player {player}")


def _number(text: str) -> int:
    """A number of up to 59 bits: at most 18 digits, as a table takes it (spec/protocol.md)."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") >> 5


class Leg(NamedTuple):
    """One leg of a pair: which player has which side."""

    plan: Plan
    rules: RuleSet
    task: PairTask
    leg: int
    """0: the first player has X; 1: the second has."""

    def player(self, side: Side) -> int:
        """Index of the player that has a side."""
        return (self.task.first, self.task.second)[side ^ self.leg]

    def setup(self, number: int, score: tuple[int, int]) -> GameSetup:
        """The game of that number in the leg, at that score."""
        plan = self.plan
        match = [("Match", str(plan.match))] if plan.match else []
        tags = (
            ("Event", plan.name),
            ("Round", f"{self.task.number}.{self.leg + 1}" + f".{number}" * bool(match)),
            ("X", plan.players[self.player(Side.X)].name),
            ("O", plan.players[self.player(Side.O)].name),
            *rule_tags(self.rules),
            *match,
            *([("Score", f"{score[0]}-{score[1]}")] if match else []),
        )
        seeds = {
            side: player_seed(plan.seed, self.task.number, self.leg, number, self.player(side))
            for side in Side
        }
        dice = dice_seed(plan.seed, self.task.number, number)
        return GameSetup(self.rules, dice, tags, seeds, plan.times)

    def result(self, played: Played, number: int) -> GameResult:
        """The game as results hold it."""
        result = played.record.result
        assert result is not None
        sides = (Side.X, Side.O) if self.leg == 0 else (Side.O, Side.X)
        return GameResult(
            self.leg,
            number,
            result.winner,
            result.points,
            result.how,
            len(played.record.turns),
            sum([len(turn.rolls) for turn in played.record.turns]),
            (played.decisions[sides[0]], played.decisions[sides[1]]),
            (round(played.seconds[sides[0]], 6), round(played.seconds[sides[1]], 6)),
            played.record,
        )

    def note(
        self, side: Side, fault: Fault, number: int, decision: int, *, void: bool = False
    ) -> FaultNote:
        """A fault as results hold it."""
        return FaultNote(
            self.player(side),
            fault.kind.value,
            fault.reason,
            self.leg,
            number,
            decision,
            void,
            fault.last_lines,
        )


def play_pair(plan: Plan, task: PairTask, seats: tuple[Seat, Seat]) -> PairResult:
    """Play both legs, refereed here; ``seats``: who plays for the first and for the second."""
    script = pair_script(plan, task, seats, at_daemon=False)
    try:
        request = next(script)
    except StopIteration as end:
        return end.value
    raise AssertionError(f"a referee in this process asks nobody: {request}")


def pair_script(
    plan: Plan, task: PairTask, seats: tuple[Seat, Seat], *, at_daemon: bool
) -> Script[PairResult]:
    """The script of both legs."""
    games: list[GameResult] = []
    faults: list[FaultNote] = []
    rules = plan.rule_set
    for index in (0, 1):
        leg = Leg(plan, rules, task, index)
        by_side: dict[Side, Seat] = {Side.X: seats[index], Side.O: seats[1 - index]}
        games += yield from _leg_script(leg, by_side, faults, at_daemon=at_daemon)
    return PairResult(task.number, task.round, task.first, task.second, tuple(games), tuple(faults))


def _leg_script(
    leg: Leg, seats: dict[Side, Seat], faults: list[FaultNote], *, at_daemon: bool
) -> Script[list[GameResult]]:
    score = {"X": 0, "O": 0}
    games: list[GameResult] = []
    while not games or max(score.values()) < leg.plan.match:
        number = len(games) + 1
        setup = leg.setup(number, (score["X"], score["O"]))
        played = yield from _game_script(leg, setup, seats, faults, number, at_daemon=at_daemon)
        games.append(leg.result(played, number))
        score[games[-1].winner] += games[-1].points
    return games


def _game_script(
    leg: Leg,
    setup: GameSetup,
    seats: dict[Side, Seat],
    faults: list[FaultNote],
    number: int,
    *,
    at_daemon: bool,
) -> Script[Played]:
    """Play a game, again from its start when it turns out void."""
    control = leg.plan.time_control
    names = {side: leg.plan.players[leg.player(side)].name for side in Side}
    for left in reversed(range(TRIES)):
        clock = Clock(control) if control else None  # full again with each game, as at a table
        table = Table(setup.rules, setup.dice_seed, names, control) if at_daemon else None
        try:
            played = yield from Game(setup, seats, clock, table).script(forgiving=left > 0)
        except Void as void:
            faults.append(leg.note(void.side, void.fault, number, 0, void=True))
            seats[void.side].abandon()
            continue
        if played.fault is not None:
            side, fault = played.fault
            faults.append(leg.note(side, fault, number, played.decisions[side]))
            seats[side].abandon()
        return played
    raise AssertionError("the last try is never void")
