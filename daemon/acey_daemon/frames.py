"""Messages of several frames. spec/protocol.md §1.1.

ZeroMQ gives nobody else's message before it has given the last frame of one that it has begun. So
what is left of one that has too many is dropped, in C where that was compiled: in a tenth of the
time.
"""

import ctypes
import logging
from importlib import import_module
from typing import TYPE_CHECKING, Final

import zmq

from acey_daemon.access import connection_of, cut
from acey_daemon.intake import Sender
from acey_rules import generator

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

MOST_FRAMES: Final = 8
"""Frames of a message that is refused with its id; a connection that sends more is cut."""

discard: "Callable[[int, int, int, int, int], bool] | None" = None
if generator.is_extension("acey_daemon.discard") and generator.NAME == "kernel":
    from acey_daemon.discard import discard


def received(sock: zmq.Socket[bytes], first: bytes, sender: Sender) -> list[bytes]:
    """All frames of a message. Of one that has too many only some; its connection is cut."""
    frames = [first]
    while sock.get(zmq.RCVMORE):
        frame = sock.recv(copy=False)
        frames.append(frame.bytes)
        sender.took(len(frame))
        if len(frames) > MOST_FRAMES:
            wire = connection_of(frame)
            if wire is not None and cut(wire):
                log.warning("message cut", extra={"fields": {"frames": len(frames)}})
            drop(sock)
    return frames


def drop(sock: zmq.Socket[bytes]) -> None:
    """Receive what is left of a message, for nobody."""
    while sock.get(zmq.RCVMORE):
        if discard is None or _FUNCTIONS is None or discard(sock.underlying, *_FUNCTIONS):
            sock.recv()


def functions() -> tuple[int, int, int, int] | None:
    """Where ZeroMQ's functions are that ``discard`` calls; None if pyzmq does not tell."""
    try:
        library = ctypes.CDLL(import_module("zmq.backend.cython._zmq").__file__)
        init, receive, more, close = (
            ctypes.cast(library[f"zmq_msg_{name}"], ctypes.c_void_p).value or 0
            for name in ("init", "recv", "more", "close")
        )
    except (ImportError, OSError, AttributeError):
        return None
    return init, receive, more, close


_FUNCTIONS: Final = functions()
