"""Which generator serves, and that both list plays as text alike."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from sysconfig import get_path

import pytest
from tests.support.vectors import play_vectors

from acey_rules import PRESETS, State, WrongAction, generator
from acey_rules.playout import RandomNumbers

SOURCES = Path(generator.__file__).parent


def told(wish: str, folder: Path | None = None) -> str:
    """What a new process says of the generator: its name, or the last line of the error.

    With ``folder`` the package is imported from there and not from where it is installed.
    """
    environment = os.environ | {"ACEY_KERNEL": wish}
    options: list[str] = []
    if folder is not None:
        options = ["-S"]  # without the finder of an editable install
        environment["PYTHONPATH"] = os.pathsep.join([str(folder), get_path("platlib")])
    ran = subprocess.run(
        [sys.executable, *options, "-c", "from acey_rules import generator as g; print(g.NAME)"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.strip() or ran.stderr.splitlines()[-1]


@pytest.fixture
def uncompiled(tmp_path: Path) -> Path:
    """A copy of the package without the compiled modules."""
    shutil.copytree(
        SOURCES,
        tmp_path / "acey_rules",
        ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"),
    )
    return tmp_path


def test_the_reference_serves_when_it_is_asked_for() -> None:
    assert told("reference") == "reference"


def test_the_kernel_serves_where_it_was_compiled() -> None:
    expected = "kernel" if generator.compiled() else "reference"
    assert told("") == expected


def test_uncompiled_sources_never_serve_as_the_kernel(uncompiled: Path) -> None:
    assert told("", uncompiled) == "reference"


def test_a_kernel_that_is_demanded_must_be_compiled(uncompiled: Path) -> None:
    error = "ImportError: ACEY_KERNEL asks for the kernel, which was not compiled"
    assert told("kernel", uncompiled) == error


def test_another_wish_is_refused() -> None:
    error = "ImportError: ACEY_KERNEL is 'kernel' or 'reference', not 'fast'"
    assert told("fast") == error


@pytest.mark.parametrize("rules", PRESETS)
def test_the_legal_plays_are_listed_with_where_they_lead(rules: str) -> None:
    rows = [row for row in play_vectors() if row.rules == rules and row.plays < 60]
    assert len(rows) > 100
    for row in rows:
        state = State.parse(row.position, PRESETS[rules])
        lines = [f"{play.text}\t{state.apply(play).line}" for play in state.legal_plays()]
        assert state.legal_text().split("\n") == lines, row.place


def test_a_play_is_found_by_its_canonical_text() -> None:
    state = State.parse("-b----E-C---eE---c-e----B-:0:0:x:63", PRESETS["backgammon"])
    found = state.find_text("24/18 13/10")
    assert found in state.legal_plays()
    assert str(found) == "24/18 13/10"
    assert state.find_text("13/10 24/18") is None
    assert state.find_text("24/18 24/18") is None


def test_nothing_is_listed_or_found_while_no_dice_are_to_be_played() -> None:
    state = State.parse("--------------------------:15:15:x:R", PRESETS["american"])
    with pytest.raises(WrongAction, match="X is to roll"):
        state.legal_text()
    with pytest.raises(WrongAction, match="X is to roll"):
        state.find_text("off/19")


def test_the_random_numbers_are_those_of_splitmix64() -> None:
    numbers = RandomNumbers(0)
    drawn = [numbers.below(1 << 64) for _ in range(3)]
    assert drawn == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
