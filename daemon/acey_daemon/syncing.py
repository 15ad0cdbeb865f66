"""What the service says, held back until the disk has it. docs/operating.md, "The store".

A slow disk is brought up to date by a thread of its own, for all groups at once that were
committed before it began; meanwhile the daemon takes the next requests. A quick one is waited for,
which costs less than to hand the work over. With durability ``process`` nothing is held back.
"""

from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Final

from acey_daemon.service import Output
from acey_daemon.store import Store

MOST_HELD: Final = 4096
"""Replies held back before the daemon waits for the disk, and takes no requests meanwhile."""
QUICK_SECONDS: Final = 0.0005
"""How long a disk may take that is waited for."""
MAYBE_QUICK_SECONDS: Final = 0.001
"""The same as the thread sees it, which besides waits until it may go on."""


class Syncing:
    """Sends what the service puts out, in order, none of it before its commit is on the disk."""

    def __init__(
        self, store: Store, send: Callable[[Output], None], wake: Callable[[], None]
    ) -> None:
        """``wake`` is called, in another thread, when ``release`` may have something to send."""
        self._store = store
        self._send = send
        self._wake = wake
        self._asked = 0
        """How many commits the thread was told of."""
        self._done = 0
        """How many of them are on the disk."""
        self._held: deque[tuple[int, float, Output]] = deque()
        """What is held back: the commits it waits for, since when, and the output."""
        self._replies = 0
        """Replies held back."""
        self._failure: Exception | None = None
        self._quick = False
        """Whether the disk seemed quick the last time."""
        self.syncs = 0
        """How often the disk was brought up to date."""
        self._orders: SimpleQueue[int] = SimpleQueue()
        self._thread = Thread(target=self._work, name="sync", daemon=True)
        self._waits = store.durability == "disk"
        """Whether outputs wait for the disk, whatever has become of the thread."""
        if self._waits:
            self._thread.start()

    def put(self, output: Output) -> None:
        """Send an output now, or when the disk has what it tells of. Raises StoreError."""
        if output.committed and self._waits:
            self._asked += 1
            if self._quick:
                self.flush()
            else:
                self._orders.put(self._asked)
        if self._done == self._asked:
            self._send(output)
            return
        self._held.append((self._asked, monotonic(), output))
        self._replies += len(output.replies)
        if self._replies > MOST_HELD:
            self.flush()

    def release(self) -> None:
        """Send what the disk has by now. Raises StoreError when the disk has failed."""
        if self._failure is not None:
            raise self._failure
        while self._held and self._held[0][0] <= self._done:
            _, _, output = self._held.popleft()
            self._replies -= len(output.replies)
            self._send(output)

    def flush(self) -> None:
        """Wait for the disk and send everything. Raises StoreError."""
        asked = self._asked
        if asked > self._done:
            self._sync(QUICK_SECONDS)
            self._done = asked
        self.release()

    @property
    def holding(self) -> bool:
        """Whether anything is held back."""
        return bool(self._held)

    def wait_if_slow(self, limit: float) -> float:
        """Wait for a disk that was waited for longer than a limit; how long that takes, seconds.

        Raises StoreError.
        """
        began = monotonic()
        if not self._held or began - self._held[0][1] <= limit:
            return 0.0
        self.flush()
        return monotonic() - began

    def close(self) -> None:
        """End the thread; what is still held back is not sent."""
        if self._thread.is_alive():
            self._orders.put(0)
            self._thread.join()

    def _work(self) -> None:
        """Bring the disk up to date, again and again."""
        while order := self._orders.get():
            while not self._orders.empty():
                following = self._orders.get()
                if not following:
                    return
                order = following
            if order <= self._done:  # the daemon has waited for the disk meanwhile
                continue
            try:
                self._sync(MAYBE_QUICK_SECONDS)
            except Exception as error:  # raised again in the loop, where it ends the daemon
                self._failure = error
            else:
                self._done = max(self._done, order)
            self._wake()

    def _sync(self, quick: float) -> None:
        """Bring the disk up to date; one that takes no longer than ``quick`` is a quick one."""
        began = monotonic()
        self._store.sync()
        self._quick = monotonic() - began <= quick
        self.syncs += 1
