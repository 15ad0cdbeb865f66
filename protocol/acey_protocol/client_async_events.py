"""The subscriber for asyncio: a table's events as an asynchronous iterator. spec/protocol.md §7.

    async with AsyncSubscriber("tcp://127.0.0.1:5859", table) as subscriber:
        async for heard in subscriber:
            ...

What acey_protocol.client_events says of lost events holds here too.
"""

import asyncio
from collections import deque
from types import TracebackType
from typing import Self

import zmq
import zmq.asyncio

from acey_protocol.client_events import DEFAULT_EVENTS, TOPIC, Heard, read_event
from acey_protocol.client_link import CurveKeys, Link, resolve
from acey_protocol.errors import NoReply

PATIENCE = 30.0
"""Seconds without a connection after which iterating ends with NoReply."""


class AsyncSubscriber:
    """A subscription to one table, or to all, for the tasks of one event loop."""

    def __init__(
        self,
        address: str = DEFAULT_EVENTS,
        table: str = "",
        *,
        curve: CurveKeys | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """Subscribe when it is entered or first asked; without a table to every one there is.

        ``curve`` is needed where the server encrypts; ``patience`` is seconds for which iterating
        endures that there is no connection.
        """
        self.address = address
        self.patience = patience
        self._topic = f"{TOPIC}{table}"
        self._curve = curve
        self._context = zmq.asyncio.Context()
        self._link: Link | None = None
        self._poller = zmq.asyncio.Poller()
        self._connecting = asyncio.Lock()
        self._closed = asyncio.Event()
        self._kept: deque[list[bytes]] = deque()
        """What had arrived and was not heard yet when it was closed."""

    async def __aenter__(self) -> Self:
        """The subscriber itself, subscribed. Raises BadAddress."""
        try:
            await self._linked()
        except BaseException:
            self.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the subscription. What has arrived until now can still be heard; then it ends."""
        if self._closed.is_set():
            return
        self._closed.set()
        if self._link is not None:
            while (frames := _arrived(self._link)) is not None:
                self._kept.append(frames)
            self._link.close()
        self._context.term()

    async def hear(self, timeout: float | None = None) -> Heard | None:
        """The next event; None when none comes within ``timeout`` seconds, or none can any more.

        Raises as ``Subscriber.hear`` does. It may be cancelled, or end at its time-out, without
        an event being lost.
        """
        loop = asyncio.get_running_loop()
        until = None if timeout is None else loop.time() + timeout
        while not self._closed.is_set():
            link = await self._linked()
            if link is None:
                break
            frames = _arrived(link)
            if frames is not None:
                return read_event(frames)
            link.look()
            left = None if until is None else until - loop.time()
            if left is not None and left <= 0:
                if link.failing:
                    raise NoReply(f"{self.address}: no events: {link.trouble()}")
                return None
            await self._wait(left)
        return read_event(self._kept.popleft()) if self._kept else None

    def __aiter__(self) -> Self:
        """Every event from here on."""
        return self

    async def __anext__(self) -> Heard:
        """The next event; the end once it is closed. Raises NoReply after ``patience`` seconds."""
        while True:
            heard = await self.hear(self.patience)
            if heard is not None:
                return heard
            if self._closed.is_set():
                raise StopAsyncIteration

    async def _linked(self) -> Link | None:
        """The connection, made when there is none yet; None once closed. Raises BadAddress."""
        async with self._connecting:
            if self._link is None:
                await asyncio.to_thread(resolve, self.address)
            if self._closed.is_set():
                return None
            if self._link is None:
                self._link = Link(self._context, zmq.SUB, self.address, self._curve)
                self._link.socket.subscribe(self._topic)
                for each in self._link.pollable:
                    self._poller.register(each, zmq.POLLIN)
            return self._link

    async def _wait(self, seconds: float | None) -> None:
        """Wait until something happens, or it is closed."""
        # Only looked at, never taken: what is cancelled here has no event in hand.
        ready = asyncio.ensure_future(self._poller.poll())
        closed = asyncio.ensure_future(self._closed.wait())
        try:
            await asyncio.wait({ready, closed}, timeout=seconds, return_when="FIRST_COMPLETED")
        finally:
            ready.cancel()
            closed.cancel()


def _arrived(link: Link) -> list[bytes] | None:
    """The frames of the next event that has arrived, if one has."""
    try:
        return link.socket.recv_multipart(zmq.NOBLOCK)
    except zmq.Again:
        return None
