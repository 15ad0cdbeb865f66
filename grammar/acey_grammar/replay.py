"""A recorded game replayed through ``State.apply``, fault by fault. spec/notation.md §7."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from acey_grammar.carry import carry_out, hops_of
from acey_grammar.faults import Fault, NotationError, Place
from acey_grammar.items import MARKS
from acey_grammar.parse import parse_play
from acey_grammar.places import NOWHERE, Places, TurnPlaces
from acey_grammar.record import GameRecord, RollRecord, TurnRecord
from acey_rules import (
    CHECKERS,
    NAME,
    ROLL,
    How,
    IllegalAction,
    Name,
    Outcome,
    Play,
    Position,
    Roll,
    Rule,
    Side,
    State,
    WrittenPlay,
)
from acey_rules.score import score
from acey_rules.stage import Stage, dice_stage

ALTERNATIVES: Final = 5
"""How many legal plays a fault offers."""
MISSING: Final = {
    "R": ("missing-roll", "another roll is due"),
    "N": ("missing-name", "a double is to be named"),
}


class Step(NamedTuple):
    """One action of a replayed game."""

    turn: int
    """Index of the turn in the record."""
    roll: int
    """Index of the roll in the turn."""
    before: State
    action: Roll | Name | Play | None
    """The legal action, or None for a play that the rules forbid."""
    after: State


class Replay:
    """Walks a record through its states; ``faults`` and ``state`` say what came of it."""

    def __init__(self, record: GameRecord, places: Places, start: State) -> None:
        """Take the record, where its parts stand, and the state it starts from."""
        self.record = record
        self.places = places
        self.state = start
        self.faults: list[Fault] = []
        self.rolls = 0
        """Rolls replayed so far."""
        self.stopped = False
        """Whether a play could not be carried out, so that what follows was not replayed."""
        self._turn = 0
        self._roll = 0
        self._extra = -1
        """The turn an extra roll was told of last."""
        self._strange = False
        """Whether the dice of this roll are at fault."""

    def steps(self) -> Iterator[Step]:
        """Every action, in order; illegal plays are carried out where hands could do so."""
        for index, turn in enumerate(self.record.turns):
            self._turn, self._roll = index, 0
            if self.state.outcome is not None:
                self._after_end(self._turn_place.start, "turn")
                return
            self._take_turn(turn)
            for place, roll in enumerate(turn.rolls):
                self._roll = place
                if self.state.outcome is not None:
                    self._after_end(self._dice_place, "roll")
                    break
                yield from self._roll_steps(roll)
                if self.stopped:
                    return
            self._end_turn(turn)

    # --- turns --------------------------------------------------------------------------------

    def _take_turn(self, turn: TurnRecord) -> None:
        side = Side[turn.side]
        if side is self.state.turn:
            return
        due = self.state.turn.name
        if self._turn == 0 and self.record.tag("Position") is None:
            kind, message = "opening", f"the opening dice let {due} start, not {turn.side}"
        else:
            kind, message = "side", f"it is the turn of {due}, not of {turn.side}"
        rule = "spec/rules.md §2" if kind == "opening" else "spec/rules.md §5"
        self._fault(kind, self._turn_place.start, message, rule, turn.side)
        agenda = self.state.agenda if kind == "opening" else (ROLL,)
        self.state = State(self.state.rules, self.state.position, side, agenda)

    def _after_end(self, place: Place, what: str) -> None:
        assert self.state.outcome is not None
        winner, points, _ = self.state.outcome
        message = f"the game is over, {winner.name} has won {points}; another {what} follows"
        self._fault("after-end", place, message, "spec/rules.md §6")

    def _why_over(self, turn: TurnRecord) -> str:
        previous = turn.rolls[self._roll - 1]
        owed = 4 if previous.dice[0] == previous.dice[1] else 2
        if played_moves(previous.play) < owed:
            return f"'{dice_text(previous)} {previous.play}' forfeits the rest of it"
        return f"{dice_text(previous)} earns no other roll"

    def _end_turn(self, turn: TurnRecord) -> None:
        """Find what the turn still owed; only the last turn of an open game may owe something."""
        state = self.state
        if state.outcome is not None or state.turn is not Side[turn.side]:
            return
        result = self.record.result
        ended_on_board = result is not None and result.how == "play"
        if self._turn == len(self.record.turns) - 1 and not ended_on_board:
            return
        if not turn.rolls:
            return
        stage = state.agenda[0]
        kind, due = MISSING.get(
            stage.text, ("missing-complement", f"the complement ~{stage.text} is due")
        )
        self._fault(
            kind,
            self._turn_place.end,
            f"the turn of {turn.side} ends here, but {due}",
            rule="spec/rules.md §5",
        )
        self._pass()

    def _pass(self) -> None:
        state = self.state
        self.state = State(state.rules, state.position, state.turn.other, (ROLL,))

    # --- rolls --------------------------------------------------------------------------------

    def _roll_steps(self, roll: RollRecord) -> Iterator[Step]:
        before = self.state
        faults = len(self.faults)
        action = self._dice_due(roll)
        self._strange = len(self.faults) > faults
        if action is not None:
            self.state = self.state.apply(action)
            yield Step(self._turn, self._roll, before, action, self.state)
        before = self.state
        play = self._play(roll)
        self.rolls += 1
        if not self.stopped:
            yield Step(self._turn, self._roll, before, play, self.state)

    def _dice_due(self, roll: RollRecord) -> Roll | Name | None:
        """The action that brings these dice; a fault where others are due."""
        turn = self.record.turns[self._turn]
        if self.state.turn is not Side[turn.side]:
            self._extra_roll(turn, roll)
            return None
        stage = self.state.agenda[0]
        if stage is NAME and roll.kind == "rolled" and self._follows(ROLL):
            last = self._roll == len(turn.rolls) - 1
            if last or roll.dice[0] != roll.dice[1]:  # else its mark was forgotten
                self._due_fault("missing-name", roll, "a double is to be named before it")
                self._set_agenda(*self.state.agenda[1:])
                stage = ROLL
        if stage is NAME:
            return self._named(roll)
        if stage is ROLL:
            if roll.kind != "rolled":
                self._due_fault("roll-kind", roll, f"a roll is due, written {roll.dice}:")
            return Roll(int(roll.dice[0]), int(roll.dice[1]))
        return self._dice_set(roll)

    def _named(self, roll: RollRecord) -> Name | None:
        """The action of naming the double; a fault where the roll is none."""
        first, second = roll.dice
        if first == second:
            if roll.kind != "named":
                self._due_fault("roll-kind", roll, f"the double is named, written ={roll.dice}:")
            return Name(int(first))
        self._due_fault("dice", roll, f"a double is named, as ={first}{first}:")
        self._set_agenda(_stage(roll), *self.state.agenda[1:])
        return None

    def _extra_roll(self, turn: TurnRecord, roll: RollRecord) -> None:
        """Tell of a roll behind the end of a turn, once, and let it be played all the same."""
        if self._extra != self._turn:
            self._fault(
                "extra-roll",
                self._dice_place,
                f"the turn of {turn.side} is over here; {self._why_over(turn)}",
                "spec/rules.md §5",
                dice_text(roll),
            )
        self._extra = self._turn
        state = self.state
        self.state = State(state.rules, state.position, Side[turn.side], (_stage(roll),))

    def _dice_set(self, roll: RollRecord) -> Roll | None:
        """Check dice that are not rolled: a complement, or the opening dice."""
        dice = self.state.dice
        assert dice is not None
        text = f"{dice[0]}{dice[1]}"
        first = self._turn == 0 and self._roll == 0
        opening = first and self.record.tag("Position") is None
        kind = "rolled" if opening else "complement"
        given = "".join(sorted(roll.dice, reverse=True))
        if given != text and roll.kind == "rolled" and not first and self._follows(ROLL):
            self._due_fault("missing-complement", roll, f"the complement ~{text}: is due before it")
            self._set_agenda(*self.state.agenda[1:])
            return Roll(int(roll.dice[0]), int(roll.dice[1]))
        if given != text:
            what = "the opening dice are to be played" if opening else "the complement is due"
            if first and not opening:
                what, kind = "the position has dice to play", "rolled"
            self._due_fault("dice", roll, f"{what}: {'~' * (kind != 'rolled')}{text}:")
            self._set_agenda(_stage(roll), *self.state.agenda[1:])
        elif roll.kind != kind and (opening or not first):
            what = "the opening dice are" if opening else "the complement is due,"
            self._due_fault("roll-kind", roll, f"{what} written {'~' * (not opening)}{text}:")
        return None

    def _follows(self, stage: object) -> bool:
        return len(self.state.agenda) > 1 and self.state.agenda[1] is stage

    def _set_agenda(self, *agenda: Stage) -> None:
        self.state = State(self.state.rules, self.state.position, self.state.turn, agenda)

    def _due_fault(self, kind: str, roll: RollRecord, due: str) -> None:
        found = dice_text(roll)
        self._fault(kind, self._dice_place, f"{due}; found '{found}'", "spec/rules.md §5", found)

    # --- plays --------------------------------------------------------------------------------

    def _play(self, roll: RollRecord) -> Play | None:
        """Play the roll, legally or by hand; None for a play that is not legal."""
        try:
            play = self.state.find_text(roll.play) or self.state.find(parse_play(roll.play))
        except IllegalAction as error:
            self._illegal(roll, parse_play(roll.play), error)
            return None
        except NotationError as error:
            self._fault("syntax", self._play_place, error.message, found=roll.play)
            self.stopped = True
            return None
        self.state = self.state.apply(play)
        return play

    def _illegal(self, roll: RollRecord, written: WrittenPlay, error: IllegalAction) -> None:
        position = carry_out(self.state.position, self.state.turn, written)
        if position is not None and self._strange:
            self._go_on_from(position, written)  # the dice are at fault, which was told
            return
        legal = self.state.legal_plays()
        self.stopped = position is None
        stop = "; the moves cannot be made, the replay stops here" if position is None else ""
        self._fault(
            "hit-mark" if error.rule is Rule.NO_HIT else "illegal-play",
            self._play_place,
            error.message + stop,
            f"spec/rules.md {error.rule.section}",
            roll.play,
            legal,
        )
        if position is not None:
            self._go_on_from(position, written)

    def _go_on_from(self, position: Position, written: WrittenPlay) -> None:
        """Take the position reached by hand; the record tells whether the turn went on."""
        state = self.state
        side = state.turn
        if position.borne_off(side) == CHECKERS:
            won = Outcome(side, score(state.rules, position, side.other), How.BORNE_OFF)
            self.state = State(state.rules, position, side, (), won)
            return
        assert state.dice is not None
        owed = 4 if state.dice[0] == state.dice[1] else 2
        more = self._roll + 1 < len(self.record.turns[self._turn].rolls)
        rest = state.agenda[1:]
        if rest and (more or len(hops_of(written)) >= owed):
            self.state = State(state.rules, position, side, rest)
        else:
            self.state = State(state.rules, position, side.other, (ROLL,))

    # --- faults -------------------------------------------------------------------------------

    @property
    def _turn_place(self) -> TurnPlaces:
        if self._turn < len(self.places.turns):
            return self.places.turns[self._turn]
        return TurnPlaces(NOWHERE, (), (), NOWHERE)

    @property
    def _dice_place(self) -> Place:
        rolls = self._turn_place.rolls
        return rolls[self._roll] if self._roll < len(rolls) else NOWHERE

    @property
    def _play_place(self) -> Place:
        plays = self._turn_place.plays
        return plays[self._roll] if self._roll < len(plays) else NOWHERE

    def _fault(
        self,
        kind: str,
        place: Place,
        message: str,
        rule: str = "",
        found: str = "",
        legal: Sequence[Play] | None = None,
    ) -> None:
        if place == NOWHERE:  # a record that was not read from text
            message += f" - at `$.turns[{self._turn}].rolls[{self._roll}]`"
        self.faults.append(
            Fault(
                kind=kind,
                line=place.line,
                column=place.column,
                message=message,
                rule=rule,
                position=self.state.line,
                found=found,
                legal=None if legal is None else len(legal),
                alternatives=tuple(play.text for play in (legal or ())[:ALTERNATIVES]),
                turn=self._turn + 1,
            )
        )


def dice_text(roll: RollRecord) -> str:
    """The dice as a turn writes them: ``=66:``."""
    mark = next((mark for mark, kind in MARKS.items() if kind == roll.kind), "")
    return f"{mark}{roll.dice}:"


def played_moves(play: str) -> int:
    """How many steps a written play has; 0 for one that cannot be read."""
    try:
        return len(hops_of(parse_play(play)))
    except NotationError:
        return 0


def _stage(roll: RollRecord) -> Stage:
    return dice_stage(int(roll.dice[0]), int(roll.dice[1]))
