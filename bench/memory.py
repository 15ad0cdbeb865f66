"""The most memory a process has while an archive is validated, for a small and a large one."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.big_archive import validate_measured, write_archive

from bench.figures import Figure

MEGABYTE = 1_000_000
SIZES = (20, 200)
"""Megabytes of the archives."""


def tables() -> Iterator[tuple[str, list[Figure]]]:
    figures: list[Figure] = []
    with TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder, f"{size}.acey")
            games = write_archive(path, size * MEGABYTE)
            _, peak = validate_measured(path, jobs=2)
            first = figures[0].value if figures else None
            figures.append(
                Figure(
                    f"{size} MB, {games:,} games",
                    peak,
                    "bytes",
                    beside=f"the {SIZES[0]} MB" if first else "",
                    ratio=peak / first if first else None,
                    note="in the largest of the processes of acey validate --jobs 2",
                )
            )
    yield "Memory for validating an archive", figures
