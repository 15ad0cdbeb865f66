"""What is wrong with a plan, in the words of the file it was written in. docs/tournaments.md §2."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

_PLACE: Final = re.compile(r" - at `\$\.?(.*)`$")
_KINDS: Final = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "nothing",
    "object": "a table",
    "str": "text",
}
"""How TOML's people call what msgspec names."""


def plan_fault(
    error: msgspec.ValidationError,
    fields: Mapping[str, tuple[str, ...]],
    choices: Mapping[str, tuple[str, ...]],
) -> str:
    """``player 2, deadline: a number > 0.0 is expected``, for what msgspec says of a plan.

    ``fields`` are those of the plan (named by the empty text), of a ``player`` and of ``sprt``,
    ``choices`` the words that a field can be.
    """
    words = str(error)
    found = _PLACE.search(words)
    path = found[1] if found else ""
    words = words[: found.start()] if found else words
    place = re.sub(r"^players(?:\[(\d+)\])?\.?", _player, path)
    place = re.sub(r"\[\.\.\.\]|\[(\d+)\]", "", place).strip(", ")
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", words):
        kind = place.partition(" ")[0]
        words = f"there is no field {unknown[1]!r}; there are {', '.join(fields[kind])}"
    elif missing := re.fullmatch(r"Object missing required field `(.*)`", words):
        words = f"the field {missing[1]!r} is missing"
    elif chosen := re.fullmatch(r"Invalid enum value (.*)", words):
        words = f"there is no {chosen[1]}; there are {', '.join(choices[place])}"
    elif expected := re.fullmatch(r"Expected `([^`]*)`(.*?)(?:, got `(.*)`)?", words):
        wanted = " or ".join(_KINDS.get(kind, kind) for kind in expected[1].split(" | "))
        if "regex" in expected[2]:  # there is one, that of names
            return f"{place}: {wanted} without control characters and braces is expected"
        got = f", not {_KINDS.get(expected[3], expected[3])}" if expected[3] else ""
        words = f"{wanted}{expected[2]} is expected{got}"
    return f"{place}: {words}" if place else words


def _player(found: "re.Match[str]") -> str:
    """Players by number, as a reader counts the tables of the file."""
    return "player, " if found[1] is None else f"player {int(found[1]) + 1}, "
