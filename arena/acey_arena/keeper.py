"""Nothing that was started outlives this process, however it ends.

A process that is killed by force ends nothing itself. So a small shell stands by, in a session of
its own: it is told of each process group that begins and ends, and when its input ends, because
this process has, it ends the groups that are left.
"""

import subprocess
import threading
from contextlib import suppress
from typing import Final

SCRIPT: Final = """
kept=
while read -r sign group folder; do
    case $sign in
        +) kept="$kept $group"; [ -z "$folder" ] || eval "folder_$group=\\$folder" ;;
        -) left=
           for each in $kept; do [ "$each" = "$group" ] || left="$left $each"; done
           kept=$left ;;
    esac
done
for each in $kept; do
    kill -KILL "-$each"
    eval "folder=\\${folder_$each-}"
    [ -z "$folder" ] || rm -rf -- "$folder"
done
"""


class _Shell:
    """The shell of this process, started with the first group it is to keep."""

    process: subprocess.Popen[bytes] | None = None
    lock = threading.Lock()


def keep(group: int, folder: str = "") -> None:
    """End that process group when this process ends; remove its ``folder`` too, if it has one.

    The group's leader must not have been waited for, so that its number is no other's.
    """
    with _Shell.lock:
        if _Shell.process is None or _Shell.process.poll() is not None:
            _Shell.process = subprocess.Popen(
                ["/bin/sh", "-c", SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            )
    _say(f"+ {group} {folder}")


def release(group: int) -> None:
    """The group has ended, or is ended by the caller now."""
    _say(f"- {group}")


def _say(line: str) -> None:
    shell = _Shell.process
    assert shell is not None, "a group is kept before it is released"
    assert shell.stdin is not None
    # If somebody has ended the shell, the groups are still ended in the ordinary way.
    with suppress(BrokenPipeError):
        shell.stdin.write(line.encode() + b"\n")  # in one piece: shorter than a pipe's atom
