"""A stream of bytes cut into units of work, its format told by its content.

A unit is a few games. Cutting needs no rules and little time, so one process cuts and others judge.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import BinaryIO, Final, NamedTuple, cast

from acey_daemon.archive.documents import Document, json_documents, msgpack_documents
from acey_daemon.archive.notation import Cutter
from acey_grammar.faults import Fault
from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.raw import Chunk, Line
from acey_grammar.formats.registry import FORMATS, sniff
from acey_grammar.formats.verdict import Notice

UNIT: Final = 1 << 16
"""Characters after which a unit is full."""
PLAIN_UNIT: Final = 1 << 19
"""Bytes of a unit of plain text in our notation, which is judged many times faster."""
GAME: Final = 1 << 24
"""Characters of the longest game that is read."""
_HEAD: Final = 4096
_RESULT: Final = re.compile(r"[ \t]*(?:\*|[XO][ \t]+wins\b[^{]*)$")
_TAG: Final = re.compile(r"[ \t]*\[")


class Unit(NamedTuple):
    """Some games of one stream."""

    format: str
    """``acey``, ``json``, ``msgpack`` or a foreign format; empty where no format was told."""
    line: int = 1
    """Where it starts."""
    chunks: tuple[Chunk, ...] = ()
    """Games of a foreign format."""
    text: bytes = b""
    """Games in our notation, in UTF-8."""
    documents: tuple[Document, ...] = ()
    """Records."""
    faults: tuple[Fault, ...] = ()
    """What is wrong with the file rather than with a game."""
    notices: tuple[Notice, ...] = ()

    @property
    def size(self) -> int:
        """How much there is to judge, in bytes or characters."""
        lines = sum(len(line.text) for chunk in self.chunks for line in chunk.lines)
        return len(self.text) + lines + sum(len(document.data) for document in self.documents)


def units(stream: BinaryIO, form: str = "auto") -> Iterator[Unit]:
    """The units of a stream, of a format given or told by its content."""
    head = stream.read(_HEAD)
    whole = cast("BinaryIO", _Joined(head, stream))
    if form == "auto":
        form = _binary_format(head) or "auto"
        if form == "json" and b"acey-" not in head:
            message = "JSON, but no record of a game or a match"
            fault = Fault(kind="format", line=1, column=1, message=message)
            return iter([Unit("", faults=(fault,))])
    if form in ("json", "jsonl"):
        return _records("json", json_documents(_without_mark(whole, head)))
    if form == "msgpack":
        return _records("msgpack", msgpack_documents(whole))
    return _texts(whole, head, form)


def _without_mark(stream: BinaryIO, head: bytes) -> BinaryIO:
    if head.startswith(b"\xef\xbb\xbf"):
        stream.read(3)
    return stream


class _Joined:
    """A stream some bytes of which have been read already."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self.head = head
        self.stream = stream

    def read(self, count: int) -> bytes:
        """The next bytes, fewer than ``count`` only at the end."""
        if not self.head:
            return self.stream.read(count)
        data, self.head = self.head[:count], self.head[count:]
        return data if len(data) == count else data + self.stream.read(count - len(data))


def _binary_format(head: bytes) -> str | None:
    """The format of a stream that is JSON or MessagePack."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if text.startswith(b"{") or re.match(rb"\[\s*[{\]]", text):
        return "json"
    if head[:1] and (0x80 <= head[0] <= 0x8F or head[0] in (0xDE, 0xDF)) and b"format" in head[:32]:
        return "msgpack"
    return None


def _records(form: str, documents: Iterable[Document]) -> Iterator[Unit]:
    some: list[Document] = []
    size = 0
    for document in documents:
        some.append(document)
        size += len(document.data)
        if size > UNIT:
            yield Unit(form, some[0].line, documents=tuple(some))
            some, size = [], 0
    if some:
        yield Unit(form, some[0].line, documents=tuple(some))


def _texts(stream: BinaryIO, head: bytes, form: str) -> Iterator[Unit]:
    marked = head.startswith(codecs.BOM_UTF8)
    begins = TextLines(BytesIO(head))
    if form == "acey" or (form == "auto" and sniff(begins)[0] == "acey"):
        if marked:
            stream.read(len(codecs.BOM_UTF8))
        cutter = Cutter(stream, PLAIN_UNIT)
        for piece in cutter:
            yield Unit("acey", piece.line, text=piece.text)
        if not cutter.rest:
            return
        left = cast("BinaryIO", _Joined(cutter.rest, stream))
        yield from _lines(TextLines(left, cutter.line), "acey")
    else:
        yield from _lines(TextLines(stream), form)


def _lines(lines: TextLines, form: str) -> Iterator[Unit]:
    """The units of a text that is read line by line."""
    told, rest = sniff(lines)
    if form == "auto":
        form = told or ""
    if form == "acey":
        yield from _notation(rest)
    elif form in FORMATS:
        yield from _chunks(form, FORMATS[form].split(rest))
    elif any(line.text.strip() and not line.text.startswith("#") for line in rest):
        message = "the text is of none of the formats that are read"
        yield Unit("", faults=(Fault(kind="format", line=1, column=1, message=message),))
    if lines.faults or lines.notices:
        yield Unit("", faults=tuple(lines.faults), notices=tuple(lines.notices))


def _chunks(form: str, chunks: Iterable[Chunk]) -> Iterator[Unit]:
    some: list[Chunk] = []
    size = 0
    for chunk in chunks:
        some.append(chunk)
        size += sum(len(line.text) for line in chunk.lines)
        if size > UNIT:
            yield Unit(form, some[0].place.line, chunks=tuple(some))
            some, size = [], 0
    if some:
        yield Unit(form, some[0].place.line, chunks=tuple(some))


def _notation(lines: Iterable[Line]) -> Iterator[Unit]:
    """Our notation, cut where a tag follows a result outside every comment.

    There a game ends for certain. Where that is in doubt nothing is cut, and the reader of the
    notation finds the games; only a text far longer than any game is cut at the next such place
    whatever comment is open, since one that is never closed would have no end.
    """
    some: list[str] = []
    start = 0
    size = 0
    open_comment = after_result = torn = False
    for line in lines:
        sure = after_result and (not open_comment or size > GAME)
        if sure and size > UNIT and _TAG.match(line.text):
            yield Unit("acey", start, text="\n".join([*some, ""]).encode())
            some, start, size, open_comment = [], line.number, 0, False
        some.append(line.text)
        start = start or line.number
        size += len(line.text) + 1
        torn = line.torn
        if line.text.strip():
            open_comment = _comment_open(line.text, open_comment)
            after_result = bool(_RESULT.match(line.text))
    if some:
        # A line that has no end keeps none, which tells that the text may be cut off.
        yield Unit("acey", start, text=("\n".join(some) + "\n" * (not torn)).encode())


def _comment_open(text: str, before: bool) -> bool:
    if not before and text.startswith(("#", "[")):
        return False
    opened, closed = text.rfind("{"), text.rfind("}")
    return before if opened == closed else opened > closed
