"""``acey stdio``: the rules as an oracle over standard input and output."""

import sys

from acey_daemon.stdio import run


def stdio() -> None:
    r"""Answer the verbs that need no table, one request a line, a reply ending in an empty line.

    For languages without ZeroMQ: start it, write requests to it, read replies from it. `help`
    lists the verbs; spec/protocol.md describes them.

    For example:

        printf '1 legal --------------------------:15:15:x:63\n' | acey stdio
    """
    run(sys.stdin.buffer, sys.stdout.buffer)
