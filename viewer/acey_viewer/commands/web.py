"""``acey web``: tables to watch and seats to take, on a page."""

import logging
import signal
import socket
import sys
from importlib import import_module
from typing import Annotated, Final

import typer

from acey_daemon.commands.connecting import ClientOption, CurveOption, curve_keys
from acey_daemon.commands.console import CommandError, out
from acey_daemon.settings import DEFAULT_BIND, DEFAULT_EVENTS
from acey_protocol.client_link import resolve
from acey_protocol.errors import BadAddress

DEFAULT_LISTEN: Final = "127.0.0.1:8080"
LOOPBACK: Final = ("127.0.0.1", "localhost")
MAX_MESSAGE: Final = 64 * 1024
"""Bytes of a message from a page; ours have some hundred."""


def web(
    listen: Annotated[
        str,
        typer.Option(
            "--listen", metavar="HOST:PORT", help="Where browsers come; port 0 is any free one."
        ),
    ] = DEFAULT_LISTEN,
    connect: Annotated[
        str, typer.Option("--connect", metavar="ADDRESS", help="Where the daemon takes requests.")
    ] = DEFAULT_BIND,
    events: Annotated[
        str,
        typer.Option(
            "--events",
            metavar="ADDRESS",
            help="Where the daemon publishes; empty looks at tables every second instead.",
        ),
    ] = DEFAULT_EVENTS,
    curve: CurveOption = None,
    client: ClientOption = None,
    host: Annotated[
        list[str] | None,
        typer.Option("--host", metavar="NAME", help="Another name browsers reach this server by."),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option(
            "--insecure", help="Listen beyond this machine, where tokens can be read on the way."
        ),
    ] = False,
) -> int:
    """Serve a page with a daemon's tables: to watch, and to play at against a bot or a person.

    The server is a client of the daemon like any other. It needs the extra: pip install
    'aceydeucey[web]'. It listens on this machine alone unless --insecure says otherwise; put a
    server with TLS before it to reach it from elsewhere.

    For example:

        acey serve & acey web

        acey web --listen 127.0.0.1:9000 --connect tcp://127.0.0.1:6000 --events tcp://127.0.0.1:6001
    """
    keys = curve_keys(curve, client)
    for address in filter(None, [connect, events]):
        try:
            resolve(address)
        except BadAddress as error:
            raise CommandError(str(error)) from error
    name, port = _host_and_port(listen)
    if name not in LOOPBACK and not insecure:
        raise CommandError(
            f"{listen} can be reached from elsewhere; say --insecure if that is meant"
        )
    try:
        uvicorn = import_module("uvicorn")
        app = import_module("acey_viewer.web.app")
    except ModuleNotFoundError as error:
        raise CommandError(
            f"the page needs the extra: pip install 'aceydeucey[web]' ({error})"
        ) from error
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="acey: %(message)s")
    with _bound(name, port) as sock:
        where = f"{name}:{sock.getsockname()[1]}"
        out(f"http://{where}/")
        sys.stdout.flush()
        hosts = [*app.LOOPBACK, name, *(host or ())]
        config = uvicorn.Config(
            app.create_app(connect, events, hosts, keys),
            log_config=None,
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE,
            timeout_graceful_shutdown=1,
        )
        # uvicorn stops on SIGTERM, then raises it again for whoever handled it before.
        signal.signal(signal.SIGTERM, _stopped)
        uvicorn.Server(config).run(sockets=[sock])
    return 0


def _stopped(number: int, frame: object) -> None:
    """Nothing is left to do."""
    del number, frame


def _host_and_port(listen: str) -> tuple[str, int]:
    name, colon, port = listen.rpartition(":")
    if not (colon and name and port.isdecimal() and int(port) < 65536):
        raise CommandError(f"{listen!r} is no HOST:PORT")
    if ":" in name:
        raise CommandError(f"{listen!r}: pages are served at names and IPv4 addresses alone")
    return name, int(port)


def _bound(name: str, port: int) -> socket.socket:
    """A socket that listens there. Raises CommandError when it cannot."""
    try:
        return socket.create_server((name, port))
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (while")[0]  # the address is said here
        raise CommandError(f"cannot listen at {name}:{port}: {why}") from error
