"""A peer that speaks ZMTP 3.0 by itself (ZeroMQ RFC 23), and need not keep to what ZeroMQ sends."""

import socket
from contextlib import ExitStack

from tests.support.daemon import DEADLINE

MORE = 1
COMMAND = 4
_LONG = 2


def framed(message: bytes, flags: int = 0) -> bytes:
    """A frame as it is sent."""
    if len(message) < 256:
        return bytes((flags, len(message))) + message
    return bytes((flags | _LONG,)) + len(message).to_bytes(8) + message


def raw_peer(address: str, kind: str, name: bytes = b"") -> socket.socket:
    """A connection to a daemon after the handshake, as a socket of a kind, with a name if given."""
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    with ExitStack() as made:
        sock = made.enter_context(socket.create_connection((host, int(port)), DEADLINE))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(52, b"\0"))
        _exactly(sock, 64)
        ready = b"\x05READY"
        for key, value in ((b"Socket-Type", kind.encode()), (b"Identity", name)):
            ready += bytes((len(key),)) + key + len(value).to_bytes(4) + value
        sock.sendall(framed(ready, COMMAND))
        _frame(sock)
        made.pop_all()
    return sock


def messages(sock: socket.socket, count: int) -> list[bytes]:
    """The next messages of one frame that come to a peer."""
    found: list[bytes] = []
    while len(found) < count:
        flags, message = _frame(sock)
        if not flags & COMMAND:
            found.append(message)
    return found


def _frame(sock: socket.socket) -> tuple[int, bytes]:
    (flags,) = _exactly(sock, 1)
    return flags, _exactly(sock, int.from_bytes(_exactly(sock, 8 if flags & _LONG else 1)))


def _exactly(sock: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        got = sock.recv(count - len(data))
        if not got:
            raise ConnectionResetError
        data += got
    return data
