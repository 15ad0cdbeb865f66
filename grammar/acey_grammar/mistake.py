"""One mistake in a text that the grammar has refused, and the grammar's terminals to compare with.

spec/notation.md §8.
"""

import re
from functools import cache
from typing import Final, NamedTuple

from acey_grammar.grammar import pattern

BLANKS: Final = " \t"
"""All that parts words, besides line ends."""


class Mistake(NamedTuple):
    """Where a text goes wrong, and what could stand there instead."""

    offset: int
    """Where, in characters from the start of the text."""
    found: str
    """What stands there; empty where the text ends."""
    expected: tuple[str, ...]
    """What could stand there, in the terms of the notation; empty where nothing could."""
    hint: str = ""
    """What was probably meant."""
    kind: str = "syntax"
    """One of the kinds of faults.KINDS."""

    def moved(self, by: int) -> "Mistake":
        """The same mistake in a text that has ``by`` characters more before it."""
        return self._replace(offset=self.offset + by)

    @property
    def message(self) -> str:
        """A sentence: what was expected, what was found, what was probably meant."""
        first = self.found[:1]
        if first in BLANKS:
            found = "found a blank" if first else "nothing follows"
        elif first == "\n":
            found = "found the end of a line"
        elif not first.isprintable():
            found = f"found an invisible character, U+{ord(first):04X}"
        else:
            found = f"found '{_short(self.found)}'"
        *others, last = self.expected or ("",)
        expected = f"expected {', '.join(others)}{' or ' * bool(others)}{last}" if last else ""
        return "; ".join(filter(None, (expected, found, self.hint)))


_FREE: Final = re.compile(r'".*"|"[^"]*|\{[^{}]*\}?')
"""Values of tags and comments, which hold any character; also such as are never closed."""


def invisible(text: str) -> Mistake | None:
    """The first character that cannot be seen and is no blank, where none can stand."""
    plain = _FREE.sub(lambda free: "-" * len(free[0]), text)
    for offset, letter in enumerate(plain):
        if not letter.isprintable() and letter not in (*BLANKS, "\n"):
            return Mistake(offset, letter, (), "blanks are spaces and tabs")
    return None


def _short(text: str) -> str:
    """The text, or its start when it is long or goes over lines."""
    line = text.partition("\n")[0]
    return line if len(line) <= 40 else line[:39] + "…"


@cache
def _compiled(name: str) -> re.Pattern[str]:
    return re.compile(pattern(name))


def fits(name: str, text: str) -> bool:
    """Whether the text is a terminal of notation.lark, whole."""
    return _compiled(name).fullmatch(text) is not None
