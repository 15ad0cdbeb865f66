"""One game: two seats, dice, a clock, refereed here or by a daemon. docs/tournaments.md §4, §5."""

from time import perf_counter
from typing import Final, NamedTuple

from msgspec.structs import replace

from acey_arena.clock import Clock
from acey_arena.seat import Fault, FaultKind, GameStart, Seat
from acey_arena.table import Script, Table
from acey_grammar.record import GameRecord, RollKind, RollRecord, SideName, TurnRecord
from acey_grammar.recorder import result_record
from acey_rules import (
    NAME,
    ROLL,
    Concede,
    Draw,
    How,
    Name,
    Play,
    Roll,
    RulesError,
    RuleSet,
    Side,
    State,
    WrittenPlay,
    seeded,
)

NO_ANSWER: Final = frozenset(
    (FaultKind.START, FaultKind.CRASH, FaultKind.CLOSED, FaultKind.HANG, FaultKind.BABBLE)
)
"""Faults of a process, against faults of an answer."""


SIDE_NAMES: Final[dict[Side, SideName]] = {Side.X: "X", Side.O: "O"}


class GameSetup(NamedTuple):
    """What a game is played under, the players apart."""

    rules: RuleSet
    dice_seed: int
    tags: tuple[tuple[str, str], ...]
    """The record's tags; the opening dice are added."""
    seeds: dict[Side, int]
    """For what the players draw."""
    times: bool
    """Whether the record says how long turns took."""


class Played(NamedTuple):
    """A game that is over."""

    record: GameRecord
    decisions: dict[Side, int]
    seconds: dict[Side, float]
    fault: tuple[Side, Fault] | None


class Void(Exception):
    """The game does not count: a player's process failed before its first answer in it."""

    def __init__(self, side: Side, fault: Fault) -> None:
        """Keep whose fault it was, and which."""
        super().__init__(str(fault))
        self.side = side
        self.fault = fault


class FlagFell(Exception):
    """A player's time is up; ``fault`` is what it did besides, if anything."""

    def __init__(self, seconds: float, fault: Fault | None) -> None:
        """Keep how long the decision took."""
        super().__init__()
        self.seconds = seconds
        self.fault = fault


def decide(seat: Seat, state: State, clock: Clock | None) -> tuple[Name | Play, State, float]:
    """Ask the seat for the decision that is due, and check the answer against the rules.

    Returns the action, the state after it and the seconds it took. Raises Fault for an answer that
    does not come or is not allowed, FlagFell when time is up.
    """
    limit = clock.allowed(state.turn) if clock is not None else None
    began = perf_counter()
    chosen: Name | Play | WrittenPlay
    try:
        if state.agenda[0] is NAME:
            chosen = Name(seat.choose_double(state, limit))
        else:
            chosen = seat.choose_play(state, state.legal_plays(), limit)
    except Fault as fault:
        seconds = perf_counter() - began
        late = fault.kind is FaultKind.HANG and limit is not None and seconds >= limit
        if (clock is not None and not clock.spend(state.turn, seconds)) or late:
            raise FlagFell(seconds, fault) from fault
        raise
    seconds = perf_counter() - began
    if clock is not None and not clock.spend(state.turn, seconds):
        raise FlagFell(seconds, None)
    try:
        action = state.find(chosen) if isinstance(chosen, WrittenPlay) else chosen
        return action, state.apply(action), seconds
    except RulesError as error:
        reason = f"'{chosen}' at {state}: {error}"
        raise Fault(FaultKind.ILLEGAL, reason, seat.last_words()) from error


