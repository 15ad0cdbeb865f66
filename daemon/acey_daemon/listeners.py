"""The doors through which connections come, and when they are shut. docs/operating.md.

ZeroMQ takes a message from one connection after the other, and puts a new connection behind all
others. When there is a new one for each long message that is received, those before it never have
their turn. So after such a message nobody is let in until all that has arrived was received, or for
twice the time that it took. This takes Linux's filters: elsewhere, and for ``ipc`` addresses, the
doors stay open.
"""

import ctypes
import socket
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from os import dup
from pathlib import Path
from time import monotonic
from typing import Final

_ATTACH_FILTER: Final = 26
_DETACH_FILTER: Final = 27
_NOTHING_PASSES: Final = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0), 8)
"""A filter of one instruction: to take no byte of what comes. Whoever knocks does so again."""
_FILTER: Final = struct.pack("HP", 1, ctypes.addressof(_NOTHING_PASSES))
LONG_SECONDS: Final = 0.001
"""How long it takes at least to receive a message that is long."""
_DESCRIPTORS: Final = Path("/proc/self/fd")


class Listeners:
    """The sockets at which connections arrive."""

    def __init__(self, addresses: Iterable[str], clock: Callable[[], float] = monotonic) -> None:
        """Find them. The addresses are bound, and as ZeroMQ writes them."""
        self._clock = clock
        self.shut = False
        """Whether nobody is let in."""
        self._until = 0.0
        ports = {
            int(address.rpartition(":")[2]) for address in addresses if address.startswith("tcp:")
        }
        self._sockets = list(_listening(ports)) if sys.platform == "linux" else []

    def close(self) -> None:
        """Let go of them."""
        for each in self._sockets:
            each.close()

    def shut_doors(self, took: float) -> bool:
        """Let nobody in for a while if a message took long to receive; whether it did."""
        if took < LONG_SECONDS:
            return False
        if not self.shut:
            self._filter(_ATTACH_FILTER, _FILTER)
        self.shut = True
        self._until = max(self._until, self._clock()) + 2 * took
        return True

    def open_doors(self, *, all_received: bool) -> None:
        """Let everybody in again, if all that has arrived was received, or it has lasted enough."""
        if all_received or self._clock() >= self._until:
            self._filter(_DETACH_FILTER, 0)
            self.shut = False

    def _filter(self, what: int, value: bytes | int) -> None:
        for each in self._sockets:
            each.setsockopt(socket.SOL_SOCKET, what, value)


def _listening(ports: set[int]) -> Iterator[socket.socket]:
    """Our sockets that listen at one of these ports, each by another descriptor."""
    for each in _DESCRIPTORS.iterdir():
        with suppress(OSError):  # no socket, or the descriptor of this folder
            sock = socket.socket(fileno=dup(int(each.name)))
            if _listens(sock) and sock.getsockname()[1] in ports:
                yield sock
            else:
                sock.close()


def _listens(sock: socket.socket) -> bool:
    inet = sock.family in (socket.AF_INET, socket.AF_INET6)
    return inet and bool(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
