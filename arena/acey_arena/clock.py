"""Time controls: a bank of seconds and a simple delay for each decision. docs/tournaments.md §4.

As a daemon's table keeps them (spec/protocol.md): the first seconds of a decision, the delay, are
free; what goes beyond comes from the bank; a seat whose bank is empty has lost on time.
"""

from typing import NamedTuple, final

from acey_protocol.arguments import Clock as ClockArgument
from acey_rules import Side


class TimeControl(NamedTuple):
    """What each seat has, in seconds."""

    bank: float
    delay: float

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Read ``120+8``, as a daemon's table does. Raises ValueError."""
        read = ClockArgument().read(text)
        if read is None:
            raise ValueError("a clock is <bank>+<delay>, as 120+8, not empty")
        return cls(read[0] / 1000, read[1] / 1000)


@final
class Clock:
    """What is left of both banks in one match."""

    def __init__(self, control: TimeControl) -> None:
        """Start with full banks."""
        self.control = control
        self.banks = {Side.X: control.bank, Side.O: control.bank}

    def allowed(self, side: Side) -> float:
        """Seconds the next decision of ``side`` may take."""
        return self.banks[side] + self.control.delay

    def spend(self, side: Side, seconds: float) -> bool:
        """Take the time of a decision from the bank; False when the side has lost on time."""
        self.banks[side] -= max(0.0, seconds - self.control.delay)
        return self.banks[side] >= 0
