"""``acey tournament``: many players, by a plan in a file."""

from pathlib import Path
from typing import Annotated

import typer

from acey_arena.commands.running import (
    RUNS,
    ClusterOption,
    ConcurrencyOption,
    OutOption,
    RefereeOption,
    open_folder,
    run_and_report,
    with_options,
)
from acey_arena.folder import RunFolder
from acey_arena.plan import PlanError, read_plan
from acey_daemon.commands.console import CommandError, JsonOption, cannot_read


def tournament(
    plan: Annotated[
        Path, typer.Argument(metavar="FILE", help="The plan, or with --resume a run's folder.")
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in this folder.")
    ] = False,
    out: OutOption = None,
    json: JsonOption = False,
    concurrency: ConcurrencyOption = None,
    referee: RefereeOption = None,
    cluster: ClusterOption = None,
) -> int:
    """Play a round robin, a gauntlet, a Swiss system or a knockout, by a plan in a TOML file.

    docs/tournaments.md says what a plan holds. A run that was interrupted, or killed, goes on with
    --resume: only what is missing is played, and the report is that of an uninterrupted run.
    For example:

        acey tournament spring.toml --out spring --concurrency 2

        acey tournament --resume spring
    """
    if resume:
        if out is not None:
            raise CommandError("a resumed run stays in its folder; leave --out away")
        folder = open_folder(lambda: RunFolder.resume(plan))
        planned = with_options(folder.plan, concurrency, referee)
        return run_and_report(folder, planned, cluster, as_json=json)
    try:
        planned = with_options(read_plan(plan), concurrency, referee)
    except PlanError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        cannot_read(plan, error)
    where = out or RUNS / f"{plan.stem}-{planned.seed}"
    folder = open_folder(lambda: RunFolder.create(where, planned))
    return run_and_report(folder, planned, cluster, as_json=json)
