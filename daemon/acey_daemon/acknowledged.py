"""How far a store was acknowledged, so that a store which has lost its end is not taken for whole.

SQLite forgets without a word what follows damage in its log, and all of a log that is gone. The
lock file beside the store tells the last row of which somebody may have been told; a store that
ends before it has lost something. The file is never ahead of the disk: it is written after the disk
has the row. docs/operating.md, "The store".
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from acey_daemon.damage import StoreError
from acey_daemon.wal import TornTail

_DIGITS: Final = 20


class Mark:
    """The last row that was acknowledged, in the lock file of a store."""

    def __init__(self, path: Path, fd: int, *, new: bool) -> None:
        """``fd`` is the open lock file; a ``new`` store has nothing acknowledged."""
        self._path = path
        self._fd = fd
        if new:
            os.ftruncate(fd, 0)

    def put(self, row: int) -> None:
        """Remember that a row and all before it are stored. Where the disk is full, not now."""
        with suppress(OSError):
            os.pwrite(self._fd, b"%0*d\n" % (_DIGITS, row), 0)

    def check(self, last: int, torn: TornTail | None) -> None:
        """Raise StoreError when the store ends with a row before the last that was acknowledged."""
        try:
            acknowledged = int(os.pread(self._fd, _DIGITS + 1, 0) or b"0")
        except ValueError:
            return
        if last >= acknowledged:
            return
        log = self._path.resolve().with_name(self._path.resolve().name + "-wal")
        place = f"{log} at offset {torn.offset}" if torn is not None else f"{log} is gone or older"
        raise StoreError(
            f"{self._path}: the store is damaged: rows {last + 1} to {acknowledged}, which were "
            f"acknowledged, are missing: {place}. Put back a copy that was made before, or keep "
            f"what there is; either way remove {self._path}.lock, which tells of what is missing. "
            f"'acey store export {self._path}' writes out what can be read"
        )
