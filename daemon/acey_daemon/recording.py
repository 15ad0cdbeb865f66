"""From a table's events to the record of its match. spec/protocol.md §6.3, spec/records.md."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime

from acey_daemon.answering import Outcome, Written
from acey_daemon.store import Store
from acey_daemon.table import Table
from acey_grammar import rule_tags, write_games
from acey_grammar.record import HowName, Result, RollKind, RollRecord, SideName, TurnRecord
from acey_protocol.errors import Code, refused
from acey_protocol.events import (
    AnyEvent,
    Began,
    MatchOver,
    Named,
    Opening,
    Over,
    Played,
    Rolled,
)
from acey_protocol.records import DiceRecord, GameRecord, MatchRecord, encode_json
from acey_protocol.replies import Record

NO_NAME = "?"
"""What records call a player whose name is not known."""

_HOWS: dict[str, HowName] = {
    "": "play",
    "by resignation": "resignation",
    "on time": "time",
    "by forfeit": "forfeit",
}


def record(store: Store, table: Table, form: str) -> Outcome:
    """The record of a table in a format. Raises BadArgument, StoreError."""
    match = match_record(store, table)
    if form == "json":
        return Written(encode_json(match).decode())
    if form == "acey":
        return Record(write_games(match.games).rstrip("\n"))
    raise refused(Code.BAD_ARGUMENT, f"format: it is acey or json, not {form[:40]!r}")


def match_record(store: Store, table: Table) -> MatchRecord:
    """The record of a table, as far as it has come. Raises StoreError."""
    stored: list[tuple[int, AnyEvent]] = []
    times: list[tuple[int, int]] = []
    for first, at_ms, events in store.rows(table.id, 1):
        times.append((first, at_ms))
        stored += enumerate(events, first)
    stored += enumerate(table.pending, len(stored) + 1)
    return match_of(table, stored, times)


def match_of(
    table: Table, events: Sequence[tuple[int, AnyEvent]], times: Sequence[tuple[int, int]]
) -> MatchRecord:
    """The record that numbered events make; ``times`` says when which were written (ms)."""
    games = _Games(table, times)
    for number, event in events:
        games.add(number, event)
    winner = games.match_over.winner if games.match_over else None
    opened = table.opened
    return MatchRecord(
        x=opened.x or NO_NAME,
        o=opened.o or NO_NAME,
        rules=opened.rules,
        games=games.records(),
        length=opened.match,
        score=(table.score[0], table.score[1]),
        winner=_side(winner) if winner and opened.match else None,
        clock=opened.clock or None,
        dice=_dice(table),
    )


def _dice(table: Table) -> DiceRecord:
    opened = table.opened
    match opened.dice.partition(":"):
        case ("fair", _, _):
            end = table.over or table.stopped
            secret = end.secret if end is not None else ""
            return DiceRecord("fair", opened.commitment, secret, table.nonces[0], table.nonces[1])
        case ("seed", _, seed):
            return DiceRecord("seed", seed=int(seed))
        case ("manual", _, _):
            return DiceRecord("manual")
        case _:
            return DiceRecord("file")


class _Game:
    """A game while its events are gathered."""

    def __init__(self, began: Began, opening: list[str], date: str) -> None:
        self.began = began
        self.opening = opening
        self.date = date
        self.turns: list[TurnRecord] = []
        self.result: Result | None = None


class _Games:
    """Gathers a table's events into games."""

    def __init__(self, table: Table, times: Sequence[tuple[int, int]]) -> None:
        self._table = table
        self._times = times
        self._games: list[_Game] = []
        self._opening: list[str] = []
        self._kind: RollKind = "rolled"
        self._dice = ""
        self._side: SideName = "X"
        self._rolls: list[RollRecord] = []
        self._spent = 0
        self.match_over: MatchOver | None = None

    def add(self, seq: int, event: AnyEvent) -> None:
        """Take an event."""
        match event:
            case Opening():
                self._opening.append(event.dice)
            case Began():
                self._games.append(_Game(event, self._opening, self._date(seq)))
                self._opening = []
                if self._table.rules.opening == "play" and self._games[-1].opening:
                    self._kind, self._dice = (
                        "rolled",
                        "".join(sorted(self._games[-1].opening[-1], reverse=True)),
                    )
            case Rolled():
                self._kind, self._dice = "rolled", event.dice
            case Named():
                self._kind, self._dice = "named", f"{event.number}{event.number}"
                self._spent += event.spent_ms
            case Played():
                self._played(event)
            case Over():
                self._close()
                self._games[-1].result = Result(_side(event.winner), event.points, _HOWS[event.how])
            case MatchOver():
                self.match_over = event
            case _:
                pass

    def _played(self, event: Played) -> None:
        side = _side(event.side)
        if side != self._side:
            self._close()
            self._side = side
        self._rolls.append(RollRecord(self._dice, event.play, self._kind))
        self._spent += event.spent_ms
        # Unless a roll or a name comes next, what comes next is the complement of this double.
        if self._dice[0] == self._dice[1]:
            complement = 7 - int(self._dice[0])
            self._kind, self._dice = "complement", f"{complement}{complement}"
        if event.position.split(":")[3] != event.side:
            self._close()

    def _close(self) -> None:
        if self._rolls:
            seconds = self._spent / 1000 if self._table.clock is not None else None
            self._games[-1].turns.append(
                TurnRecord(self._side, tuple(self._rolls), seconds=seconds)
            )
        self._rolls, self._spent = [], 0

    def _date(self, seq: int) -> str:
        place = bisect_right(self._times, (seq, 1 << 62)) - 1
        if place < 0:
            return ""
        return datetime.fromtimestamp(self._times[place][1] / 1000, UTC).strftime("%Y-%m-%d")

    def records(self) -> tuple[GameRecord, ...]:
        """The games so far, the last one perhaps unfinished."""
        self._close()
        return tuple(
            GameRecord(tuple(self._tags(game)), tuple(game.turns), game.result)
            for game in self._games
        )

    def _tags(self, game: _Game) -> list[tuple[str, str]]:
        table = self._table
        opened = table.opened
        dice = _dice(table)
        began = game.began
        tags = [
            ("Date", game.date),
            ("Table", table.id),
            ("Game", str(began.game)),
            ("X", opened.x or NO_NAME),
            ("O", opened.o or NO_NAME),
            *rule_tags(table.rules),
            ("Match", str(opened.match)),
            ("Score", f"{began.x_score}-{began.o_score}"),
            ("Opening", " ".join("-".join(throw) for throw in game.opening)),
            ("Clock", opened.clock),
            ("Dice", opened.dice),
            ("Commitment", dice.commitment),
            ("XNonce", dice.x_nonce),
            ("ONonce", dice.o_nonce),
            ("Secret", dice.secret),
        ]
        return [(name, value) for name, value in tags if value]


def _side(letter: str) -> SideName:
    return "X" if letter == "x" else "O"
