"""A table: what its events make of it. spec/protocol.md §6.

``fold`` is the only thing that changes a table, live and when it is brought back from the store:
everything a table does is an event first. Who may do what, and what the table does by itself, is
play.py.
"""

from typing import Literal, NamedTuple

from acey_daemon.clock import TableClock
from acey_protocol.arguments import Clock
from acey_protocol.events import (
    AnyEvent,
    Began,
    ClockRead,
    Letter,
    MatchOver,
    Named,
    Nonce,
    Opened,
    Opening,
    Over,
    Played,
    Rolled,
    Seated,
    Snapshot,
    Stopped,
)
from acey_protocol.replies import ClockState, Listed, Result, TableState
from acey_rules import (
    NAME,
    ROLL,
    DiceError,
    DiceSource,
    Draw,
    Position,
    ScriptedDice,
    Side,
    State,
    StreamDice,
    rule_set,
    seeded,
)

Status = Literal["waiting", "opening", "playing", "over"]
Due = Literal["play", "name", "roll"]


class Private(NamedTuple):
    """What a table keeps to itself."""

    keys: tuple[bytes, bytes]
    """SHA-256 of the tokens of X and of O."""
    secret: bytes = b""
    """The secret of fair dice."""
    script: str = ""
    """The text of scripted dice."""


class Past(NamedTuple):
    """An action that was done, and what was answered to it."""

    ply: int
    side: Side
    action: str
    """``play off/19 off/22``, ``name 6``, ``roll 63``, ``resign``."""
    written: str
    """The play as it was written."""
    position: str
    over: Result | None


