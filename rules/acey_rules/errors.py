"""What can be wrong with a position, a rule set or an action.

    RulesError (a ValueError)
    ├── RuleSetError      no such rule set, or a field it cannot have
    ├── PositionError     a position line that says something impossible (names the field)
    ├── DiceError         dice that do not exist
    └── IllegalAction     an action the rules forbid here (names the rule, the position)
        ├── WrongAction   the right kind of action at the wrong moment
        └── AmbiguousPlay a play that can be read in more than one way (offers the ways)

Sections cited are those of spec/rules.md.
"""

from enum import Enum


class Rule(Enum):
    """The rule an illegal action breaks; ``value`` is its section in spec/rules.md."""

    code: str

    def __new__(cls, code: str, section: str) -> "Rule":
        """Keep the code apart from the section, which several rules share."""
        member = object.__new__(cls)
        member._value_ = (code, section)
        member.code = code
        return member

    @property
    def section(self) -> str:
        """Section of spec/rules.md, as ``§4``."""
        return self.value[1]

    BAR_FIRST = ("bar-first", "§3")
    POINT_HELD = ("point-held", "§3")
    NO_CHECKER = ("no-checker", "§3")
    NOT_HOME = ("not-home", "§3")
    OVERSHOOT = ("overshoot", "§3")
    NOT_THESE_DICE = ("not-these-dice", "§4")
    TOO_MANY_MOVES = ("too-many-moves", "§4")
    MORE_DICE = ("more-dice", "§4")
    HIGHER_DIE = ("higher-die", "§4")
    MUST_PLAY = ("must-play", "§4")
    NOTHING_PLAYABLE = ("nothing-playable", "§4")
    NO_HIT = ("no-hit", "§3")
    AMBIGUOUS = ("ambiguous", "§4")
    ROLL_DUE = ("roll-due", "§5")
    PLAY_DUE = ("play-due", "§5")
    NAME_DUE = ("name-due", "§5")
    GAME_OVER = ("game-over", "§6")
    BAD_NUMBER = ("bad-number", "§5")
    BAD_RESIGNATION = ("bad-resignation", "§6")


def shown(text: str) -> str:
    """The text as a message quotes it, cut where it is long."""
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


class RulesError(ValueError):
    """Base of everything acey_rules raises on input that is wrong."""


class RuleSetError(RulesError):
    """A rule set that does not exist, or a field value it cannot have (spec/rules.md §7)."""


class DiceError(RulesError):
    """Dice that do not exist: not two numbers from 1 to 6."""


class PositionError(RulesError):
    """A position line that cannot be.

    ``field`` is the part at fault: ``board``, ``X unentered``, ``O unentered``, ``turn``,
    ``agenda`` or ``fields``.
    """

    def __init__(self, field: str, message: str) -> None:
        """Name the field at fault and say what is wrong with it."""
        super().__init__(field, message)
        self.field = field
        self.message = message

    def __str__(self) -> str:
        """The field, then what is wrong with it."""
        return f"{self.field}: {self.message}"


class IllegalAction(RulesError):
    """An action the rules forbid here.

    ``rule`` is the rule broken, ``position`` the position line it was tried on (empty where
    only a board was at hand).
    """

    def __init__(self, rule: Rule, message: str, position: str = "") -> None:
        """Say which rule is broken; ``message`` is for people."""
        super().__init__(rule, message, position)
        self.rule = rule
        self.message = message
        self.position = position

    def __str__(self) -> str:
        """The message with the section of spec/rules.md it rests on."""
        return f"{self.message} (spec/rules.md {self.rule.section})"


class WrongAction(IllegalAction):
    """Another kind of action is due: a roll, a play, a name, or none (spec/rules.md §5)."""


class AmbiguousPlay(IllegalAction):
    """A play that leaves out a stop which matters; ``ways`` are the plays it could mean."""

    def __init__(self, message: str, ways: tuple[str, ...], position: str = "") -> None:
        """Offer every way the play could be meant, in canonical text."""
        super().__init__(Rule.AMBIGUOUS, message, position)
        self.ways = ways
