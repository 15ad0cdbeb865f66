"""``acey stdio``: the oracle verbs over standard input and output. spec/protocol.md §1.3.

A request is a line; for a verb that takes a payload, payload lines follow until a line that holds a
single ``.``. A reply ends with an empty line; an empty line of its payload is written as a line of
one space, so that nothing else does. Lines that are too long are answered and skipped.
"""

from typing import BinaryIO

from acey_daemon.answering import Connection, Handlers, respond
from acey_daemon.oracle import oracle
from acey_protocol.lines import Limits
from acey_protocol.verbs import VERBS

_STDIO = Connection(b"")
_PAYLOAD_END = b"."


def run(source: BinaryIO, sink: BinaryIO, limits: Limits = Limits()) -> None:  # noqa: B008
    """Answer every request of ``source`` on ``sink``, until the source ends."""
    handlers = oracle()
    lines = _Lines(source, limits)
    while (line := lines.next()) is not None:
        sink.write(_framed(_answer(handlers, line, lines, limits)))
        sink.flush()


def _answer(handlers: Handlers, line: bytes, lines: "_Lines", limits: Limits) -> bytes:
    request = line
    if _takes_payload(line):
        request = b"%b\n%b" % (line, lines.payload())
    reply = respond(handlers, request, limits, _STDIO, 0.0)
    assert reply is not None, "the oracle answers at once"
    return reply


def _takes_payload(line: bytes) -> bool:
    """Whether payload lines follow: the verb says so, whatever else is wrong with the line."""
    words = line.replace(b"\t", b" ").split(b" ")
    words = [word for word in words if word]
    if words and words[0].isdigit():
        words = words[1:]
    name = words[0].decode("ascii", "replace").rstrip("\r") if words else ""
    verb = VERBS.get(name)
    return verb is not None and verb.payload


def _framed(reply: bytes) -> bytes:
    lines = reply.split(b"\n")
    return b"\n".join(line or b" " for line in lines) + b"\n\n"


class _Lines:
    """Lines of a source, none held in memory beyond its limit."""

    def __init__(self, source: BinaryIO, limits: Limits) -> None:
        self._source = source
        self._limits = limits

    def next(self) -> bytes | None:
        """The next line without its end, cut just beyond the limit; None at the end."""
        line = self._source.readline(self._limits.line + 2)
        if not line:
            return None
        self._skip_rest(line)
        return line.removesuffix(b"\n")

    def payload(self) -> bytes:
        """The lines up to a single ``.``, or to the end; cut just beyond the limit."""
        kept: list[bytes] = []
        size = 0
        while line := self._source.readline(self._limits.payload + 2):
            self._skip_rest(line)
            if line.rstrip(b"\r\n") == _PAYLOAD_END:
                break
            if size <= self._limits.payload:
                kept.append(line)
                size += len(line)
        return b"".join(kept)

    def _skip_rest(self, line: bytes) -> None:
        """Read on to the end of a line of which only the beginning was read."""
        while line and not line.endswith(b"\n"):
            line = self._source.readline(1 << 16)