class Game:
    """A game from its opening dice to its end, as a script.

    A script is a generator that asks a daemon by yielding a request and is sent the reply; one
    without a daemon yields nothing. The arena knows the seed of the dice and so what every roll
    will be: it keeps the state beside the daemon, and never waits for what it can know.
    """

    def __init__(
        self, setup: GameSetup, seats: dict[Side, Seat], clock: Clock | None, table: Table | None
    ) -> None:
        """``table``: where a daemon referees; None: this process does."""
        self._setup = setup
        self._seats = seats
        self._clock = clock
        self._table = table
        self._dice = seeded(setup.dice_seed)
        self._place = 0
        self._thrown = {Side.X: 0, Side.O: 0}
        self._turns: list[TurnRecord] = []
        self._rolls: list[RollRecord] = []
        self._decisions = {Side.X: 0, Side.O: 0}
        self._seconds = {Side.X: 0.0, Side.O: 0.0}

    def script(self, *, forgiving: bool) -> Script[Played]:
        """Play. With ``forgiving``, raises Void where a game does not count."""
        opening: list[tuple[int, int]] = []
        while not opening or opening[-1][0] == opening[-1][1]:
            opening.append(self._throw(None, len(opening) + 1))
        text = " ".join(f"{x_die}-{o_die}" for x_die, o_die in opening)
        state = State.start(self._setup.rules, opening[-1])
        fault: tuple[Side, Fault] | None = None
        try:
            for side, seat in self._seats.items():
                self._greet(state, side, seat)
            if self._table is not None:
                yield from self._table.open()
            state = yield from self._play_on(state)
        except _Over as over:
            if over.fault is not None:
                if forgiving and over.fault.kind in NO_ANSWER and not self._decisions[over.side]:
                    raise Void(over.side, over.fault) from over
                fault = over.side, over.fault
            if self._table is not None:
                yield from self._table.end(over.side, over.how)
            state = over.state.apply(Concede(over.side, None, over.how))
            self._close(over.state.turn, None)
        tags = (*self._setup.tags, ("Opening", text))
        record = GameRecord(tags, tuple(self._turns), result_record(state.outcome))
        # A table without a clock has agreed to every position on the board: it wrote the same down.
        on_board = state.outcome is not None and state.outcome.how is How.BORNE_OFF
        if self._table is not None and not (on_board and self._clock is None):
            record = self._timed((yield from self._table.record(tags)))
        return Played(record, self._decisions, self._seconds, fault)

    def _timed(self, record: GameRecord) -> GameRecord:
        """A table notes how long turns took where it has a clock; the plan, where it is wanted."""
        if self._setup.times == (self._clock is not None):
            return record
        both = zip(record.turns, self._turns, strict=True)
        turns = tuple([replace(theirs, seconds=ours.seconds) for theirs, ours in both])
        return replace(record, turns=turns)

    def _greet(self, state: State, side: Side, seat: Seat) -> None:
        try:
            seat.new_game(GameStart(self._setup.rules, side, self._setup.seeds[side]))
        except Fault as fault:
            raise _Over(state, side, How.FORFEIT, fault) from fault

    def _throw(self, side: Side | None, number: int) -> tuple[int, int]:
        self._place += 1
        return self._dice.draw(Draw(1, side, number, self._place - 1))

    def _play_on(self, state: State) -> Script[State]:
        """Play to the end on the board. Raises _Over when the game ends otherwise.

        The record is made here and not by a GameRecorder, which takes any action at any time: this
        loop knows what comes next, and it is what the speed of a duel hangs on. A test holds both
        to the same records.
        """
        thrown, rolls, table = self._thrown, self._rolls, self._table
        kind: RollKind = "rolled"
        seconds = 0.0
        while state.outcome is None:
            side, stage = state.turn, state.agenda[0]
            if stage is ROLL:
                thrown[side] += 1
                state = state.apply(Roll(*self._throw(side, thrown[side])))
                kind = "rolled"
                continue
            if stage is NAME:
                action, after, spent = self._decide(side, state)
                if table is not None and not (yield from table.act(side, f"{action}", after)):
                    raise _Over(state, side, How.TIME, None)
                seconds += spent
                kind = "named"
                state = after
                continue
            play = state.legal_plays()[0]
            if play.moves:
                action, after, spent = self._decide(side, state)
                assert isinstance(action, Play)
                play = action
                seconds += spent
                if table is not None and not (
                    yield from table.act(side, f"play {play.text}", after)
                ):
                    raise _Over(state, side, How.TIME, None)
            else:  # nothing can be played, nothing is to be decided
                after = state.apply(play)
            rolls.append(RollRecord(stage.text, play.text, kind))
            kind = "complement"  # unless a roll or a name comes first
            if after.turn is not side or after.outcome is not None:
                self._close(side, seconds)
                seconds = 0.0
            state = after
        return state

    def _close(self, side: Side, seconds: float | None) -> None:
        """End a turn of the record."""
        if self._rolls:
            shown = round(seconds, 6) if self._setup.times and seconds is not None else None
            self._turns.append(TurnRecord(SIDE_NAMES[side], tuple(self._rolls), seconds=shown))
            self._rolls.clear()

    def _decide(self, side: Side, state: State) -> tuple[Name | Play, State, float]:
        try:
            decision = decide(self._seats[side], state, self._clock)
        except FlagFell as fell:
            self._seconds[side] += fell.seconds
            raise _Over(state, side, How.TIME, fell.fault) from fell
        except Fault as fault:
            raise _Over(state, side, How.FORFEIT, fault) from fault
        self._seconds[side] += decision[2]
        self._decisions[side] += 1
        return decision


class _Over(Exception):
    """The game ends otherwise than on the board, for ``side``."""

    def __init__(self, state: State, side: Side, how: How, fault: Fault | None) -> None:
        super().__init__()
        self.state = state
        self.side = side
        self.how = how
        self.fault = fault
