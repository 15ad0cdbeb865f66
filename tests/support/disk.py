"""A small disk of one's own, to be filled: a tmpfs, and a daemon whose store lies on it."""

import os
import subprocess
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pytest

ROOM: Final = 1024 * 1024
"""Bytes left beside the ballast: what a daemon needs to begin with."""


class SmallDisk:
    """A tmpfs of some megabytes, all but one of them taken by a ballast."""

    def __init__(self, folder: Path, megabytes: int = 32) -> None:
        """Mount it at a new folder; a test that may not do so is skipped, but fails in CI."""
        folder.mkdir()
        self.folder = folder
        self.ballast = folder / "ballast"
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
        if os.geteuid() != 0:
            command = ["sudo", "-n", *command]
        try:
            result = subprocess.run(command, check=False, capture_output=True, text=True)
            why = result.stderr if result.returncode else ""
        except FileNotFoundError as error:
            why = str(error)
        if why:
            (pytest.fail if "CI" in os.environ else pytest.skip)(f"no tmpfs can be mounted: {why}")
        self._closing = ExitStack()
        unmount = ["umount", "--lazy", str(folder)]
        self._closing.callback(
            subprocess.run, unmount if os.geteuid() == 0 else ["sudo", "-n", *unmount], check=True
        )
        folder.chmod(0o777)
        self.fill(ROOM)

    def free(self) -> int:
        """Bytes that are free."""
        space = os.statvfs(self.folder)
        return space.f_bavail * space.f_frsize

    def fill(self, leave: int = 0) -> None:
        """Let the ballast grow until so many bytes are left."""
        with self.ballast.open("ab", buffering=0) as file:
            while (room := self.free() - leave) > 0:
                file.write(bytes(min(room, 65536)))

    def make_room(self) -> None:
        """Throw the ballast off."""
        self.ballast.unlink()

    def __enter__(self) -> Self:
        """The disk itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Unmount it, with all that is on it."""
        self._closing.close()
