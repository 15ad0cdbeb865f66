"""spec/records.md and the schemas say what records are."""

import json
import random
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator, ValidationError
from tests.support.recorded import random_game

from acey_grammar import parse_game, validate, write_game
from acey_grammar.record import GameRecord, Result, RollRecord, TurnRecord
from acey_protocol.records import (
    DiceRecord,
    MatchRecord,
    Record,
    decode_json,
    encode_json,
    schema_files,
)
from acey_rules import PRESETS

SPEC = Path(__file__).parents[2] / "spec"
PAGE = (SPEC / "records.md").read_text("utf-8")
EXAMPLES: list[str] = re.findall(r"^```json\n(.*?)^```", PAGE, re.M | re.S)


def validator(name: str) -> Any:
    return Draft202012Validator(json.loads((SPEC / "schema" / name).read_text("utf-8")))


GAME_SCHEMA = validator("game-record.json")
MATCH_SCHEMA = validator("match-record.json")


@pytest.mark.parametrize("name", list(schema_files()))
def test_a_schema_is_current(name: str) -> None:
    text = (SPEC / "schema" / name).read_text("utf-8")
    assert text == schema_files()[name]
    Draft202012Validator.check_schema(json.loads(text))


def test_the_page_has_an_example() -> None:
    assert len(EXAMPLES) == 1


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_is_a_valid_record(text: str) -> None:
    record = decode_json(text)
    assert isinstance(record, GameRecord)
    GAME_SCHEMA.validate(json.loads(text))
    assert json.loads(encode_json(record)) == json.loads(text)
    assert validate(record).faults == ()
    assert parse_game(write_game(record)) == record


@pytest.mark.parametrize("rules", PRESETS)
def test_records_of_played_games_are_as_the_schema_says(rules: str) -> None:
    record, _ = random_game(PRESETS[rules], random.Random(1))
    GAME_SCHEMA.validate(json.loads(encode_json(record)))
    match = MatchRecord("alpha", "beta", rules, (record,), dice=DiceRecord("seed", seed=1))
    MATCH_SCHEMA.validate(json.loads(encode_json(match)))


@pytest.mark.parametrize(
    ("number", "kind"),
    [("2", GameRecord), ("3", TurnRecord), ("5", MatchRecord)],
    ids=["game", "turn", "match"],
)
def test_the_tables_list_every_field(number: str, kind: type[msgspec.Struct]) -> None:
    section = re.split(r"^## ", PAGE, flags=re.M)[int(number)]
    cells = re.findall(r"^\| (`[^|]*`) \|", section, re.M)
    listed = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    fields = [*msgspec.structs.fields(kind)]
    format_field = [] if kind is TurnRecord else ["format"]
    assert listed == [*format_field, *(field.encode_name for field in fields)]


GOOD = GameRecord(
    (("X", "alpha"),),
    (TurnRecord("X", (RollRecord("63", "-"),), "!", 1.5, ("%eval 1",)),),
    Result("O", 3, "time"),
)
BAD: dict[str, tuple[str, Any]] = {
    "tag name": ("$.tags[0][0]", {"tags": [["a b", ""]]}),
    "no tags": ("$.tags", {"tags": []}),
    "dice": (
        "$.turns[0].rolls[0].dice",
        {"turns": [{"side": "X", "rolls": [{"dice": "7", "play": "-"}]}]},
    ),
    "no rolls": ("$.turns[0].rolls", {"turns": [{"side": "X", "rolls": []}]}),
    "brace": ("$.comments[0]", {"comments": ["{"]}),
    "time as comment": ("$.comments[0]", {"comments": ["%t 1"]}),
    "points": ("$.result.points", {"result": {"winner": "X", "points": 0}}),
    "how": ("$.result.how", {"result": {"winner": "X", "points": 1, "how": "drop"}}),
    "line end": ("$.tags[0][1]", {"tags": [["X", "a\n"]]}),
}


@pytest.mark.parametrize("name", BAD)
def test_schema_and_reader_refuse_alike(name: str) -> None:
    path, change = BAD[name]
    document = {**json.loads(encode_json(GOOD)), **change}
    with pytest.raises(ValueError, match=re.escape(f"`{path}`")):
        decode_json(json.dumps(document))
    with pytest.raises(ValidationError):
        GAME_SCHEMA.validate(document)


def test_a_reader_of_this_version_leaves_out_what_it_does_not_know() -> None:
    document = json.loads(encode_json(GOOD))
    document["later"] = document["turns"][0]["later"] = [1]
    record: Record = decode_json(json.dumps(document))
    assert record == GOOD
