"""``acey schema`` prints what spec/schema/ holds, and what programs write fits it."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.support.acey import acey, refused
from tests.support.archive import DATA

SCHEMAS = Path(__file__).parents[2] / "spec/schema"


def test_the_names_are_those_of_the_files() -> None:
    names = acey("schema").stdout.split()
    assert sorted(names) == sorted(path.stem for path in SCHEMAS.glob("*.json"))


@pytest.mark.parametrize("name", ["game-record", "game-report", "legal"])
def test_a_schema_is_the_file(name: str) -> None:
    assert acey("schema", name).stdout == (SCHEMAS / f"{name}.json").read_text("utf-8")


def test_an_unknown_name_is_refused() -> None:
    assert refused("schema", "chess", status=2).startswith("acey: there is no schema 'chess'; ")


def test_every_report_of_the_samples_fits_its_schema() -> None:
    validator = Draft202012Validator(json.loads((SCHEMAS / "game-report.json").read_text("utf-8")))
    lines = acey("validate", "--json", str(DATA / "samples")).stdout.splitlines()
    assert len(lines) == 22
    for line in lines:
        validator.validate(json.loads(line))
