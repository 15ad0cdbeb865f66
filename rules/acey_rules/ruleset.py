"""Rule sets as data: the fields of spec/rules.md §7 and the five presets.

No code anywhere asks for a rule set by name; it asks the fields.
"""

from typing import Literal, get_args, get_type_hints

import msgspec

from acey_rules.errors import RuleSetError, shown

Setup = Literal["empty", "backgammon"]
Opening = Literal["reroll", "play"]
Overshoot = Literal["highest", "any", "exact"]
Forfeit = Literal["strict", "bar-only", "first-only"]
Scoring = Literal["per-checker", "single", "gammon"]


class RuleSet(msgspec.Struct, frozen=True):
    """One set of rules (spec/rules.md §7).

    ``name`` is the preset's, or ``custom``; two rule sets with equal fields play alike.
    """

    name: str
    """Name of the preset, or ``custom``."""
    setup: Setup
    """Where the checkers start: all unentered, or the backgammon start."""
    opening: Opening
    """Whether the starter rolls anew for the first turn or plays the opening dice."""
    overshoot: Overshoot
    """Which checker a die larger than needed may bear off."""
    acey_bonus: bool
    """A 2-1 earns a named double and another roll."""
    complement: bool
    """A rolled or named double is followed by its complement, 7 minus the number."""
    doubles_reroll: bool
    """A rolled double (not a named one) earns another roll."""
    forfeit: Forfeit
    """What an incompletely played stage costs."""
    scoring: Scoring
    """What a won game is worth."""

    def __post_init__(self) -> None:
        """Raise RuleSetError on a value no field can have, or that the preset named has not."""
        for field, values in FIELDS.items():
            value = _field_text(getattr(self, field))
            if value not in values:
                raise RuleSetError(f"{field} is one of {', '.join(values)}, not {value!r}")
            if self.name in PRESETS and getattr(PRESETS[self.name], field) != getattr(self, field):
                raise RuleSetError(f"{self.name} has not {field}={value}; name it custom")

    def fields_text(self) -> str:
        """The fields without the name, as ``setup=empty opening=reroll …``."""
        return " ".join(f"{name}={_field_text(getattr(self, name))}" for name in FIELDS)


def _field_text(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


FIELDS: dict[str, tuple[str, ...]] = {
    name: tuple(_field_text(value) for value in get_args(hint) or (True, False))
    for name, hint in get_type_hints(RuleSet).items()
    if name != "name"
}
"""Each field's name and the values it may have, in the order they are written."""
PRESETS: dict[str, RuleSet] = {}
"""The presets by name, in the order they are listed everywhere."""

AMERICAN = RuleSet(
    name="american",
    setup="empty",
    opening="reroll",
    overshoot="highest",
    acey_bonus=True,
    complement=False,
    doubles_reroll=False,
    forfeit="strict",
    scoring="per-checker",
)
DICE_BOARD = RuleSet(
    name="dice-board",
    setup="empty",
    opening="reroll",
    overshoot="any",
    acey_bonus=True,
    complement=False,
    doubles_reroll=False,
    forfeit="bar-only",
    scoring="single",
)
EUROPEAN = RuleSet(
    name="european",
    setup="empty",
    opening="reroll",
    overshoot="exact",
    acey_bonus=True,
    complement=True,
    doubles_reroll=True,
    forfeit="strict",
    scoring="per-checker",
)
BGAMMON = RuleSet(
    name="bgammon",
    setup="empty",
    opening="reroll",
    overshoot="exact",
    acey_bonus=True,
    complement=False,
    doubles_reroll=False,
    forfeit="first-only",
    scoring="per-checker",
)
BACKGAMMON = RuleSet(
    name="backgammon",
    setup="backgammon",
    opening="play",
    overshoot="highest",
    acey_bonus=False,
    complement=False,
    doubles_reroll=False,
    forfeit="strict",
    scoring="gammon",
)

PRESETS.update(
    (rules.name, rules) for rules in (AMERICAN, DICE_BOARD, EUROPEAN, BGAMMON, BACKGAMMON)
)


def rule_set(text: str) -> RuleSet:
    """The rule set that ``text`` spells: a preset's name, or every field as ``field=value``.

    Raises RuleSetError naming what is unknown, missing or said twice. spec/rules.md §7.
    """
    preset = PRESETS.get(text)
    if preset is not None:
        return preset
    if "=" not in text:
        raise RuleSetError(f"no rule set {shown(text)}; there are {', '.join(PRESETS)}")
    values: dict[str, object] = {"name": "custom"}
    for word in text.split():
        field, _, value = word.partition("=")
        if field not in FIELDS:
            known = ", ".join(FIELDS)
            raise RuleSetError(f"a rule set has no field {shown(field)}; it has {known}")
        if field in values:
            raise RuleSetError(f"the field {field!r} is given twice")
        if value not in FIELDS[field]:
            raise RuleSetError(f"{field} is one of {', '.join(FIELDS[field])}, not {shown(value)}")
        values[field] = value == "true" if "true" in FIELDS[field] else value
    missing = [field for field in FIELDS if field not in values]
    if missing:
        raise RuleSetError(f"the rule set lacks {', '.join(missing)}")
    return msgspec.convert(values, RuleSet)
