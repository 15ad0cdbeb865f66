"""Whether a recorded game can have been played. spec/notation.md §7.

All faults are found, not the first alone; each says where, which rule, and what was possible.
"""

from typing import NamedTuple

from acey_grammar.faults import Fault
from acey_grammar.places import NOWHERE, Places
from acey_grammar.reading import ReadGame
from acey_grammar.record import GameRecord, Result
from acey_grammar.recorder import result_record
from acey_grammar.replay import Replay
from acey_grammar.tags import read_tags
from acey_grammar.write import loose_ends, write_result
from acey_rules import Concede, How, IllegalAction, RuleSet, Side, State

HOWS = {"resignation": How.RESIGNATION, "time": How.TIME, "forfeit": How.FORFEIT}


class Validation(NamedTuple):
    """What came of validating one game."""

    faults: tuple[Fault, ...]
    """Everything wrong, of reading and of replaying, in the order of the file."""
    rules: RuleSet | None
    """The rules it was replayed by; None when it names none."""
    state: State | None
    """The last state reached; None when the game could not be replayed at all."""
    turns: int
    """Turns in the record."""
    rolls: int
    """Rolls replayed."""

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def validate(game: ReadGame | GameRecord, rules: RuleSet | None = None) -> Validation:
    """Replay a game and find every fault; ``rules`` override those it names."""
    read = ReadGame(game) if isinstance(game, GameRecord) else game
    record = read.record
    tags = read_tags(record, read.places, rules)
    faults = [*read.faults, *tags.faults]
    if read is not game or read.format != "acey":  # text cannot say what these tell of
        faults += [Fault(kind="syntax", line=0, column=0, message=m) for m in loose_ends(record)]
    if not record.tags and read.faults:
        return Validation(tuple(read.faults), tags.rules, None, len(record.turns), 0)
    if tags.start is None:
        return Validation(_ordered(faults), tags.rules, None, len(record.turns), 0)
    replay = Replay(record, read.places, tags.start)
    for _ in replay.steps():
        pass
    faults += replay.faults
    state = replay.state
    if read.complete and not replay.stopped:
        state, wrong = ended(state, read)
        faults += wrong
    return Validation(_ordered(faults), tags.rules, state, len(record.turns), replay.rolls)


def is_valid(read: ReadGame, rules: RuleSet) -> bool:
    """Whether a game has no fault under a rule set; the first fault answers it."""
    tags = read_tags(read.record, read.places, rules)
    if read.faults or tags.faults or tags.start is None:
        return False
    replay = Replay(read.record, read.places, tags.start)
    for _ in replay.steps():
        if replay.faults:
            return False
    return not replay.faults and not (read.complete and ended(replay.state, read)[1])


def _ordered(faults: list[Fault]) -> tuple[Fault, ...]:
    return tuple(sorted(faults, key=lambda fault: (fault.line, fault.column)))


def ended(state: State, read: ReadGame) -> tuple[State, list[Fault]]:
    """The state with the result applied, and what is wrong with the result."""
    result = read.record.result
    found = write_result(result)
    outcome = state.outcome
    if outcome is not None:
        due = result_record(outcome)
        if not _agrees(result, due, read):
            won = write_result(due)
            return state, [_result_fault(read.places, state, f"the result is '{won}'", found)]
        return state, []
    if result is None:
        return state, []
    if result.how == "play":
        message = f"{result.winner} has not borne off all checkers; an open game ends in '*'"
        return state, [_result_fault(read.places, state, message, found)]
    points = result.points
    if read.multiplier > 1 and points % read.multiplier == 0:
        points //= read.multiplier
    try:
        loser = Side[result.winner].other
        return state.apply(Concede(loser, points, HOWS[result.how])), []
    except IllegalAction as error:
        return state, [_result_fault(read.places, state, error.message, found)]


def _agrees(result: Result | None, due: Result | None, read: ReadGame) -> bool:
    if result is None or due is None:
        return result == due
    if (result.winner, result.how) != (due.winner, due.how):
        return False
    worth = due.points * read.multiplier
    return result.points == worth or (read.capped and result.points < worth)


def _result_fault(places: Places, state: State, message: str, found: str) -> Fault:
    nowhere = " - at `$.result`" if places.result == NOWHERE else ""
    return Fault(
        kind="result",
        line=places.result.line,
        column=places.result.column,
        message=f"{message}; found '{found}'{nowhere}",
        rule="spec/rules.md §6",
        position=state.line,
        found=found,
    )
