"""The games of one file of any format as records, to be shown rather than judged."""

import sys
from collections.abc import Iterator
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path
from typing import Final, cast

from msgspec.structs import replace

from acey_daemon.archive.judging import Options
from acey_daemon.archive.pool import read_archive
from acey_daemon.archive.sources import STDIN
from acey_grammar import ReadGame, read_acey, read_games
from acey_grammar.faults import Fault
from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.registry import sniff
from acey_grammar.record import GameRecord
from acey_grammar.validate import validate

_HEAD: Final = 1 << 12


def replayable(path: str) -> Iterator[tuple[ReadGame, tuple[Fault, ...]]]:
    """Each game of a file, or of standard input, with all that is wrong with it.

    What concerns the file as a whole comes with a game of no tags. Games in our own notation keep
    the places of their parts. Raises OSError, and UnicodeDecodeError for notation in no UTF-8.
    """
    if sniff(TextLines(BytesIO(_head(path))))[0] == "acey":
        for read in _ours(path):
            yield read, _of_file(validate(read).faults, path)
        return
    for verdict in read_archive([path], Options(records=True)):
        record = verdict.record or GameRecord(())
        if verdict.game or verdict.faults:
            yield ReadGame(record, line=verdict.line, format=verdict.format), verdict.faults


def _of_file(faults: tuple[Fault, ...], path: str) -> tuple[Fault, ...]:
    return tuple(replace(fault, file=path) for fault in faults)


def _head(path: str) -> bytes:
    if path == STDIN:
        return cast("BufferedReader", sys.stdin.buffer).peek(_HEAD)[:_HEAD]
    with Path(path).open("rb") as file:
        return file.read(_HEAD)


def _ours(path: str) -> Iterator[ReadGame]:
    if path != STDIN:
        yield from read_games(path)
        return
    text = TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline=None)
    yield from read_acey(text, STDIN)
