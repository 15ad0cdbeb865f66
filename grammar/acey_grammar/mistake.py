"""One mistake in a text that the grammar has refused, and the grammar's terminals to compare with.

spec/notation.md §8.
"""

import re
from functools import cache
from typing import NamedTuple

from acey_grammar.grammar import pattern


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
        found = f"found '{_short(self.found)}'" if self.found.strip() else "nothing follows"
        if self.found.startswith(" "):
            found = "found a blank"
        *others, last = self.expected or ("",)
        expected = f"expected {', '.join(others)}{' or ' * bool(others)}{last}" if last else ""
        return "; ".join(filter(None, (expected, found, self.hint)))


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
