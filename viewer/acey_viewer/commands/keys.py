"""Single keys from a terminal, without waiting for Enter."""

import os
import re
import select
import sys
import termios
import tty
from types import TracebackType
from typing import Final, Self

_KEY: Final = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|.", re.DOTALL)
_ESCAPE_PAUSE: Final = 0.05
"""Seconds after which an escape alone counts as the key Escape, not as the start of an arrow."""


class Keyboard:
    """Standard input as keys. The terminal stays in this mode throughout, so no key is lost."""

    def __init__(self) -> None:
        """Take standard input, which must be a terminal."""
        self._input = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._input)
        self._pending = ""

    def __enter__(self) -> Self:
        """Switch to single keys; the interrupt key goes on interrupting."""
        tty.setcbreak(self._input, termios.TCSADRAIN)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the terminal back as it was."""
        termios.tcsetattr(self._input, termios.TCSADRAIN, self._before)

    def key(self) -> str:
        """The next key: a character, or the escape sequence of an arrow and the like.

        Raises EOFError when the terminal is gone.
        """
        while not self._pending or (self._pending == "\x1b" and self._more()):
            self._pending += self._read()
        found = _KEY.match(self._pending)
        assert found is not None
        self._pending = self._pending[found.end() :]
        return found[0]

    def _more(self) -> bool:
        return bool(select.select([self._input], [], [], _ESCAPE_PAUSE)[0])

    def _read(self) -> str:
        read = os.read(self._input, 1024)
        if not read:
            raise EOFError
        return read.decode(errors="ignore")
