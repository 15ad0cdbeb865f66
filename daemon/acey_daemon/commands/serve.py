"""``acey serve``: the daemon."""

import resource
import sys
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
import zmq

from acey_daemon import cli
from acey_daemon.access import AccessError
from acey_daemon.commands.console import CommandError, out, out_data
from acey_daemon.logs import start_logging
from acey_daemon.server import Bound
from acey_daemon.server import serve as serve_until_stopped
from acey_daemon.settings import (
    DEFAULT_BIND,
    DEFAULT_EVENTS,
    SettingsError,
    settings_of,
    toml,
)
from acey_daemon.store import StoreError


class Durability(StrEnum):
    """What an acknowledged action survives."""

    DISK = "disk"
    PROCESS = "process"


class LogFormat(StrEnum):
    """How a line of the log is written."""

    LOGFMT = "logfmt"
    JSON = "json"


def serve(
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Settings as TOML; options go before them."),
    ] = None,
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
        str | None,
        typer.Option(
            "--store", metavar="FILE", help="The file that holds every table.  [acey.sqlite]"
        ),
    ] = None,
    durability: Annotated[
        Durability | None,
        typer.Option(
            "--durability",
            help="disk: what is acknowledged is on disk; process: it survives a killed daemon, not "
            "a power cut, and is faster.  [disk]",
        ),
    ] = None,
    dice_dir: Annotated[
        str | None,
        typer.Option("--dice-dir", metavar="DIR", help="Where dice=file:NAME finds its scripts."),
    ] = None,
    curve: Annotated[
        str | None,
        typer.Option("--curve", metavar="DIR", help="Encrypt, with the keys of acey keygen DIR."),
    ] = None,
    insecure: Annotated[
        bool | None,
        typer.Option("--insecure", help="Bind to addresses others can reach, without keys."),
    ] = None,
    rate: Annotated[
        int | None,
        typer.Option(
            "--rate", min=0, metavar="N", help="Requests a second of one connection; 0: no limit."
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", metavar="HOST:PORT", help="Serve counters to Prometheus."),
    ] = None,
    log_format: Annotated[
        LogFormat | None, typer.Option("--log-format", help="logfmt or json.  [logfmt]")
    ] = None,
    print_config: Annotated[
        bool,
        typer.Option("--print-config", help="Write the settings as TOML and do nothing else."),
    ] = False,
) -> int:
    """Serve tables and the rules oracle over ZeroMQ until interrupted or told to stop (SIGTERM).

    The addresses are written to standard output once they are bound, a line each: `requests` or
    `events`, then the address. The log goes to standard error. What was acknowledged is there again
    after a restart. SIGHUP reads the list of client keys anew. docs/operating.md says more.

    For example:

        acey serve

        acey serve --bind tcp://127.0.0.1:0 --events tcp://127.0.0.1:0 --store club.sqlite

        acey serve --print-config > acey.toml

        acey serve --config acey.toml
    """
    options: dict[str, object] = {
        "bind": bind,
        "events": events,
        "store": store,
        "durability": durability,
        "dice_dir": dice_dir,
        "curve": curve,
        "insecure": insecure,
        "requests_per_second": rate,
        "metrics": metrics,
        "log_format": log_format,
    }
    try:
        settings = settings_of(
            config, {name: value for name, value in options.items() if value is not None}
        )
    except SettingsError as error:
        raise CommandError(str(error)) from error
    if print_config:
        out_data(toml(settings))
        return cli.GOOD
    start_logging(settings.log_format, settings.log_level)
    _take_descriptors()
    try:
        serve_until_stopped(settings, _announce)
    except zmq.ZMQError as error:
        raise CommandError(f"cannot listen: {error}") from error
    except OSError as error:
        raise CommandError(f"cannot listen: {error.strerror or error}") from error
    except (StoreError, AccessError) as error:
        raise CommandError(str(error)) from error
    return cli.GOOD


def _take_descriptors() -> None:
    """Take as many connections as the system lets a process have: each is a descriptor."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # there are systems that name no limit and yet have one
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _announce(bound: Bound) -> None:
    """Say where the daemon listens, for people and for the program that started it."""
    for kind, addresses in (("requests", bound.requests), ("events", bound.events)):
        for address in addresses:
            out(f"{kind} {address}")
    sys.stdout.flush()
