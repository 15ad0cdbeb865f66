"""bgammon's Backgammon Engine Interface: a state as integers, answers as JSON. spec/engines.md §5.

A host connects over TCP and writes a command a line: ``bei``, ``move <integers>`` or ``choose
<integers>``; the engine answers each with one line of JSON. The engine is always player 1: its
checkers count positive and move from 24 down to 1.
"""

from collections.abc import Sequence
from typing import Annotated, Final, TypeVar, cast

import msgspec
from msgspec import Meta, Struct, field

from acey_rules import (
    BAR,
    CHECKERS,
    NAME,
    OFF,
    ROLL,
    UNENTERED,
    Play,
    Position,
    RuleSet,
    Side,
    State,
    WrittenMove,
    WrittenPlay,
    agenda_text,
)
from acey_rules.stage import earned_by_roll

HOME: Final = 0
"""Own checkers borne off, or not in play as long as ``ENTERED`` is 0."""
OTHER_HOME: Final = 25
OWN_BAR: Final = 26
OTHER_BAR: Final = 27
ROLLS: Final = (28, 29, 30)
TURN: Final = 31
CUBE_VALUE: Final = 33
LENGTH: Final = 37
VARIANT: Final = 42
ENTERED: Final = (43, 44)
"""Whether all checkers of player 1, and of player 2, have come into play."""
INTEGERS: Final = 45
"""How many integers a state has."""
VARIANTS: Final = {"backgammon": 0, "bgammon": 1}
"""The rule sets BEI knows; 1 is its acey-deucey."""


class BeiError(ValueError):
    """A line that is no event, or not the one asked for; or rules that BEI does not know."""


def variant_of(rules: RuleSet) -> int:
    """The number of a rule set. Raises BeiError when BEI has none."""
    number = VARIANTS.get(rules.name)
    if number is None:
        known = " and ".join(VARIANTS)
        raise BeiError(f"the Backgammon Engine Interface knows {known}, not {rules.name}")
    return number


def state_integers(state: State) -> list[int]:
    """A state as the side to decide sees it. Raises BeiError for rules that BEI does not know."""
    integers = [0] * INTEGERS
    position, side = state.position, state.turn
    for point in range(1, 25):
        integers[point] = position.count(side, point) - position.count(side.other, 25 - point)
    for home, bar, entered, who, sign in (
        (HOME, OWN_BAR, ENTERED[0], side, 1),
        (OTHER_HOME, OTHER_BAR, ENTERED[1], side.other, -1),
    ):
        outside = position.unentered(who)
        integers[home] = sign * (outside or position.borne_off(who))
        integers[bar] = sign * position.on_bar(who)
        integers[entered] = int(not outside)
    for index, die in zip(ROLLS, state.dice or (), strict=False):
        integers[index] = die
    integers[TURN] = 1
    integers[CUBE_VALUE] = 1
    integers[VARIANT] = variant_of(state.rules)
    return integers


def read_state(integers: Sequence[int], rules: RuleSet) -> State:
    """The state that integers say, with their player as X. Raises BeiError.

    Dice that are not there make it a naming under a rule set with the bonus, else a roll. What is
    left of the turn after the dice is not said: it is taken to be what rolling them earns.
    """
    if len(integers) != INTEGERS:
        raise BeiError(f"a state is {INTEGERS} integers, not {len(integers)}")
    packed = bytearray(28)
    for index in range(1, 25):
        packed[index] = integers[index] & 0xFF
    packed[0], packed[25] = integers[OTHER_BAR] & 0xFF, integers[OWN_BAR] & 0xFF
    packed[26] = 0 if integers[ENTERED[0]] else integers[HOME]
    packed[27] = 0 if integers[ENTERED[1]] else -integers[OTHER_HOME]
    position = Position(bytes(packed))
    for side in Side:
        if not 0 <= position.borne_off(side) <= CHECKERS:
            raise BeiError(f"{side.name} has more than {CHECKERS} checkers")
    high, low = sorted((integers[ROLLS[0]], integers[ROLLS[1]]), reverse=True)
    waiting = (NAME, ROLL) if rules.acey_bonus else (ROLL,)
    agenda = earned_by_roll(rules, high, low) if high else waiting
    return State.parse(f"{position}:x:{agenda_text(agenda)}", rules)


