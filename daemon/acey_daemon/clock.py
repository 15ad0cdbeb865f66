"""The clock of a table: a bank and a simple delay a decision. spec/protocol.md §6.4.

The delay of a decision costs nothing; what goes beyond it is taken from the side's bank. Times are
milliseconds, except ``now``, which is seconds of a monotonic clock that the caller passes in.
"""

from acey_rules import Side


class TableClock:
    """Both banks, and the decision that is running, if any."""

    __slots__ = ("bank", "banks", "delay", "running", "since", "told", "used")

    def __init__(self, bank: int, delay: int) -> None:
        """Full banks, nothing running."""
        self.bank = bank
        self.delay = delay
        self.banks = [bank, bank]
        self.running: Side | None = None
        self.since = 0.0
        self.used = 0
        self.told = (bank, bank)
        """The banks as the last event between two decisions told them."""

    def refill(self) -> None:
        """Fill both banks: each game has its own time."""
        self.banks = [self.bank, self.bank]

    def start(self, side: Side, now: float) -> None:
        """A decision of ``side`` begins, or goes on after the daemon was down."""
        self.running = side
        self.since = now

    def stop(self) -> None:
        """Nothing is to be decided."""
        self.running = None
        self.used = 0

    def spent(self, now: float) -> int:
        """What the running decision has used, its delay included."""
        if self.running is None:
            return 0
        return self.used + max(0, round((now - self.since) * 1000))

    def charge(self, side: Side, spent: int) -> bool:
        """A decision has ended. Returns whether it touched the bank."""
        beyond = spent - self.delay
        self.used = 0
        if beyond <= 0:
            return False
        self.banks[side] = max(0, self.banks[side] - beyond)
        return True

    def left(self, side: Side, now: float) -> int:
        """What is in the bank of ``side`` now."""
        if side is not self.running:
            return self.banks[side]
        return max(0, self.banks[side] - max(0, self.spent(now) - self.delay))

    def deadline(self) -> float | None:
        """When the running side has no time left; None when nothing runs."""
        if self.running is None:
            return None
        return self.since + (self.banks[self.running] + self.delay - self.used) / 1000
