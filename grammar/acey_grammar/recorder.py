"""Play to record: gathers the actions of a game into a GameRecord. spec/notation.md §4, §5."""

from collections.abc import Sequence

from acey_grammar.record import (
    GameRecord,
    HowName,
    Result,
    RollKind,
    RollRecord,
    SideName,
    TurnRecord,
)
from acey_rules import Concede, Name, Outcome, Play, Roll, RuleSet, State, WrittenPlay

Tags = Sequence[tuple[str, str]]
"""Tag names and values, in the order they are written."""


def rule_tags(rules: RuleSet) -> list[tuple[str, str]]:
    """The tags that name a rule set: ``Rules``, and ``RuleSet`` when it is no preset."""
    if rules.name != "custom":
        return [("Rules", rules.name)]
    return [("Rules", "custom"), ("RuleSet", rules.fields_text())]


def how_name(outcome: Outcome) -> HowName:
    """How a game ended, as records say it."""
    return _HOWS[outcome.how.value]


def result_record(outcome: Outcome | None) -> Result | None:
    """The result of an outcome; None while the game goes on."""
    if outcome is None:
        return None
    return Result(_side(outcome.winner.name), outcome.points, how_name(outcome))


class GameRecorder:
    """Takes each action with the state it was applied to and the state it led to.

    A turn is closed when the side to act changes or the game ends. Rolls come into the record
    once they are played, so that a record made in the middle of a turn holds what was done.
    """

    def __init__(self, tags: Tags) -> None:
        """Start a record with these tags."""
        self._tags = list(tags)
        self._turns: list[TurnRecord] = []
        self._side: str | None = None
        self._rolls: list[RollRecord] = []
        self._seconds: float | None = None
        self._kind: RollKind = "rolled"
        self._result: Result | None = None

    def add(
        self,
        before: State,
        action: Roll | Name | Play | WrittenPlay | Concede,
        after: State,
        seconds: float | None = None,
    ) -> None:
        """Add an action. ``seconds`` is the time it took; a turn's time is the sum.

        A play is recorded as its canonical text, however it was written.
        """
        if seconds is not None:
            self._seconds = round((self._seconds or 0) + seconds, 3)
        match action:
            case Roll():
                self._kind = "rolled"
            case Name():
                self._kind = "named"
            case Play() | WrittenPlay():
                play = before.find(action) if isinstance(action, WrittenPlay) else action
                self._played(before, play)
            case Concede():
                pass
        if after.outcome is not None or after.turn is not before.turn:
            self._close()
        self._result = result_record(after.outcome)

    def _played(self, before: State, play: Play) -> None:
        assert before.dice is not None
        dice = f"{before.dice[0]}{before.dice[1]}"
        self._side = before.turn.name
        self._rolls.append(RollRecord(dice, play.text, self._kind))
        self._kind = "complement"  # unless a roll or a name comes first

    def _close(self) -> None:
        if self._side is not None and self._rolls:
            self._turns.append(
                TurnRecord(_side(self._side), tuple(self._rolls), seconds=self._seconds)
            )
        self._side, self._rolls, self._seconds = None, [], None
        self._kind = "rolled"

    @property
    def record(self) -> GameRecord:
        """The game so far."""
        turns = list(self._turns)
        if self._side is not None and self._rolls:
            turns.append(TurnRecord(_side(self._side), tuple(self._rolls), seconds=self._seconds))
        return GameRecord(tuple(self._tags), tuple(turns), self._result)


_HOWS: dict[str, HowName] = {
    "": "play",
    "by resignation": "resignation",
    "on time": "time",
    "by forfeit": "forfeit",
}


def _side(name: str) -> SideName:
    return "X" if name == "X" else "O"
