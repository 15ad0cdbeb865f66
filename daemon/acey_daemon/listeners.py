"""The doors through which connections come, and when they are shut. docs/operating.md.

ZeroMQ takes a message from one connection after the other, and puts a new connection behind all
others. When there is a new one for each long message that is received, those before it never have
their turn. So after such a message nobody is let in until all that has arrived was received, or for
twice the time that it took. This takes Linux's filters: elsewhere, and for ``ipc`` addresses, the
doors stay open.
"""

import ctypes
import logging
import socket
import struct
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from os import dup
from pathlib import Path
from time import monotonic
from typing import Final

log = logging.getLogger(__name__)

_ATTACH_FILTER: Final = 26
_DETACH_FILTER: Final = 27
_NOTHING_PASSES: Final = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0), 8)
"""A filter of one instruction: to take no byte of what comes. Whoever knocks does so again."""
_FILTER: Final = struct.pack("HP", 1, ctypes.addressof(_NOTHING_PASSES))
SHUT_SECONDS: Final = 0.02
"""How long the doors are shut at least: whoever was cut and comes again at once, comes later."""
_DESCRIPTORS: Final = Path("/proc/self/fd")


class Listeners:
    """The sockets at which connections arrive."""

    def __init__(self, addresses: Iterable[str], clock: Callable[[], float] = monotonic) -> None:
        """Find them. The addresses are bound, and as ZeroMQ writes them."""
        self._clock = clock
        self.shut = False
        """Whether nobody is let in."""
        self._least = self._until = 0.0
        ports = {
            int(address.rpartition(":")[2]) for address in addresses if address.startswith("tcp:")
        }
        self._sockets = _listening(ports) if sys.platform == "linux" else []

    def close(self) -> None:
        """Let go of them."""
        while self._sockets:
            self._sockets.pop().close()

    def shut_doors(self, took: float = 0.0) -> None:
        """Let nobody in for a while: somebody was cut, or a message took so long to receive."""
        if not self.shut:
            try:
                self._filter(_ATTACH_FILTER, _FILTER)
            except OSError as error:  # a system that is like Linux in part
                log.warning("doors stay open", extra={"fields": {"why": error.strerror}})
                with suppress(OSError):
                    self._filter(_DETACH_FILTER, 0)
                self.close()
        self.shut = True
        now = self._clock()
        self._least = now + SHUT_SECONDS
        self._until = max(self._until, now) + 2 * took

    def open_doors(self, *, all_received: bool) -> None:
        """Let everybody in again, if all that has arrived was received, or it has lasted enough."""
        now = self._clock()
        if now >= self._least and (all_received or now >= self._until):
            self._filter(_DETACH_FILTER, 0)
            self.shut = False

    def _filter(self, what: int, value: bytes | int) -> None:
        for each in self._sockets:
            each.setsockopt(socket.SOL_SOCKET, what, value)


def _listening(ports: set[int]) -> list[socket.socket]:
    """Our sockets that listen at one of these ports, each by another descriptor."""
    fds = [int(each.name) for each in _DESCRIPTORS.iterdir()]
    # All are found before the first is opened once more: that is none of those to be found.
    return [socket.socket(fileno=dup(fd)) for fd in [fd for fd in fds if _listens(fd, ports)]]


def _listens(fd: int, ports: set[int]) -> bool:
    try:
        borrowed = socket.socket(fileno=fd)
    except OSError:  # no socket
        return False
    try:
        inet = borrowed.family in (socket.AF_INET, socket.AF_INET6)
        listens = inet and borrowed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        return bool(listens) and borrowed.getsockname()[1] in ports
    finally:
        borrowed.detach()
