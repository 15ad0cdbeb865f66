"""Kinds of arguments, and the check of a request against the verb table. spec/protocol.md §4.

An argument's kind says what its text may be and what value it stands for. Positions, plays and
records are checked where their meaning is known; here they are text.
"""

import re
from collections.abc import Mapping
from typing import Final, Protocol

from msgspec import Struct

from acey_protocol.errors import Code, refused
from acey_protocol.lines import Request
from acey_rules import RuleSet, RuleSetError, rule_set

Value = str | int | float | RuleSet | tuple[int, int] | None
"""What an argument's text may stand for."""

MAX_NAME: Final = 64
"""Characters a player's name may have."""
MAX_MATCH: Final = 999
"""Points a match may go to."""


class Kind(Protocol):
    """What the text of an argument may be."""

    @property
    def label(self) -> str:
        """How help and the specification name it."""
        ...

    def read(self, text: str) -> Value:
        """The value that the text stands for. Raises ValueError saying what it should be."""
        ...


class Text(Struct, frozen=True):
    """Any text."""

    label: str = "text"

    def read(self, text: str) -> str:
        """The text as it is."""
        return text


class PlayerName(Struct, frozen=True):
    """A player's name."""

    label: str = "name"

    def read(self, text: str) -> str:
        """The name. Raises ValueError when it is too long or cannot be shown."""
        if not text or len(text) > MAX_NAME or not text.isprintable():
            raise ValueError(f"a name is 1 to {MAX_NAME} characters that can be shown")
        return text


class Whole(Struct, frozen=True):
    """A whole number."""

    low: int
    high: int

    @property
    def label(self) -> str:
        """``1-6``."""
        return f"{self.low}-{self.high}"

    def read(self, text: str) -> int:
        """The number. Raises ValueError outside the range."""
        if re.fullmatch(r"[0-9]{1,18}", text) and self.low <= int(text) <= self.high:
            return int(text)
        raise ValueError(f"a whole number from {self.low} to {self.high} is needed")


class Seconds(Struct, frozen=True):
    """A time in seconds, with up to three decimals."""

    high: int
    label: str = "seconds"

    def read(self, text: str) -> float:
        """The time. Raises ValueError when it is none or too long."""
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,3})?", text) and float(text) <= self.high:
            return float(text)
        raise ValueError(f"a time from 0 to {self.high} seconds is needed")


class Choice(Struct, frozen=True):
    """One of several words."""

    words: tuple[str, ...]

    @property
    def label(self) -> str:
        """``open|over``."""
        return "|".join(self.words)

    def read(self, text: str) -> str:
        """The word. Raises ValueError when it is none of them."""
        if text in self.words:
            return text
        raise ValueError(f"it is one of {', '.join(self.words)}")


class Rules(Struct, frozen=True):
    """A rule set: a preset's name, or every field as ``field=value`` in one string."""

    label: str = "rules"

    def read(self, text: str) -> RuleSet:
        """The rule set. Raises RuleSetError naming what is unknown, missing or said twice."""
        return rule_set(text)


class Clock(Struct, frozen=True):
    """A bank and a delay in seconds, ``120+8``; both in milliseconds as a value."""

    label: str = "bank+delay"

    def read(self, text: str) -> tuple[int, int] | None:
        """Milliseconds of bank and of delay, or None for an empty text. Raises ValueError."""
        if not text:
            return None
        found = re.fullmatch(r"([0-9]{1,6})\+([0-9]{1,6})", text)
        if found is None or not (int(found[1]) or int(found[2])):
            raise ValueError("a clock is <bank>+<delay> in whole seconds, not both 0: 120+8")
        return int(found[1]) * 1000, int(found[2]) * 1000


