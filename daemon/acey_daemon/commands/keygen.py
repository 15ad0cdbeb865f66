"""``acey keygen``: CURVE keys for a daemon and its clients."""

from pathlib import Path
from typing import Annotated

import typer

from acey_daemon import cli
from acey_daemon.access import (
    CLIENTS,
    PUBLIC_FILE,
    AccessError,
    make_client_keys,
    make_server_keys,
)
from acey_daemon.commands.console import CommandError, out


def keygen(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the keys.")],
    client: Annotated[
        str | None,
        typer.Option("--client", metavar="NAME", help="Make keys for a client, and admit it."),
    ] = None,
) -> int:
    """Make the keys of a server in DIR, or those of a client whom that server admits.

    The server is started with `acey serve --curve DIR`. A client needs its own NAME.secret, which
    is to be moved to it, and the server's server.public. To admit it no longer, remove its file
    from DIR/clients; a running server reads the folder anew on SIGHUP.

    For example:

        acey keygen keys

        acey keygen keys --client alpha
    """
    try:
        if client is None:
            pair = make_server_keys(folder)
            out(f"{folder / PUBLIC_FILE} {pair.public}")
        else:
            pair = make_client_keys(folder, client)
            out(f"{folder / CLIENTS / client}.public {pair.public}")
            out(f"{folder / client}.secret: hand this file to {client}, and keep no copy")
    except AccessError as error:
        raise CommandError(str(error)) from error
    return cli.GOOD
