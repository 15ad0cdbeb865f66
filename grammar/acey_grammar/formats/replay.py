"""Carrying out under a rule set what a file says happened. spec/formats/README.md §3.

The rules say what a line means where the format does not: whether a double of the same player is
named, and whether a roll is a bonus. A replay goes on after a fault wherever the board can.
"""

from typing import Final

from acey_grammar.faults import Fault, Place
from acey_grammar.formats.direct import carry_out, find_play, moves_between
from acey_grammar.formats.due import pass_over, roll_text, take_dice
from acey_grammar.formats.ending import Ending, judge_ending
from acey_grammar.formats.raw import (
    Cube,
    GaveUp,
    Item,
    Mark,
    Passed,
    RawGame,
    Remark,
    Rolled,
    SetUp,
    Told,
    Took,
)
from acey_grammar.formats.recording import Recording
from acey_grammar.formats.verdict import SIDE_NAMES, Notice, Verdict
from acey_grammar.record import RollKind
from acey_rules import (
    NAME,
    ROLL,
    AmbiguousPlay,
    IllegalAction,
    Name,
    Play,
    Position,
    Rule,
    RuleSet,
    Side,
    State,
    WrittenMove,
    WrittenPlay,
)

LARGEST_CUBE: Final = 1 << 20
"""No match is for so many points."""
ALTERNATIVES: Final = 5
"""How many legal plays a fault offers."""


def replay(raw: RawGame, rules: RuleSet) -> Verdict:
    """The game as a record, with everything that is wrong with it under the rule set."""
    return Replay(raw, rules).run()


