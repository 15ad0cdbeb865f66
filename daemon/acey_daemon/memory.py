"""Memory that runs out: whoever fills it is cut, so that it never does. docs/operating.md.

ZeroMQ bounds the frames of a message, and how many messages wait, but not how many frames a message
has; it keeps them until the last has come, and tells nothing of them before. Nor does it bound the
bytes of replies that nobody reads. So the daemon counts what it takes from each connection and what
it gives. When it has more memory than it may, it asks the system what has been read from each and
what has been delivered; those that hold most of it are cut. What subscribers send takes as much
memory again when its last frame has come, so they are cut before there is no room for that. A
thread of its own looks, so that it does also while the daemon is busy. This takes Linux's accounts
of its TCP connections: elsewhere, and for ``ipc`` addresses, nobody is cut.
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
GOING_SECONDS: Final = 10.0
"""How long it may take until ZeroMQ has let go of what was kept for somebody who was cut."""
GROWS: Final = 16
"""It has grown if there is more by this part of what there may be,"""
LEAST_GROWTH: Final = 16 * 1024 * 1024
"""and by so many bytes."""
WORST: Final = 32
"""Bytes of memory that a byte can take: an empty frame is two bytes, and ZeroMQ takes 64 for it."""
SHARE: Final = 8
"""Nobody is cut for what was sent unless that may have filled this part of what has grown."""
HIGH_WATER: Final = 256
"""Messages that ZeroMQ itself keeps for one connection, besides what the system has of them."""
PETTY: Final = 1024
"""Bytes that are not looked at: a handshake is not counted among what was taken or given."""
ENCRYPTED: Final = 33
"""Bytes that CURVE adds to a frame."""
KEPT: Final = 1024
"""Connections that are remembered before those that are gone are looked for."""
_DELIVERED: Final = slice(120, 128)
_RECEIVED: Final = slice(128, 136)
"""Where Linux's account of a TCP connection has the bytes that were delivered, and have arrived."""
_FILES: Final = ("/proc/self/statm", "/proc/self/status")
"""Where Linux tells of the memory of a process, and of its descriptors."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class Account:
    """What has gone through a connection: bytes, as they are sent."""

    __slots__ = ("added", "given", "over", "taken", "wire")

    def __init__(self, added: int, wire: Wire | None) -> None:
        """``wire`` is None when ZeroMQ does not say which connection it is."""
        self.added = added
        """Bytes that are added to each frame."""
        self.wire = wire
        self.taken = 0
        """What it has sent, and the daemon has taken from ZeroMQ."""
        self.given = 0
        """What the daemon has sent it, or keeps for it."""
        self.over = False
        """Whether it was cut. ZeroMQ lets go of it when what has arrived from it is taken."""

    def sent(self, size: int) -> int:
        """How much is sent of a frame of ``size`` bytes."""
        size += self.added
        return size + (2 if size < 256 else 9)


class Held(NamedTuple):
    """What is held for a connection."""

    size: int
    """Bytes that were read from it and not taken."""
    unread: int
    """Bytes that it was given and has not taken."""
    wire: Wire
    subscribes: bool
    """Whether the connection is one to an address for events."""


class Memory:
    """Keeps the accounts of all connections, and cuts whoever fills the memory."""

    def __init__(self, most: int, wake: Callable[[], None], *, encrypted: bool) -> None:
        """``most`` is the bytes of memory that this process may have; 0 is no limit.

        ``wake`` is called, in another thread, when ``check`` has something to raise.
        """
        self._most = most
        self._growth = max(most // GROWS, LEAST_GROWTH)
        self._wake = wake
        self._added = ENCRYPTED if encrypted else 0
        self._ports: dict[int, bool] = {}
        """Where connections arrive, and whether they are subscribers'."""
        self.accounts: dict[bytes, Account] = {}
        """By the names that ZeroMQ makes up: each is one connection's, and never another's."""
        self.claimed: dict[bytes, Account] = {}
        """By the names that connections give themselves: those that had them last."""
        self._by_wire: dict[Wire, Account] = {}
        self.answering = False
        """Whether replies are being made that were not given yet."""
        self._kept = KEPT
        self._own = 0
        """Bytes of memory that there were when little was held for connections, or less."""
        self._gone = 0.0
        """When those are gone who were cut for what they did not read."""
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
        try:
            if self._files:
                self._resident()
                list(self._held())
                self._thread.start()
        except (OSError, ValueError, IndexError) as error:  # a system that is like Linux in part
            log.warning("memory not looked at", extra={"fields": {"why": str(error)}})

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

    def account(self, name: bytes, frame: zmq.Frame) -> Account:
        """The account of whoever a frame came from, remembered by name if it has one."""
        wire = connection_of(frame)
        if wire is None:  # gone, or a peer so old that ZeroMQ does not say
            return Account(self._added, None)
        if len(self._by_wire) >= self._kept:
            self._forget()
        account = self._by_wire.setdefault(wire, Account(self._added, wire))
        if name:
            names = self.accounts if name[:1] == b"\0" else self.claimed
            names[name] = account
        return account

    def holds(self, account: Account, size: int) -> bool:
        """Whether a connection has really sent so many bytes more than were taken from it.

        A message may come from a connection that is gone, and its descriptor be another's by now.
        """
        held = self._held_by(account.wire.fd) if account.wire is not None else None
        return held is not None and held.wire == account.wire and held.size >= size

    def _work(self) -> None:
        """Look, again and again."""
        try:
            self._own = self._resident()
            while not self._over.wait(LOOK_SECONDS):
                self._look(monotonic())
        except Exception as error:  # raised again in the loop, where it ends the daemon
            self._failure = error
            self._wake()

    def _look(self, now: float) -> None:
        """Look whether there is too much memory, and if so, who has filled it."""
        memory = self._resident()
        self._own = min(self._own, memory)
        # What comes when messages end is no more than what they have taken already.
        if 2 * memory <= self._most or (now < self._in_vain and memory < self._grown):
            return
        held = list(self._held())
        subscribers = [each for each in held if each.subscribes]
        # What was sent is not blamed for replies that are not given yet, nor for what those have
        # filled who were cut for what they did not read, and are going.
        suspicion = 2 if self.answering or now < self._gone else SHARE
        sent = WORST * suspicion * sum(each.size for each in held)
        unread = sum(each.unread for each in held)
        coming = WORST * sum(each.size for each in subscribers)
        grown = memory - self._own
        if sent + unread < self._growth:
            self._own = memory
        elif coming * SHARE >= grown and self._too_much(coming):
            self._cut(subscribers, [each.size for each in subscribers])
            return
        elif 2 * unread >= grown and self._too_much(0):
            self._cut(held, [each.unread for each in held])
            self._gone = now + GOING_SECONDS
            return
        elif sent >= grown and self._too_much(0):
            self._cut(held, [each.size for each in held])
            return
        self._in_vain = now + IN_VAIN_SECONDS
        self._grown = memory + self._growth

    def _too_much(self, coming: int) -> bool:
        """Whether there is too much memory, and has grown; with what is coming, if anything is."""
        if not self._is_too_much(coming):
            return False
        _give_back()  # what is free already, of those who were cut the last time too
        return self._is_too_much(coming)

    def _is_too_much(self, coming: int) -> bool:
        memory = self._resident()
        return memory + coming > self._most and memory - self._own >= self._growth

    def _cut(self, held: list[Held], sizes: list[int]) -> None:
        """Cut those who hold most, until they are half of it all."""
        total = left = sum(sizes)
        number = 0
        for size, each in sorted(zip(sizes, held, strict=True), reverse=True):
            if left <= total / 2:
                break
            number += cut(each.wire)
            account = self._by_wire.get(each.wire)
            if account is not None:
                account.over = True
            left -= size
        fields = {"memory": self._resident(), "held": total, "connections_cut": number}
        log.warning("too much memory", extra={"fields": fields})

    def _resident(self) -> int:
        """Bytes of memory that this process has."""
        return int(os.pread(self._files[0], 256, 0).split()[1]) * _PAGE

    def _held(self) -> Iterator[Held]:
        """What is held for connections."""
        status = os.pread(self._files[1], 4096, 0)
        for fd in range(int(status.partition(b"FDSize:")[2].split(maxsplit=1)[0])):
            held = self._held_by(fd)
            if held is not None:
                size = held.size if held.size > PETTY else 0
                unread = held.unread if held.unread > PETTY else 0
                yield Held(size, unread, held.wire, held.subscribes)

    def _held_by(self, fd: int) -> Held | None:
        """What is held for a connection to where we listen; None if a descriptor is no such."""
        try:
            borrowed = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, fd)
        except OSError:  # no socket
            return None
        try:
            subscribes = self._ports.get(borrowed.getsockname()[1])
            if subscribes is None:
                return None
            tcp = borrowed.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.stop)
            read = _number(tcp[_RECEIVED]) - _asked(fd, termios.FIONREAD)
            wire = Wire(fd, os.fstat(fd).st_ino)
            account = self._by_wire.get(wire)
            if account is None:
                return Held(read, HIGH_WATER * _asked(fd, termios.TIOCOUTQ), wire, subscribes)
            unread = account.given - _number(tcp[_DELIVERED])
            return Held(read - account.taken, unread, wire, subscribes)
        except (OSError, IndexError):  # no TCP connection, or none any more
            return None
        finally:
            borrowed.detach()

    def _forget(self) -> None:
        """Forget connections that are gone."""
        self._by_wire = {wire: each for wire, each in self._by_wire.items() if wire.is_open}
        known = set(self._by_wire.values())
        self.accounts = {name: each for name, each in self.accounts.items() if each in known}
        self.claimed = {name: each for name, each in self.claimed.items() if each in known}
        self._kept = 2 * len(self._by_wire) + KEPT


def _asked(fd: int, what: int) -> int:
    """A number that the system has of a descriptor."""
    return int.from_bytes(fcntl.ioctl(fd, what, bytes(4)), sys.byteorder)


def _number(data: bytes) -> int:
    if len(data) < 8:
        raise IndexError(data)
    return int.from_bytes(data, sys.byteorder)


def _give_back() -> None:
    """Give memory that is free back to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
