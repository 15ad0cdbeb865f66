"""``acey engine-check``: whether a program speaks UBGI as a host needs it."""

from typing import Annotated

import typer

from acey_arena.check import EngineCheck
from acey_daemon import cli
from acey_daemon.commands.console import RulesOption, out, rules_named


def engine_check(
    command: Annotated[list[str], typer.Argument(metavar="-- CMD…", help="The engine's command.")],
    rules: RulesOption = "american",
    deadline: Annotated[
        float,
        typer.Option("--deadline", min=0.01, metavar="SECONDS", help="For each answer."),
    ] = 10.0,
) -> int:
    """Take a UBGI engine through numbered steps and show the dialogue where it fails.

    Start, handshake, options, ready, rules, legal plays in 50 positions, no legal play, naming,
    errors, quit (spec/engines.md §6). For example:

        acey engine-check -- ./mybot --level 3

        acey engine-check --rules backgammon -- acey ubgi --bot pip
    """
    good = True
    for step in EngineCheck(command, rules_named(rules), deadline).run():
        out(f"{step.number:2} {'ok  ' if step.good else 'FAIL'} {step.title}: {step.detail}")
        if not step.good:
            good = False
            for line in step.dialogue:
                out(f"        {line}")
    return cli.GOOD if good else cli.BAD_INPUT
