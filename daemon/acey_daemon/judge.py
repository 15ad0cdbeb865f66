"""The process that judges records for a daemon, so that nobody else waits meanwhile; see desk.py.

It reads requests on its standard input and writes replies on its standard output, each as eight
bytes that say how long it is, and then itself. It ends with its input, and with nothing else: what
is sent to the daemon's whole group of processes is the daemon's to act on.
"""

import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from acey_daemon.answering import Connection, respond
from acey_daemon.logs import start_logging
from acey_daemon.oracle import oracle
from acey_protocol.lines import Limits

SIZE_BYTES: Final = 8
NICENESS: Final = 10
MOST_MEMORY: Final = 2 * 1024**3
"""Bytes of addresses this process may use: three times what a sound record of 16 MB needs."""
_DAEMON: Final = Connection(b"")


def put(sink: IO[bytes], data: bytes) -> None:
    """Write one request or reply. Raises OSError."""
    sink.write(len(data).to_bytes(SIZE_BYTES))
    sink.write(data)
    sink.flush()


def take(source: IO[bytes]) -> bytes | None:
    """Read one request or reply; None when the other end is gone."""
    head = source.read(SIZE_BYTES)
    if len(head) < SIZE_BYTES:
        return None
    size = int.from_bytes(head)
    data = source.read(size)
    return data if len(data) == size else None


def judge(source: IO[bytes], sink: IO[bytes], limits: Limits) -> None:
    """Answer every request of ``source`` on ``sink``, until the source ends."""
    handlers = oracle()
    while (data := take(source)) is not None:
        reply = respond(handlers, data, limits, _DAEMON, 0.0)
        assert reply is not None, "the oracle answers at once"
        put(sink, reply)


def main() -> None:
    """Judge for the daemon that started this process: limits, then how it logs, as arguments."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.nice(NICENESS)
    with suppress(OSError):  # where memory runs out this process goes, and not the daemon
        Path("/proc/self/oom_score_adj").write_text("1000")
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    line, payload, form, level = sys.argv[1:]
    start_logging(form, level)
    with suppress(BrokenPipeError):
        judge(sys.stdin.buffer, sys.stdout.buffer, Limits(int(line), int(payload)))


if __name__ == "__main__":
    main()
