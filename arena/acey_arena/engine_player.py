"""An engine at a seat of any daemon: ``acey engine``."""

from collections.abc import Sequence

from acey_arena.player import play_seat
from acey_arena.seat import Fault, FaultKind, GameStart, Seat
from acey_protocol.client import Seat as TableSeat
from acey_protocol.replies import Result
from acey_rules import IllegalAction, Play, Position, Side, State, WrittenPlay, rule_set


class EngineBot:
    """An engine as a bot, with the time its seat has left as the limit of each decision."""

    def __init__(self, engine: Seat, seat: TableSeat) -> None:
        """``seat``: where it plays; its table says the rules and the clock."""
        table = seat.client.state(seat.table)
        self._engine = engine
        self._seat = seat
        self._rules = rule_set(table.rules)
        self._timed = table.clock is not None
        self._start = Position.start(self._rules.setup)
        self._begun = False

    def choose_play(self, state: State, plays: Sequence[Play]) -> Play:
        """Ask the engine. Raises Fault."""
        self._begin(state)
        chosen = self._engine.choose_play(state, plays, self._limit(state.turn))
        try:
            return state.find(chosen) if isinstance(chosen, WrittenPlay) else chosen
        except IllegalAction as error:
            reason = f"'{chosen}' at {state}: {error}"
            raise Fault(FaultKind.ILLEGAL, reason, self._engine.last_words()) from error

    def choose_double(self, state: State) -> int:
        """Ask the engine. Raises Fault."""
        self._begin(state)
        return self._engine.choose_double(state, self._limit(state.turn))

    def _begin(self, state: State) -> None:
        """Tell the engine of a game before its first decision in it."""
        first = state.position == self._start or not self._begun
        if first:
            self._engine.new_game(GameStart(self._rules, state.turn, 0))
            self._begun = True

    def _limit(self, side: Side) -> float | None:
        if not self._timed:
            return None
        clock = self._seat.client.state(self._seat.table).clock
        if clock is None:
            return None
        return ((clock.x_ms, clock.o_ms)[side] + clock.delay_ms) / 1000


def play_engine(engine: Seat, seat: TableSeat) -> Result:
    """Play the seat to the end of its match; an engine that fails gives the seat up.

    Raises Fault after leaving the table, and what ``play_seat`` raises.
    """
    try:
        return play_seat(seat, EngineBot(engine, seat))
    except Fault:
        seat.leave()
        raise
    finally:
        engine.close()
