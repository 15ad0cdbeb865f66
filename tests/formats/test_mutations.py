"""Good files damaged at random: readers never crash, and call nothing valid that is not."""

from pathlib import Path
from random import Random

import pytest
from tests.support.archive import DATA, verdicts

from acey_grammar import validate
from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.registry import FORMATS, sniff
from acey_grammar.formats.verdict import Verdict

FILES = [path for path in sorted((DATA / "samples").glob("*/*")) if path.parent.name != "faulty"]
SEEDS = range(30)


def damaged(data: bytes, random: Random) -> bytes:
    """The bytes with a few of them changed, left out, doubled or moved."""
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(data))
        end = min(len(data), at + random.choice((1, 1, 2, 5, 40)))
        match random.randrange(5):
            case 0:
                data = data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
            case 1:
                data = data[:at] + data[end:]
            case 2:
                data = data[:end] + data[at:end] + data[end:]
            case 3:
                data = (
                    data[:at]
                    + random.choice((b"\n", b"]", b"*", b"/", b"0", b"7", b" "))
                    + data[at:]
                )
            case _:
                data = (
                    data[:at]
                    if random.random() < 0.2
                    else data[:at] + data[at:end][::-1] + data[end:]
                )
    return data


def check(verdict: Verdict) -> None:
    """A game without a fault must be one that the validator of our notation replays alike."""
    if verdict.faults or verdict.record is None or not verdict.record.turns:
        return
    judged = validate(verdict.record)
    assert judged.faults == ()
    assert judged.state is not None
    if verdict.how != "resign-after-roll":
        assert judged.state.line == verdict.final


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_good_file_is_valid_as_a_record_too(path: Path) -> None:
    for verdict in verdicts(path):
        assert verdict.faults == ()
        check(verdict)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_damage_is_told_or_harmless(path: Path, tmp_path: Path) -> None:
    broken = tmp_path / path.name
    for seed in SEEDS:
        broken.write_bytes(damaged(path.read_bytes(), Random(seed)))
        with broken.open("rb") as stream:
            name, _ = sniff(TextLines(stream))
        if name in FORMATS:
            for verdict in verdicts(broken):
                check(verdict)
