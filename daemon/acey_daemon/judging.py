"""Records on their way to a process that judges one after the other. spec/protocol.md §5.3."""

import logging
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread, Timer
from typing import Final, NamedTuple

from acey_daemon.judge import put, take
from acey_daemon.settings import Settings
from acey_protocol.errors import Code, refused
from acey_protocol.lines import id_of, write_error

log = logging.getLogger(__name__)

MOST_SECONDS: Final = 60.0
"""How long one record may take."""


class _Order(NamedTuple):
    """A request with a record, and who is to be told its reply."""

    data: bytes
    tell: Callable[[bytes], None]


class Judging:
    """Has records judged in their order: a thread, which waits for a process."""

    def __init__(self, settings: Settings, what: str) -> None:
        """``what`` names the thread, for whoever looks at the daemon."""
        self.size = 0
        """Bytes of all requests that wait here; the desk counts them."""
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._judge = _Judge(settings)
        self._thread = Thread(target=self._work, name=what, daemon=True)
        self._thread.start()

    def order(self, data: bytes, tell: Callable[[bytes], None]) -> None:
        """Have a request judged; ``tell`` is called in another thread."""
        self._orders.put(_Order(data, tell))

    def close(self) -> None:
        """End the process and the thread; what is not judged yet is told nothing."""
        self._judge.stop()
        self._orders.put(None)
        self._thread.join()
        self._judge.close()

    def _work(self) -> None:
        while (order := self._orders.get()) is not None:
            if not self._judge.stopped:
                order.tell(self._judge.reply(order.data))


class _Judge:
    """The other process, started when it is first needed, and again when it has ended."""

    def __init__(self, settings: Settings) -> None:
        self._command = [
            *(sys.executable, "-P", "-m", "acey_daemon.judge"),
            *(str(settings.max_line), str(settings.max_payload)),
            *(settings.log_format, settings.log_level),
        ]
        self._process: subprocess.Popen[bytes] | None = None
        self.stopped = False
        self._late = False

    def reply(self, data: bytes) -> bytes:
        """The reply to a request with a record; asked by one thread."""
        try:
            process, timer = self._ready()
        except (OSError, RuntimeError) as error:  # descriptors, processes, threads or memory
            log.error("judge not started", extra={"fields": {"why": str(error)}})
            why = "a record cannot be judged now; nothing was changed"
            return write_error(refused(Code.BUSY, why), id_of(data))
        reply = None if self.stopped else _exchange(process, data)
        timer.cancel()
        if reply is not None:
            return reply
        self._process = None
        status = _end(process)
        if self._late:
            why = f"a record may take {MOST_SECONDS:g} seconds; acey validate has no such limit"
            return write_error(refused(Code.TOO_LARGE, why), id_of(data))
        if not self.stopped:
            fields = {"status": status, "request_bytes": len(data)}
            log.error("judge ended", extra={"fields": fields})
        fault = refused(Code.INTERNAL, "a fault of this server, which its log describes")
        return write_error(fault, id_of(data))

    def _ready(self) -> tuple[subprocess.Popen[bytes], Timer]:
        """The process, running, and what ends it when it takes too long.

        Raises OSError or RuntimeError where the system gives no more of something.
        """
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        self._late = False
        timer = Timer(MOST_SECONDS, self._too_long, (self._process,))
        timer.start()
        return self._process, timer

    def stop(self) -> None:
        """End the process, whatever it does; for another thread than the one that asks."""
        self.stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Leave nothing of the process, when nobody asks any more."""
        if self._process is not None:
            _end(self._process)

    def _too_long(self, process: subprocess.Popen[bytes]) -> None:
        self._late = True
        process.kill()


def _exchange(process: subprocess.Popen[bytes], data: bytes) -> bytes | None:
    """The other process's reply; None when it ends first."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        put(process.stdin, data)
        return take(process.stdout)
    except OSError:
        return None


def _end(process: subprocess.Popen[bytes]) -> int:
    """End a process and close what connects it; its exit status."""
    process.kill()
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):  # what was not read by the other end
        process.stdin.close()
    process.stdout.close()
    return process.wait()
