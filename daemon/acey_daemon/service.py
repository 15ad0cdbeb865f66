"""The daemon without its sockets: tables and those who wait for them. spec/protocol.md §6.

``step`` takes the requests that have arrived, does them in order, commits all that happened as one
group and returns what is to be sent. Time, entropy and the store are passed in, so that a test, or
a program that embeds the daemon, decides them. Nothing leaves ``step`` that is not committed; who
sends it on sees to it that the disk has it first (syncing.py).
"""

import logging
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from itertools import count, islice
from typing import Final, NamedTuple

from acey_daemon import plain, play
from acey_daemon.answering import (
    Call,
    Connection,
    Handler,
    Outcome,
    respond,
    write,
)
from acey_daemon.oracle import oracle
from acey_daemon.quota import Quota
from acey_daemon.registry import Registry, new_row
from acey_daemon.settings import Settings
from acey_daemon.store import Group, LogRow, NewTable, Store, StoreBusyError, StoreError
from acey_daemon.table import Table
from acey_daemon.tableverbs import table_verbs
from acey_daemon.views import awaited
from acey_daemon.waiting import Seeker, Waiter, Waiting
from acey_protocol.errors import Code, ProtocolError, refused
from acey_protocol.events import event_line
from acey_protocol.lines import id_of, write_error
from acey_protocol.replies import Awaited, Listed, Sought

log = logging.getLogger(__name__)

TIMERS_KEPT: Final = 1000
"""Timers that are kept without looking whether anybody still waits for them."""
CHECKPOINT_SECONDS = 10.0
"""How often a clock that has gone past its delay is written down."""
RETURN_SECONDS: Final = 3600.0
"""How long players have to come back before an idle table is stopped: after a start, and where the
time of day has gone on by so much more than the time of this machine, suspended or set anew."""
IDLE_SECONDS: Final = 60.0
"""How often idle tables are looked for,"""
IDLE_TABLES: Final = 256
"""and how many are stopped at once."""
DAY_MS: Final = 24 * 60 * 60 * 1000


COUNTERS: Final = (
    "requests",
    "requests_ignored",
    "refused",
    "events",
    "commits",
    "commits_failed",
    "syncs",
    "replies_lost",
)
"""What is counted from the start of the daemon."""


class Output(NamedTuple):
    """What is to be sent, in this order."""

    replies: list[tuple[Connection, bytes]]
    events: list[tuple[str, bytes]]
    """Topic and event line."""
    committed: bool
    """Whether something was committed that ``Store.sync`` has not brought to the disk."""


class Sources(NamedTuple):
    """What the service does not decide itself."""

    entropy: Callable[[int], bytes]
    """So many random bytes, fit for tokens and dice."""
    wall_ms: Callable[[], int]
    """The time of day in milliseconds since 1970, for records."""


class _AtRisk(NamedTuple):
    """A reply that tells of what is not committed yet."""

    place: int
    """Its place among the replies of the step."""
    connection: Connection
    id: str
    json: bool


