"""Bytes of unknown encoding to lines with their numbers. spec/formats/README.md §1.

A byte order mark decides; without one each line is UTF-8, and where it is not, Windows-1252, which
is reported. Deciding line by line keeps memory constant and serves files put together from others.
Lines end in LF, CRLF or CR.
"""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from acey_grammar.faults import Fault
from acey_grammar.formats.raw import Line
from acey_grammar.formats.verdict import Notice

BLOCK: Final = 1 << 18
"""Bytes read at once."""
LONGEST: Final = 1 << 24
"""Bytes of the longest line that is read whole; what is longer is cut, and reported."""
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks and the encodings they tell; UTF-32 before UTF-16, whose mark it begins with."""
_LAST_LETTER: Final = re.compile(rb"[\xc0-\xff][\x80-\xbf]{0,3}\Z")
"""A letter of several bytes, which may be cut."""
_BLANKS: Final = " \t\f\v\x1a"


class TextLines:
    """The lines of a stream; ``faults`` and ``notices`` say what was wrong with its bytes."""

    def __init__(self, stream: BinaryIO, first: int = 1) -> None:
        """Read from a stream, from where it stands to its end; ``first`` numbers its first line."""
        self._stream = stream
        self._first = first
        self.faults: list[Fault] = []
        self.notices: list[Notice] = []
        self._told = False

    def __iter__(self) -> Iterator[Line]:
        """The lines in order, without their ends and trailing blanks."""
        head = self._stream.read(BLOCK)
        for mark, encoding in _MARKS:
            if head.startswith(mark):
                if encoding != "utf-8":
                    return self._lines(self._recoded(head, encoding), 0, wide=True)
                return self._lines(self._blocks(head[len(mark) :]), len(mark))
        return self._lines(self._blocks(head), 0)

    def _lines(self, blocks: Iterator[bytes], offset: int, wide: bool = False) -> Iterator[Line]:
        for number, raw in enumerate(_raw_lines(blocks), self._first):
            told = self._decoded(raw, number).rstrip("\r\n")
            text = told.rstrip(_BLANKS)
            if wide and "\ufffd" in text:
                message = "bytes that are no text in the encoding that the byte order mark tells"
                self._fault(number, text.index("\ufffd") + 1, message)
            blanks = told[len(text) :] if told[len(text) :].strip(" \t") == "" else ""
            yield Line(number, text, offset, not raw.data.endswith((b"\n", b"\r")), blanks)
            offset += raw.size

    def _blocks(self, head: bytes) -> Iterator[bytes]:
        while head:
            yield head
            head = self._stream.read(BLOCK)

    def _recoded(self, head: bytes, encoding: str) -> Iterator[bytes]:
        """The stream in UTF-8."""
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        for block in self._blocks(head):
            yield decoder.decode(block).encode()
        yield decoder.decode(b"", final=True).encode()

    def _decoded(self, line: "_Raw", number: int) -> str:
        raw = line.data
        if line.size > LONGEST:
            message = f"the line is {line.size} bytes long; what is over {LONGEST} is not read"
            self._fault(number, LONGEST, message)
            raw = _LAST_LETTER.sub(b"", raw[:LONGEST])
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            column = len(raw[: error.start].decode("utf-8")) + 1
            byte = f"0x{raw[error.start]:02X}"
        try:
            text = raw.decode("cp1252")
        except UnicodeDecodeError as error:
            wrong = f"0x{raw[error.start]:02X}"
            message = f"the byte {wrong} is neither UTF-8 nor Windows-1252"
            self._fault(number, error.start + 1, message)
            return raw.decode("cp1252", errors="replace")
        if not self._told:
            self._told = True
            message = f"not UTF-8 (the byte {byte}): such lines are read as Windows-1252"
            self.notices.append(Notice("encoding", number, column, message))
        return text

    def _fault(self, line: int, column: int, message: str) -> None:
        self.faults.append(Fault(kind="encoding", line=line, column=column, message=message))


class _Raw(NamedTuple):
    """A line with its end, as far as it is held."""

    data: bytes
    size: int
    """Of the whole line."""


def _raw_lines(blocks: Iterator[bytes]) -> Iterator[_Raw]:
    """The lines of a stream of blocks."""
    line = _Raw(b"", 0)
    for block in filter(None, blocks):
        # A line that ends in CR may go on with LF in the next block.
        if line.data.endswith(b"\r") and not block.startswith(b"\n"):
            yield line
            line = _Raw(b"", 0)
        first, *others = block.splitlines(keepends=True)
        line = _longer(line, first)
        for other in others:
            yield line
            line = _longer(_Raw(b"", 0), other)
        if line.data.endswith(b"\n"):
            yield line
            line = _Raw(b"", 0)
    if line.size:
        yield line


def _longer(line: _Raw, part: bytes) -> _Raw:
    """The line with more of it, which is held as far as it may be long."""
    size = line.size + len(part)
    if size <= LONGEST:
        return _Raw(line.data + part, size)
    end = part[len(part.rstrip(b"\r\n")) :]
    return _Raw((line.data + part)[:LONGEST] + end, size)
