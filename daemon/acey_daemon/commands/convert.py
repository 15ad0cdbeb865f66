"""``acey convert``: archives of games from one format to another."""

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, BinaryIO, Final, cast

import typer

from acey_daemon import cli
from acey_daemon.archive.judging import Options
from acey_daemon.archive.writing import ENDINGS, TARGETS, write_archive
from acey_daemon.commands.archive_report import Progress, fault_text
from acey_daemon.commands.console import CommandError, counted, note, rules_named
from acey_daemon.commands.files import whole_file
from acey_daemon.commands.validate import FORMATS, JobsOption, PathsArgument, read_paths
from acey_grammar.formats.telling import UnsupportedError
from acey_grammar.formats.verdict import Verdict

STDOUT: Final = "-"


class _NothingError(Exception):
    """There was no game, so there shall be no file."""


class _StrictError(Exception):
    """Something would be lost, and nothing may be."""


def convert(
    paths: PathsArgument,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help=f"One of {', '.join(TARGETS)}; told by the ending of --output otherwise.",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Where to; - is standard output."),
    ] = STDOUT,
    source: Annotated[
        str,
        typer.Option("--from", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}."),
    ] = "auto",
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Stop when something cannot be held, and leave no file."),
    ] = False,
    rules: Annotated[
        str | None,
        typer.Option("--rules", metavar="RULES", help="Replay by these rules, whatever is named."),
    ] = None,
    jobs: JobsOption = 0,
) -> int:
    """Convert archives of games; what the target cannot hold is listed on standard error.

    Games with faults are converted as they are written, and their faults are told. The exit status
    is 1 when there were faults, when a game could not be converted, and with --strict when anything
    would be lost; then no file is left.

    For example:

        acey convert match.mat --to acey

        acey convert archive/ -o archive.jsonl

        acey convert --strict game.acey -o game.sgf
    """
    target = _target(to, output)
    options = Options(None if rules is None else rules_named(rules), records=True)
    losses = _Losses(target, strict)
    with Progress() as progress:
        games = _Games(read_paths(paths, options, jobs, source), progress)
        try:
            with _output(output) as file:
                written = write_archive(games, target, file, losses.report)
                if not written:
                    raise _NothingError
        except _NothingError as error:
            if games.status == cli.USAGE:  # what was named is not there, and that has been said
                return games.status
            raise CommandError(
                "there is no game to convert; nothing was written", cli.BAD_INPUT
            ) from error
        except _StrictError as error:
            raise CommandError(f"nothing was written (--strict): {error}", cli.BAD_INPUT) from error
        except UnsupportedError as error:
            message = f"unsupported: {error}; nothing was written"
            raise CommandError(message, max(games.status, cli.BAD_INPUT)) from error
    losses.tell()
    note(f"{counted(written, 'game')} written as {target}")
    return games.status


def _target(to: str | None, output: str) -> str:
    if Path(output).is_dir():
        raise CommandError(f"{output}: is a directory")
    if output == STDOUT and sys.stdout.isatty() and to == "msgpack":
        raise CommandError("MessagePack is not for a terminal; say -o games.msgpack")
    target = to or ENDINGS.get(Path(output).suffix)
    if target is None:
        raise CommandError(f"say the format with --to; there are {', '.join(TARGETS)}")
    if target not in TARGETS:
        raise CommandError(f"there is no format {target!r}; there are {', '.join(TARGETS)}")
    return target


class _Games:
    """The games that are read, their faults told on the way."""

    def __init__(self, read: Iterator[Verdict], progress: Progress) -> None:
        self.read = read
        self.progress = progress
        self.status = cli.GOOD

    def __iter__(self) -> Iterator[Verdict]:
        for verdict in self.read:
            self.progress.step(verdict)
            for fault in verdict.faults:
                missing = fault.kind == "missing"
                self.status = max(self.status, cli.USAGE if missing else cli.BAD_INPUT)
                note(f"acey: {verdict.file}: {fault.message}" if missing else fault_text(fault, ""))
            for notice in verdict.notices:
                note(f"{verdict.file}:{notice.line}:{notice.column} note: {notice.message}")
            if verdict.game and verdict.record is None:
                note(f"{verdict.file}:{verdict.line}: game {verdict.game} is not converted")
            yield verdict


class _Losses:
    """Gathers what is lost, or stops because something is."""

    def __init__(self, target: str, strict: bool) -> None:
        self.target = target
        self.strict = strict
        self.found: dict[tuple[str, str], tuple[int, int, int]] = {}
        """For each file and loss: in how many games, the first of them and its line."""

    def report(self, verdict: Verdict, losses: tuple[str, ...]) -> None:
        """Note what a game loses."""
        for what in losses:
            if self.strict:
                place = f"{verdict.file}:{verdict.line}: game {verdict.game}"
                raise _StrictError(f"{place}: {self.target} cannot hold {what}")
            count, game, line = self.found.get(
                (verdict.file, what), (0, verdict.game, verdict.line)
            )
            self.found[verdict.file, what] = (count + 1, game, line)

    def tell(self) -> None:
        """Write what was lost, a line for each file and thing."""
        for (file, what), (count, game, line) in self.found.items():
            others = f" and {counted(count - 1, 'more game')}" if count > 1 else ""
            note(f"{file}:{line}: {self.target} cannot hold {what}: game {game}{others}")


@contextmanager
def _output(output: str) -> Generator[BinaryIO]:
    """A file, or standard output, that is written only when everything is there to be written."""
    if output == STDOUT:
        with TemporaryFile() as held:
            yield cast("BinaryIO", held)
            held.seek(0)
            while block := held.read(1 << 16):
                sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()  # what is said to be written is written
        return
    with whole_file(Path(output)) as file:
        yield file
