"""``acey bench perft``: counts on standard output, faults as one line."""

import json

import pytest

from acey_daemon import cli


def test_perft_prints_a_line_for_each_depth(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["bench", "perft", "--rules", "backgammon", "--depth", "1"]) == 0
    depth, nodes, seconds, rate = capsys.readouterr().out.split("\t")
    assert (depth, nodes) == ("1", "447 nodes")
    assert seconds.endswith(" s")
    assert rate.endswith(" nodes/s\n")


def test_perft_counts_from_a_position_and_writes_json(capsys: pytest.CaptureFixture[str]) -> None:
    line = "-DABEA----A-A----------de-:0:0:o:R"
    assert cli.run(["bench", "perft", "--depth", "1", "--position", line, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rules"], told["position"]) == ("american", line)
    assert [(row["depth"], row["nodes"]) for row in told["counts"]] == [(1, 45)]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--depth", "0"], 1, "acey: perft goes 1 to 12 plies deep, not 0\n"),
        (["--depth", "1", "--position", "x"], 1, "acey: bad position: fields:"),
        (["--depth", "1", "--rules", "chess"], 2, "acey: no rule set 'chess'"),
        ([], 2, "missing option '--depth'"),
    ],
)
def test_perft_says_what_is_wrong(
    arguments: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["bench", "perft", *arguments]) == status
    written = capsys.readouterr()
    assert written.out == ""
    assert message in written.err
    assert written.err.count("\n") == 1
