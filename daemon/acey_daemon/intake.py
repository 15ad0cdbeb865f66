"""Messages that do not end: whoever fills the memory with one is cut. spec/protocol.md §9.

ZeroMQ bounds the frames of a message, and not how many they are; it keeps them until the message is
whole, and tells nothing of it before. So the daemon counts what has come whole from a connection.
When its memory grows it asks the system how much has been read from each; what was not counted is a
message that is still coming. This takes Linux's accounts of its TCP connections; elsewhere, and for
the connections of one machine's own transport (ipc), nothing is cut.
"""

import ctypes
import fcntl
import logging
import os
import socket
import sys
import termios
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import zmq

from acey_daemon.access import Wire, connection_of, cut

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 0.1
"""How often the memory is looked at."""
GROWTH: Final = 32 * 1024 * 1024
"""Bytes by which the memory has grown when the connections are looked at."""
DANGER: Final = 512 * 1024 * 1024
"""Bytes by which it has grown while messages were coming when the longest of them are cut."""
SHORT: Final = 64 * 1024
"""Bytes of a message that is coming which nobody minds."""
FRAME: Final = 64
"""Bytes that come with a frame at most: its head, and what encryption adds."""
KEPT: Final = 1024
"""Connections that are remembered before those that are gone are looked for."""
_RECEIVED: Final = slice(128, 136)
"""Where Linux's account of a TCP connection has the number of bytes that have arrived."""


_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class Sender:
    """How much has come whole from a connection."""

    __slots__ = ("delivered",)

    def __init__(self) -> None:
        self.delivered = 0
        """Bytes, and rather too many than too few."""


class _Coming(NamedTuple):
    """A message that was still coming when its connection was looked at."""

    wire: Wire
    sender: Sender
    size: int
    delivered: int
    """What had come whole by then."""


class Intake:
    """Counts what has come whole, and cuts connections whose messages do not end."""

    def __init__(self, most: int) -> None:
        """``most`` is the bytes that a message which is still coming may have."""
        self._most = max(most, SHORT)
        self._ports: frozenset[int] = frozenset()
        self.senders: dict[bytes, Sender] = {}
        """By the names that ZeroMQ makes up; each is one connection's, and never another's."""
        self._by_wire: dict[Wire, Sender] = {}
        self._most_kept = KEPT
        self._low = self._calm = _memory()
        """Bytes of memory: the least since connections were looked at, and when none was coming."""
        self._next = 0.0
        self._coming: list[_Coming] = []
        self._turns = 0
        self._trim = False

    def watch(self, addresses: Iterable[str]) -> None:
        """Say where connections arrive, as ZeroMQ writes it."""
        self._ports = frozenset(
            int(address.rpartition(":")[2]) for address in addresses if address.startswith("tcp:")
        )

    def sender(self, name: bytes, frame: zmq.Frame) -> Sender:
        """Whose message a frame is of. Remembered by name if ZeroMQ has made the name up."""
        wire = connection_of(frame)
        if wire is None:
            return Sender()
        if len(self._by_wire) >= self._most_kept:
            self._forget()
        sender = self._by_wire.setdefault(wire, Sender())
        if name[:1] == b"\0":
            self.senders[name] = sender
        return sender

    @property
    def seconds(self) -> float:
        """How soon ``look`` wants to be called again."""
        return 0.0 if self._coming else LOOK_SECONDS

    def look(self, now: float, taken: int, *, drained: bool) -> None:
        """Look whether the memory grows, and who fills it; to be called in every turn.

        ``taken`` is how many messages the turn has taken, ``drained`` whether it found no other.
        ZeroMQ lets connections take turns. So what was whole when connections were looked at has
        been taken once there was nothing left, or once everybody has had a turn; and whoever sends
        a message without end has sent nothing whole since.
        """
        if self._coming:
            self._turns -= taken
            if drained or self._turns <= 0:
                self._judge()
        elif now >= self._next:
            self._next = now + LOOK_SECONDS
            if self._trim:  # so that what was freed since is not taken for what is used
                self._trim = False
                _give_back()
            memory = _memory()
            grown = memory > self._low + GROWTH
            self._low = memory if grown else min(self._low, memory)
            self._calm = min(self._calm, memory)
            if grown:
                self._coming = list(self._unfinished())
                self._turns = 2 * len(self._by_wire)
                if not self._coming:
                    self._calm = memory

    def _judge(self) -> None:
        """Cut whoever has sent too much; those with most, half of all, when memory runs out."""
        coming = [each for each in self._coming if each.sender.delivered == each.delivered]
        self._coming = []
        if not coming:
            self._calm = self._low
            return
        coming.sort(key=lambda each: each.size, reverse=True)
        half = sum(each.size for each in coming) / 2
        danger = self._low > self._calm + DANGER
        for each in coming:
            if each.size > self._most or (danger and half > 0):
                half -= each.size
                if cut(each.wire):
                    self._trim = True
                    log.warning("endless message cut", extra={"fields": {"bytes": each.size}})

    def _unfinished(self) -> Iterator[_Coming]:
        """Messages that are coming, with some that are whole and have not been taken."""
        with suppress(FileNotFoundError):  # no Linux
            for entry in os.scandir("/proc/self/fd"):
                wire, least, most = self._read(int(entry.name))
                if wire is None:
                    continue
                sender = self._by_wire.setdefault(wire, Sender())
                # What was counted too high is not to hide what comes later.
                sender.delivered = min(sender.delivered, most)
                size = least - sender.delivered
                if size > SHORT:
                    yield _Coming(wire, sender, size, sender.delivered)

    def _read(self, fd: int) -> tuple[Wire | None, int, int]:
        """A connection to where we listen, and what ZeroMQ has read from it, at least and most."""
        try:
            borrowed = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, fd)
        except OSError:  # no socket
            return None, 0, 0
        try:
            before = _unread(fd)
            account = borrowed.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.stop)
            received = int.from_bytes(account[_RECEIVED], sys.byteorder)
            if received > SHORT and borrowed.getsockname()[1] in self._ports:
                wire = Wire(fd, os.fstat(fd).st_ino)
                return wire, received - _unread(fd), received - before
        except OSError:  # no TCP connection, or none any more
            pass
        finally:
            borrowed.detach()
        return None, 0, 0

    def _forget(self) -> None:
        """Forget connections that are gone."""
        self._by_wire = {wire: each for wire, each in self._by_wire.items() if wire.is_open}
        known = set(self._by_wire.values())
        self.senders = {name: each for name, each in self.senders.items() if each in known}
        self._most_kept = 2 * len(self._by_wire) + KEPT


def _memory() -> int:
    """Bytes of memory that this process has; 0 where the system is no Linux."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * _PAGE
    except OSError:
        return 0


def _give_back() -> None:
    """Give memory that is free back to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _unread(fd: int) -> int:
    """Bytes that have arrived and were not read."""
    return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, bytes(4)), sys.byteorder)
