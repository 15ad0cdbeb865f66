"""One connection of a client: its address checked, its keys, and whether it is up or lost.

ZeroMQ connects in the background and is silent about what keeps it from connecting. A link listens
to the monitor of its socket instead, so that a server that is gone, or that refuses a key, is known
as soon as that happens and can be told in words.

A link is one connection and no more: once lost it is closed, and whoever needs the server makes
another. Nothing that was queued for the old one is then sent by surprise.
"""

import os
import socket as sockets
import struct
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple, Self

import zmq
from zmq.utils import z85

from acey_protocol.errors import BadAddress, BadKeys, NotAdmitted

DEFAULT_ADDRESS: Final = "tcp://127.0.0.1:5858"
KEY_CHARACTERS: Final = 40
"""Characters of a CURVE key in Z85."""
HEARTBEAT_MS: Final = 2_000
"""Between two signs of life, so that a machine that vanished is noticed too."""
SILENCE_MS: Final = 10_000
"""Without a sign of life, after which a connection counts as lost."""
GRACE_SECONDS: Final = 0.25
"""In which a connection is made, where there is somebody to connect to."""
HANDSHAKES: Final = 5
"""Handshakes in a row that may fail before the server is said to refuse them. A daemon that is
stopped in the middle of one fails a single one."""
MECHANISM_MISMATCH: Final = zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH
_MONITORED: Final = struct.Struct("=HI")
"""What a monitor tells: the event and its value. zmq_socket_monitor(3)."""
_EVENTS: Final = (
    zmq.EVENT_CONNECTED
    | zmq.EVENT_DISCONNECTED
    | zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)


class CurveKeys(NamedTuple):
    """The keys of an encrypted connection, in Z85."""

    server: str
    """The server's public key."""
    public: str
    secret: str

    @classmethod
    def load(cls, server: Path, secret: Path) -> Self:
        """Read the server's public key and the client's secret one, as ``acey keygen`` writes them.

        Raises BadKeys for a file that is missing or holds no key.
        """
        theirs = _read_key(
            server, "copy server.public here from the folder that acey keygen made for the server"
        )
        ours = _read_key(
            secret, "acey keygen DIR --client NAME, run where the server is, writes NAME.secret"
        )
        return cls(theirs, zmq.curve_public(ours.encode()).decode(), ours)


def _read_key(path: Path, remedy: str) -> str:
    try:
        key = path.read_text("ascii").strip()
    except OSError as error:
        raise BadKeys(f"{path}: {error.strerror}; {remedy}") from error
    except UnicodeDecodeError:
        key = ""
    try:
        # The length first: a text whose length is no multiple of five is no Z85 at all.
        if len(key) == KEY_CHARACTERS and len(z85.decode(key.encode())) == 32:
            return key
    except (KeyError, ValueError):
        pass
    raise BadKeys(f"{path}: no CURVE key of {KEY_CHARACTERS} characters; {remedy}")


# --- addresses ------------------------------------------------------------------------------------


def check_address(address: str) -> None:
    """Raise BadAddress for what cannot be a server's address; nothing is looked up."""
    transport, separator, place = address.partition("://")
    if not separator:
        raise BadAddress(_no_address(address))
    if transport not in ("tcp", "ipc", "inproc"):
        raise BadAddress(f"{_no_address(address)}: {transport!r} is no transport; use tcp or ipc")
    if transport == "tcp":
        host, _, port = place.rpartition(":")
        if not port.isdecimal() or not 0 < int(port) < 65536:
            raise BadAddress(f"{_no_address(address)}: a port from 1 to 65535 is missing")
        if host in ("", "*"):
            raise BadAddress(f"{_no_address(address)}: the name or number of a machine is missing")
    elif not place:
        raise BadAddress(f"{_no_address(address)}: the path of a socket is missing")


def resolve(address: str) -> None:
    """Raise BadAddress for no address, or a machine whose name is not found.

    Asks the resolver, which may take a while. ZeroMQ looks names up in the background, again and
    again, and tells nobody that it fails.
    """
    check_address(address)
    if not address.startswith("tcp://"):
        return
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    family = sockets.AF_INET6 if host.startswith("[") else sockets.AF_INET
    try:
        sockets.getaddrinfo(host.strip("[]"), int(port), family, sockets.SOCK_STREAM)
    except (sockets.gaierror, UnicodeError) as error:
        why = error.strerror if isinstance(error, sockets.gaierror) else "this cannot be a name"
        raise BadAddress(f"{address}: the machine {host!r} is not found: {why}") from error


def _no_address(address: str) -> str:
    return f"{address!r} is no address, such as {DEFAULT_ADDRESS} or ipc:///run/acey"


# --- the connection -------------------------------------------------------------------------------


