"""The verb table, the specification and the schemas say the same."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from acey_protocol.arguments import Clock, Hexadecimal, PlayerName, Seconds, Whole
from acey_protocol.reference import refreshed, schema_files
from acey_protocol.verbs import CHECKERS, COMMON_CODES, VERBS, Verb

SPEC = Path(__file__).parents[2] / "spec"
PAGE = (SPEC / "protocol.md").read_text("utf-8")


def test_the_generated_parts_of_the_specification_are_current() -> None:
    assert refreshed(PAGE) == PAGE


@pytest.mark.parametrize("name", list(schema_files()))
def test_a_schema_is_current(name: str) -> None:
    text = (SPEC / "schema" / name).read_text("utf-8")
    assert text == schema_files()[name]
    Draft202012Validator.check_schema(json.loads(text))


@pytest.mark.parametrize("verb", VERBS.values(), ids=list(VERBS))
def test_a_verb_is_well_described(verb: Verb) -> None:
    assert re.fullmatch(r"[a-z]+", verb.name)
    assert f"### {verb.section.removeprefix('§')} " in PAGE
    assert verb.about
    assert verb.reply
    assert verb.answers
    assert not set(verb.codes) & set(COMMON_CODES)
    assert len(set(verb.codes)) == len(verb.codes)
    positional = [argument for argument in verb.arguments if argument.positional]
    assert list(verb.arguments[: len(positional)]) == positional
    assert not any(argument.rest for argument in positional[:-1])
    assert "format" in CHECKERS[verb.name].names


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Whole(1, 6), {"1": 1, "6": 6, "06": 6}, ["0", "7", "", "-1", "1.0", "٣", "9" * 19]),
        (Seconds(60), {"0": 0.0, "1.25": 1.25, "60": 60.0}, ["61", "-1", "1e3", "nan", "1.2345"]),
        (
            Clock(),
            {"120+8": (120_000, 8_000), "0+8": (0, 8_000), "5+0": (5_000, 0), "": None},
            ["0+0", "120", "+8", "120+", "1.5+8", "-1+8", "1234567+1"],
        ),
        (Hexadecimal(2), {"00": "00", "FFfe": "fffe"}, ["", "0", "zz", "000000", "00\n"]),
        (PlayerName(), {"a": "a", "Zoë the 1st": "Zoë the 1st"}, ["", "a\nb", "x" * 65, "\u202e"]),
    ],
    ids=["whole", "seconds", "clock", "hex", "name"],
)
def test_a_kind_of_argument(kind: Whole, good: dict[str, object], bad: list[str]) -> None:
    assert {text: kind.read(text) for text in good} == good
    for text in bad:
        with pytest.raises(ValueError, match=r"."):
            kind.read(text)
