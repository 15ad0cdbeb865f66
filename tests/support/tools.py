"""Tools of other languages that some tests need."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest


def need(what: str, probe: Sequence[str], cwd: Path | None = None) -> None:
    """Go on only where ``probe`` succeeds; with CI set, where all is installed, fail without it.

    A fresh clone needs no more than Python, a C compiler and make to run its tests; what else some
    of them need is named where they are skipped.
    """
    try:
        found = subprocess.run(probe, check=False, capture_output=True, cwd=cwd).returncode == 0
    except FileNotFoundError:
        found = False
    if found:
        return
    if "CI" in os.environ:
        pytest.fail(f"{what} is missing; .ci/run is to install it")
    pytest.skip(f"{what} is missing")
