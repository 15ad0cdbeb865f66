"""``acey play``: a person at the terminal, against a bot or at a daemon's table."""

import secrets
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from getpass import getpass
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from acey_arena.bots import BOTS
from acey_daemon import cli
from acey_daemon.commands.connecting import ClientOption, CurveOption, curve_keys
from acey_daemon.commands.console import CommandError, RulesOption, note, out, rules_named
from acey_daemon.server import Server
from acey_daemon.settings import Settings
from acey_protocol.client import Client, CurveKeys, Seat
from acey_protocol.errors import AceyError
from acey_viewer.botseats import BotSeats
from acey_viewer.commands.show import AsciiOption, View, coloured
from acey_viewer.terminal import LeftError, Looks, Player, rules_argument

FREE_PORT: Final = "tcp://127.0.0.1:0"
PATIENCE: Final = 60
"""Attempts of two seconds before a daemon counts as gone for good."""
SEAT_KEPT: Final = "the seat stays yours, and the same command takes it again"
GAME_GONE: Final = "the game is not kept"


def play(
    bot: Annotated[
        str,
        typer.Option(
            "--bot",
            metavar="BOT",
            help=f"Who plays against you: {', '.join(BOTS)}.",
            autocompletion=lambda: [*BOTS],
        ),
    ] = "pip",
    rules: RulesOption = "american",
    match: Annotated[
        int, typer.Option("--match", min=0, metavar="N", help="Points; 0 is a single game.")
    ] = 0,
    side: Annotated[View, typer.Option("--side", help="Which side you play.")] = View.X,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, metavar="N", help="Makes dice and bot repeatable."),
    ] = None,
    connect: Annotated[
        str | None,
        typer.Option("--connect", metavar="ADDRESS", help="Play at this daemon, not at your own."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="TABLE",
            help="Take a seat there; its token is in ACEY_TOKEN or asked for.",
        ),
    ] = None,
    token: Annotated[str | None, typer.Option(envvar="ACEY_TOKEN", hidden=True)] = None,
    curve: CurveOption = None,
    client: ClientOption = None,
    ascii_only: AsciiOption = False,
) -> int:
    """Play Acey-Deucey at the terminal.

    You type plays as notation writes them; ? lists what is legal, undo takes back what is not yet
    confirmed, hint asks a bot, help says more. Without --connect the game is played at a daemon of
    its own, which ends with it.

    However you leave before the end: a seat that you took with --table stays yours, and the same
    command takes it again. At a table that this command opened with --connect the bot leaves with
    you, so your seat is given up and the match is over.

    The exit status is 0 when the match is over or you have quit, 130 when you were interrupted, and
    2 when the seat cannot be played, also because the daemon refuses the table or the token.

    For example:

        acey play

        acey play --bot random --match 15 --side o

        acey play --connect tcp://127.0.0.1:5858 --table 7
    """
    if bot not in BOTS:
        raise CommandError(f"there is no bot {bot!r}; there are {', '.join(BOTS)}")
    if table is not None and connect is None:
        raise CommandError("a --table is at a daemon; say where it is with --connect")
    if connect is None and (curve is not None or client is not None):
        raise CommandError("--curve is for a daemon that encrypts; say where it is with --connect")
    keys = curve_keys(curve, client)
    looks = Looks(ascii_only, coloured(ascii_only))
    rule_set = rules_named(rules)
    for ending in (signal.SIGHUP, signal.SIGTERM):  # who closes the window has left, as by Ctrl-C
        signal.signal(ending, signal.default_int_handler)
    try:
        with (
            _daemon(connect) as address,
            Client(address, timeout=2, attempts=PATIENCE, curve=keys, tell=note) as connected,
        ):
            bots = BotSeats(address, keys)
            if table is not None:
                _must_answer(address, keys)
                seat = connected.seat(table, token or _asked_token())
            else:
                opened = connected.open(
                    rules=rules_argument(rule_set),
                    x="you" if side is View.X else bot,
                    o=bot if side is View.X else "you",
                    match=match,
                    dice="fair" if seed is None else f"seed:{seed}",
                )
                mine, other = (opened.x, opened.o) if side is View.X else (opened.o, opened.x)
                opponent = BOTS[bot](secrets.randbits(32) if seed is None else seed)
                bots.seat(opened.table, other, opponent)
                seat = connected.seat(opened.table, mine)
            kept = SEAT_KEPT if table is not None else GAME_GONE if connect is None else ""
            out(_played(connected, seat, looks, kept, keys))
            bots.stop()
    except AceyError as error:
        raise CommandError(str(error)) from error
    return 0


def _must_answer(address: str, keys: CurveKeys | None) -> None:
    """Raise AceyError for a daemon that is not there; one that goes later is waited for."""
    with Client(address, timeout=5, attempts=1, curve=keys) as client:
        client.ping()


def _asked_token() -> str:
    """The token of a seat, typed without being shown. Raises CommandError."""
    try:
        if sys.stdin.isatty():
            return getpass("token: ")
    except EOFError:
        pass
    raise CommandError("the token of the seat is missing; say it in ACEY_TOKEN")


def _give_up(address: str, keys: CurveKeys | None, seat: Seat) -> str:
    """Forfeit the match of a table that nobody plays on at; what to say. Raises CommandError.

    Its bot ends with this process, so the table would wait for ever for both.
    """
    try:  # the player's connection may be in the middle of a request, and is patient
        with Client(address, timeout=5, attempts=1, curve=keys) as client:
            over = client.seat(seat.table, seat.token).leave().over
    except AceyError as error:
        raise CommandError(f"table {seat.table}: your seat is not given up: {error}") from error
    ended = "" if over is None else f": {over.text()}"
    return f"the bot has left with you, so your seat is given up{ended}"


def _played(client: Client, seat: Seat, looks: Looks, kept: str, keys: CurveKeys | None) -> str:
    """Play the seat to its end; how that was. Raises AceyError, CommandError.

    ``kept`` says what is left when it is left early; where that is nothing the seat is given up.
    """
    adviser = list(BOTS.values())[-1](0)
    player = Player(client, seat, adviser, out, _ask, looks)
    note("Type help for what you can type.")
    try:
        return player.play()
    except LeftError:
        return f"You left table {seat.table}; {kept or _give_up(client.address, keys, seat)}."
    except AceyError:
        raise
    except BaseException:  # Ctrl-C, a window that is closed, a reader of the output that is gone
        became = kept or _give_up(client.address, keys, seat)
        with suppress(cli.OutputError, cli.ReaderGoneError):
            out(f"\nYou left table {seat.table}; {became}.")
        raise


def _ask(prompt: str) -> str:
    """A line from the person. Raises EOFError when there is no more."""
    sys.stdout.flush()
    try:
        return input(prompt)
    except EOFError:
        with suppress(cli.OutputError, cli.ReaderGoneError):
            out("")  # what is said next is not said on the line of the prompt
        raise


@contextmanager
def _daemon(connect: str | None) -> Generator[str]:
    """The address of the daemon given, or of one of our own that lives as long as this."""
    if connect is not None:
        yield connect
        return
    with TemporaryDirectory(prefix="acey-play-") as folder:
        settings = Settings(bind=(FREE_PORT,), events=(), store=f"{folder}/play.sqlite")
        with Server(settings) as server:
            thread = threading.Thread(target=server.run, daemon=True)
            thread.start()
            try:
                yield server.bound.requests[0]
            finally:
                server.stop()
                thread.join()
