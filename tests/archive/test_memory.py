"""An archive of any size is validated in bounded memory; bench/memory.py prints the figures."""

from pathlib import Path

import pytest
from tests.support.big_archive import validate_measured, write_archive

MEGABYTE = 1_000_000


@pytest.mark.slow
def test_ten_times_the_archive_takes_no_more_memory(tmp_path: Path) -> None:
    peaks: list[int] = []
    for size in (20 * MEGABYTE, 200 * MEGABYTE):
        path = tmp_path / f"{size}.acey"
        games = write_archive(path, size)
        said, peak = validate_measured(path, jobs=2)
        assert said.startswith(f"{path}: {games} games, ")
        assert said.endswith(", no fault")
        peaks.append(peak)
    assert peaks[1] < 200 * MEGABYTE
    assert peaks[1] - peaks[0] < 20 * MEGABYTE
