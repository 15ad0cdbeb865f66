"""Files as the command line takes and makes them: games by path or ``-``, results whole."""

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO, cast

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


@contextmanager
def whole_file(path: Path) -> Generator[BinaryIO]:
    """A file that appears, or changes, only when everything has been written to it.

    A link is followed. What is there and is no file, as /dev/null, is written to as it is. Raises
    CommandError.
    """
    target = path.resolve()
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
            return
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as part:
            made = Path(part.name)
            try:
                yield cast("BinaryIO", part)
            except BaseException:
                made.unlink()
                raise
        mask = os.umask(0)
        os.umask(mask)
        made.chmod(0o666 & ~mask)
        made.replace(target)
    except OSError as error:
        cannot_read(path, error)
