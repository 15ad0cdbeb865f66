"""The events of a table as the page shows them: sentences, boards and moves."""

from functools import singledispatchmethod
from typing import Literal

from acey_grammar import parse_play
from acey_grammar.diagram import due_text
from acey_grammar.printable import printable
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
    Stopped,
)
from acey_rules import AMERICAN, NAME, Play, Position, RuleSet, Side, State, rule_set
from acey_viewer.film import moves_json
from acey_viewer.jsontext import Json
from acey_viewer.pageboard import page_position
from acey_viewer.svg import NAME_COLUMNS, describe_position

Shown = dict[str, Json]
"""One event as table.js takes it."""
BoardKind = Literal["opened", "game", "rolled", "named", "played"]
"""Kinds of events that show a board."""
_SIDES = {"x": Side.X, "o": Side.O}


def side_of(letter: Letter) -> Side:
    """The side of a seat's letter."""
    return _SIDES[letter]


class TableFilm:
    """Takes a table's events from the first on, in order, and says what each shows."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self.rules: RuleSet = AMERICAN
        self.names = {"X": "", "O": ""}
        self._state: State | None = None
        self._match = 0
        self._score = (0, 0)

    def take(self, seq: int, event: AnyEvent) -> Shown:
        """One event with its number, as the page takes it."""
        return {"seq": seq, **self._show(event)}

    @singledispatchmethod
    def _show(self, event: AnyEvent) -> Shown:
        return {"kind": "note", "caption": event.text()}

    @_show.register
    def _(self, event: Opened) -> Shown:
        self.rules = rule_set(event.rules)
        self.names = {
            "X": printable(event.x, NAME_COLUMNS),
            "O": printable(event.o, NAME_COLUMNS),
        }
        self._match = event.match
        about = [self.rules.name, f"match to {event.match}" if event.match else "single game"]
        about += [f"clock {event.clock}"] * bool(event.clock)
        start = State(self.rules, Position.start(self.rules.setup), Side.X, ())
        shown = self._board("opened", "The table was opened", start)
        shown |= {"names": self.names, "about": " · ".join(about), "score": [0, 0]}
        if event.clock:  # banks are told again only when they have changed
            bank = int(event.clock.partition("+")[0]) * 1000
            shown["clock"] = {"x": bank, "o": bank, "running": ""}
        return shown

    @_show.register
    def _(self, event: Seated) -> Shown:
        return {"kind": "seated", "caption": f"{event.side.upper()} has sat down"}

    @_show.register
    def _(self, event: Nonce) -> Shown:
        return {"kind": "note", "caption": f"{event.side.upper()} added a number to the dice"}

    @_show.register
    def _(self, event: Opening) -> Shown:
        x_die, o_die = event.dice
        tie = "; they are tied and rolled again" if x_die == o_die else ""
        return {"kind": "note", "caption": f"Opening dice: X {x_die}, O {o_die}{tie}"}

    @_show.register
    def _(self, event: Began) -> Shown:
        self._state = State.parse(event.position, self.rules)
        self._score = (event.x_score, event.o_score)
        caption = f"Game {event.game} begins; {self._state.turn.name} starts"
        return self._board("game", caption, self._state) | {"score": list(self._score)}

    @_show.register
    def _(self, event: Rolled) -> Shown:
        state = State.parse(event.position, self.rules)
        self._state = state
        caption = f"{state.turn.name} rolls {event.dice[0]}-{event.dice[1]}"
        return self._board("rolled", caption, state) | {"acey": NAME in state.agenda[1:2]}

    @_show.register
    def _(self, event: Named) -> Shown:
        state = State.parse(event.position, self.rules)
        self._state = state
        return self._board("named", f"{state.turn.name} names {event.number}-{event.number}", state)

    @_show.register
    def _(self, event: Played) -> Shown:
        before, after = self._state, State.parse(event.position, self.rules)
        self._state = after
        side = side_of(event.side)
        moved = f"plays {event.play}" if event.play != "-" else "cannot move"
        shown = self._board("played", f"{side.name} {moved}", after)
        shown |= {"side": side.name, "dice": [], "moves": []}
        if before is not None and before.dice is not None:
            play: Play = before.find(parse_play(event.play))
            shown |= {"dice": _all_dice(before), "moves": moves_json(play)}
        return shown

    @_show.register
    def _(self, event: ClockRead) -> Shown:
        running = self._state.turn.name if self._state is not None else ""
        return {
            "kind": "clock",
            "clock": {"x": event.x_ms, "o": event.o_ms, "running": running},
        }

    @_show.register
    def _(self, event: Over) -> Shown:
        winner = event.winner.upper()
        x, o = self._score
        self._score = (x + event.points, o) if winner == "X" else (x, o + event.points)
        points = "point" if event.points == 1 else "points"
        caption = f"{winner} wins {event.points} {points} {event.how}".rstrip()
        return {"kind": "over", "caption": caption, "due": "", "score": list(self._score)}

    @_show.register
    def _(self, event: MatchOver) -> Shown:
        caption = f"{event.winner.upper()} wins the match {event.x_score}–{event.o_score}"
        if not self._match:
            caption = "The table is closed"
        return {"kind": "match", "caption": caption, "due": ""}

    @_show.register
    def _(self, event: Stopped) -> Shown:
        return {"kind": "note", "caption": f"The table stops: {printable(event.reason, 100)}"}

    def _board(self, kind: BoardKind, caption: str, state: State) -> Shown:
        over = not state.agenda
        return {
            "kind": kind,
            "caption": caption,
            "due": "" if over else due_text(state.turn, state.agenda),
            "line": state.line,
            "position": page_position(state.position),
            "words": describe_position(state.position),
            "side": state.turn.name,
            "turn": "" if over else state.turn.name,
            "dice": _all_dice(state),
            "moves": [],
        }


def _all_dice(state: State) -> list[int]:
    """The dice to play, four of a double."""
    dice = list(state.dice or ())
    return dice * 2 if len(set(dice)) == 1 else dice
