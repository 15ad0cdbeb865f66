"""Who sits at a table: the interface of bots, engine processes and remote engines, and faults."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple, Protocol, final

from acey_arena.bots import Bot
from acey_rules import Play, RuleSet, Side, State, WrittenPlay


class FaultKind(Enum):
    """What a player did that ends the game against it; the value is how results say it."""

    START = "start"
    """The process did not start or did not get ready."""
    CRASH = "crash"
    """The process ended, or the bot raised an error."""
    CLOSED = "closed"
    """It closed its output and lives on."""
    HANG = "hang"
    """No answer within the deadline."""
    BABBLE = "babble"
    """A line that is longer than any answer."""
    GARBAGE = "garbage"
    """An answer that is none to the question."""
    REFUSED = "refused"
    """It said that it cannot answer."""
    ILLEGAL = "illegal"
    """A play or a name that the rules forbid."""


class Fault(Exception):
    """Raised by a seat that cannot go on."""

    def __init__(self, kind: FaultKind, reason: str, last_lines: Sequence[str] = ()) -> None:
        """Say what happened, in words for people; ``last_lines`` is the end of its stderr."""
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.last_lines = tuple(last_lines)

    def __str__(self) -> str:
        """The kind and the reason."""
        return f"{self.kind.value}: {self.reason}"


class GameStart(NamedTuple):
    """What a seat is told before a game."""

    rules: RuleSet
    side: Side
    seed: int
    """For a player that draws random numbers: the same run, the same seed."""


class Seat(Protocol):
    """One player at one table after another."""

    def new_game(self, game: GameStart) -> None:
        """Get ready for a game. Raises Fault."""
        ...

    def choose_play(
        self, state: State, plays: Sequence[Play], limit: float | None
    ) -> Play | WrittenPlay:
        """A play of the dice to play; ``limit``: seconds left on the clock. Raises Fault."""
        ...

    def choose_double(self, state: State, limit: float | None) -> int:
        """The number to name. Raises Fault."""
        ...

    def last_words(self) -> tuple[str, ...]:
        """The end of what it wrote for people, for the log."""
        ...

    def abandon(self) -> None:
        """Give up what is left after a fault; the next ``new_game`` starts afresh."""
        ...

    def close(self) -> None:
        """End; never raises Fault."""
        ...


@final
class BotSeat:
    """A bot in this process. What it raises is its own fault, like an engine's crash."""

    def __init__(self, make: Callable[[int], Bot]) -> None:
        """``make`` gives the bot for a game, from a seed."""
        self._make = make
        self._bot: Bot | None = None

    def new_game(self, game: GameStart) -> None:
        """Make the bot of this game."""
        try:
            self._bot = self._make(game.seed)
        except Exception as error:
            raise Fault(FaultKind.START, f"could not be made: {_told(error)}") from error

    def choose_play(self, state: State, plays: Sequence[Play], limit: float | None) -> Play:
        """Ask the bot."""
        del limit  # a call cannot be cut short; the clock judges it afterwards
        assert self._bot is not None
        try:
            return self._bot.choose_play(state, plays)
        except Exception as error:
            raise Fault(FaultKind.CRASH, f"raised {_told(error)}") from error

    def choose_double(self, state: State, limit: float | None) -> int:
        """Ask the bot."""
        del limit
        assert self._bot is not None
        try:
            return self._bot.choose_double(state)
        except Exception as error:
            raise Fault(FaultKind.CRASH, f"raised {_told(error)}") from error

    def last_words(self) -> tuple[str, ...]:
        """A bot writes nothing."""
        return ()

    def abandon(self) -> None:
        """Drop the bot; a game starts with a new one anyway."""
        self._bot = None

    def close(self) -> None:
        """Nothing is left to end."""


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
