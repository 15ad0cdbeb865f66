"""What ``acey duel`` and ``acey tournament`` share: playing a run with its display, its report."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec.structs import replace
from rich.console import Console

from acey_arena.display import Display
from acey_arena.executor import Executor, Tell, local_executor
from acey_arena.folder import FolderError, RunFolder
from acey_arena.plan import Plan
from acey_arena.report import Report, report_json
from acey_arena.report_files import TEXT_WIDTH, write_files
from acey_arena.report_text import rendered
from acey_arena.run import play_run
from acey_arena.table import RefereeError
from acey_daemon import cli
from acey_daemon.commands.console import CommandError, note, out_data
from acey_protocol.errors import NoReply

OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="The run's folder, new or empty.")
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        "--concurrency", "-c", min=1, max=1024, metavar="N", help="Games played at a time."
    ),
]
RefereeOption = Annotated[
    str | None,
    typer.Option(
        "--referee",
        metavar="WHO",
        help="local: this program applies the rules; daemon: a daemon of its own does.",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on a Dask cluster, as dask://host:8786; needs the extra [cluster].",
    ),
]
LEAST_WIDTH: Final = 76
"""Columns that the report's tables need."""
RUNS: Final = Path("acey-runs")
"""Where runs go that name no folder."""


def with_options(plan: Plan, concurrency: int | None, referee: str | None) -> Plan:
    """The plan with what the command line changes of how it is played."""
    if referee not in (None, "local", "daemon"):
        raise CommandError(f"--referee is local or daemon, not {referee!r}")
    if concurrency is not None:
        plan = replace(plan, concurrency=concurrency)
    return replace(plan, referee=referee) if referee is not None else plan


def make_executor(plan: Plan, cluster: str | None, tell: Tell) -> Executor:
    """Who plays the pairs. Raises CommandError."""
    if cluster is not None:
        from acey_arena.cluster import ClusterError, cluster_executor  # noqa: PLC0415 - an extra

        try:
            return cluster_executor(plan, cluster)
        except ClusterError as error:
            raise CommandError(str(error)) from error
    if plan.referee == "daemon":
        from acey_arena.daemon import daemon_executor  # noqa: PLC0415 - zmq comes with it

        try:
            return daemon_executor(plan, tell)
        except RefereeError as error:
            raise CommandError(str(error)) from error
    return local_executor(plan, tell)


def open_folder(open_it: Callable[[], RunFolder]) -> RunFolder:
    """The folder of a run. Raises CommandError."""
    try:
        return open_it()
    except FolderError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from error


def run_and_report(folder: RunFolder, plan: Plan, cluster: str | None, *, as_json: bool) -> int:
    """Play what is missing, write the report, show it; the exit status.

    ``plan`` is the folder's with what the command line says of how it is played.
    """
    executor = make_executor(plan, cluster, folder.log)
    note(f"acey: the run is in {folder.path}")
    try:
        with Display(plan, folder) as display:
            progress = play_run(folder, executor, display.add)
    except KeyboardInterrupt:
        note(f"acey: stopped; go on with: acey tournament --resume {folder.path}")
        folder.log("interrupted")
        folder.close()
        return cli.INTERRUPTED
    except (RefereeError, NoReply) as error:
        folder.log(f"stopped: {error}")
        folder.close()
        hint = f"go on with: acey tournament --resume {folder.path}"
        raise CommandError(f"{error}; {hint}") from error
    finally:
        executor.close()
    report = write_files(folder, progress)
    folder.log(f"complete: {report.pairs} pairs count")
    folder.close()
    _show(report, as_json=as_json)
    note(f"acey: report: {folder.path / 'report.html'}")
    return _status(report)


def _show(report: Report, *, as_json: bool) -> None:
    if as_json:
        out_data(report_json(report).rstrip())
        return
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else TEXT_WIDTH)
    console.width = max(console.width, LEAST_WIDTH)  # a narrower one wraps, which loses nothing
    console.print(rendered(report, console.width), highlight=False)


def _status(report: Report) -> int:
    """BAD_INPUT when a player failed or a pair could not be played: the run is complete, but."""
    if report.faults or report.void_pairs:
        note("acey: not all went well: see 'What went wrong' in the report, and log.txt")
        return cli.BAD_INPUT
    return cli.GOOD
