"""Bytes of unknown encoding to lines with their numbers. spec/formats/README.md §1.

A byte order mark decides; without one each line is UTF-8, and where it is not, Windows-1252, which
is reported. Deciding line by line keeps memory constant and serves files put together from others.
Lines end in LF, CRLF or CR.
"""

import codecs
from collections.abc import Iterator
from typing import BinaryIO, Final

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
                    return self._wide(head, encoding)
                return self._narrow(head[len(mark) :], len(mark))
        return self._narrow(head, 0)

    def _narrow(self, head: bytes, offset: int) -> Iterator[Line]:
        for number, raw in enumerate(_raw_lines(self._blocks(head)), self._first):
            text = self._decoded(raw, number).rstrip("\r\n").rstrip(_BLANKS)
            yield Line(number, text, offset, not raw.endswith((b"\n", b"\r")))
            offset += len(raw)

    def _blocks(self, head: bytes) -> Iterator[bytes]:
        while head:
            yield head
            head = self._stream.read(BLOCK)

    def _decoded(self, raw: bytes, number: int) -> str:
        if len(raw) > LONGEST:
            message = f"the line is {len(raw)} bytes long; what is over {LONGEST} is not read"
            self._fault(number, LONGEST, message)
            raw = raw[:LONGEST]
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

    def _wide(self, head: bytes, encoding: str) -> Iterator[Line]:
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        rest, number = "", self._first - 1
        for block in self._blocks(head):
            lines = (rest + decoder.decode(block)).replace("\r\n", "\n").split("\n")
            rest = lines.pop()
            for text in lines:
                number += 1
                yield self._wide_line(number, text, torn=False)
        rest += decoder.decode(b"", final=True)
        if rest:
            yield self._wide_line(number + 1, rest, torn=True)

    def _wide_line(self, number: int, text: str, torn: bool) -> Line:
        if "\ufffd" in text:
            message = "bytes that are no text in the encoding that the byte order mark tells"
            self._fault(number, text.index("\ufffd") + 1, message)
        return Line(number, text.rstrip("\r").rstrip(_BLANKS), 0, torn)

    def _fault(self, line: int, column: int, message: str) -> None:
        self.faults.append(Fault(kind="encoding", line=line, column=column, message=message))


def _raw_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a stream of blocks, each with its end."""
    rest: list[bytes] = []
    held = 0
    for block in blocks:
        lines = block.splitlines(keepends=True)
        if rest and held + len(lines[0]) > LONGEST and not lines[0].endswith((b"\n", b"\r")):
            # What is over the limit is counted by its first byte alone, so that memory is bounded.
            held += len(lines[0])
            rest.append(lines[0][:1])
            continue
        if rest:
            lines = b"".join([*rest, lines[0]]).splitlines(keepends=True) + lines[1:]
        # A line that ends in CR may go on with LF in the next block.
        rest = [] if lines[-1].endswith(b"\n") else [lines.pop()]
        held = sum(map(len, rest))
        yield from lines
    yield from rest and b"".join(rest).splitlines(keepends=True)
