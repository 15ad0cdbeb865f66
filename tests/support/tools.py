"""Tools of other languages that some tests need."""

import os
import subprocess
from collections.abc import Sequence

import pytest


def need(what: str, probe: Sequence[str]) -> None:
    """Go on only where ``probe`` succeeds; CI, which installs everything, fails without it.

    A fresh clone needs no more than Python, a C compiler and make to run its tests; what else some
    of them need is named where they are skipped.
    """
    try:
        found = subprocess.run(probe, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        found = False
    if found:
        return
    if os.environ.get("ACEY_NEED_ALL") == "1":
        pytest.fail(f"{what} is missing; .ci/run is to install it")
    pytest.skip(f"{what} is missing")
