"""How long a program takes to start: real and processor time, the least of several tries."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from bench.figures import Figure

TRIES = 15
ALLOWED = 150
"""Milliseconds that ``acey --version`` may take beyond a bare interpreter."""


def tables() -> Iterator[tuple[str, list[Figure]]]:
    acey = Path(sys.executable).with_name("acey")
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import acey_rules": [sys.executable, "-c", "import acey_rules"],
        "acey --version": [str(acey), "--version"],
    }
    best = dict.fromkeys(commands, (float("inf"), float("inf")))
    for _ in range(TRIES):
        for name, command in commands.items():
            best[name] = tuple(map(min, best[name], _milliseconds(command)))
    bare_real, bare_busy = best["python -c pass"]
    figures = [Figure("python -c pass", bare_real, "ms", note=f"of them {bare_busy:.0f} busy")]
    for name in ("import acey_rules", "acey --version"):
        real, busy = best[name]
        note = f"{real - bare_real:+.0f} beyond a bare interpreter, {busy - bare_busy:+.0f} busy"
        if name == "acey --version":
            note += f" (at most {ALLOWED})"
        figures.append(Figure(name, real, "ms", note=note))
    yield "Starting", figures


def _milliseconds(command: list[str]) -> tuple[float, float]:
    """Real time, and processor time of the process itself, which other work does not lengthen."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    real = perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return real * 1000, busy * 1000
