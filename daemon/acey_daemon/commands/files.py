"""Files of games as the command line takes them: by path, or ``-`` for standard input."""

import sys
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path

from acey_daemon import cli
from acey_daemon.commands.console import CommandError, cannot_read
from acey_grammar import ReadGame, read_acey, read_games

STDIN = "-"
"""The path that stands for standard input."""


def games_of(path: str) -> Iterator[ReadGame]:
    """The games of a file, one at a time. Raises CommandError when it cannot be read."""
    try:
        if path == STDIN:
            text = TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline=None)
            yield from read_acey(text, STDIN)
        else:
            yield from read_games(path)
    except OSError as error:
        cannot_read(Path(path), error)
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: byte {error.start} is no UTF-8 text", cli.BAD_INPUT) from error
