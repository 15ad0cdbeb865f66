"""``acey bench archive`` measures what it says, and compares where there is something to."""

import json

import pytest

from acey_daemon import cli


def test_it_measures_reading_validating_and_several_processes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.run(["bench", "archive", "--games", "5", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["games"] == 5
    assert told["rolls"] > 500
    for name in ("parse_rolls", "validate_rolls", "parse_games", "validate_games"):
        assert told[f"{name}_per_second"] > 0
    assert told["jobs"] == 2
    assert "python_chess" in told


@pytest.mark.parametrize("arguments", [["--games", "0"], ["--jobs", "1"]])
def test_it_refuses_what_cannot_be_measured(arguments: list[str]) -> None:
    assert cli.run(["bench", "archive", *arguments]) == 2
