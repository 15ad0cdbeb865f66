"""``acey validate``: every fault of an archive of games, each with its place."""

from collections.abc import Iterator
from typing import Annotated, Final

import typer

from acey_daemon import cli
from acey_daemon.archive.judging import Options
from acey_daemon.archive.pool import ProcessLostError, read_archive, usable_cpus
from acey_daemon.commands.archive_report import JsonReport, Progress, Report, TextReport
from acey_daemon.commands.console import CommandError, JsonOption, note, rules_named
from acey_grammar.formats.registry import TEXT_FORMATS
from acey_grammar.formats.verdict import Verdict

FORMATS: Final = ("auto", *TEXT_FORMATS, "json", "jsonl", "msgpack")
"""What ``--format`` and ``--from`` can be."""

PathsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH…",
        help="Files, folders, globs; - is standard input. .gz and .zip are looked into.",
    ),
]
JobsOption = Annotated[
    int,
    typer.Option("--jobs", "-j", min=0, metavar="N", help="Processes; 0 is one for each CPU."),
]


def format_named(text: str) -> str:
    """The format an option names. Raises CommandError (usage)."""
    if text not in FORMATS:
        raise CommandError(f"there is no format {text!r}; there are {', '.join(FORMATS)}")
    return text


def read_paths(paths: list[str], options: Options, jobs: int, form: str) -> Iterator[Verdict]:
    """Every game of the paths, ``jobs`` 0 being one process for each CPU.

    Raises CommandError when a process is ended from outside.
    """
    try:
        yield from read_archive(paths, options, jobs or usable_cpus(), format_named(form))
    except ProcessLostError as error:
        raise CommandError(str(error), cli.INTERNAL) from error


def validate(
    paths: PathsArgument,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="RULES", help="Replay by this rule set, whatever the games name."
        ),
    ] = None,
    infer_rules: Annotated[
        bool,
        typer.Option(
            "--infer-rules", help="Say under which rule sets the games replay without a fault."
        ),
    ] = False,
    json: JsonOption = False,
    jobs: JobsOption = 0,
    max_faults: Annotated[
        int,
        typer.Option(
            "--max-faults", min=0, metavar="N", help="List at most N faults a file; count the rest."
        ),
    ] = 1000,
    form: Annotated[
        str,
        typer.Option("--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}."),
    ] = "auto",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No line for a file without a fault.")
    ] = False,
) -> int:
    """Read archives of games, replay every game and report every fault with its line and column.

    The format is told by the content: our notation, JSON, JSON Lines, MessagePack, .mat, SGF,
    bgammon.org, FIBS, lists of plays. An illegal play is shown with the position before it and
    what would have been legal. The exit status is 1 when anything is wrong.

    For example:

        acey validate demo.acey

        acey validate --jobs 2 archive/ more.zip

        acey validate --json games/*.mat

        acey validate --infer-rules old.match
    """
    options = Options(None if rules is None else rules_named(rules), infer=infer_rules)
    report: Report = JsonReport() if json else TextReport(max_faults, infer_rules, quiet)
    status = cli.GOOD
    found = False
    with Progress() as progress:
        for verdict in read_paths(paths, options, jobs, form):
            found = True
            progress.step(verdict)
            missing = next((fault for fault in verdict.faults if fault.kind == "missing"), None)
            if missing is not None:
                note(f"acey: {verdict.file}: {missing.message}")
                status = max(status, cli.USAGE)
                continue
            if verdict.faults:
                status = max(status, cli.BAD_INPUT)
            empty = next((said for said in verdict.notices if said.kind == "empty"), None)
            if empty is not None and verdict.file in paths:
                note(f"acey: {verdict.file}: {empty.message}")
                status = max(status, cli.BAD_INPUT)
                continue
            report.add(verdict)
    if not found:
        raise CommandError(f"{', '.join(paths)}: there is no file in it", cli.BAD_INPUT)
    report.finish()
    return status
