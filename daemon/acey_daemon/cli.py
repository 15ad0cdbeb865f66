"""The command line ``acey``: what happens before and after a subcommand.

Exit status: 0 good; 1 the input was judged bad; 2 the command cannot be carried out as it was
given (usage, a file that is not there, an address in use); 130 interrupted; 70 a fault of ours.
Results go to standard output, everything else to standard error; an error is one line.

``acey --version`` answers from here, without importing what subcommands need: this module imports
nothing but the standard library, and the subcommands are found by name (commands/__init__.py).
"""

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from io import BufferedWriter, FileIO, TextIOWrapper
from platform import python_implementation, python_version
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

GOOD: Final = 0
BAD_INPUT: Final = 1
USAGE: Final = 2
INTERNAL: Final = 70
INTERRUPTED: Final = 130
READER_GONE: Final = 141


class ReaderGoneError(Exception):
    """Whoever read our output has stopped reading."""


class OutputError(Exception):
    """Standard output cannot be written; the message says why."""


class Output(FileIO):
    """Standard output. Its failures are no OSError, so that none is taken for a file's."""

    def write(self, data: "ReadableBuffer", /) -> int | None:
        """Write bytes. Raises ReaderGoneError and OutputError."""
        try:
            return super().write(data)
        except BrokenPipeError as error:
            raise ReaderGoneError from error
        except OSError as error:
            raise OutputError(f"standard output: {error.strerror}") from error


def main() -> None:
    """Run the command line with the arguments of the process and exit with its status."""
    _open_streams()
    sys.exit(run(sys.argv[1:]))


def _open_streams() -> None:
    """Put something in the place of every standard stream that is closed, and watch the output.

    Otherwise the next file opened would be standard output. Writing to one that is closed fails,
    as it does on a full disk. What its encoding cannot hold is written as an escape.
    """
    for name, flags in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, closefd=False))
    sys.stdout = TextIOWrapper(
        BufferedWriter(Output(sys.stdout.fileno(), "w", closefd=False)),
        encoding=sys.stdout.encoding,
        errors="backslashreplace",
        line_buffering=sys.stdout.isatty(),
    )


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status; never raises."""
    try:
        if list(arguments) in (["--version"], ["-V"]):
            sys.stdout.write(f"{version_line()}\n")
            status = GOOD
        else:
            status = int(import_module("acey_daemon.commands.app").run(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except ReaderGoneError:
        # Whoever read our output has enough of it (`acey legal … | head -1`).
        _write_nowhere()
        return READER_GONE
    except OutputError as error:
        _write_nowhere()
        sys.stderr.write(f"acey: {error}\n")
        return USAGE
    except Exception as error:
        if os.environ.get("ACEY_TRACEBACK") == "1":
            traceback.print_exc()
        sys.stderr.write(
            f"acey: this is a fault of acey: {type(error).__name__}: {error} "
            "(ACEY_TRACEBACK=1 shows where)\n"
        )
        return INTERNAL
    return status


def _write_nowhere() -> None:
    """Point standard output elsewhere, so that flushing it at exit does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def version_line() -> str:
    """The version, the move generator that serves and the Python, on one line."""
    version = import_module("importlib.metadata").version("aceydeucey")
    generator: str = import_module("acey_rules.generator").NAME
    python = f"{python_implementation()} {python_version()}"
    return f"aceydeucey {version}, {generator} move generator, {python}"