class Table:
    """One table; see the module. Everything here is read by others and changed by ``fold``."""

    __slots__ = (
        "_dice",
        "_last",
        "alarm",
        "clock",
        "draws",
        "game",
        "id",
        "nonces",
        "opened",
        "opening",
        "over",
        "pending",
        "ply",
        "private",
        "result",
        "rolls",
        "rules",
        "score",
        "seated",
        "seq",
        "state",
        "status",
        "stopped",
    )

    def __init__(self, id: str, private: Private, opened: Opened) -> None:
        """A table as its first event says it."""
        self.id = id
        self.private = private
        self.opened = opened
        self.rules = rule_set(opened.rules)
        spec = Clock().read(opened.clock)
        self.clock = TableClock(*spec) if spec else None
        self.status: Status = "waiting"
        self.seq = 1
        """Sequence number of the last event."""
        self.ply = 1
        """The ply that comes next."""
        self.seated = [False, False]
        self.nonces = ["", ""]
        self.game = 0
        self.score = [0, 0]
        self.state: State | None = None
        self.opening: list[str] = []
        self.rolls = [0, 0]
        self.draws = 0
        self._last: Past | Played | Rolled | Named | Opening | None = None
        self.result: Result | None = None
        self.over: MatchOver | None = None
        self.stopped: Stopped | None = None
        self.pending: list[AnyEvent] = []
        """Events that are not on disk yet, the last of them with ``seq``."""
        self.alarm: float | None = None
        """When the service looks at the clock again."""
        self._dice: DiceSource | None = None

    # --- what happens ------------------------------------------------------------------------

    def fold(  # noqa: PLR0912 - a branch for each event
        self, event: AnyEvent, state: State | None = None
    ) -> None:
        """Let the table become what the event makes of it.

        ``state`` is what the event's position line says, for whoever has it at hand.
        """
        self.seq += 1
        match event:
            case Played():
                self.state = state or State.parse(event.position, self.rules)
                self._done(event)
                self._charge(event.side, event.spent_ms)
            case Rolled():
                side = _side(event.side)
                self.rolls[side] += 1
                self.draws += 1
                self.state = state or State.parse(event.position, self.rules)
                self._done(event)
            case Named():
                self.state = state or State.parse(event.position, self.rules)
                self._done(event)
                self._charge(event.side, event.spent_ms)
            case ClockRead():
                if self.clock is not None:
                    self.clock.used = event.used_ms
                    if not event.used_ms:
                        self.clock.told = (event.x_ms, event.o_ms)
            case Seated():
                self.seated[_side(event.side)] = True
                self._charge(event.side, event.late_ms)
            case Opening():
                self.status = "opening"
                self.opening.append(event.dice)
                self.draws += 1
                self._done(event)
            case Began():
                self._begin(event)
            case Over():
                self._game_over(event)
            case MatchOver():
                self.status = "over"
                self.over = event
            case Nonce():
                self.nonces[_side(event.side)] = event.nonce
            case Stopped():
                self.status = "over"
                self.stopped = event
            case Opened() | Snapshot():
                raise ValueError(f"a table has no event {event.text()!r} in its middle")

    def emit(self, event: AnyEvent, state: State | None = None) -> None:
        """Let something happen now: it is folded and waits to be stored."""
        self.fold(event, state)
        self.pending.append(event)

    def _done(self, event: Played | Rolled | Named | Opening) -> None:
        self.ply = event.ply + 1
        self._last = event

    def _charge(self, side: str, spent: int) -> None:
        if self.clock is not None:
            self.clock.charge(_side(side), spent)

    def _begin(self, event: Began) -> None:
        self.status = "playing"
        self.game = event.game
        self.state = State.parse(event.position, self.rules)
        self.rolls = [0, 0]
        last = self.last
        if self.opening and last is not None:  # the throw that was just made
            self._last = last._replace(position=event.position)
        self.opening = []

    def _game_over(self, event: Over) -> None:
        winner = _side(event.winner)
        self.score[winner] += event.points
        self._charge(letter_of(winner.other), event.spent_ms)
        score = (self.score[0], self.score[1]) if self.opened.match else None
        self.result = Result(event.winner, event.points, event.how, score)
        self.status = "opening"
        if self.clock is not None and not self.decided:
            self.clock.refill()
        if event.ply:
            assert self.state is not None
            self.ply = event.ply + 1
            action = {"by resignation": "resign", "by forfeit": "leave"}.get(event.how, "time")
            self._last = Past(event.ply, winner.other, action, "", self.state.line, self.result)
        elif (last := self.last) is not None:
            self._last = last._replace(over=self.result)

    # --- what is asked -------------------------------------------------------------------------

    @property
    def last(self) -> Past | None:
        """The action that was done last."""
        match self._last:
            case Played(side, play, position, ply, _, written):
                return Past(ply, _side(side), f"play {play}", written, position, None)
            case Rolled(side, dice, position, ply):
                return Past(ply, _side(side), f"roll {dice}", "", position, None)
            case Named(side, number, position, ply):
                return Past(ply, _side(side), f"name {number}", "", position, None)
            case Opening(dice, ply):
                return Past(ply, Side.X, f"roll {dice}", "", self.start_state().line, None)
            case last:
                return last

    @property
    def manual(self) -> bool:
        """Whether the players roll."""
        return self.opened.dice == "manual"

    @property
    def decided(self) -> bool:
        """Whether the last game decided the match."""
        return self.result is not None and max(self.score) >= self.opened.match

    @property
    def ready(self) -> bool:
        """Whether both seats are taken."""
        return all(self.seated)

    def start_state(self) -> State:
        """What a game starts from before the opening dice; X stands in for who will start."""
        return State(self.rules, Position.start(self.rules.setup), Side.X, (ROLL,))

    def decision(self) -> tuple[Side, Due] | None:
        """Who has to decide what; None when nobody has."""
        if self.status == "opening" and self.manual and self.ready:
            return Side.X, "roll"
        if self.status == "waiting" and self.manual and self.ready:
            return Side.X, "roll"
        if self.status != "playing" or self.state is None or self.state.outcome is not None:
            return None
        stage = self.state.agenda[0]
        if stage is ROLL:
            return (self.state.turn, "roll") if self.manual else None
        return self.state.turn, "name" if stage is NAME else "play"

    def draw(self, side: Side | None) -> tuple[int, int]:
        """The next dice: of ``side``, or of the opening. Raises DiceError when there are none."""
        if self._dice is None:
            self._dice = self._source()
        game = self.game + (side is None)
        number = len(self.opening) + 1 if side is None else self.rolls[side] + 1
        return self._dice.draw(Draw(game, side, number, self.draws))

    def _source(self) -> DiceSource:
        kind, _, value = self.opened.dice.partition(":")
        match kind:
            case "fair":
                return StreamDice(self.private.secret, *self.nonces)
            case "seed":
                return seeded(int(value))
            case "file":
                return ScriptedDice.parse(self.private.script)
            case _:
                raise DiceError("the players roll the dice of this table")

    def clock_state(self, now: float) -> ClockState | None:
        """The clocks now, or None."""
        clock = self.clock
        if clock is None:
            return None
        running = None if clock.running is None else letter_of(clock.running)
        return ClockState(clock.left(Side.X, now), clock.left(Side.O, now), clock.delay, running)

    def snapshot(self, now: float) -> Snapshot:
        """What a new subscriber is told."""
        clock = self.clock_state(now)
        return Snapshot(
            "" if self.state is None else self.state.line,
            self.game,
            self.score[0],
            self.score[1],
            None if clock is None else clock.x_ms,
            None if clock is None else clock.o_ms,
        )

    @property
    def clock_runs(self) -> bool:
        """Whether somebody will lose on time if nothing happens."""
        return self.clock is not None and self.clock.running is not None

    def public_status(self) -> Literal["waiting", "playing", "over"]:
        """The status as lists tell it."""
        return "playing" if self.status == "opening" else self.status

    def public(self, now: float) -> TableState:
        """All that anybody may know of the table."""
        position = None if self.state is None else self.state.position
        seats = "".join(side.letter for side in Side if self.seated[side])
        return TableState(
            table=self.id,
            status=self.public_status(),
            seq=self.seq,
            ply=self.ply,
            rules=self.opened.rules,
            x=self.opened.x,
            o=self.opened.o,
            match=self.opened.match,
            dice=self.opened.dice,
            seated=seats or "-",
            game=self.game,
            score=(self.score[0], self.score[1]),
            position=None if self.state is None else self.state.line,
            pips=None if position is None else (position.pips(Side.X), position.pips(Side.O)),
            clock=self.clock_state(now),
            over=self.result if self.status == "over" and self.stopped is None else None,
            commitment=self.opened.commitment,
        )

    def listed(self) -> Listed:
        """The table's row in a list."""
        opened = self.opened
        return Listed(
            self.id,
            self.public_status(),
            opened.rules,
            opened.x,
            opened.o,
            opened.match,
            (self.score[0], self.score[1]),
        )


def letter_of(side: Side) -> Letter:
    """A side as events write it."""
    return "x" if side is Side.X else "o"


def _side(letter: str) -> Side:
    return Side.X if letter == "x" else Side.O
