"""Records that come with requests, judged by another process. spec/protocol.md §5.3.

Reading and replaying a record of megabytes takes seconds. The loop hands such requests to processes
of their own (judging.py) and goes on with everybody else's; one of them takes the short records, so
that those do not wait for long ones. Replies of a connection keep their order: what it sends
meanwhile waits here, within bounds, until its record is judged.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Final, NamedTuple

from acey_daemon.answering import Connection
from acey_daemon.judging import Judging
from acey_daemon.quota import Quota
from acey_daemon.settings import Settings
from acey_protocol.errors import Code, refused
from acey_protocol.lines import id_of, write_error

Arrived = tuple[Connection, bytes]

SHORT: Final = 256 * 1024
"""Bytes of a request that is judged beside longer ones: some games, or a few seconds at worst."""
MOST_WAITING: Final = 65536
"""Requests and refusals of one connection that wait here; requests beyond are ignored."""
_RECORD: Final = re.compile(rb"[ \t]*(?:[0-9]+[ \t]+)?(?:validate|convert)(?![a-z-])")


class _Waits(NamedTuple):
    """What waits behind a record: a request, or the refusal of one that was too much."""

    connection: Connection
    data: bytes
    refused: bool


class _Record(NamedTuple):
    """A request that has a record, and where it is judged."""

    connection: Connection
    data: bytes
    judging: Judging


class _Place:
    """A connection whose record is judged, and what it has sent since."""

    def __init__(self, name: bytes) -> None:
        self.name = name
        self.record: _Record | None = None
        self.behind: deque[_Waits] = deque()
        self.size = 0
        """Bytes of all its requests here."""


class Desk:
    """Takes records out of what has arrived; gives replies and what has waited back."""

    def __init__(
        self,
        settings: Settings,
        quota: Quota,
        counters: dict[str, float],
        wake: Callable[[], None],
    ) -> None:
        """``wake`` is called, also in another thread, when ``finished`` has something to give."""
        self._settings = settings
        self._quota = quota
        self._counters = counters
        self._wake = wake
        self._most_each = settings.max_line + settings.max_payload
        self._most = 4 * self._most_each
        """Bytes of the records that wait to be judged, short or long, and of what waits behind."""
        self._places: dict[bytes, _Place] = {}
        self._size = 0
        """Bytes of all requests that wait behind records."""
        self._emptying: list[_Place] = []
        """Places without a record that is judged, from which not everything is given back yet."""
        self._done: SimpleQueue[tuple[_Place, _Record, bytes]] = SimpleQueue()
        self._short = Judging(settings, "short records")
        self._long = Judging(settings, "long records")
        self._stopping = False
        counters["held"] = 0.0  # requests here, records and refusals included

    def sort(self, arrived: Iterable[Arrived], now: float) -> list[Arrived]:
        """Keep records, and what a connection sends behind one; the others are to be done now."""
        others: list[Arrived] = []
        for connection, data in arrived:
            place = self._places.get(connection.name)
            if place is not None:
                self._wait(place, connection, data)
            elif self._stays(data) and self._quota.spend(connection.name, now):
                place = self._places[connection.name] = _Place(connection.name)
                self._begin(place, connection, data)
            else:
                others.append((connection, data))
        return others

    def finished(self, now: float) -> tuple[list[Arrived], list[Arrived]]:
        """Replies that are to be sent first, and then requests that are to be done, in order."""
        replies: list[Arrived] = []
        requests: list[Arrived] = []
        emptying, self._emptying = self._emptying, []
        while not self._done.empty():
            place, record, reply = self._done.get()
            if place.record is not record:  # refused when the server stopped
                continue
            size = len(record.data)
            place.size -= size
            record.judging.size -= size
            place.record = None
            self._counters["held"] -= 1
            replies.append((record.connection, reply))
            emptying.append(place)
        for place in emptying:
            self._empty(place, replies, requests, now)
        self._counters["refused"] += sum(reply.startswith(b"?") for _, reply in replies)
        return replies, requests

    @property
    def waiting(self) -> bool:
        """Whether ``finished`` has something to give, now or later."""
        return bool(self._places)

    def stop(self) -> None:
        """Refuse every record from now on, those that wait too."""
        self._stopping = True
        for place in self._places.values():
            if place.record is not None:
                self._refuse(place, place.record, "the server stops; nothing was changed")

    def close(self) -> None:
        """End the processes and the threads."""
        self._short.close()
        self._long.close()

    def _stays(self, data: bytes) -> bool:
        """Whether a request has a record, or a payload of whatever verb that takes long to read."""
        if len(data) > 2 * self._settings.max_line:
            return True
        # Nearly all requests are neither, which is found sooner than by the expression.
        return (b"validate" in data or b"convert" in data) and bool(_RECORD.match(data))

    def _begin(self, place: _Place, connection: Connection, data: bytes) -> None:
        """Have a record judged."""
        self._counters["requests"] += 1
        self._counters["held"] += 1
        size = len(data)
        judging = self._short if size <= SHORT else self._long
        place.record = record = _Record(connection, data, judging)
        place.size += size
        judging.size += size
        if self._stopping:
            self._refuse(place, record, "the server stops; nothing was changed")
        elif judging.size > self._most:
            self._refuse(place, record, "too many records wait to be judged; nothing was changed")
        else:
            judging.order(data, lambda reply: self._end(place, record, reply))

    def _wait(self, place: _Place, connection: Connection, data: bytes) -> None:
        """Let a request wait behind a record; when too much waits, its refusal does."""
        waiting = len(place.behind)
        if waiting >= MOST_WAITING:
            self._counters["requests_ignored"] += 1
            return
        self._counters["held"] += 1
        size = len(data)
        few = waiting < self._settings.max_waiting_each
        if few and place.size + size <= self._most_each and self._size + size <= self._most:
            place.behind.append(_Waits(connection, data, refused=False))
            place.size += size
            self._size += size
            return
        error = refused(
            Code.RATE_LIMITED, "too much of this connection waits until its record is judged"
        )
        place.behind.append(_Waits(connection, write_error(error, id_of(data)), refused=True))

    def _empty(
        self, place: _Place, replies: list[Arrived], requests: list[Arrived], now: float
    ) -> None:
        """Give back what waited, refusals and then requests, up to the next record or refusal."""
        behind = place.behind
        while behind and behind[0].refused:
            connection, reply, _ = behind.popleft()
            self._counters["held"] -= 1
            replies.append((connection, reply))
        while behind and not behind[0].refused:
            connection, data, _ = behind.popleft()
            self._counters["held"] -= 1
            place.size -= len(data)
            self._size -= len(data)
            if self._stays(data) and self._quota.spend(connection.name, now):
                self._begin(place, connection, data)
                return
            requests.append((connection, data))
        if behind:
            self._emptying.append(place)
            self._wake()
        else:
            del self._places[place.name]

    def _refuse(self, place: _Place, record: _Record, why: str) -> None:
        self._end(place, record, write_error(refused(Code.BUSY, why), id_of(record.data)))

    def _end(self, place: _Place, record: _Record, reply: bytes) -> None:
        self._done.put((place, record, reply))
        self._wake()
