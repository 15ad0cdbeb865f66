"""What one connection may ask for: requests in a time, open tables. spec/protocol.md §9."""

from collections import Counter, OrderedDict
from typing import Final

from acey_protocol.errors import Code, ProtocolError, refused

CONNECTIONS: Final = 4096
"""Connections whose rate is remembered; the one silent for longest is forgotten first."""


class Quota:
    """Counts what connections ask for."""

    def __init__(self, per_second: int, tables_each: int) -> None:
        """``per_second`` requests of a connection, as many at once; 0 is no limit."""
        self._rate = per_second
        self._tables_each = tables_each
        self._buckets: OrderedDict[bytes, tuple[float, float]] = OrderedDict()
        self._openers: dict[str, bytes] = {}
        self._opened: Counter[bytes] = Counter()

    def spend(self, connection: bytes, now: float) -> bool:
        """Count a request; False when it is one too many."""
        rate = self._rate
        if not rate:
            return True
        left, since = self._buckets.get(connection, (rate, now))
        left = min(rate, left + (now - since) * rate)
        allowed = left >= 1
        self._buckets[connection] = (left - allowed, now)
        self._buckets.move_to_end(connection)
        if len(self._buckets) > CONNECTIONS:
            self._buckets.popitem(last=False)
        return allowed

    def too_fast(self) -> ProtocolError:
        """The refusal of a request too many."""
        return refused(
            Code.RATE_LIMITED, f"a connection may send {self._rate} requests in a second"
        )

    def may_open(self, connection: bytes) -> None:
        """Raise RateLimited when the connection has as many open tables as it may."""
        if self._opened[connection] >= self._tables_each:
            raise refused(Code.RATE_LIMITED, f"this connection has {self._tables_each} open tables")

    def opened(self, connection: bytes, table: str) -> None:
        """Count a new table."""
        self._openers[table] = connection
        self._opened[connection] += 1

    def closed(self, table: str) -> None:
        """A table is over, or was never stored."""
        connection = self._openers.pop(table, None)
        if connection is not None:
            self._opened[connection] -= 1
            if not self._opened[connection]:
                del self._opened[connection]
