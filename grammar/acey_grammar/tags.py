"""What the tags of a game say, and what is wrong with them. spec/notation.md §5."""

import re
from collections import Counter
from typing import Final, NamedTuple

from acey_grammar.faults import Fault, Place
from acey_grammar.places import NOWHERE, Places
from acey_grammar.record import REQUIRED_TAGS, GameRecord
from acey_rules import (
    ROLL,
    PositionError,
    RuleSet,
    RuleSetError,
    Side,
    State,
    rule_set,
)
from acey_rules.stage import earned_by_roll

KNOWN: Final = (*REQUIRED_TAGS, "RuleSet", "Match", "Score", "Opening", "Position")
"""Tags that mean something to a validator; each may stand once."""
SECTION: Final = "spec/notation.md §5"

_OPENING: Final = re.compile(r"[1-6]-[1-6](?: [1-6]-[1-6])*")
_MATCH: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_SCORE: Final = re.compile(r"(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})")


class TagsRead(NamedTuple):
    """What the tags say."""

    rules: RuleSet | None
    """None when they name no rule set that exists."""
    start: State | None
    """The state the game starts from; None when the tags do not tell or tell wrongly."""
    match: int
    """Points the match is to; 0 is a money session."""
    score: tuple[int, int]
    """X's and O's points before the game."""
    faults: tuple[Fault, ...]


class _Tags:
    """The tags of one game, with the faults found so far."""

    def __init__(self, record: GameRecord, places: Places) -> None:
        self.record = record
        self.places = places
        self.faults: list[Fault] = []

    def fault(self, kind: str, name: str, message: str, found: str = "") -> None:
        """Add a fault at the first tag of that name, or at the first tag of all."""
        place = NOWHERE
        for tag, at in zip(self.record.tags, self.places.tags, strict=False):
            if tag[0] == name:
                place = at
                break
        else:
            place = next(iter(self.places.tags), NOWHERE)
        self.faults.append(_fault(kind, place, message, found))


def _fault(kind: str, place: Place, message: str, found: str) -> Fault:
    return Fault(
        kind=kind,
        line=place.line,
        column=place.column,
        message=message,
        rule=SECTION,
        found=found,
    )


def read_tags(record: GameRecord, places: Places, rules: RuleSet | None = None) -> TagsRead:
    """Read and check the tags; ``rules`` override what they name."""
    tags = _Tags(record, places)
    counts = Counter(name for name, _ in record.tags)
    for name in REQUIRED_TAGS:
        if name not in counts and not (name == "Rules" and rules is not None):
            tags.fault("tag", name, f'the tag [{name} "..."] is missing')
    for name in KNOWN:
        if counts[name] > 1:
            tags.fault("tag", name, f"the tag {name} is given {counts[name]} times")
    if rules is None:
        rules = _rules(tags)
    match = _match(tags)
    score = _score(tags, match)
    start = _start(tags, rules) if rules is not None else None
    return TagsRead(rules, start, match, score, tuple(tags.faults))


def _rules(tags: _Tags) -> RuleSet | None:
    name = tags.record.tag("Rules")
    if name is None:
        return None
    if name == "custom" and tags.record.tag("RuleSet") is None:
        tags.fault("tag", "Rules", 'the rules are custom; the tag [RuleSet "..."] is missing', name)
        return None
    try:
        rules = tags.record.rules
    except RuleSetError as error:
        at = "RuleSet" if name == "custom" else "Rules"
        tags.fault("tag", at, str(error), tags.record.tag(at) or "")
        return None
    _check_fields(tags, rules)
    return rules


def _check_fields(tags: _Tags, rules: RuleSet) -> None:
    """Tell of fields that are spelled beside a preset and are not those of the preset."""
    text = tags.record.tag("RuleSet")
    if text is None:
        return
    try:
        spelled = rule_set(text)
    except RuleSetError as error:
        tags.fault("tag", "RuleSet", str(error), text)
        return
    if spelled.fields_text() != rules.fields_text():
        message = f"the rules are {rules.name}, these are others; rules with fields are custom"
        tags.fault("tag", "RuleSet", message, text)


def _match(tags: _Tags) -> int:
    text = tags.record.tag("Match")
    if text is None:
        return 0
    if _MATCH.fullmatch(text):
        return int(text)
    tags.fault("tag", "Match", f"{text!r} is no match length; it is a number, 0 for money", text)
    return 0


def _score(tags: _Tags, match: int) -> tuple[int, int]:
    text = tags.record.tag("Score")
    if text is None:
        return 0, 0
    found = _SCORE.fullmatch(text)
    if found is None:
        tags.fault("tag", "Score", f"{text!r} is no score; it is X's and O's points as 3-2", text)
        return 0, 0
    score = int(found[1]), int(found[2])
    if match and max(score) >= match:
        leader = "X" if score[0] >= match else "O"
        tags.fault("score", "Score", f"at {text} {leader} has won the match to {match}", text)
    return score


def _start(tags: _Tags, rules: RuleSet) -> State | None:
    opening = _opening(tags)
    line = tags.record.tag("Position")
    if line is not None:
        try:
            return State.parse(line, rules)
        except PositionError as error:
            tags.fault("tag", "Position", f"no position: {error}", line)
            return None
    if opening is not None:
        return State.start(rules, opening)
    return _presumed(tags, rules)


def _opening(tags: _Tags) -> tuple[int, int] | None:
    """The opening dice that decide, X's first; None when they do not tell."""
    text = tags.record.tag("Opening")
    if text is None:
        return None
    if not _OPENING.fullmatch(text):
        message = f"{text!r} are no opening dice; they are X's and O's as 3-3 4-2"
        tags.fault("tag", "Opening", message, text)
        return None
    *ties, last = ((int(pair[0]), int(pair[2])) for pair in text.split())
    for pair in ties:
        if pair[0] != pair[1]:
            message = f"{pair[0]}-{pair[1]} decides who starts; only ties are rolled again"
            tags.fault("opening", "Opening", message, text)
            return None
    if last[0] == last[1]:
        tags.fault("opening", "Opening", f"{last[0]}-{last[1]} is a tie; nobody starts", text)
        return None
    return last


def _presumed(tags: _Tags, rules: RuleSet) -> State:
    """The start of a game that does not tell its opening dice: who moves first has won them."""
    turns = tags.record.turns
    side = Side[turns[0].side] if turns else Side.X
    opening = (6, 1) if side is Side.X else (1, 6)
    start = State.start(rules, opening)
    if rules.opening == "reroll":
        return start
    if not turns or not turns[0].rolls:
        return State(rules, start.position, side, (ROLL,))
    high, low = sorted(map(int, turns[0].rolls[0].dice), reverse=True)
    if high == low:
        place = tags.places.turns[0].rolls[0] if tags.places.turns else NOWHERE
        message = f"the opening dice are played first, and {high}-{low} is a tie"
        tags.faults.append(_fault("opening", place, message, f"{high}{low}:"))
    return State(rules, start.position, side, earned_by_roll(rules, high, low))
