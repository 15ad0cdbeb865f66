"""Memory that runs out: whoever fills it is cut, so that it never does. docs/operating.md.

ZeroMQ bounds the frames of a message, and how many messages wait, but not how many frames a message
has; it keeps them until the last has come, and tells nothing of them before. So the daemon counts
what it takes from each connection. When it has more memory than it may, it asks the system what has
been read from each; those of which most was read and not taken are cut. What subscribers send takes
as much memory again when its last frame has come, so they are cut before there is no room for that.
A thread of its own looks, so that it does also while the daemon is busy. This takes Linux's
accounts of its TCP connections: elsewhere, and for ``ipc`` addresses, nobody is cut.
"""

import ctypes
import fcntl
import logging
import os
import socket
import sys
import termios
from collections.abc import Callable, Iterable, Iterator
from threading import Event, Thread
from time import monotonic
from typing import Final, NamedTuple

import zmq

from acey_daemon.access import Wire, connection_of, cut

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 0.1
"""How often the memory is looked at."""
IN_VAIN_SECONDS: Final = 1.0
"""How soon the connections are asked again when nobody has filled it, unless it grows."""
GROWS: Final = 16
"""It has grown if there is more by this part of what there may be."""
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


class Held(NamedTuple):
    """What was read from a connection and not taken."""

    size: int
    wire: Wire
    subscribes: bool
    """Whether the connection is one to an address for events."""


class Intake:
    """Counts what was taken from each connection, and cuts whoever fills the memory."""

    def __init__(self, most: int, wake: Callable[[], None], *, encrypted: bool) -> None:
        """``most`` is the bytes of memory that this process may have; 0 is no limit.

        ``wake`` is called, in another thread, when ``check`` has something to raise.
        """
        self._most = most
        self._wake = wake
        self._added = ENCRYPTED if encrypted else 0
        self._ports: dict[int, bool] = {}
        """Where connections arrive, and whether they are subscribers'."""
        self.senders: dict[bytes, Sender] = {}
        """By the names that ZeroMQ makes up: each is one connection's, and never another's."""
        self._by_wire: dict[Wire, Sender] = {}
        self._kept = KEPT
        self._in_vain = 0.0
        self._grown = 0
        self._failure: Exception | None = None
        self._over = Event()
        self._thread = Thread(target=self._work, name="memory", daemon=True)
        self._files: list[int] = []
        """The system's files. They are kept open, for when no descriptor is left."""
        if most and all(map(os.path.exists, _FILES)):
            self._files = [os.open(path, os.O_RDONLY) for path in _FILES]

    def watch(self, requests: Iterable[str], events: Iterable[str]) -> None:
        """Look from now on. The addresses are where connections arrive, as ZeroMQ writes them."""
        self._ports = {
            int(address.rpartition(":")[2]): subscribes
            for addresses, subscribes in ((requests, False), (events, True))
            for address in addresses
            if address.startswith("tcp:")
        }
        if self._files:
            self._thread.start()

    def check(self) -> None:
        """Raise what has kept the thread from looking any more."""
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Look no more."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
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

    def _work(self) -> None:
        """Look, again and again."""
        try:
            while not self._over.wait(LOOK_SECONDS):
                self._look(monotonic())
        except Exception as error:  # raised again in the loop, where it ends the daemon
            self._failure = error
            self._wake()

    def _look(self, now: float) -> None:
        """Look whether there is too much memory, and if so, who has filled it."""
        memory = self._memory()
        # What comes when messages end is no more than what they have taken already.
        if 2 * memory <= self._most or (now < self._in_vain and memory < self._grown):
            return
        held = sorted(self._held(), reverse=True)
        subscribers = [each for each in held if each.subscribes]
        if not (
            self._relieved(subscribers, WORST * _total(subscribers)) or self._relieved(held, 0)
        ):
            self._in_vain = now + IN_VAIN_SECONDS
            self._grown = memory + self._most // GROWS

    def _relieved(self, held: list[Held], coming: int) -> bool:
        """Cut those who hold most, until they are half of it all, if there is too much memory.

        ``coming`` is what their messages take when they end. Nobody is cut who may not have filled
        a good part of the memory.
        """
        total = _total(held)
        memory = self._memory()
        if total * WORST * SHARE < memory or memory + coming <= self._most:
            return False
        _give_back()  # what is free already, of those who were cut the last time too
        memory = self._memory()
        if memory + coming <= self._most:
            return False
        left, number = total, 0
        for size, wire, _ in held:
            if left <= total / 2:
                break
            number += cut(wire)
            left -= size
        fields = {"memory": memory, "not_taken": total, "connections_cut": number}
        log.warning("too much memory", extra={"fields": fields})
        return True

    def _memory(self) -> int:
        """Bytes of memory that this process has."""
        return int(os.pread(self._files[0], 256, 0).split()[1]) * _PAGE

    def _held(self) -> Iterator[Held]:
        """What was read from connections and not taken."""
        status = os.pread(self._files[1], 4096, 0)
        for fd in range(int(status.partition(b"FDSize:")[2].split(maxsplit=1)[0])):
            held = self._held_by(fd)
            if held is not None and held.size > 0:
                yield held

    def _held_by(self, fd: int) -> Held | None:
        """What ZeroMQ has read from a connection to where we listen, less what was taken."""
        try:
            borrowed = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, fd)
        except OSError:  # no socket
            return None
        try:
            subscribes = self._ports.get(borrowed.getsockname()[1])
            if subscribes is not None:
                account = borrowed.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.stop)
                unread = fcntl.ioctl(fd, termios.FIONREAD, bytes(4))
                wire = Wire(fd, os.fstat(fd).st_ino)
                sender = self._by_wire.get(wire)
                read = _number(account[_RECEIVED]) - _number(unread)
                return Held(read - (sender.taken if sender else 0), wire, subscribes)
        except (OSError, IndexError):  # no TCP connection, or none any more
            pass
        finally:
            borrowed.detach()
        return None

    def _forget(self) -> None:
        """Forget connections that are gone."""
        self._by_wire = {wire: each for wire, each in self._by_wire.items() if wire.is_open}
        known = set(self._by_wire.values())
        self.senders = {name: each for name, each in self.senders.items() if each in known}
        self._kept = 2 * len(self._by_wire) + KEPT


def _total(held: list[Held]) -> int:
    return sum(each.size for each in held)


def _number(data: bytes) -> int:
    return int.from_bytes(data, sys.byteorder)


def _give_back() -> None:
    """Give memory that is free back to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
