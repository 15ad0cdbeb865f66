"""The match in Perl says how it is called."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.support.acey import ACEY, DEADLINE
from tests.support.tools import need

CLIENTS = Path(__file__).resolve().parent.parent.parent / "clients"


def ran(*words: str) -> tuple[int, str, str]:
    """The exit status of a program and what it wrote."""
    done = subprocess.run(
        words,
        check=False,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        env=os.environ | {"ACEY": str(ACEY)},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "words",
    ["abc", "1.5", "0", "-3", "15 x", "15 -1", "1 2 american more", "1000"],
)
def test_the_match_in_perl_refuses_what_it_cannot_play(words: str) -> None:
    need("Perl", ["perl", "-MIPC::Open2", "-e", "1"])
    status, out, error = ran("perl", "-w", str(CLIENTS / "perl" / "match.pl"), *words.split())
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert error.startswith("usage: perl match.pl [POINTS [SEED [RULES]]]")
