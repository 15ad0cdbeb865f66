"""Who may connect: loopback alone, or client keys on a list. spec/protocol.md §9.

Binding to an address that other machines can reach needs CURVE keys or the word ``insecure``. With
CURVE every connection is encrypted, and a ZAP handler (ZeroMQ RFC 27) admits the client keys that
lie in the folder; it is served by the daemon's own poller.
"""

import logging
import os
import re
import socket
import struct
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NamedTuple

import zmq
from zmq.utils import z85

log = logging.getLogger(__name__)

ZAP_ADDRESS: Final = "inproc://zeromq.zap.01"
DOMAIN: Final = "acey"
SECRET_FILE: Final = "server.secret"
PUBLIC_FILE: Final = "server.public"
CLIENTS: Final = "clients"
_NOTHING_IS_OWED: Final = struct.pack("ii", 1, 0)
"""How long a connection that is closed still delivers what was sent: not at all."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


class AccessError(Exception):
    """Keys that cannot be used, or an address that must not be bound."""


class KeyPair(NamedTuple):
    """A CURVE key pair, in Z85."""

    public: str
    secret: str


def check_addresses(addresses: Iterable[str], *, curve: bool, insecure: bool) -> None:
    """Raise AccessError for an address other machines can reach, unless it is secured."""
    for address in addresses:
        if not (curve or insecure or is_local(address)):
            raise AccessError(
                f"{address} can be reached from other machines: give CURVE keys (acey keygen, "
                "--curve) or say --insecure"
            )


def is_local(address: str) -> bool:
    """Whether only this machine can reach an address."""
    scheme, _, rest = address.partition("://")
    if scheme != "tcp":
        return scheme in ("ipc", "inproc")
    host = rest.rpartition(":")[0].strip("[]")
    if host in ("localhost", "lo"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


# --- keys ---------------------------------------------------------------------------------------


def new_pair() -> KeyPair:
    """A new key pair."""
    public, secret = zmq.curve_keypair()
    return KeyPair(public.decode(), secret.decode())


def make_server_keys(folder: Path) -> KeyPair:
    """Make the keys of a server in a folder. Raises AccessError when there are some already."""
    try:
        (folder / CLIENTS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AccessError(f"{folder}: {error.strerror}") from error
    pair = new_pair()
    _write_secret(folder / SECRET_FILE, pair.secret)
    _write_public(folder / PUBLIC_FILE, pair.public)
    return pair


def make_client_keys(folder: Path, name: str) -> KeyPair:
    """Make keys for a client and admit it. Raises AccessError."""
    if not _NAME.fullmatch(name):
        raise AccessError(f"{name!r} cannot be a file's name")
    if not (folder / SECRET_FILE).exists():
        raise AccessError(f"{folder} has no server's keys yet: acey keygen {folder}")
    public = folder / CLIENTS / f"{name}.public"
    if public.exists():
        raise AccessError(f"{public} is there already")
    pair = new_pair()
    _write_secret(folder / f"{name}.secret", pair.secret)
    _write_public(public, pair.public)
    return pair


def server_secret(folder: Path) -> bytes:
    """The secret key of the server. Raises AccessError."""
    return _read_key(folder / SECRET_FILE).encode()


def admitted(folder: Path) -> dict[str, str]:
    """The client keys that are admitted, each with its file's name. Raises AccessError."""
    return {_read_key(path): path.stem for path in sorted((folder / CLIENTS).glob("*.public"))}


