"""``acey ask``: one request to a daemon, and its reply."""

import re
import sys
from typing import Annotated, Final

import typer

from acey_daemon import cli
from acey_daemon.commands.connecting import ClientOption, CurveOption, curve_keys
from acey_daemon.commands.console import AddressOption, CommandError, out_data
from acey_protocol.client import DEFAULT_ADDRESS, Client
from acey_protocol.errors import AceyError, ProtocolError
from acey_protocol.verbs import VERBS

WAIT_SECONDS: Final = 3600.0
"""Seconds a verb may wait that answers when it can, whatever time-out it was given."""
_NAMED: Final = re.compile(r"([a-z][a-z0-9-]*)=(.*)", re.DOTALL)


def ask(
    verb: Annotated[str, typer.Argument(metavar="VERB", help="What to ask; `help` lists them.")],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD…", help="Its arguments, KEY=VALUE or plain.")
    ] = None,
    address: AddressOption = DEFAULT_ADDRESS,
    curve: CurveOption = None,
    client: ClientOption = None,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, metavar="SECONDS", help="How long to wait.")
    ] = 5.0,
) -> int:
    """Send one request to a daemon and write its reply; a refusal is exit status 1.

    A verb with a payload reads it from standard input. The verbs are those of spec/protocol.md.

    For example:

        acey ask open x=alpha o=beta match=7

        acey ask tables open

        acey ask validate < demo.acey
    """
    plain = [word for word in words or () if not _NAMED.fullmatch(word)]
    named = {found[1]: found[2] for word in words or () if (found := _NAMED.fullmatch(word))}
    known = VERBS.get(verb)
    payload = _payload() if known is not None and known.payload else ""
    patience = WAIT_SECONDS if known is not None and known.waits else 0.0
    keys = curve_keys(curve, client)
    try:
        with Client(address, timeout=timeout, curve=keys) as connected:
            reply = connected.request(
                verb, *plain, payload=payload, patience=patience, again=False, **named
            )
    except ProtocolError as error:
        lines = [str(error), *error.payload.splitlines()]
        raise CommandError("\n".join(lines), cli.BAD_INPUT) from error
    except AceyError as error:
        raise CommandError(str(error)) from error
    out_data("\n".join(filter(None, [reply.text, reply.payload])))
    return cli.GOOD


def _payload() -> str:
    """Standard input, whole. Raises CommandError when it is no text."""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        message = f"standard input: byte {error.start} is no UTF-8 text"
        raise CommandError(message, cli.BAD_INPUT) from error
