"""``acey serve``: the daemon."""

import logging
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
import zmq

from acey_daemon import cli
from acey_daemon.commands.console import CommandError, out
from acey_daemon.server import Bound
from acey_daemon.server import serve as serve_until_stopped
from acey_daemon.settings import DEFAULT_BIND, DEFAULT_EVENTS, Settings
from acey_daemon.store import StoreError


class Durability(StrEnum):
    """What an acknowledged action survives."""

    DISK = "disk"
    PROCESS = "process"


def serve(
    bind: Annotated[
        list[str] | None,
        typer.Option(
            "--bind",
            metavar="ADDRESS",
            help=f"Where requests are taken; a port 0 is any free one.  [default: {DEFAULT_BIND}]",
        ),
    ] = None,
    events: Annotated[
        list[str] | None,
        typer.Option(
            "--events",
            metavar="ADDRESS",
            help=f"Where events are published.  [default: {DEFAULT_EVENTS}]",
        ),
    ] = None,
    store: Annotated[
        Path, typer.Option("--store", metavar="FILE", help="The file that holds every table.")
    ] = Path("acey.sqlite"),
    durability: Annotated[
        Durability,
        typer.Option(
            "--durability",
            help="disk: what is acknowledged is on disk; process: it survives a killed daemon, not "
            "a power cut, and is faster.",
        ),
    ] = Durability.DISK,
    dice_dir: Annotated[
        Path | None,
        typer.Option("--dice-dir", metavar="DIR", help="Where dice=file:NAME finds its scripts."),
    ] = None,
) -> int:
    """Serve tables and the rules oracle over ZeroMQ until interrupted or told to stop (SIGTERM).

    The addresses are written to standard output once they are bound, a line each: `requests` or
    `events`, then the address. What was acknowledged is there again after a restart.

    For example:

        acey serve

        acey serve --bind tcp://127.0.0.1:0 --events tcp://127.0.0.1:0 --store club.sqlite
    """
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s"
    )
    settings = Settings(
        bind=tuple(bind or (DEFAULT_BIND,)),
        events=tuple(events or (DEFAULT_EVENTS,)),
        store=store,
        durability=durability.value,
        dice_dir=dice_dir,
    )
    try:
        serve_until_stopped(settings, _announce)
    except zmq.ZMQError as error:
        raise CommandError(f"cannot listen: {error}") from error
    except (StoreError, OSError) as error:
        raise CommandError(str(error)) from error
    return cli.GOOD


def _announce(bound: Bound) -> None:
    """Say where the daemon listens, for people and for the program that started it."""
    for kind, addresses in (("requests", bound.requests), ("events", bound.events)):
        for address in addresses:
            out(f"{kind} {address}")
    sys.stdout.flush()