class Hexadecimal(Struct, frozen=True):
    """Bytes as hexadecimal digits."""

    most: int
    label: str = "hex"

    def read(self, text: str) -> str:
        """The digits in lower case. Raises ValueError."""
        digits = re.fullmatch(r"([0-9a-fA-F]{2})+", text)
        if digits and len(text) <= 2 * self.most:
            return text.lower()
        raise ValueError(f"1 to {self.most} bytes in hexadecimal are needed")


class Dice(Struct, frozen=True):
    """Two dice, 1-6 each, as two digits in the order rolled."""

    label: str = "dice"

    def read(self, text: str) -> tuple[int, int]:
        """The two numbers. Raises ValueError."""
        if re.fullmatch(r"[1-6]{2}", text):
            return int(text[0]), int(text[1])
        raise ValueError("a roll is two digits 1-6")


class DiceSpec(Struct, frozen=True):
    """Where a table's dice come from."""

    label: str = "fair|seed:<n>|manual|file:<name>"

    def read(self, text: str) -> str:
        """The text. Raises ValueError."""
        if re.fullmatch(
            r"fair|manual|seed:[0-9]{1,18}|file:[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}", text
        ):
            return text
        raise ValueError("dice are fair, seed:<n>, manual or file:<name>")


class Argument(Struct, frozen=True, kw_only=True):
    """One argument of a verb."""

    name: str
    kind: Kind
    about: str
    positional: bool = False
    """Written without its key; positional arguments come in the table's order."""
    required: bool = False
    default: str = ""
    """The text that stands in for an argument left out."""
    rest: bool = False
    """Takes all positional words that are left, joined by spaces: always the last."""

    @property
    def usage(self) -> str:
        """``<table>``, ``ply=<1-999>``, in brackets when it can be left out."""
        text = f"<{self.name}>" if self.positional else f"{self.name}=<{self.kind.label}>"
        return text if self.required else f"[{text}]"


Values = dict[str, Value]
"""A request's arguments by name; those left out have their default's value."""


class Checker:
    """Checks requests against one verb's arguments."""

    def __init__(self, verb: str, arguments: tuple[Argument, ...]) -> None:
        """Prepare the table's rows for quick look-up."""
        self._verb = verb
        self._positional = tuple(each for each in arguments if each.positional)
        self._named: Mapping[str, Argument] = {
            each.name: each for each in arguments if not each.positional
        }
        self._defaults: Values = {
            each.name: each.kind.read(each.default) if each.default else None for each in arguments
        }
        self._needed = tuple(each for each in arguments if each.required)

    @property
    def names(self) -> frozenset[str]:
        """The names of all arguments."""
        return frozenset(self._defaults)

    def check(self, request: Request) -> Values:
        """The values of a request's arguments. Raises BadArgument naming the argument."""
        values = dict(self._defaults)
        words = request.words
        for place, argument in enumerate(self._positional):
            if place >= len(words):
                break
            text = " ".join(words[place:]) if argument.rest else words[place]
            values[argument.name] = self._read(argument, text)
        else:
            if len(words) > len(self._positional) and not (
                self._positional and self._positional[-1].rest
            ):
                extra = words[len(self._positional)]
                raise refused(Code.BAD_ARGUMENT, f"{self._verb} takes no argument {extra[:40]!r}")
        for name, text in request.named.items():
            argument = self._named.get(name)
            if argument is None:
                raise refused(Code.BAD_ARGUMENT, f"{self._verb} takes no argument {name}=")
            values[name] = self._read(argument, text)
        for argument in self._needed:
            if values[argument.name] is None:
                raise refused(Code.BAD_ARGUMENT, f"{self._verb} needs {argument.usage}")
        return values

    def _read(self, argument: Argument, text: str) -> Value:
        try:
            return argument.kind.read(text)
        except ValueError as error:
            # What is wrong with a rule set is said in full; the other kinds say what is needed.
            given = "" if isinstance(error, RuleSetError) else f", not {text[:40]!r}"
            raise refused(
                Code.BAD_ARGUMENT,
                f"{argument.name}: {error}{given}",
                details={"argument": argument.name},
            ) from None