class Replay:
    """One replay; the state is the game so far."""

    def __init__(self, raw: RawGame, rules: RuleSet) -> None:
        """Begin at the start of the game."""
        self.raw = raw
        self.rules = rules
        self.faults: list[Fault] = []
        self.notices: list[Notice] = []
        self.recording = Recording(raw, rules)
        rolls = [item for item in raw.items if isinstance(item, Rolled)]
        self.last = rolls[-1] if rolls else None
        self.first = next((roll.side for roll in rolls), None) or Side.X
        start = Position.parse(raw.start) if raw.start else Position.start(rules.setup)
        turn = self.first if raw.turn is None else raw.turn
        self.state = State(rules, start, turn, (ROLL,))
        self.fresh = True
        """Whether the next roll starts a turn."""
        self.stopped = False
        """Whether the position is no longer known."""
        self.lost = False
        """Whether it was lost otherwise than by the end of the text."""
        self.unchecked = 0
        self.turns = 0
        self.cube = raw.cube
        self.offered: Cube | None = None
        self.dropped: Cube | None = None
        self.gave_up: GaveUp | None = None
        self.unplayed: Rolled | None = None
        """The last roll of the game, where the file does not say how it was played."""

    def run(self) -> Verdict:
        """Carry out everything and judge the end."""
        for item, then in zip(self.raw.items, self._next_sides(), strict=True):
            self._take(item, then)
        if self.unchecked:
            line = self.last.place.line if self.last else 0
            rolls = f"{self.unchecked} rolls after that were"
            if self.unchecked == 1:
                rolls = "1 roll after that was"
            message = f"the position was lost; {rolls} not checked"
            self.notices.append(Notice("unchecked", line, 1, message))
        ending = judge_ending(self)
        return self._verdict(ending)

    def clean(self) -> bool:
        """Carry out everything up to the first fault; whether there is none."""
        if self.raw.faults:
            return False
        for item, then in zip(self.raw.items, self._next_sides(), strict=True):
            self._take(item, then)
            if self.faults:
                return False
        return not judge_ending(self).faults

    def _take(self, item: Item, then: Side | None) -> None:
        """Carry out one item; ``then`` has the next roll after it."""
        match item:
            case Rolled():
                self._rolled(item, then)
            case Passed():
                pass_over(self, item)
            case Cube():
                self._cubed(item)
            case GaveUp():
                self.gave_up = item
            case Remark():
                self.recording.remark(item.text)
            case Mark():
                self.recording.mark(item.glyph)
            case Took():
                self.recording.took(item.seconds)
            case SetUp():
                self._set_up(item)

    def _next_sides(self) -> list[Side | None]:
        """For each item who has the next roll after it, as far as the file says."""
        sides: list[Side | None] = []
        side: Side | None = None
        for item in reversed(self.raw.items):
            sides.append(side)
            side = item.side if isinstance(item, Rolled) else side
        return sides[::-1]

    # --- rolls ----------------------------------------------------------------------------

    def _rolled(self, roll: Rolled, then: Side | None) -> None:
        if roll.told not in (Told.UNKNOWN, Told.CUT):
            self.turns += 1
        self.gave_up = None  # play went on, so the offer was refused
        if self.stopped:
            self.unchecked += 1
            return
        if self.state.outcome is not None:
            self.fault("after-end", roll.place, "the game is over; nothing can follow", roll)
            return
        if not all(1 <= die <= 6 for die in roll.dice):
            message = f"{roll.dice[0]}{roll.dice[1]} is no roll; one is two numbers from 1 to 6"
            self.fault("dice", roll.place, message, roll)
            self._stop(roll)
            return
        if roll.told is Told.CUT:
            self._stop(roll, cut=True)
            return
        before = self.state
        kind = take_dice(self, roll, self.state.turn if roll.side is None else roll.side)
        if roll is self.last and self._left_unplayed(roll):
            self.state = before
            self.unplayed = roll
            mark = " ?" if roll.told is Told.UNKNOWN else ""
            self.recording.command(f"unplayed {roll_text(roll)}{mark}")
            return
        self._played(roll, kind, then)

    def _left_unplayed(self, roll: Rolled) -> bool:
        """Whether the last roll of a game was never played."""
        if roll.told is Told.UNKNOWN:
            return True
        end = self.raw.end
        if roll.told is not Told.BLANK or end is None:
            return False
        gave_up = end.winner is not self.state.turn
        return gave_up and bool(self.state.legal_plays()[0].moves)

    # --- plays ----------------------------------------------------------------------------

    def _played(self, roll: Rolled, kind: RollKind, then: Side | None) -> None:
        state = self.state
        if roll.told is Told.REACHED:
            self._reached(roll, kind)
            return
        if roll.told is Told.UNKNOWN:
            self._guessed(roll, kind)
            return
        moves = roll.moves
        try:
            play = find_play(state, moves)
        except AmbiguousPlay as error:
            self._illegal(roll, error, f"; taken for '{error.ways[0]}'")
            play = self._by_text(error.ways[0])
        except IllegalAction as error:
            if roll.told is Told.PARTLY or roll.torn:
                self._incomplete(roll, error)
                return
            if error.rule is not Rule.NO_HIT:
                self._go_on(roll, kind, then, error)
                return
            self._illegal(roll, error)
            play = self._without_marks(moves)
        self._record(roll, kind, play.text)
        self._advance(state.apply(play))

    def _incomplete(self, roll: Rolled, error: IllegalAction) -> None:
        """A play part of which is not there: its moves alone say nothing of the position."""
        if roll.told is not Told.PARTLY:
            self._illegal(roll, error, "; the text ends here", kind="cut-off")
        self._stop(roll, cut=roll.torn)

    def _without_marks(self, moves: tuple[WrittenMove, ...]) -> Play:
        return self.state.find(WrittenPlay(tuple(move._replace(hits=()) for move in moves)))

    def _by_text(self, text: str) -> Play:
        return next(play for play in self.state.legal_plays() if play.text == text)

    def _go_on(self, roll: Rolled, kind: RollKind, then: Side | None, error: IllegalAction) -> None:
        """Go on from where the checkers stand after an illegal play."""
        state = self.state
        carried = carry_out(state.position, state.turn, roll.moves)
        if carried is None:
            self._illegal(roll, error, "; the moves cannot be made, the replay stops here")
            self._stop(roll)
            return
        self._illegal(roll, error)
        self._record(roll, kind, str(WrittenPlay(roll.moves)))
        # The rules do not say what follows an illegal play; the file does, by who rolls next.
        rest = state.agenda[1:] if then is state.turn else ()
        self._reach(carried.position, rest)

    def _reached(self, roll: Rolled, kind: RollKind) -> None:
        """The file gives no play but a position."""
        state = self.state
        position = Position.parse(roll.reached)
        play = next((play for play in state.legal_plays() if play.after == position), None)
        if play is not None:
            message = f"the file calls this play illegal; '{play}' leads to the position it gives"
            self.notices.append(Notice("text", *roll.found_at, message))
            self._record(roll, kind, play.text)
            self._advance(state.apply(play))
            return
        self._judged(roll, "the file calls this play illegal and gives the position it led to")
        moves = moves_between(state.position, position, state.turn)
        if moves is None:
            self.recording.close(
                "everything from a play called illegal: no moves lead to the position it gives"
            )
        else:
            said = str(WrittenPlay(moves))
            message = f"the moves are not given; '{said}' leads to the position reached"
            self.notices.append(Notice("text", *roll.found_at, message))
            self._record(roll, kind, said)
        self._reach(position, ())

    def _guessed(self, roll: Rolled, kind: RollKind) -> None:
        """The file does not say the play of a roll in the middle of a game."""
        plays = self.state.legal_plays()
        if len(plays) > 1:
            said = "cannot be read" if roll.found.strip("? ") else "is not known"
            self._judged(roll, f"the play of {roll_text(roll)} {said}", "missing-play")
            self._stop(roll)
            return
        message = f"the play of {roll_text(roll)} is not said; '{plays[0]}' is the only one"
        self.notices.append(Notice("text", *roll.place, message))
        self._record(roll, kind, plays[0].text)
        self._advance(self.state.apply(plays[0]))

    def _advance(self, after: State) -> None:
        self.fresh = after.outcome is None and after.turn is not self.state.turn
        self.state = after

    def _reach(self, position: Position, rest: tuple[object, ...]) -> None:
        """Take up a position that no legal play led to."""
        state = self.state
        if position.borne_off(state.turn) == 15:
            self.state = State.parse(f"{position}:{state.turn.letter}:-", self.rules)
        elif rest:
            self.state = State(self.rules, position, state.turn, state.agenda[1:])
        else:
            self.state = State(self.rules, position, state.turn.other, (ROLL,))
            self.fresh = True

    def _record(self, roll: Rolled, kind: RollKind, play: str) -> None:
        self.recording.roll(self.state.turn, roll, kind, play, starts=self.fresh)
        self.fresh = False

    def _stop(self, roll: Rolled, cut: bool = False) -> None:
        """The position is not known from here."""
        self.stopped = True
        self.lost = not cut
        self.recording.close(
            f"everything from the roll {roll_text(roll)} of line {roll.place.line}"
        )

    # --- cube and board -------------------------------------------------------------------

    def _cubed(self, cube: Cube) -> None:
        """A cube action is kept as an annotation; only a drop ends the game."""
        if self.state.outcome is not None or self.dropped is not None:
            self.fault("after-end", cube.place, "the game is over; nothing can follow")
            return
        if self.rules.scoring != "gammon":
            said = f"'{cube.act}' is refused: {self.rules.name} is played without a cube"
            self.fault("unsupported", cube.place, said)
        match cube.act:
            case "double":
                value = cube.value or self.cube * 2
                if value > LARGEST_CUBE:
                    message = f"a cube of {value} is more than is counted here"
                    self.fault("unsupported", cube.place, message)
                    return
                if value != self.cube * 2:
                    message = f"a double to {value} while the cube shows {self.cube}"
                    self.notices.append(Notice("points", *cube.place, message))
                self.offered = cube._replace(value=value)
                self.recording.command(f"cube {cube.side.name} double {value}")
                return
            case "drop":
                self.dropped = cube
            case _:
                self.cube = self.offered.value or self.cube if self.offered else self.cube
        if self.offered is None:
            self.fault("extra-roll", cube.place, f"'{cube.act}' without a double before it")
        self.recording.command(f"cube {cube.side.name} {cube.act}")
        self.offered = None

    def _set_up(self, item: SetUp) -> None:
        self.notices.append(Notice("text", *item.place, "the board is set by hand here"))
        self.recording.close("everything from where the board is set by hand")
        turn = self.state.turn if item.turn is None else item.turn
        self.state = State(self.rules, Position.parse(item.position), turn, (ROLL,))
        self.fresh, self.stopped = True, False

    # --- faults and the result ------------------------------------------------------------

    def _illegal(self, roll: Rolled, error: IllegalAction, more: str = "", kind: str = "") -> None:
        kind = kind or ("hit-mark" if error.rule is Rule.NO_HIT else "illegal-play")
        self._judged(roll, error.message + more, kind, f"spec/rules.md {error.rule.section}")

    def _judged(
        self, roll: Rolled, message: str, kind: str = "illegal-play", rule: str = "spec/rules.md §4"
    ) -> None:
        plays = self.state.legal_plays()
        self.faults.append(
            Fault(
                kind=kind,
                line=roll.found_at.line,
                column=roll.found_at.column,
                message=message,
                rule=rule,
                position=self.state.line,
                found=roll.found,
                legal=len(plays),
                alternatives=tuple(play.text for play in plays[:ALTERNATIVES]),
            )
        )

    def fault(self, kind: str, place: Place, message: str, roll: Rolled | None = None) -> None:
        """Note something wrong at a place, with the position as it is."""
        self.faults.append(
            Fault(
                kind=kind,
                line=place.line,
                column=place.column,
                message=message,
                position="" if self.stopped else self.state.line,
                found=f"{roll_text(roll)} {roll.found}".strip() if roll else "",
                alternatives=self._due_actions(),
            )
        )

    def _due_actions(self) -> tuple[str, ...]:
        if self.stopped or self.state.outcome is not None:
            return ()
        if self.state.agenda[0] is NAME:
            return tuple(str(Name(number)) for number in range(1, ALTERNATIVES + 1))
        return ()

    def _verdict(self, ending: Ending) -> Verdict:
        raw = self.raw
        found = sorted([*raw.faults, *self.faults], key=lambda fault: (fault.line, fault.column))
        notices = [*raw.notices, *self.notices, *ending.notices]
        return Verdict(
            line=raw.place.line,
            format=raw.format,
            rules=self.rules.name,
            players=raw.players,
            match=raw.match,
            score=raw.score,
            first=None if self.last is None else SIDE_NAMES[self.first],
            winner=None if ending.winner is None else SIDE_NAMES[ending.winner],
            points=ending.points,
            how=ending.how,
            turns=self.turns,
            final=self.state.line,
            faults=(*found, *ending.faults),
            notices=tuple(sorted(notices, key=lambda notice: (notice.line, notice.column))),
            losses=(*raw.losses, *self.recording.losses),
            record=self.recording.record(ending),
        )
