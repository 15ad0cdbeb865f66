"""Ports at which nobody listens."""

import socket
from collections.abc import Generator
from contextlib import closing, contextmanager


@contextmanager
def held_port() -> Generator[int]:
    """A port at which nobody listens, and which the system gives to nobody else meanwhile.

    On Linux a ZeroMQ socket may be bound to it all the same. A port that a socket was unbound from
    may answer for a while yet, and may be somebody else's next.
    """
    with closing(socket.socket()) as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]
