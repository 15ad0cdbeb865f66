"""Committed files in our own formats: what was written once is read for ever, and read alike.

The records are of version 1. When there is another version these files stay as they are.
"""

from pathlib import Path

import pytest
from tests.support.archive import DATA

from acey_daemon.archive.judging import Options
from acey_daemon.archive.pool import read_archive
from acey_grammar.formats.verdict import Verdict
from acey_grammar.write import write_games

OWN = DATA / "own"
FIBS = DATA / "samples/fibs/oldmoves_5pt.fibs"
ACEY = DATA / "samples/bgammon/acey_full_spaces.match"


def read(*paths: Path) -> list[Verdict]:
    return list(read_archive([str(path) for path in paths], Options(records=True)))


def told(verdict: Verdict) -> tuple[object, ...]:
    return verdict.players, verdict.rules, verdict.winner, verdict.points, verdict.final


@pytest.mark.parametrize("name", ["games.acey", "games.json", "games.jsonl", "games.msgpack"])
def test_games_in_our_formats_are_those_they_were_made_of(name: str) -> None:
    found = read(OWN / name)
    made_of = read(ACEY, FIBS)
    assert [verdict.faults for verdict in found] == [()] * 4
    assert [told(verdict) for verdict in found] == [told(verdict) for verdict in made_of]
    assert [verdict.points for verdict in found] == [6, 2, 1, 1]
    assert [verdict.record for verdict in found] == [verdict.record for verdict in made_of]


def test_the_notation_is_written_as_it_stands() -> None:
    records = [verdict.record for verdict in read(OWN / "games.jsonl") if verdict.record]
    assert write_games(records) == (OWN / "games.acey").read_text("utf-8")


def test_scores_follow_from_what_games_counted_with_the_cube() -> None:
    """The first game counted 2 with the cube, as its tag says; its result line says 1."""
    notes = [notice.message for verdict in read(OWN / "games.acey") for notice in verdict.notices]
    assert notes == [
        "the score is stated as 0-3; the games before make it 3-0, "
        "so it is printed the wrong way round"
    ]


def test_a_log_of_plays() -> None:
    (verdict,) = read(OWN / "engine_log.txt")
    (match,) = read(DATA / "samples/mat/words_merged_moves.mat")
    assert (verdict.format, verdict.rules, verdict.faults) == ("plain", "backgammon", ())
    assert (verdict.turns, verdict.final, verdict.winner) == (38, match.final, match.winner)
