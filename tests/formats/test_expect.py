"""Every sample comes out as tests/data/samples/EXPECT.json states, field by field."""

import json
from typing import Any

import pytest
from tests.support.archive import DATA, verdicts

from acey_grammar.formats.verdict import Verdict

SAMPLES = DATA / "samples"
EXPECTED: list[dict[str, Any]] = json.loads((SAMPLES / "EXPECT.json").read_text("utf-8"))
GOOD = [entry for entry in EXPECTED if not entry.get("faulty")]
FAULTY = [entry for entry in EXPECTED if entry.get("faulty")]


def test_every_sample_is_expected_and_every_expectation_has_its_sample() -> None:
    files = {path.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("*/*")}
    assert {entry["file"] for entry in EXPECTED} == files


def seen(verdict: Verdict, players: list[str]) -> dict[str, Any]:
    """A verdict as EXPECT.json counts: players by their place in its list."""

    def index(side: str | None) -> int | None:
        return None if side is None else players.index(verdict.players["XO".index(side)])

    return {
        "first": index(verdict.first),
        "winner": index(verdict.winner),
        "points": verdict.points,
        "how": verdict.how,
        "final": verdict.final,
        "turns": verdict.turns,
    }


@pytest.mark.parametrize("entry", GOOD, ids=lambda entry: entry["file"])
def test_a_good_sample(entry: dict[str, Any]) -> None:
    found = verdicts(SAMPLES / entry["file"])
    assert {verdict.format for verdict in found} == {entry["format"]}
    assert {verdict.rules for verdict in found} == {entry["rules"]}
    assert {verdict.match for verdict in found} == {entry["match"]}
    assert {tuple(sorted(verdict.players)) for verdict in found} == {
        tuple(sorted(entry["players"]))
    }
    assert [fault for verdict in found for fault in verdict.faults] == []
    fields = ("first", "winner", "points", "how", "final", "turns")
    expected = [{name: game[name] for name in fields} for game in entry["games"]]
    assert [seen(verdict, entry["players"]) for verdict in found] == expected
    for verdict, game in zip(found, entry["games"], strict=True):
        if "x" in game:
            assert verdict.players[0] == game["x"]
        if "cube" in game:
            assert verdict.record is not None
            assert verdict.record.tag("Cube") == str(game["cube"])


@pytest.mark.parametrize("entry", FAULTY, ids=lambda entry: entry["file"])
def test_a_faulty_sample(entry: dict[str, Any]) -> None:
    found = verdicts(SAMPLES / entry["file"])
    assert {verdict.format for verdict in found} == {entry["format"]}
    assert {verdict.rules for verdict in found} == {entry["rules"]}
    faults = [fault for verdict in found for fault in verdict.faults]
    assert [(fault.line, fault.kind) for fault in faults] == [
        (fault["line"], fault["kind"]) for fault in entry["faults"]
    ]
    for fault, expected in zip(faults, entry["faults"], strict=True):
        if "position" in expected:
            assert fault.position == expected["position"]
        if "legal" in expected:
            assert fault.legal == expected["legal"]
            assert len(fault.alternatives) == min(expected["legal"], 5)
