"""The verbs of tables: what each does with a request. spec/protocol.md §6."""

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from acey_daemon import play
from acey_daemon.answering import LATER, Call, Handler, Outcome
from acey_daemon.past import again
from acey_daemon.recording import record
from acey_daemon.registry import key_of, table_name
from acey_daemon.scripts import read_script
from acey_daemon.table import Private, Table, letter_of
from acey_daemon.views import awaited
from acey_daemon.waiting import Seeker, Waiter, Wish
from acey_protocol.errors import Code, refused
from acey_protocol.events import Opened
from acey_protocol.replies import (
    Acted,
    Awaited,
    Done,
    History,
    Listed,
    Numbered,
    OpenedTable,
    Sought,
    Stats,
    Tables,
)
from acey_rules import How, RuleSet, Side, commitment

if TYPE_CHECKING:
    from acey_daemon.service import Service

SECRET_BYTES: Final = 32
TOKEN_BYTES: Final = 16
MOST_AT_A_TABLE: Final = 128
"""Requests that wait at one table; each is looked at whenever something happens there."""
MOST_WAITING: Final = 100_000
"""Requests that wait in all, those of connections that are gone included."""
PAGE: Final = 1000
"""Events or tables in one reply."""


def table_verbs(service: "Service") -> dict[str, Handler]:
    """The handlers of the verbs that need tables."""
    verbs = _TableVerbs(service)
    return {
        "open": verbs.open,
        "seek": verbs.seek,
        "nonce": verbs.nonce,
        "await": verbs.wait,
        "play": verbs.play,
        "name": verbs.name,
        "roll": verbs.roll,
        "resign": verbs.resign,
        "leave": verbs.leave,
        "state": verbs.state,
        "history": verbs.history,
        "record": verbs.record,
        "tables": verbs.tables,
        "stats": verbs.stats,
    }