def _write_secret(path: Path, secret: str) -> None:
    """Write a key that only its owner may read, never over another."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secret + "\n")
    except FileExistsError:
        raise AccessError(f"{path} is there already") from None
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror}") from error


def _write_public(path: Path, public: str) -> None:
    """Write a key that everybody may read."""
    try:
        path.write_text(public + "\n")
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror}") from error


def _read_key(path: Path) -> str:
    try:
        key = path.read_text("ascii").strip()
        z85.decode(key.encode())
    except FileNotFoundError as error:
        raise AccessError(
            f"{path}: there is no such file; acey keygen {path.parent} makes it"
        ) from error
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, ValueError, KeyError):
        key = ""
    if len(key) != 40:
        raise AccessError(f"{path}: no CURVE key of 40 characters")
    return key


# --- the ZAP handler ------------------------------------------------------------------------------


class Gate:
    """Admits CURVE clients by their keys."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", folder: Path) -> None:
        """Read the keys and be ready before anything is bound. Raises AccessError."""
        self._folder = folder
        self._secret = server_secret(folder)
        self._admitted = admitted(folder)
        self._connections: dict[int, tuple[Wire, str]] = {}
        """By descriptor: the connection, and the key of the client at its other end."""
        self.refused = 0
        self.socket = context.socket(zmq.REP)
        self.socket.linger = 0
        self.socket.bind(ZAP_ADDRESS)

    def secure(self, sock: zmq.Socket[bytes]) -> None:
        """Make a socket that is not bound yet a CURVE server."""
        sock.curve_server = True
        sock.curve_secretkey = self._secret
        sock.zap_domain = DOMAIN.encode()

    def reload(self) -> tuple[int, int]:
        """Read the list of clients anew, and cut the connections of those who are off it.

        How many clients there are, and how many connections were cut. Keeps the old list on
        AccessError.
        """
        self._admitted = admitted(self._folder)
        gone = [fd for fd, (_, user) in self._connections.items() if user not in self._admitted]
        return len(self._admitted), sum(cut(self._connections.pop(fd)[0]) for fd in gone)

    def admits(self, frame: zmq.Frame) -> bool:
        """Whether the client that a message came from is on the list. Remembers its connection."""
        try:
            user = str(frame.get("User-Id"))
        except zmq.ZMQError:  # the end of a subscription whose connection is gone
            return False
        if user not in self._admitted:
            return False
        connection = connection_of(frame)
        if connection is not None:
            self._connections[connection.fd] = (connection, user)
        return True

    def answer(self) -> None:
        """Answer the requests for admission that have arrived."""
        while True:
            try:
                frames = self.socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            self.socket.send_multipart(self._verdict(frames))

    def _verdict(self, frames: list[bytes]) -> list[bytes]:
        version, request = (*frames, b"", b"")[:2]
        if len(frames) == 7 and version == b"1.0" and frames[5] == b"CURVE":
            key = z85.encode(frames[6]).decode()
            if key in self._admitted:
                return [version, request, b"200", b"OK", key.encode(), b""]
            log.warning("client key not admitted", extra={"fields": {"key": key}})
        self.refused += 1
        return [b"1.0", request, b"400", b"not admitted", b"", b""]


class Wire(NamedTuple):
    """What a connection is to the system. A descriptor alone may be another connection's by now."""

    fd: int
    inode: int

    @property
    def is_open(self) -> bool:
        """Whether the descriptor still is that connection's."""
        try:
            return os.fstat(self.fd).st_ino == self.inode
        except OSError:
            return False


def connection_of(frame: zmq.Frame) -> Wire | None:
    """The connection that a message came from; None when it is gone."""
    try:
        fd = int(frame.get(zmq.SRCFD))
        return Wire(fd, os.fstat(fd).st_ino)
    except (zmq.ZMQError, OSError):
        return None


def cut(wire: Wire) -> bool:
    """Cut a connection that ZeroMQ holds, if the descriptor still is that connection's."""
    try:
        hand = os.dup(wire.fd)  # so that it stays that connection's until it is cut
    except OSError:  # no descriptor is left
        hand = wire.fd
    ours = None
    try:
        if not Wire(hand, wire.inode).is_open:
            return False
        ours = socket.socket(fileno=hand)
        # Without this a peer that is sending would learn of it when it asks for room again.
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NOTHING_IS_OWED)
        ours.shutdown(socket.SHUT_RDWR)
    except OSError:
        return False
    finally:
        if ours is not None:
            ours.detach()
        if hand != wire.fd:
            os.close(hand)
    return True
