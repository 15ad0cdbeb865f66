"""spec/notation.md says what the code does: every example of it is run, every table compared."""

import re
from pathlib import Path

import pytest

from acey_grammar import parse_game, parse_play, validate, write_game
from acey_grammar.reference import refreshed
from acey_rules import PRESETS, AmbiguousPlay, IllegalAction, PositionError, State

SPEC = Path(__file__).parents[2] / "spec"
PAGE = (SPEC / "notation.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    """The fenced blocks of that kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.M | re.S)


def rows(head: str) -> list[list[str]]:
    """The cells of the table with that head."""
    table = PAGE.partition(f"| {head} |\n")[2].partition("\n\n")[0]
    return [re.split(r" *\| *", line.strip("| ")) for line in table.splitlines()[1:]]


def codes(cell: str) -> list[str]:
    """What a cell shows as code."""
    return re.findall(r"`([^`]*)`", cell)


def test_the_generated_parts_are_current() -> None:
    assert refreshed(PAGE, SPEC) == PAGE


POSITIONS = [tuple(line.split()) for block in blocks("positions") for line in block.splitlines()]
BAD_POSITIONS = [
    tuple(re.split("  +", line.strip()))
    for block in blocks("bad-positions")
    for line in block.splitlines()
]
READ = rows("rules | position | written | is")
LISTED = rows("rules | position | plays")
GAMES = blocks("game")


def test_there_are_examples_to_run() -> None:
    counts = [len(found) for found in (POSITIONS, BAD_POSITIONS, READ, LISTED, GAMES)]
    assert counts == [5, 14, 10, 7, 2]


@pytest.mark.parametrize(("rules", "line"), POSITIONS)
def test_a_position_line_comes_back(rules: str, line: str) -> None:
    assert State.parse(line, PRESETS[rules]).line == line


@pytest.mark.parametrize("row", BAD_POSITIONS, ids=[row[1] for row in BAD_POSITIONS])
def test_a_bad_position_line_names_its_field(row: tuple[str, ...]) -> None:
    rules, line, field = row
    with pytest.raises(PositionError) as caught:
        State.parse(line, PRESETS[rules])
    assert caught.value.field == field


@pytest.mark.parametrize("row", READ, ids=[f"{row[1]} {row[2]}" for row in READ])
def test_a_play_is_read_as_the_page_says(row: list[str]) -> None:
    state = State.parse(codes(row[1])[0], PRESETS[row[0]])
    (text,) = codes(row[2])
    expected = codes(row[3])
    if row[3].startswith("ambiguous"):
        with pytest.raises(AmbiguousPlay) as ambiguous:
            state.find(parse_play(text))
        assert list(ambiguous.value.ways) == expected
    elif row[3].startswith("refused"):
        with pytest.raises(IllegalAction) as refused:
            state.find(parse_play(text))
        assert [refused.value.rule.code] == expected
    else:
        assert [state.find(parse_play(text)).text] == expected


@pytest.mark.parametrize("row", LISTED, ids=[row[1] for row in LISTED])
def test_plays_are_listed_as_the_page_says(row: list[str]) -> None:
    state = State.parse(codes(row[1])[0], PRESETS[row[0]])
    assert [play.text for play in state.legal_plays()] == codes(row[2])


@pytest.mark.parametrize("text", GAMES)
def test_a_game_of_the_page_is_canonical_and_valid(text: str) -> None:
    record = parse_game(text)
    assert validate(record).faults == ()
    assert write_game(record) == text


def test_every_section_cited_from_the_package_is_there() -> None:
    package = Path(__file__).parents[2] / "grammar" / "acey_grammar"
    sources = "".join(file.read_text("utf-8") for file in package.glob("*.py"))
    headings = {f"§{number}" for number in re.findall(r"^##+ ([\d.]+) ", PAGE, re.M)}
    cited = {
        section
        for citation in re.findall(r"spec/notation\.md ((?:§[\d.]*\d(?:, | to | and )?)+)", sources)
        for section in re.findall(r"§[\d.]*\d", citation)
    }
    assert cited >= {"§3", "§4", "§5", "§6", "§7", "§8"}
    assert cited <= headings
