"""``acey bench arena``: how fast duels are, beside what they cannot be faster than."""

from typing import Annotated

import typer

from acey_arena.benchmark import measure
from acey_daemon import cli
from acey_daemon.commands.console import JsonOption, out, out_json


def bench_arena(
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="How long each rate is measured.")
    ] = 4.0,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="The best of so many.")] = 3,
    json: JsonOption = False,
) -> int:
    """Measure games a second: a duel here, through a daemon, and between two engine processes.

    Each rate stands beside its yardstick in the same run: a plain loop over the rules for bots, a
    bare script that writes the same lines to the same engines for engines. For example:

        acey bench arena --seconds 10
    """
    report = measure(seconds, rounds)
    if json:
        out_json(report)
        return cli.GOOD
    out(f"{report.python}, {report.generator} move generator, {report.cores} cores")
    for figure in report.figures:
        out(
            f"{figure.name:<42} {figure.rate:>10,.1f} games/s   "
            f"{figure.ratio:5.2f} of {figure.yardstick} (wanted: {figure.wanted:g})"
        )
    return cli.GOOD
