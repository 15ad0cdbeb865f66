"""Paths, folders, globs, compressed files and standard input to streams of bytes."""

import glob
import gzip
import io
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, BinaryIO, Final, NamedTuple, cast

STDIN: Final = "-"
"""The path that stands for standard input."""
IN_MEMORY: Final = 1 << 24
"""Bytes of a compressed standard input that are held in memory; more goes to a temporary file."""
_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_WILD: Final = frozenset("*?[")
BAD_DATA: Final = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
)
"""What reading a damaged, encrypted or unknown kind of compressed file raises."""


class Found(NamedTuple):
    """A file to be read."""

    path: str
    asked: bool
    """Whether it was named itself, and not come upon in a folder."""


class Member(NamedTuple):
    """A stream of bytes and what it is called."""

    name: str
    """The path, and after a ``!`` the member of a compressed folder."""
    stream: BinaryIO


def find_files(paths: list[str]) -> Iterator[Found]:
    """The files that the paths stand for: folders are walked, globs are filled in, in order.

    A path that stands for nothing is yielded as it is, so that opening it tells what is wrong.
    """
    for path in paths:
        if path == STDIN or Path(path).is_file():
            yield Found(path, asked=True)
        elif Path(path).is_dir():
            yield from _walk(path)
        else:
            # Path.glob takes no absolute patterns.
            wild = _WILD & set(path)
            matching = sorted(glob.glob(path, recursive=True)) if wild else []  # noqa: PTH207
            for match in matching or [path]:
                yield from _walk(match) if Path(match).is_dir() else [Found(match, asked=True)]


def _walk(folder: str) -> Iterator[Found]:
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield Found(str(Path(root, name)), asked=False)


@contextmanager
def opened(path: str) -> Generator[Iterator[Member]]:
    """The streams of a file: itself, or what is compressed in it. Raises OSError."""
    if path == STDIN:
        stream = cast("BinaryIO", sys.stdin.buffer)
        yield _members(path, _Peekable(stream), seekable=False)
        return
    with Path(path).open("rb") as file:
        yield _members(path, _Peekable(file), seekable=True)


class _Peekable(io.BufferedReader):
    """A stream whose first bytes can be looked at."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(cast("io.RawIOBase", stream), buffer_size=1 << 16)

    def close(self) -> None:
        """Leave the stream below open; whoever opened it closes it."""

    def __del__(self) -> None:
        """Nothing to close."""


def _members(name: str, stream: _Peekable, *, seekable: bool) -> Iterator[Member]:
    head = stream.peek(4)[:4]
    if head.startswith(_GZIP):
        with gzip.GzipFile(fileobj=stream) as packed:
            yield Member(name, cast("BinaryIO", packed))
    elif head.startswith(_ZIP):
        with _as_file(stream, seekable=seekable) as file, _zip(file) as archive:
            for info in archive.infolist():
                if not info.filename.endswith("/"):
                    with _zip_member(archive, info) as member:
                        inner = _Peekable(cast("BinaryIO", member))
                        yield from _members(f"{name}!{info.filename}", inner, seekable=False)
    else:
        yield Member(name, cast("BinaryIO", stream))


_ZIP_TROUBLE: Final = (LookupError, ValueError, struct.error, OverflowError)
"""What zipfile raises besides its own error on damaged directories and names."""


def _zip(file: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except _ZIP_TROUBLE as error:
        raise zipfile.BadZipFile(f"a damaged ZIP file: {error}") from error


def _zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return archive.open(info)
    except _ZIP_TROUBLE as error:
        raise zipfile.BadZipFile(f"a damaged ZIP file: {error}") from error


def _as_file(stream: _Peekable, *, seekable: bool) -> AbstractContextManager[BinaryIO]:
    """The stream as a file in which one can go back, which reading a ZIP file needs."""
    if seekable:
        return _kept_open(cast("BinaryIO", stream))
    file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the caller closes it
    while block := stream.read(1 << 16):
        file.write(block)
    file.seek(0)
    return cast("AbstractContextManager[BinaryIO]", file)


@contextmanager
def _kept_open(stream: BinaryIO) -> Generator[BinaryIO]:
    yield stream
