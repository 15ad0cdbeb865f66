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
from platform import python_implementation, python_version
from typing import Final

GOOD: Final = 0
BAD_INPUT: Final = 1
USAGE: Final = 2
INTERNAL: Final = 70
INTERRUPTED: Final = 130
READER_GONE: Final = 141


class ReaderGoneError(Exception):
    """Whoever read our output has stopped reading."""


def main() -> None:
    """Run the command line with the arguments of the process and exit with its status."""
    sys.exit(run(sys.argv[1:]))


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
    except (BrokenPipeError, ReaderGoneError):
        # Whoever read our output has enough of it (`acey legal … | head -1`). The stream is pointed
        # elsewhere, so that flushing it at exit does not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except Exception as error:
        if os.environ.get("ACEY_TRACEBACK") == "1":
            traceback.print_exc()
        sys.stderr.write(
            f"acey: this is a fault of acey: {type(error).__name__}: {error} "
            "(ACEY_TRACEBACK=1 shows where)\n"
        )
        return INTERNAL
    return status


def version_line() -> str:
    """The version, the move generator that serves and the Python, on one line."""
    version = import_module("importlib.metadata").version("aceydeucey")
    generator: str = import_module("acey_rules.generator").NAME
    python = f"{python_implementation()} {python_version()}"
    return f"aceydeucey {version}, {generator} move generator, {python}"
