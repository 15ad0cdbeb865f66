"""Messages of several frames. spec/protocol.md §1.1.

ZeroMQ gives nobody else's message before it has given the last frame of one that it has begun. So
what is left of one that has too many is dropped, in C where that was compiled: in a tenth of the
time.
"""

import ctypes
import logging
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Final

import zmq

from acey_daemon.access import cut
from acey_daemon.listeners import Listeners
from acey_daemon.memory import Account, Memory
from acey_rules import generator

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

MOST_FRAMES: Final = 8
"""Frames of a message that are received before the others are dropped."""
LONG: Final = 4096
"""Bytes of dropped frames, beyond which whoever has sent them is cut."""

discard: "Callable[[int, int, int, int, int, int], int] | None" = None
if generator.is_extension("acey_daemon.discard") and generator.NAME == "kernel":
    from acey_daemon.discard import discard


def received(sock: zmq.Socket[bytes], first: bytes, account: Account) -> list[bytes]:
    """The frames of a message; of one that has too many, one more than it may have."""
    frames = [first]
    while sock.get(zmq.RCVMORE) and len(frames) <= MOST_FRAMES:
        frames.append(sock.recv())
        account.taken += account.sent(len(frames[-1]))
    return frames


def drop_rest(
    sock: zmq.Socket[bytes], account: Account, memory: Memory, listeners: Listeners
) -> bool:
    """Receive what is left of a message, for nobody, and cut whoever sends it if that is much.

    Whether it was so much that others should have their turn.
    """
    began = monotonic()
    size = drop(sock, account)
    took = monotonic() - began
    if size <= LONG:
        account.taken += size
        return False
    if memory.holds(account, size) and account.wire is not None and cut(account.wire):
        account.over = True
        log.warning("long message", extra={"fields": {"bytes": size, "connections_cut": 1}})
    listeners.shut_doors(took)
    return True


def drop(sock: zmq.Socket[bytes], account: Account) -> int:
    """Receive what is left of a message, for nobody; how many bytes were sent for it."""
    size = 0
    while sock.get(zmq.RCVMORE):
        if discard is not None and _FUNCTIONS is not None:
            dropped = discard(sock.underlying, account.added, *_FUNCTIONS)
            if dropped >= 0:
                size += dropped
                continue
            size += ~dropped
        size += account.sent(len(sock.recv()))
    return size


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
