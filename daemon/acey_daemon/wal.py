"""The tail of a write-ahead log: whether its last group was cut off. SQLite file format, §4.

SQLite itself forgets without a word what follows the last whole commit of a log. That is right,
since nothing of it was acknowledged, but somebody who runs a daemon wants to be told.
"""

import struct
from pathlib import Path
from typing import Final, NamedTuple

HEADER: Final = 32
FRAME_HEADER: Final = 24
_BIG_ENDIAN_SUMS: Final = 0x377F0683
_LITTLE_ENDIAN_SUMS: Final = 0x377F0682


class TornTail(NamedTuple):
    """What follows the last whole commit of a log, and is lost."""

    path: Path
    offset: int
    """Where the last whole commit ends, in bytes."""
    size: int
    """How many bytes follow that belong to a group which was being written."""

    def __str__(self) -> str:
        """What happened, for people."""
        return (
            f"{self.path}: {self.size} bytes after offset {self.offset} belong to a group that was "
            "not written to its end; none of it was acknowledged, and it is dropped"
        )


def torn_tail(path: Path) -> TornTail | None:
    """The torn tail of the log of a store, or None when it ends well. Changes nothing.

    Frames left over from before the log was last reset are no tail: their salt is another.
    """
    real = path.resolve()  # as SQLite does
    log = real.with_name(real.name + "-wal")
    try:
        data = log.read_bytes()
    except FileNotFoundError:
        return None
    if len(data) <= HEADER:
        return TornTail(log, 0, len(data)) if data else None
    magic, _, page, _, salt1, salt2, *_ = struct.unpack(">8I", data[:HEADER])
    if magic not in (_BIG_ENDIAN_SUMS, _LITTLE_ENDIAN_SUMS):
        return TornTail(log, 0, len(data))
    order = ">" if magic == _BIG_ENDIAN_SUMS else "<"
    sums = _sums(order, data[: HEADER - 8], (0, 0))
    if sums != struct.unpack(">2I", data[HEADER - 8 : HEADER]):
        return TornTail(log, 0, len(data))
    committed = at = HEADER
    while at < len(data):
        head = data[at : at + FRAME_HEADER]
        if not _belongs(head, salt1, salt2):
            break
        frame_end = at + FRAME_HEADER + page
        sums = _sums(order, head[:8], sums)
        sums = _sums(order, data[at + FRAME_HEADER : frame_end], sums)
        if len(data) < frame_end or sums != struct.unpack(">2I", head[16:24]):
            at = len(data)
            break
        at = frame_end
        if struct.unpack(">I", head[4:8])[0]:
            committed = at
    return TornTail(log, committed, at - committed) if at > committed else None


def _belongs(head: bytes, salt1: int, salt2: int) -> bool:
    """Whether a frame was written since the log's last reset, as far as its header is there."""
    if len(head) < FRAME_HEADER:
        return True
    return struct.unpack(">2I", head[8:16]) == (salt1, salt2)


def _sums(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    """SQLite's checksum over a multiple of eight bytes."""
    first, second = sums
    data = data[: len(data) // 8 * 8]
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for place in range(0, len(words), 2):
        first = (first + words[place] + second) & 0xFFFFFFFF
        second = (second + words[place + 1] + first) & 0xFFFFFFFF
    return first, second
