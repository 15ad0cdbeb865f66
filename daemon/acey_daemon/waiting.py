"""Requests whose reply comes later: ``await`` and ``seek``. spec/protocol.md §6.1 and §6.2."""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from acey_daemon.answering import Call
from acey_rules import RuleSet, Side


@dataclass(slots=True, eq=False)
class Waiter:
    """Somebody who waits for a seat's next decision."""

    call: Call
    table: str
    side: Side
    answered: bool = False


class Wish(NamedTuple):
    """What a seeker wants to play; equal wishes meet."""

    rules: RuleSet
    match: int
    clock: tuple[int, int] | None


@dataclass(slots=True, eq=False)
class Seeker:
    """Somebody who waits for an opponent."""

    call: Call
    wish: Wish
    name: str
    answered: bool = False


class Waiting:
    """All who wait, by table and by wish, in the order they came."""

    def __init__(self) -> None:
        """Nobody waits yet."""
        self._waiters: dict[str, list[Waiter]] = {}
        self._seekers: dict[Wish, list[Seeker]] = {}
        self._count: Counter[bytes] = Counter()
        self._total = 0

    def pending(self, connection: bytes) -> int:
        """How many replies the connection still waits for."""
        return self._count[connection]

    def __len__(self) -> int:
        """How many wait."""
        return self._total

    def add_waiter(self, waiter: Waiter) -> None:
        """Let somebody wait."""
        self._waiters.setdefault(waiter.table, []).append(waiter)
        self._more(waiter.call)

    def at(self, table: str) -> list[Waiter]:
        """Who waits at a table."""
        return self._waiters.get(table, [])

    def waiters(self) -> list[Waiter]:
        """Everybody who waits for a decision."""
        return [each for queue in self._waiters.values() for each in queue]

    def seekers(self) -> list[Seeker]:
        """Everybody who waits for an opponent."""
        return [each for queue in self._seekers.values() for each in queue]

    def remove_waiter(self, waiter: Waiter) -> None:
        """The waiter gets a reply now."""
        waiter.answered = True
        left = self._waiters[waiter.table]
        left.remove(waiter)
        if not left:
            del self._waiters[waiter.table]
        self._less(waiter.call)

    def add_seeker(self, seeker: Seeker) -> None:
        """Let somebody wait for an opponent."""
        self._seekers.setdefault(seeker.wish, []).append(seeker)
        self._more(seeker.call)

    def first_seeker(self, wish: Wish) -> Seeker | None:
        """Who has waited longest for just that."""
        return next(iter(self._seekers.get(wish, [])), None)

    def remove_seeker(self, seeker: Seeker) -> None:
        """The seeker gets a reply now."""
        seeker.answered = True
        left = self._seekers[seeker.wish]
        left.remove(seeker)
        if not left:
            del self._seekers[seeker.wish]
        self._less(seeker.call)

    def _more(self, call: Call) -> None:
        self._count[call.connection.name] += 1
        self._total += 1

    def _less(self, call: Call) -> None:
        self._total -= 1
        name = call.connection.name
        self._count[name] -= 1
        if not self._count[name]:
            del self._count[name]
