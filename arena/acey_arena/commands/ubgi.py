"""``acey ubgi``: a bot of ours as a UBGI engine."""

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from acey_arena.roster import ROSTER
from acey_arena.ubgi_engine import UbgiEngine, serve
from acey_daemon.commands.console import CommandError
from acey_protocol.ubgi import Dialect


def ubgi(
    bot: Annotated[
        str, typer.Option("--bot", metavar="NAME", help=f"One of {', '.join(ROSTER)}.")
    ] = "blockade",
    dialect: Annotated[
        str,
        typer.Option(
            "--dialect", metavar="VERSION", help="What the handshake announces: 0.1 or 0.2."
        ),
    ] = "0.2",
) -> None:
    r"""Offer a bot of ours to any host of the Universal Backgammon Interface, on standard input.

    Both dialects are understood, backgammon and acey-deucey (spec/engines.md). For example:

        printf 'ubgi\nquit\n' | acey ubgi --bot pip
    """
    if bot not in ROSTER:
        raise CommandError(f"there is no bot {bot!r}; there are {', '.join(ROSTER)}")
    try:
        spoken = Dialect(dialect)
    except ValueError as error:
        raise CommandError(f"--dialect is 0.1 or 0.2, not {dialect!r}") from error
    # A byte that is no text is a fault of one line, which is answered as any other.
    lines = TextIOWrapper(sys.stdin.buffer, "utf-8", errors="replace")
    serve(UbgiEngine(bot, spoken), lines, sys.stdout)
