"""Memory that runs out: whoever fills it is cut, so that it never does. docs/operating.md.

ZeroMQ bounds the frames of a message, and how many messages wait, but not how many frames a message
has; it keeps them until the last has come, and tells nothing of them before. So the daemon counts
what it takes from each connection. When it has more memory than it may, it asks the system what has
been read from each; those of which most was read and not taken are cut. This takes Linux's accounts
of its TCP connections: elsewhere, and for ``ipc`` addresses, nobody is cut.
"""

import ctypes
import fcntl
import logging
import os
import socket
import sys
import termios
from collections.abc import Iterable, Iterator
from typing import Final

import zmq

from acey_daemon.access import Wire, connection_of, cut

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 0.1
"""How often the memory is looked at."""
IN_VAIN_SECONDS: Final = 1.0
"""How soon it is looked at again when nobody has filled it."""
WORST: Final = 32
"""Bytes of memory that a byte can take: an empty frame is two bytes, and ZeroMQ takes 64 for it."""
SHARE: Final = 8
"""Nobody is cut unless what was not taken may have filled this part of the memory."""
ENCRYPTED: Final = 33
"""Bytes that CURVE adds to a frame."""
KEPT: Final = 1024
"""Connections that are remembered before those that are gone are looked for."""
_RECEIVED: Final = slice(128, 136)
"""Where Linux's account of a TCP connection has the number of bytes that have arrived."""
_FILES: Final = ("/proc/self/statm", "/proc/self/status")
"""Where Linux tells of the memory of a process, and of its descriptors."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class Sender:
    """How much was taken from a connection."""

    __slots__ = ("_added", "taken")

    def __init__(self, added: int) -> None:
        self._added = added
        self.taken = 0
        """Bytes, as they were sent."""

    def took(self, size: int) -> None:
        """Count a frame of ``size`` bytes, and what was sent with it."""
        size += self._added
        self.taken += size + (2 if size < 256 else 9)


class Intake:
    """Counts what was taken from each connection, and cuts whoever fills the memory."""

    def __init__(self, most: int, *, encrypted: bool) -> None:
        """``most`` is the bytes of memory that this process may have; 0 is no limit."""
        self._most = most
        self._added = ENCRYPTED if encrypted else 0
        self._ports: frozenset[int] = frozenset()
        self.senders: dict[bytes, Sender] = {}
        """By the names that ZeroMQ makes up: each is one connection's, and never another's."""
        self._by_wire: dict[Wire, Sender] = {}
        self._kept = KEPT
        self._next = 0.0
        self._files: list[int] = []
        """The system's files. They are kept open, for when no descriptor is left."""
        if most and all(map(os.path.exists, _FILES)):
            self._files = [os.open(path, os.O_RDONLY) for path in _FILES]

    def watch(self, addresses: Iterable[str]) -> None:
        """Say where connections arrive, as ZeroMQ writes it."""
        self._ports = frozenset(
            int(address.rpartition(":")[2]) for address in addresses if address.startswith("tcp:")
        )

    def close(self) -> None:
        """Look no more."""
        while self._files:
            os.close(self._files.pop())

    def sender(self, name: bytes, frame: zmq.Frame) -> Sender:
        """Whose message a frame is of. Remembered by name if ZeroMQ has made the name up."""
        wire = connection_of(frame)
        if wire is None:  # gone, or a peer so old that ZeroMQ does not say
            return Sender(self._added)
        if len(self._by_wire) >= self._kept:
            self._forget()
        sender = self._by_wire.setdefault(wire, Sender(self._added))
        if name[:1] == b"\0":
            self.senders[name] = sender
        return sender

    def look(self, now: float) -> None:
        """Look whether there is too much memory, and if so, who has filled it."""
        if now < self._next or not self._files:
            return
        self._next = now + LOOK_SECONDS
        memory = self._memory()
        if memory <= self._most:
            return
        held = sorted(self._held(), reverse=True)
        total = sum(size for size, _ in held)
        if total * WORST * SHARE < memory:
            self._next = now + IN_VAIN_SECONDS
            return
        _give_back()  # what is free already, of those who were cut the last time too
        memory = self._memory()
        if memory > self._most:
            self._relieve(held, total, memory)

    def _memory(self) -> int:
        """Bytes of memory that this process has."""
        return int(os.pread(self._files[0], 256, 0).split()[1]) * _PAGE

    def _relieve(self, held: list[tuple[int, Wire]], total: int, memory: int) -> None:
        """Cut those of which most was not taken, until they are half of it all."""
        left, number = total, 0
        for size, wire in held:
            if left <= total / 2:
                break
            number += cut(wire)
            left -= size
        fields = {"memory": memory, "not_taken": total, "connections_cut": number}
        log.warning("too much memory", extra={"fields": fields})

    def _held(self) -> Iterator[tuple[int, Wire]]:
        """What was read from connections and not taken."""
        nothing = Sender(self._added)
        status = os.pread(self._files[1], 4096, 0)
        for fd in range(int(status.partition(b"FDSize:")[2].split(maxsplit=1)[0])):
            wire, read = self._read(fd)
            if wire is not None:
                size = read - self._by_wire.get(wire, nothing).taken
                if size > 0:
                    yield size, wire

    def _read(self, fd: int) -> tuple[Wire | None, int]:
        """A connection to where we listen, and the bytes that ZeroMQ has read from it."""
        try:
            borrowed = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, fd)
        except OSError:  # no socket
            return None, 0
        try:
            if borrowed.getsockname()[1] in self._ports:
                account = borrowed.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.stop)
                unread = fcntl.ioctl(fd, termios.FIONREAD, bytes(4))
                read = _number(account[_RECEIVED]) - _number(unread)
                return Wire(fd, os.fstat(fd).st_ino), read
        except (OSError, IndexError):  # no TCP connection, or none any more
            pass
        finally:
            borrowed.detach()
        return None, 0

    def _forget(self) -> None:
        """Forget connections that are gone."""
        self._by_wire = {wire: each for wire, each in self._by_wire.items() if wire.is_open}
        known = set(self._by_wire.values())
        self.senders = {name: each for name, each in self.senders.items() if each in known}
        self._kept = 2 * len(self._by_wire) + KEPT


def _number(data: bytes) -> int:
    return int.from_bytes(data, sys.byteorder)


def _give_back() -> None:
    """Give memory that is free back to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