def command(word: str, state: State) -> str:
    """``move 0,-2,…`` or ``choose 0,-2,…``."""
    return f"{word} {','.join(map(str, state_integers(state)))}"


class _Step(Struct):
    start: Annotated[int, Meta(ge=0, le=OTHER_BAR)] = field(name="from")
    target: Annotated[int, Meta(ge=0, le=24)] = field(name="to")


class _Move(Struct):
    play: list[_Step] | None = None


class OkBei(Struct):
    """The answer to ``bei``."""

    id: dict[str, str] = {}
    version: int = 0

    @property
    def name(self) -> str:
        """What the engine calls itself; empty when it does not say."""
        return self.id.get("name", "")


class OkMove(Struct):
    """The answer to ``move``."""

    moves: list[_Move] | None = None

    @property
    def best(self) -> WrittenPlay:
        """The first move; no moves stand for a roll that cannot be played. Raises BeiError."""
        steps = (self.moves[0].play or []) if self.moves else []
        return WrittenPlay(tuple(_written(step) for step in steps))


class _Choice(Struct):
    roll: Annotated[int, Meta(ge=1, le=6)]


class OkChoose(Struct):
    """The answer to ``choose``."""

    rolls: Annotated[list[_Choice], Meta(min_length=1)]

    @property
    def best(self) -> int:
        """The number of the first double, 1-6."""
        return self.rolls[0].roll


class _Head(Struct):
    type: str = ""
    reason: str = ""


_EVENTS: Final[dict[type[Struct], str]] = {
    OkBei: "okbei",
    OkMove: "okmove",
    OkChoose: "okchoose",
}
Event = TypeVar("Event", OkBei, OkMove, OkChoose)


def read_event(line: str, wanted: type[Event]) -> Event:
    """The event of a line. Raises BeiError when it is another, or none.

    Names are compared without regard to case, as the readers of the interface's own library do.
    """
    try:
        fields = _lowered(msgspec.json.decode(line))
        head = msgspec.convert(fields, _Head)
        if head.type != _EVENTS[wanted]:
            reason = f": {head.reason}" if head.reason else ""
            raise BeiError(f"answered {head.type!r}, not {_EVENTS[wanted]!r}{reason}")
        return msgspec.convert(fields, wanted)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise BeiError(f"{line[:80]!r} is no {_EVENTS[wanted]} event: {error}") from error


def _lowered(value: object) -> object:
    """The value with the names of all objects in it in lower case."""
    if isinstance(value, dict):
        names = cast("dict[object, object]", value)
        return {str(key).lower(): _lowered(item) for key, item in names.items()}
    if isinstance(value, list):
        return [_lowered(item) for item in cast("list[object]", value)]
    return value


def _written(step: _Step) -> WrittenMove:
    start = {HOME: UNENTERED, OWN_BAR: BAR}.get(step.start, step.start)
    if step.start in (OTHER_HOME, OTHER_BAR):
        raise BeiError(f"{step.start} to {step.target} is no move of player 1")
    return WrittenMove(start, (OFF if step.target == HOME else step.target,))


def write_okmove(play: Play) -> str:
    """An ``okmove`` event for a play."""
    spaces = {UNENTERED: HOME, BAR: OWN_BAR}
    steps = [
        {"From": spaces.get(move.source, move.source), "To": move.target} for move in play.moves
    ]
    moves = [{"Play": steps}] if steps else []
    return msgspec.json.encode({"Type": "okmove", "Moves": moves}).decode()
