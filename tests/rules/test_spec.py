"""spec/rules.md says what the code does: every example is run, every table compared."""

import re
from pathlib import Path

import msgspec
import pytest
from tests.support.vectors import action_of

from acey_rules import PRESETS, IllegalAction, Name, Position, Roll, Rule, Side, State, agenda_text
from acey_rules.ruleset import FIELDS, rule_set
from acey_rules.stage import possible_agendas

SPEC = Path(__file__).parents[2] / "spec"
RULES = (SPEC / "rules.md").read_text("utf-8")


def scenarios() -> dict[str, list[str]]:
    """Return the lines of each example by where it begins; a preset's name begins one."""
    found: dict[str, list[str]] = {}
    inside = False
    steps: list[str] = []
    for number, line in enumerate(RULES.splitlines(), 1):
        words = line.split()
        if words[:1] == ["```example"]:
            inside = True
        elif words[:1] == ["```"]:
            inside = False
        elif inside and words[0] in PRESETS:
            steps = found.setdefault(f"line {number}", [])
            steps.append(line.strip())
        elif inside:
            steps.append(line.strip())
    return found


SCENARIOS = scenarios()


def test_there_are_examples_to_run() -> None:
    assert len(SCENARIOS) >= 25
    for verb in ("plays", "play", "roll", "name", "at", "over", "refused", "pips"):
        assert any(step.split()[0] == verb for steps in SCENARIOS.values() for step in steps), verb


@pytest.mark.parametrize("place", SCENARIOS)
def test_an_example(place: str) -> None:
    head, *steps = SCENARIOS[place]
    preset, line = head.split()
    state = State.parse(line, PRESETS[preset])
    said: list[str] = []
    for step in [*steps, "end"]:
        verb, _, rest = step.partition(" ")
        if verb == "plays":
            said.append(rest)
            continue
        if said:
            assert said == [play.text for play in state.legal_plays()]
            said = []
        match verb:
            case "roll" | "name" | "play":
                state = state.apply(action_of(step))
            case "at":
                assert state.line == rest
            case "over":
                assert state.outcome is not None
                assert f"{state.outcome.winner.letter} {state.outcome.points}" == rest
            case "refused":
                action, code = rest.split(": ")
                with pytest.raises(IllegalAction) as caught:
                    state.apply(action_of(action))
                assert caught.value.rule.code == code
            case "pips":
                assert f"{state.position.pips(Side.X)} {state.position.pips(Side.O)}" == rest
            case _:
                assert verb == "end", f"{step!r} is no step of an example"


def table(section: str, first: str) -> list[list[str]]:
    """Return the rows of the table of a section whose head begins with ``first``, head included."""
    text = RULES.split(f"\n{section} ", 1)[1]
    lines = text[text.index(f"| {first} |") :].split("\n\n")[0].splitlines()
    rows = [[cell.strip().replace("`", "") for cell in line[1:-1].split("|")] for line in lines]
    return [rows[0], *rows[2:]]


def test_the_table_of_fields() -> None:
    rows = table("## 7.", "field")[1:]
    assert {field: tuple(values.split(", ")) for field, values in rows} == FIELDS


def test_the_table_of_presets() -> None:
    head, *rows = table("## 7.", "preset")
    assert head[1:] == list(FIELDS)
    assert [row[0] for row in rows] == list(PRESETS)
    for name, *values in rows:
        text = " ".join(f"{field}={value}" for field, value in zip(FIELDS, values, strict=True))
        assert text == PRESETS[name].fields_text()
        assert msgspec.structs.replace(rule_set(text), name=name) == PRESETS[name]


def test_the_custom_rule_set_written_out() -> None:
    (text,) = re.findall(r"^    (setup=.*)$", RULES, re.MULTILINE)
    rules = rule_set(text)
    assert rules.fields_text() == text
    assert rules.name == "custom"
    assert rules not in PRESETS.values()


def test_the_table_of_what_a_roll_earns() -> None:
    head, *rows = table("### 5.1", "rule set")
    assert len(head) == 5
    assert [row[0] for row in rows] == list(PRESETS)
    for name, acey, rolled, named, other in rows:
        start = State.parse("--A--------------------a--:0:0:x:R", PRESETS[name])
        assert agenda_text(start.apply(Roll(1, 2)).agenda) == acey
        assert agenda_text(start.apply(Roll(6, 6)).agenda) == rolled
        assert agenda_text(start.apply(Roll(3, 6)).agenda) == other
        if name == "backgammon":
            assert named == "–"
        else:
            naming = State.parse("--A--------------------a--:0:0:o:N.R", PRESETS[name])
            assert agenda_text(naming.apply(Name(6)).agenda) == f"{named}.R"


# The table of spec/rules.md §5.3, spelled out.
NUMBERS = range(1, 7)
ROLLS_14 = {f"{high}{low}" for high in NUMBERS for low in range(1, high)} - {"21"}
DOUBLES = {f"{number}{number}" for number in NUMBERS}
USUAL = {"R", *ROLLS_14, *DOUBLES, "21.N.R", "N.R", *(f"{double}.R" for double in DOUBLES)}
PAIRS = {f"{number}{number}.{7 - number}{7 - number}.R" for number in NUMBERS}
EUROPEAN = {"R", *ROLLS_14, *PAIRS, "21.N.R", "N.R", *(f"{double}.R" for double in DOUBLES)}
POSSIBLE = {
    "american": USUAL,
    "dice-board": USUAL,
    "bgammon": USUAL,
    "european": EUROPEAN,
    "backgammon": {"R", "21", *ROLLS_14, *DOUBLES},
}


@pytest.mark.parametrize("preset", PRESETS)
def test_the_agendas_that_can_occur(preset: str) -> None:
    assert set(possible_agendas(PRESETS[preset])) == POSSIBLE[preset]


def test_the_table_of_codes() -> None:
    rows = table("## 9.", "code")[1:]
    assert len(rows) == len(Rule)
    assert {code: section for code, section, _ in rows} == {r.code: r.section for r in Rule}


def test_the_starts() -> None:
    assert str(Position.start("empty")) == "--------------------------:15:15"
    assert str(Position.start("backgammon")) == "-b----E-C---eE---c-e----B-:0:0"