class Link:
    """One connection, of any kind of socket. Not thread-safe."""

    def __init__(
        self,
        context: "zmq.Context[Any]",
        kind: int,
        address: str,
        curve: CurveKeys | None = None,
    ) -> None:
        """Connect in the background. Raises BadAddress.

        The context may be one of zmq.asyncio; ``pollable`` then are its sockets.
        """
        check_address(address)
        self.address = address
        self.up = address.startswith("inproc://")
        """Whether requests reach the server now."""
        self._curve = curve
        self.reached = False
        """Whether requests ever reached it."""
        self._connected = False
        self._down_since = monotonic()
        self._failures = 0
        """Handshakes in a row that failed."""
        owned = context.socket(kind)
        monitor = context.socket(zmq.PAIR)
        self.pollable: tuple[Any, Any] = (owned, monitor)
        """The socket and its monitor, as the context makes them."""
        self.socket: zmq.Socket[bytes] = zmq.Socket(shadow=owned)
        self.monitor: zmq.Socket[bytes] = zmq.Socket(shadow=monitor)
        try:
            self._connect(kind)
        except zmq.ZMQError as error:
            self.close()
            why = os.strerror(error.errno or 0)
            raise BadAddress(f"{_no_address(address)}: {why[:1].lower()}{why[1:]}") from error

    def _connect(self, kind: int) -> None:
        sock = self.socket
        sock.linger = 0
        # What is in flight, and what nobody has read yet, is for the user to bound.
        if kind == zmq.DEALER:
            sock.sndhwm = sock.rcvhwm = 0
        sock.ipv6 = "[" in self.address
        sock.heartbeat_ivl, sock.heartbeat_timeout = HEARTBEAT_MS, SILENCE_MS
        if self._curve is not None:
            sock.curve_serverkey = self._curve.server.encode()
            sock.curve_publickey = self._curve.public.encode()
            sock.curve_secretkey = self._curve.secret.encode()
        endpoint = f"inproc://monitor.{sock.getsockopt(zmq.FD)}"
        sock.monitor(endpoint, _EVENTS)
        self.monitor.rcvhwm = 0  # a program that does not look for an hour must stop nothing either
        self.monitor.connect(endpoint)
        sock.connect(self.address)

    def look(self) -> bool:
        """Take note of what has happened; whether an established connection was lost.

        Raises NotAdmitted when the server is there and takes no connection like this.
        """
        lost = False
        while True:
            try:
                head, _ = self.monitor.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return lost
            event, value = _MONITORED.unpack(head)
            lost = self._note(event, value) or lost

    def _note(self, event: int, value: int) -> bool:
        """Take note of one event of the monitor; whether it is the loss of the connection."""
        match event:
            case zmq.EVENT_CONNECTED:
                self._connected = True
            case zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self.up = self.reached = True
                self._failures = 0
            case zmq.EVENT_DISCONNECTED:
                lost, self.up = self.up, False
                self._down_since = monotonic()
                return lost
            case zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                raise NotAdmitted(
                    f"{self.address}: the server does not admit this key; it is admitted once its "
                    "public key lies in the folder clients of the server's keys (acey keygen DIR "
                    "--client NAME) and the server has read them anew (SIGHUP)"
                )
            case zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL if value == MECHANISM_MISMATCH:
                raise NotAdmitted(f"{self.address}: {self._mismatch()}")
            case _:
                self._failures += 1
                if self._failures == HANDSHAKES:
                    raise NotAdmitted(f"{self.address}: {self._refusal()}")
        return False

    def _mismatch(self) -> str:
        if self._curve is None:
            return "the server encrypts; a client needs its keys (docs/operating.md, Access)"
        return "the server does not encrypt; connect without keys"

    def _refusal(self) -> str:
        if self._curve is None:
            return (
                "what listens there ends every connection: it encrypts and wants keys, or it is no "
                "server of acey/1"
            )
        return (
            "what listens there ends every connection: server.public is not its key, or it does "
            "not encrypt"
        )

    @property
    def failing(self) -> bool:
        """Whether there is no connection, although there was time to make one."""
        return not self.up and monotonic() - self._down_since >= GRACE_SECONDS

    def trouble(self) -> str:
        """Why nothing can come, in words; empty while the connection is up."""
        if self.up:
            return ""
        if self.reached:
            return "the connection is lost"
        if self._connected:
            return "what listens there does not answer as a server of acey/1 does"
        return "nobody listens there, or it cannot be reached"

    def close(self) -> None:
        """End the connection; what was not sent yet is dropped."""
        # First of all, nothing is told any more: ZeroMQ's own thread would wait for ever to tell
        # something to a monitor that nobody reads, and with it every connection of the context.
        if not self.pollable[0].closed:
            self.socket.disable_monitor()
        for sock in self.pollable:
            sock.close(linger=0)
