"""Replies on their way out, bounded for a client that does not read. spec/protocol.md §9."""

from collections import deque
from typing import Final

import zmq

from acey_daemon.answering import Connection
from acey_daemon.memory import Memory

_LAST: Final = int(zmq.NOBLOCK)
_MORE: Final = int(zmq.NOBLOCK | zmq.SNDMORE)
RETRY_SECONDS: Final = 0.005
"""How soon replies that did not go out are tried again."""


class _Backlog:
    """Replies that one connection has not taken yet."""

    __slots__ = ("full", "replies", "size")

    def __init__(self) -> None:
        self.full = False
        self.replies: deque[tuple[Connection, bytes]] = deque()
        self.size = 0


class Mailbox:
    """Sends replies, in order for each connection, and keeps those that do not go out at once."""

    def __init__(self, router: zmq.Socket[bytes], max_backlog: int, memory: Memory) -> None:
        """``max_backlog`` is bytes for one connection; replies beyond are dropped."""
        self._router = router
        self._memory = memory
        self._most = max_backlog
        self._backlogs: dict[bytes, _Backlog] = {}
        self.lost = 0
        """Replies dropped, because nobody read them or nobody was there."""

    @property
    def waiting(self) -> bool:
        """Whether some replies have not gone out."""
        return bool(self._backlogs)

    def deaf(self, connection: bytes) -> bool:
        """Whether a connection has so many replies to read that it gets no others for now."""
        backlog = self._backlogs.get(connection)
        return backlog is not None and backlog.full

    def send(self, connection: Connection, reply: bytes) -> None:
        """Send a reply, or keep it for later."""
        name, memory = connection.name, self._memory
        backlog = self._backlogs.get(name)
        if backlog is not None and backlog.replies and backlog.size + len(reply) > self._most:
            self.lost += 1
            backlog.full = True
            return
        account = memory.accounts.get(name) or memory.claimed.get(name)
        if account is not None:
            account.given += account.sent(len(reply))
            if connection.delimited:
                account.given += account.sent(0)
        if backlog is None:
            if self._put(connection, reply):
                return
            backlog = self._backlogs[name] = _Backlog()
        backlog.replies.append((connection, reply))
        backlog.size += len(reply)

    def flush(self) -> None:
        """Try again to send what was kept."""
        for name, backlog in list(self._backlogs.items()):
            while backlog.replies and self._put(*backlog.replies[0]):
                _, reply = backlog.replies.popleft()
                backlog.size -= len(reply)
            if backlog.size < self._most // 2:
                backlog.full = False
            if not backlog.replies:
                del self._backlogs[name]

    def _put(self, connection: Connection, reply: bytes) -> bool:
        """Hand a reply to ZeroMQ; False when the connection takes no more for now."""
        send = self._router.send
        try:
            # The first frame says to whom; once it is taken, so are the others.
            send(connection.name, _MORE)
            if connection.delimited:
                send(b"", _MORE)
            send(reply, _LAST)
        except zmq.Again:
            return False
        except zmq.ZMQError:  # the connection is gone
            self.lost += 1
        return True
