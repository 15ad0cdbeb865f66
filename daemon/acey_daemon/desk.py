"""Records that come with requests, judged by another process. spec/protocol.md §5.3.

Reading and replaying a record of megabytes takes seconds. The loop hands such requests to a process
of their own (judge.py) and goes on with everybody else's. Replies of a connection keep their order:
what it sends meanwhile waits here, within bounds, until its record is judged.
"""

import logging
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread, Timer
from typing import Final, NamedTuple

from acey_daemon.answering import Connection
from acey_daemon.judge import put, take
from acey_daemon.quota import Quota
from acey_daemon.settings import Settings
from acey_protocol.errors import Code, refused
from acey_protocol.lines import id_of, write_error

log = logging.getLogger(__name__)

Arrived = tuple[Connection, bytes]

MOST_SECONDS: Final = 60.0
"""How long one record may take."""
MOST_WAITING: Final = 65536
"""Requests and refusals of one connection that wait here; requests beyond are ignored."""
_RECORD: Final = re.compile(rb"[ \t]*(?:[0-9]+[ \t]+)?(?:validate|convert)(?![a-z-])")


class _Waits(NamedTuple):
    """What waits behind a record: a request, or the refusal of one that was too much."""

    connection: Connection
    data: bytes
    refused: bool


class _Place:
    """A connection whose record is judged, and what it has sent since."""

    def __init__(self, name: bytes) -> None:
        self.name = name
        self.record: Arrived | None = None
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
        self._places: dict[bytes, _Place] = {}
        self._size = 0
        """Bytes of all requests here."""
        self._emptying: list[_Place] = []
        """Places without a record that is judged, from which not everything is given back yet."""
        self._orders: SimpleQueue[_Place | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[_Place, bytes]] = SimpleQueue()
        self._judge = _Judge(settings)
        self._stopping = False
        counters["held"] = 0.0  # requests here, records and refusals included
        self._thread = Thread(target=self._work, name="desk", daemon=True)
        self._thread.start()

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
            place, reply = self._done.get()
            if place.record is None:  # refused when the server stopped
                continue
            connection, data = place.record
            self._forget(place, len(data))
            place.record = None
            self._counters["held"] -= 1
            replies.append((connection, reply))
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
                self._refuse(place, place.record[1], "the server stops; nothing was changed")

    def close(self) -> None:
        """End the process and the thread."""
        self._judge.stop()
        self._orders.put(None)
        self._thread.join()
        self._judge.close()

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
        place.record = (connection, data)
        place.size += len(data)
        self._size += len(data)
        if self._stopping:
            self._refuse(place, data, "the server stops; nothing was changed")
            return
        if self._size > self._most:
            self._refuse(place, data, "too many records wait to be judged; nothing was changed")
            return
        self._orders.put(place)

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
            self._forget(place, len(data))
            if self._stays(data) and self._quota.spend(connection.name, now):
                self._begin(place, connection, data)
                return
            requests.append((connection, data))
        if behind:
            self._emptying.append(place)
            self._wake()
        else:
            del self._places[place.name]

    def _forget(self, place: _Place, size: int) -> None:
        place.size -= size
        self._size -= size

    def _refuse(self, place: _Place, data: bytes, why: str) -> None:
        self._end(place, write_error(refused(Code.BUSY, why), id_of(data)))

    def _end(self, place: _Place, reply: bytes) -> None:
        self._done.put((place, reply))
        self._wake()

    def _work(self) -> None:
        """Have one record after the other judged; in a thread of its own."""
        while (place := self._orders.get()) is not None:
            record = place.record
            if record is not None:
                self._end(place, self._judge.reply(record[1]))


class _Judge:
    """The other process, started when it is first needed, and again when it has ended."""

    def __init__(self, settings: Settings) -> None:
        self._command = [
            *(sys.executable, "-P", "-m", "acey_daemon.judge"),
            *(str(settings.max_line), str(settings.max_payload)),
            *(settings.log_format, settings.log_level),
        ]
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._late = False

    def reply(self, data: bytes) -> bytes:
        """The reply to a request with a record; asked by one thread."""
        try:
            process, timer = self._ready()
        except (OSError, RuntimeError) as error:  # descriptors, processes, threads or memory
            log.error("judge not started", extra={"fields": {"why": str(error)}})
            why = "a record cannot be judged now; nothing was changed"
            return write_error(refused(Code.BUSY, why), id_of(data))
        reply = None if self._stopped else _exchange(process, data)
        timer.cancel()
        if reply is not None:
            return reply
        self._process = None
        status = _end(process)
        if self._late:
            why = f"a record may take {MOST_SECONDS:g} seconds; acey validate has no such limit"
            return write_error(refused(Code.TOO_LARGE, why), id_of(data))
        if not self._stopped:
            fields = {"status": status, "request_bytes": len(data)}
            log.error("judge ended", extra={"fields": fields})
        fault = refused(Code.INTERNAL, "a fault of this server, which its log describes")
        return write_error(fault, id_of(data))

    def _ready(self) -> tuple[subprocess.Popen[bytes], Timer]:
        """The process, running, and what ends it when it takes too long.

        Raises OSError or RuntimeError where the system gives no more of something.
        """
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        self._late = False
        timer = Timer(MOST_SECONDS, self._too_long, (self._process,))
        timer.start()
        return self._process, timer

    def stop(self) -> None:
        """End the process, whatever it does; for another thread than the one that asks."""
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Leave nothing of the process, when nobody asks any more."""
        if self._process is not None:
            _end(self._process)

    def _too_long(self, process: subprocess.Popen[bytes]) -> None:
        self._late = True
        process.kill()


def _exchange(process: subprocess.Popen[bytes], data: bytes) -> bytes | None:
    """The other process's reply; None when it ends first."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        put(process.stdin, data)
        return take(process.stdout)
    except OSError:
        return None


def _end(process: subprocess.Popen[bytes]) -> int:
    """End a process and close what connects it; its exit status."""
    process.kill()
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):  # what was not read by the other end
        process.stdin.close()
    process.stdout.close()
    return process.wait()
