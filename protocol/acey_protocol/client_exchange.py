"""Many requests in flight over one connection, for asyncio: replies are matched by their ids.

One task of the exchange reads what arrives and gives each reply to whoever asked for it. Nothing is
read by those who wait, so that one of them may be cancelled at any moment: its reply is dropped
when it comes, and every other reply still finds its request.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import zmq
import zmq.asyncio

from acey_protocol.client_link import CurveKeys, Link, resolve
from acey_protocol.errors import AceyError, NoReply, NotAdmitted, ReplyError
from acey_protocol.lines import Reply, parse_reply

LOST: Final = "the connection is lost"


class _Asked:
    """A request: who waits for its reply, and until when."""

    def __init__(self, data: bytes, limit: asyncio.Timeout, seconds: float) -> None:
        self._data = data
        self.reply: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        """Its reply; None when the connection is lost."""
        self._limit = limit
        self._seconds = seconds

    def send(self, link: Link) -> None:
        """Send it, over a connection that is up: from here on its reply may take its time."""
        # The socket of asyncio looks whether something arrived meanwhile; it never waits, since
        # its queue is not bounded.
        link.pollable[0].send(self._data, zmq.NOBLOCK)
        self._limit.reschedule(asyncio.get_running_loop().time() + self._seconds)

    def end(self, outcome: Reply | AceyError | None) -> None:
        """Let whoever waits go on; no more than once."""
        if self.reply.done():
            return
        if isinstance(outcome, AceyError):
            self.reply.set_exception(outcome)
        else:
            self.reply.set_result(outcome)

    def forget(self) -> None:
        """Nobody waits any more."""
        if not self.reply.cancel() and not self.reply.cancelled():
            self.reply.exception()  # an error that nobody heard any more is no fault


class Exchange:
    """A connection to one server, made anew when it is lost. For one event loop."""

    def __init__(
        self,
        address: str,
        timeout: float,
        curve: CurveKeys | None,
        tell: Callable[[str], None] | None,
    ) -> None:
        """Connect with the first request. ``timeout`` is seconds, to connect and for a reply."""
        self.address = address
        self.timeout = timeout
        self._curve = curve
        self._tell = tell
        self._context = zmq.asyncio.Context()
        self._link: Link | None = None
        self._reader: asyncio.Task[None] | None = None
        self._resolving = asyncio.Lock()
        self._resolved = self._away = False
        self._asked: dict[str, _Asked] = {}

    async def attempt(self, id: str, data: bytes, patience: float) -> tuple[Reply | None, str]:
        """Send once and wait: the reply, or none and why.

        ``patience`` is seconds the server was asked to wait. Raises BadAddress, NotAdmitted,
        ReplyError, and NoReply when the exchange is closed meanwhile.
        """
        await self._resolve()
        asked: _Asked | None = None
        try:
            async with asyncio.timeout(self.timeout) as limit:
                link = self._linked()
                asked = self._asked[id] = _Asked(data, limit, self.timeout + patience)
                if link.up:  # otherwise it is sent when it is
                    asked.send(link)
                reply = await asked.reply
                return reply, LOST if reply is None else ""
        except TimeoutError:
            if asked is not None and asked.reply.done() and not asked.reply.cancelled():
                return asked.reply.result(), LOST  # it came in the very last moment
            return None, self._link.trouble() if self._link is not None else LOST
        finally:
            if asked is not None:
                del self._asked[id]
                asked.forget()

    async def _resolve(self) -> None:
        """Find the machine, once, without holding up the event loop."""
        async with self._resolving:
            if not self._resolved:
                await asyncio.to_thread(resolve, self.address)
                self._resolved = True

    def _linked(self) -> Link:
        """A connection that is not known to be lost. Raises BadAddress, NotAdmitted."""
        if self._link is not None:
            self._take(self._link)
        if self._link is None:
            self._link = Link(self._context, zmq.DEALER, self.address, self._curve)
            self._reader = asyncio.create_task(self._read(self._link))
        return self._link

    async def _read(self, link: Link) -> None:
        """Take whatever arrives, until the connection ends."""
        poller = zmq.asyncio.Poller()
        for each in link.pollable:
            poller.register(each, zmq.POLLIN)
        while self._link is link:
            await poller.poll()
            self._take(link)

    def _take(self, link: Link) -> None:
        """Take what has arrived; end the connection when it is lost or refused."""
        was_up = link.up
        try:
            lost = link.look()
        except NotAdmitted as error:
            self._end(error)
            return
        self._deliver(link)
        if link.up and not was_up:
            for asked in self._asked.values():
                asked.send(link)
            if self._away:
                self._say(f"connected to {self.address} again")
            self._away = False
        if lost:
            self._away = True
            self._end(None)
            self._say(f"the connection to {self.address} is lost; trying to connect anew")

    def _deliver(self, link: Link) -> None:
        """Give every reply that has arrived to whoever asked for it."""
        while True:
            try:
                data = link.socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                return
            try:
                reply = parse_reply(data)
            except ReplyError as error:
                self._end_all(error)
                continue
            if reply.id:
                asked = self._asked.get(reply.id)  # None: nobody waits for it any more
                if asked is not None:
                    asked.end(reply)
            elif len(self._asked) == 1:  # a request that could not be read has no id
                self._end_all(reply)
            else:
                self._end_all(ReplyError(f"a reply without an id: {reply.code} {reply.text}"))

    def _say(self, text: str) -> None:
        if self._tell is not None:
            self._tell(text)

    def _end_all(self, outcome: Reply | AceyError | None) -> None:
        for asked in self._asked.values():
            asked.end(outcome)

    def _end(self, error: AceyError | None) -> None:
        """End the connection; who waits for a reply gets the error, or that it is lost."""
        link, reader = self._link, self._reader
        self._link = self._reader = None
        if reader is not None and reader is not asyncio.current_task():
            reader.cancel()
        if link is not None:
            link.close()
        self._end_all(error)

    def close(self) -> None:
        """End the connection; what is in flight ends with NoReply."""
        self._end(NoReply(f"{self.address}: the client was closed"))
        self._context.term()