class Service:
    """All tables of a daemon. Not thread-safe: one thread steps it."""

    def __init__(self, settings: Settings, store: Store, sources: Sources, now: float) -> None:
        """Bring every open table back from the store. Raises StoreError."""
        self.settings = settings
        self.store = store
        self.sources = sources
        self.waiting = Waiting()
        self.tables = Registry(store)
        self.quota = Quota(settings.requests_per_second, settings.max_tables_each)
        self._timers: list[tuple[float, int, Waiter | Seeker | str]] = []
        self._ties = count()
        self._dirty: dict[str, Table] = {}
        self._replies: list[tuple[Connection, bytes]] = []
        self._at_risk: list[_AtRisk] = []
        self.wanted: Callable[[str], bool] = lambda _id: True
        """Whether anybody listens to a table: events are put out only of those."""
        self._handlers: dict[str, Handler] = oracle(store.durability) | {
            name: self._guarded(handler) for name, handler in table_verbs(self).items()
        }
        self._call: Call | None = None
        self._started = now
        self._look_for_idle = now + RETURN_SECONDS
        """When idle tables are looked for: in the next step after that, whatever it is for."""
        self._time_of_day = (now, sources.wall_ms())
        """When that was looked at last, and what it was."""
        self.counters: dict[str, float] = dict.fromkeys(COUNTERS, 0.0)
        self._now = now
        for table in self.tables.restore():
            self.touched(table, now)
        self._commit()

    def _guarded(self, handler: Handler) -> Handler:
        """Remember that the reply tells of tables, and so of what may fail to be committed."""

        def guarded(call: Call) -> Outcome:
            self._call = call
            return handler(call)

        return guarded

    # --- one step ------------------------------------------------------------------------------

    def handle(self, connection: Connection, request: bytes, now: float) -> Output:
        """Do one request: a step of its own."""
        return self.step([(connection, request)], now)

    def step(self, requests: Sequence[tuple[Connection, bytes]], now: float) -> Output:
        """Do what time has brought, then the requests in order, and commit it all."""
        self._now = now
        limits = self.settings.limits
        self._fire(now)
        if now >= self._look_for_idle:
            self._stop_idle(now)
        for connection, data in requests:
            self._call = None
            if not self.quota.spend(connection.name, now):
                self._reply(connection, write_error(self.quota.too_fast(), id_of(data)), None)
                continue
            if len(data) <= limits.line:
                if (reply := plain.legal(data)) is not None:
                    self._reply(connection, reply, None)
                    continue
                if (done := plain.act(data, self.tables, now)) is not None:
                    self.touched(done.table, now)
                    self._at_risk.append(_AtRisk(len(self._replies), connection, done.id, False))
                    self._replies.append((connection, done.reply))
                    continue
            reply = respond(self._handlers, data, limits, connection, now)
            if reply is not None:
                self._reply(connection, reply, self._call)
        self.counters["requests"] += len(requests)
        commits = self.counters["commits"]
        events = self._commit()
        replies, self._replies = self._replies, []
        return Output(replies, events, self.counters["commits"] > commits)

    def next_deadline(self) -> float | None:
        """When ``step`` is to be called next even if no request comes."""
        return self._timers[0][0] if self._timers else None

    def drain(self, now: float) -> Output:
        """Prepare to stop: clocks are written down and whoever waits is told ``wait``."""
        for table in self.tables.live():
            if table.clock is not None and table.clock.running is not None:
                play.write_clock_down(table, now)
                self._dirty[table.id] = table
        for waiter in self.waiting.waiters():
            self._answer_waiter(waiter, Awaited("wait"))
        for seeker in self.waiting.seekers():
            self.answer_seeker(seeker, Sought())
        return self.step([], now)

    def knows(self, topic: bytes) -> bool:
        """Whether a topic is that of a table."""
        return self._topic_table(topic) is not None

    def welcome(self, topic: bytes, now: float) -> bytes:
        """The line that a new subscriber of a table's topic gets first."""
        table = self._topic_table(topic)
        assert table is not None
        return event_line(table.seq, table.snapshot(now)).encode()

    def _topic_table(self, topic: bytes) -> Table | None:
        prefix, _, id = topic.decode("ascii", "replace").partition(".")
        try:
            return self.tables.find(id) if prefix == "table" else None
        except (ProtocolError, StoreError):
            return None

    def stats(self, now: float) -> dict[str, float]:
        """Counters since the start, and how much there is now."""
        return {
            "uptime_seconds": round(now - self._started, 3),
            "tables_open": float(len(self.tables)),
            "waiting": float(len(self.waiting)),
            **self.counters,
        }

    # --- what verbs use ------------------------------------------------------------------------

    def touched(self, table: Table, now: float) -> None:
        """A table may have changed: go on by itself, tell who waits, set its alarm."""
        play.advance(table, now)
        if table.pending:
            self._dirty[table.id] = table
        for waiter in list(self.waiting.at(table.id)):
            try:
                answer = awaited(table, waiter.side)
            except ProtocolError as error:
                answer = error
            if answer is not None:
                self._answer_waiter(waiter, answer)
        self._alarm(table, now)

    def wait(self, waiter: Waiter | Seeker, deadline: float) -> None:
        """Let somebody wait until a moment."""
        if isinstance(waiter, Waiter):
            self.waiting.add_waiter(waiter)
        else:
            self.waiting.add_seeker(waiter)
        self._tidy_timers()
        heappush(self._timers, (deadline, next(self._ties), waiter))

    def _tidy_timers(self) -> None:
        """Forget the timers of those who were answered, once they are most of all timers.

        A client that awaits for an hour and is answered at once would fill the memory otherwise.
        """
        wanted = len(self.waiting) + len(self.tables)
        if len(self._timers) < TIMERS_KEPT or len(self._timers) < 4 * wanted:
            return
        self._timers = [
            timer for timer in self._timers if isinstance(timer[2], str) or not timer[2].answered
        ]
        heapify(self._timers)

    # --- time ----------------------------------------------------------------------------------

    def _alarm(self, table: Table, now: float) -> None:
        """See to it that ``step`` is called when the table's clock asks for it."""
        deadline = None if table.clock is None else table.clock.deadline()
        if deadline is None:
            return
        due = min(deadline, now + CHECKPOINT_SECONDS)
        if table.alarm is None or due < table.alarm:
            table.alarm = due
            heappush(self._timers, (due, next(self._ties), table.id))

    def _fire(self, now: float) -> None:
        """Do what is due: end waiting, let flags fall."""
        while self._timers and self._timers[0][0] <= now:
            _, _, what = heappop(self._timers)
            match what:
                case Waiter():
                    if not what.answered:
                        self._answer_waiter(what, Awaited("wait"))
                case Seeker():
                    if not what.answered:
                        self.answer_seeker(what, Sought())
                case str():
                    self._tick(what, now)

    def _tick(self, id: str, now: float) -> None:
        """A table's alarm went off: its flag has fallen, or its clock is to be written down."""
        table = self.tables.in_memory(id)
        if table is None or table.clock is None:
            return
        table.alarm = None
        deadline = table.clock.deadline()
        if deadline is None:
            return
        if deadline <= now:
            play.flag_fell(table, deadline)
            self.touched(table, now)
            return
        if table.clock.spent(now) > table.clock.delay:
            play.write_clock_down(table, now)
            self._dirty[table.id] = table
        self._alarm(table, now)

    def _stop_idle(self, now: float) -> None:
        """Stop tables that everybody has left, if the settings say so."""
        self._look_for_idle = now + IDLE_SECONDS
        days = self.settings.max_idle_days
        if not days:
            return
        wall = self.sources.wall_ms()
        before, wall_before = self._time_of_day
        self._time_of_day = (now, wall)
        if (wall - wall_before) / 1000 > now - before + RETURN_SECONDS:
            self._look_for_idle = now + RETURN_SECONDS
            return
        try:
            ids = list(islice(self.store.untouched(wall - days * DAY_MS), IDLE_TABLES))
        except StoreError as error:
            log.error("idle tables not looked for", extra={"fields": {"why": str(error)}})
            return
        for id in ids:
            table = self.tables.in_memory(id)
            if table is not None and id not in self._dirty and not table.clock_runs:
                play.stop(
                    table, f"nothing has happened for {'a day' if days == 1 else f'{days} days'}"
                )
                log.info("idle table stopped", extra={"fields": {"table": id}})
                self.touched(table, now)

    # --- replies and the commit ------------------------------------------------------------------

    def _answer_waiter(self, waiter: Waiter, answer: Awaited | ProtocolError) -> None:
        self.waiting.remove_waiter(waiter)
        self._reply_later(waiter.call, answer)

    def answer_seeker(self, seeker: Seeker, answer: Sought) -> None:
        """End a seeker's waiting."""
        self.waiting.remove_seeker(seeker)
        self._reply_later(seeker.call, answer)

    def _reply_later(self, call: Call, answer: Awaited | Sought | ProtocolError) -> None:
        id = call.request.id
        if isinstance(answer, ProtocolError):
            reply = write_error(answer, id, call.json)
        else:
            reply = write(id, answer, call.json)
        self._reply(call.connection, reply, call)

    def _reply(self, connection: Connection, reply: bytes, call: Call | None) -> None:
        if call is not None:
            self._at_risk.append(
                _AtRisk(len(self._replies), connection, call.request.id, call.json)
            )
        self._replies.append((connection, reply))
        if reply.startswith(b"?"):
            self.counters["refused"] += 1

    def _commit(self) -> list[tuple[str, bytes]]:
        """Write down all that happened and return it as events to publish."""
        dirty, self._dirty = self._dirty, {}
        at_risk, self._at_risk = self._at_risk, []
        if not dirty:
            return []
        rows: list[LogRow] = []
        opened: list[NewTable] = []
        closed: list[Listed] = []
        for table in dirty.values():
            first = table.seq - len(table.pending) + 1
            rows.append(LogRow(table.id, first, table.pending))
            if first == 1:
                opened.append(new_row(table))
            if table.status == "over":
                closed.append(table.listed())
        try:
            self.store.commit(Group(opened, rows, closed, self.sources.wall_ms()))
        except StoreBusyError as error:
            self.counters["commits_failed"] += 1
            log.error("not stored", extra={"fields": {"tables": len(dirty), "why": str(error)}})
            self._take_back(dirty, at_risk)
            return []
        self.counters["commits"] += 1
        events: list[tuple[str, bytes]] = []
        for (id, first, happened), table in zip(rows, dirty.values(), strict=True):
            self.counters["events"] += len(happened)
            table.pending = []
            if table.status == "over":
                self.tables.settled(table)
                self.quota.closed(id)
            if self.wanted(id):
                events += [
                    (f"table.{id}", event_line(seq, event).encode())
                    for seq, event in enumerate(happened, first)
                ]
        return events

    def _take_back(self, dirty: dict[str, Table], at_risk: "list[_AtRisk]") -> None:
        """Nothing of this step happened: tables are as the store has them, replies say busy."""
        busy = refused(Code.BUSY, "the store cannot be written now; nothing was changed")
        for place, connection, id, json in at_risk:
            self._replies[place] = connection, write_error(busy, id, json)
        now = self._now
        for id in dirty:
            table = self.tables.reload(id)
            if table is None:
                self.quota.closed(id)
            for waiter in list(self.waiting.at(id)):
                self._answer_waiter(waiter, busy)
            if table is not None:
                play.run_clock(table, now)
                self._alarm(table, now)
        self._at_risk = []
