"""The stages of a turn's agenda, and what a roll or a name earns. spec/rules.md §5."""

from functools import cache
from typing import Final, final

from acey_rules.errors import DiceError
from acey_rules.ruleset import RuleSet


@final
class Stage:
    """One thing to do in a turn: roll, name a double, or play dice. There is one object of each.

    ``text`` is as position lines write it: ``R``, ``N`` or two digits; ``dice`` is the two
    numbers, higher first, equal ones standing for four moves, or None.
    """

    __slots__ = ("dice", "text")

    text: str
    dice: tuple[int, int] | None

    def __init__(self, text: str, dice: tuple[int, int] | None) -> None:
        """Only this module makes stages."""
        self.text = text
        self.dice = dice

    def __repr__(self) -> str:
        """Recognisable as a stage."""
        return f"<Stage {self.text}>"

    def __reduce__(self) -> str | tuple[object, ...]:
        """Copies and pickles are the one object."""
        return _stage, (self.text,)


Agenda = tuple[Stage, ...]
"""The stages still to do, first first; empty when the game is over."""

ROLL: Final = Stage("R", None)
"""Roll both dice."""
NAME: Final = Stage("N", None)
"""Name a number, which is then played as a double."""
ROLLS: Final = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 rolls, higher number first, in the order they are listed everywhere."""
STAGES: Final = {"R": ROLL, "N": NAME} | {
    f"{high}{low}": Stage(f"{high}{low}", (high, low)) for high, low in ROLLS
}
"""Every stage by its text."""
_DICE: Final = {stage.dice: stage for stage in STAGES.values()}

ACEY: Final = (2, 1)
"""The roll that earns the bonus."""


def _stage(text: str) -> Stage:
    return STAGES[text]


def dice_stage(first: int, second: int) -> Stage:
    """The stage of playing two dice, given in any order. Raises DiceError."""
    stage = _DICE.get((max(first, second), min(first, second)))
    if stage is None:
        raise DiceError(f"a roll is two numbers from 1 to 6, not {first} and {second}")
    return stage


@cache
def earned_by_roll(rules: RuleSet, first: int, second: int) -> Agenda:
    """The stages that rolling these dice puts in the place of the roll. Raises DiceError."""
    rolled = dice_stage(first, second)
    if first == second:
        reroll = (ROLL,) if rules.doubles_reroll else ()
        return (*earned_by_name(rules, first), *reroll)
    if rolled.dice == ACEY and rules.acey_bonus:
        return (rolled, NAME, ROLL)
    return (rolled,)


@cache
def earned_by_name(rules: RuleSet, number: int) -> Agenda:
    """The stages that a double of ``number`` is played in. Raises DiceError."""
    double = dice_stage(number, number)
    return (double, dice_stage(7 - number, 7 - number)) if rules.complement else (double,)


def left_after(rules: RuleSet, agenda: Agenda, complete: bool, on_bar: bool) -> Agenda:
    """What is left of an agenda that begins with dice, once they are played.

    ``complete``: every die was played; ``on_bar``: the mover still has a checker on the bar.
    """
    rest = agenda[1:]
    if complete:
        return rest
    match rules.forfeit:
        case "strict":
            return ()
        case "bar-only":
            return () if on_bar else rest
        case "first-only":
            return () if agenda[0].dice == ACEY else rest


@cache
def possible_agendas(rules: RuleSet) -> dict[str, Agenda]:
    """Every agenda that can occur in a turn under the rule set, by its text."""
    found: dict[str, Agenda] = {}
    new: list[Agenda] = [(ROLL,)]
    while new:
        agenda = new.pop()
        text = agenda_text(agenda)
        if not agenda or text in found:
            continue
        found[text] = agenda
        first, *rest = agenda
        if first is ROLL:
            new += [(*earned_by_roll(rules, *dice), *rest) for dice in ROLLS]
        elif first is NAME:
            new += [(*earned_by_name(rules, number), *rest) for number in range(1, 7)]
        else:
            new.append(tuple(rest))
    return found


@cache
def agenda_text(agenda: Agenda) -> str:
    """The agenda as position lines write it: ``21.N.R``; ``-`` when there is nothing to do."""
    return ".".join([stage.text for stage in agenda]) or "-"
