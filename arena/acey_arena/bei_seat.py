"""A BEI engine in a seat: connects, asks, gives up on it. spec/engines.md §5."""

from collections.abc import Sequence
from time import monotonic

from acey_arena.connection import LineConnection
from acey_arena.plan import Player
from acey_arena.seat import Fault, FaultKind, GameStart
from acey_protocol.bei import (
    BeiError,
    Event,
    OkBei,
    OkChoose,
    OkMove,
    command,
    read_event,
    variant_of,
)
from acey_rules import Play, State, WrittenPlay


class BeiSeat:
    """A player whose decisions a BEI engine makes. It is connected to with its first game."""

    def __init__(self, player: Player) -> None:
        """Take the player's address and deadlines."""
        self._player = player
        self._connection: LineConnection | None = None
        self.name = ""
        """What the engine called itself when it was last connected to."""

    def new_game(self, game: GameStart) -> None:
        """Connect if there is no connection. BEI itself knows no games, only states."""
        try:
            variant_of(game.rules)
            if self._connection is None:
                self._connection = LineConnection(self._player.bei, self._player.start)
                self.name = self._ask("bei", OkBei, self._player.start).name
        except (Fault, BeiError) as error:
            reason = error.reason if isinstance(error, Fault) else str(error)
            raise Fault(FaultKind.START, f"did not get ready: {reason}") from error

    def choose_play(
        self, state: State, plays: Sequence[Play], limit: float | None
    ) -> Play | WrittenPlay:
        """Ask with ``move``."""
        del plays
        try:
            return self._decide("move", state, OkMove, limit).best
        except BeiError as error:
            raise Fault(FaultKind.GARBAGE, str(error)) from error

    def choose_double(self, state: State, limit: float | None) -> int:
        """Ask with ``choose``."""
        try:
            return self._decide("choose", state, OkChoose, limit).best
        except BeiError as error:
            raise Fault(FaultKind.GARBAGE, str(error)) from error

    def _decide(self, word: str, state: State, wanted: type[Event], limit: float | None) -> Event:
        seconds = self._player.deadline if limit is None else min(limit, self._player.deadline)
        return self._ask(command(word, state), wanted, seconds)

    def _ask(self, line: str, wanted: type[Event], seconds: float) -> Event:
        assert self._connection is not None
        until = monotonic() + seconds
        self._connection.send([line], seconds)
        return read_event(self._connection.read_line(until), wanted)

    def last_words(self) -> tuple[str, ...]:
        """Nothing comes over the connection but answers."""
        return ()

    def abandon(self) -> None:
        """Hang up; the next game connects again."""
        if self._connection is not None:
            self._connection.end()
            self._connection = None

    def close(self) -> None:
        """Hang up."""
        self.abandon()
