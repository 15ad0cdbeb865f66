"""What is wrong with a setting, in the words of the file it was written in. docs/operating.md."""

import math
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final, get_args

import msgspec
from msgspec import inspect

_SHOWN: Final = 60
"""Letters of a value that are shown; a longer one is cut."""


def unknown_setting(name: str, names: Iterable[str]) -> str:
    """``there is no setting 'stor'; did you mean store? There are bind, events, …``."""
    names = list(names)
    meant = get_close_matches(name, names, n=1)
    hint = f"did you mean {meant[0]}? There" if meant else "there"
    return f"there is no setting {shown(name)}; {hint} are {', '.join(names)}"


def wrong_value(name: str, value: object, kind: object, default: object) -> str:
    """``max_line: a whole number from 256 to 16777216 is expected, not "x"``.

    ``kind`` is the type of the setting, as its annotation says it.
    """
    return f"{name}: {_wanted(kind, default)} is expected, not {shown(value)}"


def _wanted(kind: object, default: object) -> str:
    """What a setting may be."""
    match inspect.type_info(kind):
        case inspect.LiteralType():
            *most, last = map(shown, get_args(kind))  # in the order they were written in
            return f"{', '.join(most)} or {last}"
        case inspect.IntType(ge=least, le=None):
            return f"a whole number from {least} on"
        case inspect.IntType(ge=least, le=most):
            return f"a whole number from {least} to {most}"
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType():
            return "text in quotes"
        case _:
            return f"a list of texts such as {shown(default)}"


def shown(value: object) -> str:
    """A value as TOML writes it, cut when it is long."""
    match value:
        case dict():
            return "a table"
        case float() if not math.isfinite(value):
            return str(value)
        case str() | bool() | int() | float() | list() | tuple():
            text = msgspec.json.encode(value, enc_hook=str).decode()
        case _:  # a date or a time
            text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