class _TableVerbs:
    """The verbs, over one service."""

    def __init__(self, service: "Service") -> None:
        self._service = service

    # --- coming to a table -----------------------------------------------------------------------

    def open(self, call: Call) -> Outcome:
        rules = cast(RuleSet, call.values["rules"])
        opened = Opened(
            rules=_rules_text(rules),
            dice=call.text("dice"),
            x=call.text("x"),
            o=call.text("o"),
            match=cast(int, call.values["match"]),
            clock=_clock_text(call),
        )
        return self._open(opened, call)

    def _open(self, opened: Opened, call: Call) -> OpenedTable:
        service = self._service
        if len(service.tables) >= service.settings.max_tables:
            raise refused(Code.BUSY, f"there are {len(service.tables)} open tables, no more fit in")
        service.quota.may_open(call.connection.name)
        entropy = service.sources.entropy
        kind, _, value = opened.dice.partition(":")
        script = read_script(_folder(service.settings.dice_dir), value) if kind == "file" else ""
        secret = entropy(SECRET_BYTES) if kind == "fair" else b""
        if secret:
            opened = _with_commitment(opened, commitment(secret))
        id = table_name(entropy(5))
        while service.tables.known(id):
            id = table_name(entropy(5))
        tokens = [entropy(TOKEN_BYTES).hex() for _ in Side]
        private = Private((key_of(tokens[0]), key_of(tokens[1])), secret, script)
        table = Table(id, private, opened)
        table.pending.append(opened)
        service.tables.add(table)
        service.quota.opened(call.connection.name, id)
        service.touched(table, call.now)
        return OpenedTable(id, tokens[0], tokens[1], opened.commitment)

    def seek(self, call: Call) -> Outcome:
        service = self._service
        rules = cast(RuleSet, call.values["rules"])
        match = cast(int, call.values["match"])
        wish = Wish(rules, match, cast(tuple[int, int] | None, call.values["clock"]))
        other = service.waiting.first_seeker(wish)
        timeout = cast(float, call.values["timeout"])
        if other is None:
            if not timeout:
                return Sought()
            self._may_wait(call)
            service.wait(Seeker(call, wish, call.text("name")), call.now + timeout)
            return LATER
        # A coin decides the sides, so that waiting first is worth nothing.
        swap = service.sources.entropy(1)[0] & 1
        names = (other.name, call.text("name"))
        opened = Opened(
            rules=_rules_text(rules),
            dice="fair",
            x=names[swap],
            o=names[1 - swap],
            match=match,
            clock=_clock_text(call),
        )
        table = self._open(opened, call)
        tokens = (table.x, table.o)
        theirs, mine = (Side.O, Side.X) if swap else (Side.X, Side.O)
        service.answer_seeker(other, Sought(table.table, letter_of(theirs), tokens[theirs]))
        return Sought(table.table, letter_of(mine), tokens[mine])

    def nonce(self, call: Call) -> Outcome:
        table, side = self._seat(call)
        if table.status == "over":
            raise play.over(table)
        play.add_nonce(table, side, call.text("nonce"))
        self._service.touched(table, call.now)
        return Done()

    def wait(self, call: Call) -> Outcome:
        table, side = self._seat(call)
        play.take_seat(table, side, call.now)
        self._service.touched(table, call.now)
        answer = awaited(table, side)
        if answer is not None:
            return answer
        timeout = cast(float, call.values["timeout"])
        if not timeout:
            return Awaited("wait")
        self._may_wait(call)
        if len(self._service.waiting.at(table.id)) >= MOST_AT_A_TABLE:
            raise refused(Code.RATE_LIMITED, f"{MOST_AT_A_TABLE} requests wait at this table")
        self._service.wait(Waiter(call, table.id, side), call.now + timeout)
        return LATER

    def _may_wait(self, call: Call) -> None:
        most = self._service.settings.max_waiting_each
        if self._service.waiting.pending(call.connection.name) >= most:
            raise refused(
                Code.RATE_LIMITED, f"{most} requests of this connection wait for their reply"
            )
        if len(self._service.waiting) >= MOST_WAITING:
            raise refused(
                Code.BUSY, f"{MOST_WAITING} requests wait for their reply, no more fit in"
            )

    # --- deciding --------------------------------------------------------------------------------

    def play(self, call: Call) -> Outcome:
        table, side = self._seat(call)
        text = call.text("play")
        repeated = self._again(call, table, side, f"play {text}")
        if repeated is not None:
            return repeated
        _must_be_taken(table, side)
        answer = play.play(table, side, text, call.now)
        self._service.touched(table, call.now)
        return answer

    def name(self, call: Call) -> Outcome:
        table, side = self._seat(call)
        number = cast(int, call.values["number"])
        repeated = self._again(call, table, side, f"name {number}")
        if repeated is not None:
            return repeated
        _must_be_taken(table, side)
        answer = play.name(table, side, number, call.now)
        self._service.touched(table, call.now)
        return answer

    def roll(self, call: Call) -> Outcome:
        table, side = self._seat(call)
        dice = cast(tuple[int, int], call.values["dice"])
        repeated = self._again(call, table, side, f"roll {dice[0]}{dice[1]}")
        if repeated is not None:
            return repeated
        if table.manual and side is Side.X and table.seated[Side.O]:
            play.take_seat(table, side, call.now)  # now the roll for the start is X's to make
        elif table.manual:
            _must_be_taken(table, side)
        answer = play.roll(table, side, dice)
        self._service.touched(table, call.now)
        return answer

    def resign(self, call: Call) -> Outcome:
        table, side = self._seat(call)
        repeated = self._again(call, table, side, "resign")
        if repeated is not None:
            return repeated
        answer = play.resign(table, side, How.RESIGNATION, call.now)
        self._service.touched(table, call.now)
        return answer

    def leave(self, call: Call) -> Outcome:
        table, side = self._seat(call)
        last = table.last
        if last is not None and last.action == "leave" and last.side is side:
            return Acted(last.ply, last.position, last.over)
        answer = play.resign(table, side, How.FORFEIT, call.now)
        self._service.touched(table, call.now)
        return answer

    def _again(self, call: Call, table: Table, side: Side, action: str) -> Acted | None:
        """The reply to an action that was done before, or None. Raises StalePly."""
        ply = cast(int | None, call.values["ply"])
        if ply is None or ply == table.ply:
            return None
        return again(self._service.store, table, side, ply, action)

    # --- asking ----------------------------------------------------------------------------------

    def state(self, call: Call) -> Outcome:
        return self._service.tables.find(call.text("table")).public(call.now)

    def history(self, call: Call) -> Outcome:
        table = self._service.tables.find(call.text("table"))
        start = cast(int, call.values["from"])
        events = list(self._service.store.history(table.id, start, PAGE))
        first_pending = table.seq - len(table.pending) + 1
        events += [
            (seq, event) for seq, event in enumerate(table.pending, first_pending) if seq >= start
        ]
        events = events[:PAGE]
        following = events[-1][0] + 1 if events else max(start, table.seq + 1)
        return History(tuple(Numbered(seq, event) for seq, event in events), following)

    def record(self, call: Call) -> Outcome:
        table = self._service.tables.find(call.text("table"))
        return record(self._service.store, table, call.text("format"))

    def tables(self, call: Call) -> Outcome:
        status, start = call.text("status"), call.text("from")
        found: list[Listed] = []
        if status != "over":
            ids = sorted(table.id for table in self._service.tables.live() if table.id >= start)
            found += [self._service.tables.find(id).listed() for id in ids[: PAGE + 1]]
        if status != "open":
            found += self._service.store.closed_tables(start, PAGE + 1)
        found.sort(key=lambda listed: listed.table)
        following = found[PAGE].table if len(found) > PAGE else ""
        return Tables(tuple(found[:PAGE]), following)

    def stats(self, call: Call) -> Outcome:
        return Stats(self._service.stats(call.now))

    def _seat(self, call: Call) -> tuple[Table, Side]:
        return self._service.tables.seat(call.text("table"), call.text("token"))


def _must_be_taken(table: Table, side: Side) -> None:
    """Raise NotYourTurn before a seat is taken, since what is refused must not take it."""
    if table.status == "waiting" and not table.seated[side]:
        raise refused(
            Code.NOT_YOUR_TURN, f"the seat of {side.name} is not taken yet: await takes it"
        )


def _folder(text: str) -> Path | None:
    return Path(text) if text else None


def _rules_text(rules: RuleSet) -> str:
    return rules.fields_text() if rules.name == "custom" else rules.name


def _clock_text(call: Call) -> str:
    clock = cast(tuple[int, int] | None, call.values["clock"])
    return "" if clock is None else f"{clock[0] // 1000}+{clock[1] // 1000}"


def _with_commitment(opened: Opened, text: str) -> Opened:
    return Opened(
        rules=opened.rules,
        dice=opened.dice,
        x=opened.x,
        o=opened.o,
        match=opened.match,
        clock=opened.clock,
        commitment=text,
    )
