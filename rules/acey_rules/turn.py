"""A game's state and its one transition, ``State.apply``. spec/rules.md §5 and §6.

Everything that plays, checks or replays a game walks through ``apply``; nothing else knows a rule.
"""

from collections.abc import Sequence
from enum import Enum
from functools import cache
from typing import NamedTuple, final

from acey_rules import generator
from acey_rules.errors import IllegalAction, PositionError, Rule, RulesError, WrongAction, shown
from acey_rules.play import Play, WrittenPlay
from acey_rules.position import CHECKERS, Position, Side
from acey_rules.resolve import resolve
from acey_rules.ruleset import RuleSet
from acey_rules.score import dearest, score
from acey_rules.stage import (
    NAME,
    ROLL,
    ROLLS,
    Agenda,
    agenda_text,
    earned_by_name,
    earned_by_roll,
    left_after,
    possible_agendas,
)


class Roll(NamedTuple):
    """The action of rolling both dice; the numbers in any order, 1-6."""

    first: int
    second: int

    def __str__(self) -> str:
        """``roll 63``, the higher number first."""
        return f"roll {max(self)}{min(self)}"


class Name(NamedTuple):
    """The action of naming the double to play, 1-6."""

    number: int

    def __str__(self) -> str:
        """``name 6``."""
        return f"name {self.number}"


class How(Enum):
    """How a game ended; the value is how notation and events say it."""

    BORNE_OFF = ""
    RESIGNATION = "by resignation"
    TIME = "on time"
    FORFEIT = "by forfeit"


class Concede(NamedTuple):
    """The action of losing otherwise than on the board: giving up, out of time, forfeiting."""

    loser: Side | None = None
    """Who loses; None is the side to act."""
    points: int | None = None
    """What it costs, by agreement; None is what the position scores now."""
    how: How = How.RESIGNATION

    def __str__(self) -> str:
        """``resign`` or ``resign 3``."""
        return "resign" if self.points is None else f"resign {self.points}"


Action = Roll | Name | Play | WrittenPlay | Concede
"""What can be done to a state."""


class Outcome(NamedTuple):
    """Who won, what it is worth in points, and how it ended."""

    winner: Side
    points: int
    how: How


