"""``acey bot``: one of our bots at a seat of a daemon, as a process of its own."""

import secrets
from typing import Annotated

import typer

from acey_arena.bots import BOTS
from acey_arena.player import play_seat
from acey_daemon import cli
from acey_daemon.commands.connecting import ClientOption, CurveOption, curve_keys
from acey_daemon.commands.console import AddressOption, CommandError, note, out
from acey_protocol.client import DEFAULT_ADDRESS, Client, CurveKeys
from acey_protocol.errors import AceyError, BadAddress, NoReply, NotAdmitted

ATTEMPT_SECONDS = 2.0
"""Seconds one try to connect may take, and a reply beyond what the daemon was asked to wait."""


def bot(
    table: Annotated[str, typer.Option("--table", metavar="TABLE", help="The table's name.")],
    token: Annotated[
        str,
        typer.Option(
            "--token",
            envvar="ACEY_TOKEN",
            metavar="TOKEN",
            help="The seat's token; others on this machine do not see it in the environment.",
        ),
    ],
    name: Annotated[
        str,
        typer.Option(
            "--name",
            metavar="BOT",
            help=f"Which: {', '.join(BOTS)}.",
            autocompletion=lambda: [*BOTS],
        ),
    ] = "random",
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Makes the choices of a random bot repeatable."),
    ] = None,
    address: AddressOption = DEFAULT_ADDRESS,
    curve: CurveOption = None,
    client: ClientOption = None,
    patience: Annotated[
        float,
        typer.Option(
            "--patience", min=0, metavar="SECONDS", help="How long to try while nobody answers."
        ),
    ] = 120,
) -> int:
    """Play a seat of a table to the end of its match.

    A daemon that is restarted meanwhile is waited for; what was in flight is sent again safely.
    The exit status is 0 when the match is over, however it ended, and 2 when the seat cannot be
    played, also because the daemon refuses the table or the token.

    For example:

        acey bot --name pip --table 7 --token 0123456789abcdef0123456789abcdef

        ACEY_TOKEN=0123456789abcdef0123456789abcdef acey bot --name random --seed 1 --table 7
    """
    if name not in BOTS:
        raise CommandError(f"there is no bot {name!r}; there are {', '.join(BOTS)}")
    keys = curve_keys(curve, client)
    seed = secrets.randbelow(10**9) if seed is None else seed
    note(f"bot {name}, seed {seed}, table {table} at {address}")
    attempts = max(1, round(patience / ATTEMPT_SECONDS))
    if attempts > 1:
        _tell_of_silence(address, keys, patience)
    with Client(
        address, timeout=ATTEMPT_SECONDS, attempts=attempts, curve=keys, tell=note
    ) as connected:
        try:
            over = play_seat(connected.seat(table, token), BOTS[name](seed))
        except (BadAddress, NoReply) as error:
            raise CommandError(str(error)) from error
        except AceyError as error:
            raise CommandError(f"table {table}: {error}") from error
    out(over.text())
    return cli.GOOD


def _tell_of_silence(address: str, keys: CurveKeys | None, patience: float) -> None:
    """Say that nobody answers yet; what else is wrong the first request will say."""
    try:
        with Client(address, timeout=ATTEMPT_SECONDS, attempts=1, curve=keys) as client:
            client.ping()
    except NotAdmitted:
        pass
    except NoReply as error:
        note(f"acey: {error}; trying for {patience:g} s")
    except AceyError:
        pass
