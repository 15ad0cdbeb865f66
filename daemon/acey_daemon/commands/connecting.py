"""How every command that connects to a daemon is told the daemon's keys and its own.

The words are those of ``acey serve --curve DIR`` and ``acey keygen DIR --client NAME``.
"""

from pathlib import Path
from typing import Annotated

import typer

from acey_daemon.access import PUBLIC_FILE, SECRET_FILE
from acey_daemon.commands.console import CommandError
from acey_protocol.client_link import CurveKeys
from acey_protocol.errors import BadKeys

CurveOption = Annotated[
    Path | None,
    typer.Option(
        "--curve",
        envvar="ACEY_CURVE",
        metavar="DIR",
        help="Encrypt, with the keys in DIR: the daemon's server.public and your NAME.secret.",
    ),
]
ClientOption = Annotated[
    str | None,
    typer.Option(
        "--client",
        envvar="ACEY_CLIENT",
        metavar="NAME",
        help="With --curve: whose NAME.secret, where DIR holds several.",
    ),
]


def curve_keys(folder: Path | None, client: str | None) -> CurveKeys | None:
    """The keys that --curve and --client name; None without. Raises CommandError (usage).

    The folder is one that ``acey keygen`` made, or holds the two files a client gets from it.
    """
    if folder is None:
        if client is not None:
            raise CommandError("--client names a key in a folder; say which with --curve DIR")
        return None
    try:
        return CurveKeys.load(folder / PUBLIC_FILE, folder / f"{client or _only(folder)}.secret")
    except BadKeys as error:
        raise CommandError(str(error)) from error


def _only(folder: Path) -> str:
    """The client whose key a folder holds. Raises CommandError when there are several."""
    names = [each.stem for each in sorted(folder.glob("*.secret")) if each.name != SECRET_FILE]
    if len(names) > 1:
        raise CommandError(
            f"{folder} holds the keys of several clients; choose one with --client: "
            f"{', '.join(names)}"
        )
    return names[0] if names else "NAME"