@final
class State:
    """A game at one moment: the position, whose turn it is, what is still to do, and the rules.

    A value: ``apply`` returns the next state and changes nothing.
    """

    __slots__ = ("_plays", "agenda", "outcome", "position", "rules", "turn")

    rules: RuleSet
    position: Position
    turn: Side
    """Whose turn it is; the winner when the game was borne off."""
    agenda: Agenda
    """What ``turn`` still has to do, first first."""
    outcome: Outcome | None
    """How the game ended; None while it goes on."""

    def __init__(
        self,
        rules: RuleSet,
        position: Position,
        turn: Side,
        agenda: Agenda,
        outcome: Outcome | None = None,
    ) -> None:
        """Take the parts as they are; ``start`` and ``parse`` are the ways in."""
        self.rules = rules
        self.position = position
        self.turn = turn
        self.agenda = agenda
        self.outcome = outcome
        self._plays: Sequence[Play] | None = None

    @classmethod
    def start(cls, rules: RuleSet, opening: tuple[int, int]) -> "State":
        """The start of a game after the opening dice, X's and O's, which decide who starts.

        Under a rule set whose opening is ``play`` these dice are the starter's first roll. Raises
        RulesError on a tie, DiceError on dice that do not exist. spec/rules.md §2.
        """
        x_die, o_die = opening
        earned = earned_by_roll(rules, x_die, o_die)
        if x_die == o_die:
            raise RulesError(f"the opening dice are tied at {x_die}; they are rolled again")
        starter = Side.X if x_die > o_die else Side.O
        agenda = earned if rules.opening == "play" else (ROLL,)
        return cls(rules, Position.start(rules.setup), starter, agenda)

    @classmethod
    def parse(cls, line: str, rules: RuleSet) -> "State":
        """Read a position line under a rule set. spec/notation.md §2.

        Raises PositionError naming the field at fault.
        """
        read = generator.read_position(line)
        if read is not None and (begun := _beginnings(rules).get(read[1])) is not None:
            return cls(rules, Position(read[0]), *begun)
        return cls._parse(line, rules)

    @classmethod
    def _parse(cls, line: str, rules: RuleSet) -> "State":
        """Read any position line, and say what is wrong with it."""
        fields = line.split(":")
        if len(fields) != 5:
            raise PositionError(
                "fields", f"a position line has 5 fields separated by ':', not {len(fields)}"
            )
        position = Position.parse(":".join(fields[:3]))
        if fields[3] not in ("x", "o"):
            raise PositionError("turn", f"{shown(fields[3])} is neither 'x' nor 'o'")
        turn = Side.X if fields[3] == "x" else Side.O
        done = [side for side in Side if position.borne_off(side) == CHECKERS]
        if len(done) == 2:
            raise PositionError("board", "both sides have borne off all their checkers")
        if fields[4] == "-":
            if done != [turn]:
                raise PositionError(
                    "agenda", f"'-' ends the game, but {turn.name} has not borne off"
                )
            won = Outcome(turn, score(rules, position, turn.other), How.BORNE_OFF)
            return cls(rules, position, turn, (), won)
        if done:
            raise PositionError("agenda", f"{done[0].name} has borne off, so it can only be '-'")
        agenda = possible_agendas(rules).get(fields[4])
        if agenda is None:
            raise PositionError("agenda", f"{shown(fields[4])} cannot occur under {rules.name}")
        return cls(rules, position, turn, agenda)

    @property
    def line(self) -> str:
        """The position line. spec/notation.md §2."""
        text = generator.position_text(self.position.packed)
        return f"{text}:{'xo'[self.turn]}:{agenda_text(self.agenda)}"

    @property
    def dice(self) -> tuple[int, int] | None:
        """The dice to play now, higher first, or None when a roll or a name is due."""
        return self.agenda[0].dice if self.agenda and self.outcome is None else None

    def __str__(self) -> str:
        """The position line."""
        return self.line

    def __repr__(self) -> str:
        """The line and the rules."""
        return f"<State {self.line} {self.rules.name}>"

    def __eq__(self, other: object) -> bool:
        """States are equal when line, rules and outcome are."""
        return isinstance(other, State) and self._key() == other._key()

    def __hash__(self) -> int:
        """Consistent with equality."""
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (self.position, self.turn, self.agenda, self.rules, self.outcome)

    def legal_plays(self) -> Sequence[Play]:
        """The legal plays of the dice to play now, in canonical order (spec/notation.md §3).

        Never empty: a roll that cannot be played has the one play without moves. Raises
        WrongAction when no dice are to be played.
        """
        if self._plays is None:
            high, low = self._dice_due()
            self._plays = generator.legal_plays(
                self.position, self.turn, high, low, self.rules.overshoot
            )
        return self._plays

    def must_pass(self) -> bool:
        """Whether no checker can be moved with the dice to play now. Raises WrongAction."""
        plays = self.legal_plays()
        return len(plays) == 1 and not plays[0].moves

    def legal_text(self) -> str:
        r"""The legal plays and where each leads: lines ``<play>\t<position line after>``.

        In canonical order, without a newline after the last. Raises WrongAction when no dice are
        to be played.
        """
        return self.legal_listing()[1]

    def legal_listing(self) -> tuple[int, str]:
        """How many legal plays there are, and ``legal_text``. Raises WrongAction."""
        high, low = self._dice_due()
        endings = _endings(self.rules, self.agenda)[self.turn]
        return generator.legal_text(
            self.position, self.turn, high, low, self.rules.overshoot, endings
        )

    def find_text(self, text: str) -> Play | None:
        """The legal play whose canonical text is exactly ``text``; None where there is none.

        For text that was written in canonical form: a play may be written in other ways, which
        ``find`` reads. Raises WrongAction when no dice are to be played.
        """
        return generator.find_text(self.legal_plays(), text)

    def find_result(self, packed: bytes) -> Play | None:
        """The legal play that leads to a packed position; None where there is none.

        Raises WrongAction when no dice are to be played.
        """
        return generator.find_result(self.legal_plays(), packed)

    def legal_actions(self) -> Sequence[Action]:
        """Everything that can be done now: the 21 rolls, the six names, or the legal plays.

        Empty when the game is over. Giving up is possible besides.
        """
        if self.outcome is not None:
            return ()
        if self.agenda[0] is ROLL:
            return [Roll(*dice) for dice in ROLLS]
        if self.agenda[0] is NAME:
            return [Name(number) for number in range(1, 7)]
        return self.legal_plays()

    def apply(self, action: Action) -> "State":
        """The state after ``action``.

        Raises IllegalAction naming the rule broken, WrongAction when another kind of action is
        due, AmbiguousPlay for a play that can be read in several ways, DiceError for dice that do
        not exist.
        """
        match action:
            case Play():
                return self._played(self._known(action))
            case Roll():
                return self._rolled(action)
            case WrittenPlay():
                return self._played(self.find(action))
            case Name():
                return self._named(action)
            case Concede():
                return self._conceded(action)
        # Only what the types forbid comes here; it must not pass for nothing.
        raise TypeError(f"{action!r} is no action")

    def find(self, written: WrittenPlay) -> Play:
        """The legal play that a written one means. Raises as ``apply`` does."""
        dice = self._dice_due()
        plays = self.legal_plays()
        try:
            return resolve(self.position, self.turn, dice, self.rules.overshoot, written, plays)
        except IllegalAction as error:
            error.position = self.line
            raise

    def _dice_due(self) -> tuple[int, int]:
        """The dice to play now. Raises WrongAction when there are none."""
        dice = self.dice
        if dice is None:
            raise self._wrong("a play")
        return dice

    def _known(self, play: Play) -> Play:
        """The legal play that equals ``play``, wherever that was found."""
        if play.is_of(self.position, self.turn, self._dice_due(), self.rules.overshoot):
            return play
        for legal in self.legal_plays():
            if legal == play:
                return legal
        raise IllegalAction(
            Rule.NOT_THESE_DICE, f"'{play}' was found for other dice or another position", self.line
        )

    def _rolled(self, roll: Roll) -> "State":
        if self.outcome is not None or self.agenda[0] is not ROLL:
            raise self._wrong("a roll")
        agenda = earned_by_roll(self.rules, roll.first, roll.second) + self.agenda[1:]
        return State(self.rules, self.position, self.turn, agenda)

    def _named(self, name: Name) -> "State":
        if self.outcome is not None or self.agenda[0] is not NAME:
            raise self._wrong("a name")
        if name.number not in range(1, 7):
            raise IllegalAction(
                Rule.BAD_NUMBER, f"a double is named by a number 1-6, not {name.number}", self.line
            )
        agenda = earned_by_name(self.rules, name.number) + self.agenda[1:]
        return State(self.rules, self.position, self.turn, agenda)

    def _played(self, play: Play) -> "State":
        position = play.after
        if play.wins:
            won = Outcome(self.turn, score(self.rules, position, self.turn.other), How.BORNE_OFF)
            return State(self.rules, position, self.turn, (), won)
        rest = self.agenda[1:]
        if rest:
            high, low = self._dice_due()
            complete = len(play.moves) == (4 if high == low else 2)
            rest = self._rest(complete, not complete and bool(position.on_bar(self.turn)))
        if rest:
            return State(self.rules, position, self.turn, rest)
        return State(self.rules, position, self.turn.other, (ROLL,))

    def _rest(self, complete: bool, on_bar: bool) -> Agenda:
        """What is left of the agenda after a play, forfeits deducted. spec/rules.md §5."""
        return left_after(self.rules, self.agenda, complete, on_bar)

    def _conceded(self, concession: Concede) -> "State":
        if self.outcome is not None:
            raise self._wrong("a resignation")
        loser = self.turn if concession.loser is None else concession.loser
        points = concession.points
        if points is None:
            points = score(self.rules, self.position, loser)
        most = dearest(self.rules, self.position, loser)
        if concession.how not in (How.RESIGNATION, How.TIME, How.FORFEIT):
            raise TypeError(
                f"a game is lost by resignation, on time or by forfeit, not {concession.how}"
            )
        if points not in range(1, most + 1):
            raise IllegalAction(
                Rule.BAD_RESIGNATION,
                f"{loser.name} can give up 1 to {most} points here, not {points}",
                self.line,
            )
        ended = Outcome(loser.other, points, concession.how)
        return State(self.rules, self.position, self.turn, self.agenda, ended)

    def _wrong(self, given: str) -> WrongAction:
        """The error for an action of the wrong kind: says what is due instead."""
        side = self.turn.name
        if self.outcome is not None:
            rule, due = Rule.GAME_OVER, "the game is over"
        elif self.agenda[0] is ROLL:
            rule, due = Rule.ROLL_DUE, f"{side} is to roll"
        elif self.agenda[0] is NAME:
            rule, due = Rule.NAME_DUE, f"{side} is to name a double"
        else:
            rule, due = Rule.PLAY_DUE, f"{side} is to play {self.agenda[0].text}"
        return WrongAction(rule, f"{due}; {given} is not due", self.line)


@cache
def _beginnings(rules: RuleSet) -> dict[str, tuple[Side, Agenda]]:
    """What the last two fields of a position line say while a game goes on."""
    return {
        f"{side.letter}:{text}": (side, agenda)
        for text, agenda in possible_agendas(rules).items()
        for side in Side
    }


@cache
def _endings(rules: RuleSet, agenda: Agenda) -> tuple[generator.Endings, ...]:
    """What follows the position after a play of the agenda's first stage, by whose turn it is."""
    rests = (
        left_after(rules, agenda, complete, on_bar)
        for complete, on_bar in ((True, False), (False, False), (False, True))
    )
    texts = [agenda_text(rest) if rest else "" for rest in rests]
    passed = agenda_text((ROLL,))

    def ending(side: Side, text: str) -> str:
        return f":{side.letter}:{text}" if text else f":{side.other.letter}:{passed}"

    return tuple(
        generator.Endings(*(ending(side, text) for text in texts), won=f":{side.letter}:-")
        for side in Side
    )
