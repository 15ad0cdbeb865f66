"""Streams of JSON and MessagePack documents cut into single ones, however many there are.

JSON documents may follow one another, a line each or not, or stand in one array. Nothing is decoded
here: a document is found by its brackets alone, and is then for ``acey_protocol.records``.
"""

import re
import struct
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

BLOCK: Final = 1 << 18
LARGEST: Final = 1 << 26
"""Bytes of the largest document that is read."""
_MARK: Final = re.compile(rb'["{}\[\]\n]')
_IN_STRING: Final = re.compile(rb'["\n]|\\.', re.S)


class Document(NamedTuple):
    """One document, or what is in the way of one."""

    line: int
    """From 1; for MessagePack the number of the document."""
    data: bytes
    problem: str = ""
    """Why this is no document; empty when it looks like one."""


def json_documents(stream: BinaryIO) -> Iterator[Document]:
    """The objects of a stream of JSON, or of the array it is."""
    return _JsonScanner(stream).documents()


class _JsonScanner:
    """Looks for the brackets that an object starts and ends with."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.line = 1
        self.depth = 0
        self.in_string = False
        self.parts: list[bytes] = []
        self.held = 0
        self.started = 1
        self.outside = b""

    def documents(self) -> Iterator[Document]:
        rest = b""
        while block := self.stream.read(BLOCK):
            data = rest + block
            # A backslash at the end needs the byte after it.
            rest = b"\\" if self._splits_escape(data) else b""
            yield from self._scan(data[: len(data) - len(rest)])
        if self.parts or self.in_string:
            yield Document(self.started, b"".join(self.parts), "the text ends inside an object")
        elif self.outside.strip(b" \t\r\n,[]"):
            yield self._junk()

    def _splits_escape(self, data: bytes) -> bool:
        return (len(data) - len(data.rstrip(b"\\"))) % 2 == 1

    def _scan(self, data: bytes) -> Iterator[Document]:
        at = 0
        start = 0
        while True:
            found = (_IN_STRING if self.in_string else _MARK).search(data, at)
            if found is None:
                break
            at = found.end()
            mark = found[0]
            if mark == b"\n":
                self.line += 1
            elif mark == b'"':
                self.in_string = not self.in_string
            elif mark == b"{":
                if self.depth == 0:
                    self._outside(data[start : found.start()])
                    if self.outside.strip(b" \t\r\n,[]"):
                        yield self._junk()
                    self.outside = b""
                    start, self.started = found.start(), self.line
                self.depth += 1
            elif mark == b"}" and self.depth:
                self.depth -= 1
                if self.depth == 0:
                    self._inside(data[start:at])
                    start = at
                    yield self._document()
        (self._inside if self.depth else self._outside)(data[start:])

    def _inside(self, data: bytes) -> None:
        self.held += len(data)
        if self.held <= LARGEST:
            self.parts.append(data)

    def _outside(self, data: bytes) -> None:
        self.outside = (self.outside + data)[:200]

    def _document(self) -> Document:
        problem = "" if self.held <= LARGEST else f"the object is larger than {LARGEST} bytes"
        document = Document(self.started, b"".join(self.parts), problem)
        self.parts, self.held = [], 0
        return document

    def _junk(self) -> Document:
        found = self.outside.strip(b" \t\r\n,[]")[:40].decode("utf-8", "replace")
        self.outside = b""
        return Document(self.line, b"", f"expected a JSON object; found '{found}'")


# --- MessagePack ------------------------------------------------------------------------------

_FIXED: Final = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8} | {
    0xCC + index: 1 << (index % 4) for index in range(8)
}
"""Values of a fixed length: their first bytes, and how many bytes follow."""
_SIZED: Final = {
    0xC4: (1, 0),
    0xC5: (2, 0),
    0xC6: (4, 0),
    0xC7: (1, 1),
    0xC8: (2, 1),
    0xC9: (4, 1),
    0xD9: (1, 0),
    0xDA: (2, 0),
    0xDB: (4, 0),
}
"""Values whose length is written: how many bytes the length takes, and what is added to it."""
_ARRAYS: Final = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}
"""Arrays and maps: how many bytes the count takes, and how many values an entry is."""
_UINT: Final = {1: ">B", 2: ">H", 4: ">I"}


class _EndsEarlyError(Exception):
    """The stream ends inside a value."""


def msgpack_documents(stream: BinaryIO) -> Iterator[Document]:
    """The values of a stream of MessagePack."""
    number = 0
    while first := stream.read(1):
        number += 1
        taken = _Taken(stream, first)
        try:
            taken.value(first[0])
        except _EndsEarlyError:
            yield Document(number, b"", "the file ends inside a record")
            return
        except ValueError as error:
            yield Document(number, b"", f"no MessagePack: {error}")
            return
        yield Document(number, bytes(taken.data))


class _Taken:
    """The bytes of one value, taken from a stream."""

    def __init__(self, stream: BinaryIO, first: bytes) -> None:
        self.stream = stream
        self.data = bytearray(first)

    def value(self, first: int) -> None:
        """Take the value that starts with a byte already taken. Not recursive: depth is data."""
        waiting = self._after(first)
        while waiting:
            waiting += self._after(self._take(1)[0]) - 1

    def _after(self, first: int) -> int:
        """Take what belongs to a value by itself; how many values must follow."""
        if first <= 0x7F or first >= 0xE0:
            return 0
        if first <= 0x8F:
            return 2 * (first & 0x0F)
        if first <= 0x9F:
            return first & 0x0F
        if first <= 0xBF:
            self._take(first & 0x1F)
        elif first in _FIXED:
            self._take(_FIXED[first])
        elif first in _SIZED:
            width, more = _SIZED[first]
            self._take(self._number(width) + more)
        elif first in _ARRAYS:
            width, values = _ARRAYS[first]
            return values * self._number(width)
        elif 0xD4 <= first <= 0xD8:
            self._take(1 + (1 << (first - 0xD4)))
        else:
            raise ValueError(f"no value starts with 0x{first:02X}")
        return 0

    def _number(self, width: int) -> int:
        return int(struct.unpack(_UINT[width], self._take(width))[0])

    def _take(self, count: int) -> bytes:
        if len(self.data) + count > LARGEST:
            raise ValueError(f"a record larger than {LARGEST} bytes")
        data = self.stream.read(count)
        if len(data) < count:
            raise _EndsEarlyError
        self.data += data
        return data
