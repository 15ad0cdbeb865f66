"""Plain text in our notation cut into pieces of some games, many times faster than line by line.

Plain is what needs no care: UTF-8, line feeds alone, no control characters that old systems leave
at the ends of lines. Where text is not plain the cutter stops, and what is left goes line by line.
"""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

BLOCK: Final = 1 << 18
"""Bytes read at once."""
LONGEST: Final = 1 << 22
"""Bytes without the end of a game at which the cutter stops."""
_END: Final = re.compile(rb"\n(?:\*|[XO][ \t]+wins\b[^\n{]*)\n+(?=\[)")
"""A result with the tags of another game behind it."""
_ODD: Final = (b"\r", b"\f", b"\v", b"\x1a")


class Piece(NamedTuple):
    """The text of some games."""

    line: int
    """The line of the file it starts on."""
    text: bytes
    """In UTF-8, which is what is cut and sent fastest."""


class Cutter:
    """Cuts a stream as long as it is plain; ``rest`` and ``line`` say what is left."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        """Cut ``stream`` into pieces of ``size`` bytes and a little more."""
        self._stream = stream
        self._size = size
        self._text = b""
        self.line = 1
        """The line of the file on which ``rest`` starts."""
        self.rest = b""
        """Bytes that were read and are in no piece, to be read before the rest of the stream."""

    def __iter__(self) -> Iterator[Piece]:
        """The pieces, up to the end of the stream or to what is not plain."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        while block := self._stream.read(BLOCK):
            try:
                decoder.decode(block)
                plain = not any(odd in block for odd in _ODD)
            except UnicodeDecodeError:
                plain = False
            if not plain or len(self._text) > LONGEST:
                self.rest = self._text + block
                return
            self._text += block
            yield from self._pieces()
        if decoder.getstate()[0]:
            self.rest = self._text
        elif self._text:
            yield Piece(self.line, self._text)

    def _pieces(self) -> Iterator[Piece]:
        """What can be cut off the text read so far."""
        end = _END.search(self._text, self._size)
        while end is not None:
            at = end.end()
            # No comment is open where the last brace before is a closing one, or there is none.
            if self._text.rfind(b"}", 0, at) >= self._text.rfind(b"{", 0, at):
                yield Piece(self.line, self._text[:at])
                self.line += self._text.count(b"\n", 0, at)
                self._text = self._text[at:]
                at = 0
            end = _END.search(self._text, max(at, self._size))
