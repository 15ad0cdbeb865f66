"""Rule sets as data. spec/rules.md §7."""

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acey_rules import AMERICAN, PRESETS, RuleSet, RuleSetError, rule_set
from acey_rules.ruleset import FIELDS

ALL_FIELDS = (
    "setup=empty opening=reroll overshoot=highest acey_bonus=true complement=false "
    "doubles_reroll=false forfeit=strict scoring=per-checker"
)

custom = st.fixed_dictionaries({field: st.sampled_from(values) for field, values in FIELDS.items()})


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_found_by_its_name(name: str) -> None:
    assert rule_set(name) is PRESETS[name]
    assert PRESETS[name].name == name


def test_the_fields_of_american_written_out() -> None:
    assert AMERICAN.fields_text() == ALL_FIELDS


@given(custom)
def test_a_rule_set_written_out_is_read_back(values: dict[str, str]) -> None:
    words = [f"{field}={value}" for field, value in values.items()]
    rules = rule_set(" ".join(words))
    assert rules.name == "custom"
    assert rules.fields_text() == " ".join(f"{field}={values[field]}" for field in FIELDS)
    assert rule_set(rules.fields_text()) == rules
    assert rule_set("\t".join(sorted(words))) == rules
    assert hash(rule_set(rules.fields_text())) == hash(rules)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rule set ''; there are american, dice-board, european, bgammon, backgammon"),
        ("American", "no rule set 'American'; there are american, "),
        ("american ", "no rule set 'american '; there are american, "),
        ("custom", "no rule set 'custom'; there are american, "),
        ("setup=empty", "the rule set lacks opening, overshoot, acey_bonus, complement, "),
        (f"{ALL_FIELDS} gammons=true", "a rule set has no field 'gammons'; it has setup, "),
        (f"{ALL_FIELDS} name=x", "a rule set has no field 'name'; it has setup, "),
        (f"{ALL_FIELDS} setup=empty", "the field 'setup' is given twice"),
        (ALL_FIELDS.replace("highest", "most"), "overshoot is one of highest, any, exact, not 'mo"),
        (ALL_FIELDS.replace("true", "True"), "acey_bonus is one of true, false, not 'True'"),
        (ALL_FIELDS.replace("=true", "="), "acey_bonus is one of true, false, not ''"),
        (ALL_FIELDS.replace("setup=empty", "setup"), "setup is one of empty, backgammon, not ''"),
    ],
)
def test_a_text_that_is_no_rule_set(text: str, message: str) -> None:
    with pytest.raises(RuleSetError, match=re.escape(message)):
        rule_set(text)


@pytest.mark.parametrize("field", FIELDS)
def test_a_value_the_field_cannot_have_is_refused_in_code_too(field: str) -> None:
    changed: dict[str, Any] = {
        **msgspec.structs.asdict(AMERICAN),
        "name": "custom",
        field: "no value",
    }
    with pytest.raises(RuleSetError, match=f"^{field} is one of "):
        RuleSet(**changed)


@pytest.mark.parametrize("field", FIELDS)
def test_a_preset_s_name_on_other_fields_is_refused(field: str) -> None:
    values: dict[str, Any] = {**msgspec.structs.asdict(AMERICAN), field: FIELDS[field][1]}
    if values[field] in ("true", "false"):
        values[field] = not getattr(AMERICAN, field)
    with pytest.raises(RuleSetError, match=f"^american has not {field}="):
        RuleSet(**values)
    values["name"] = "custom"
    assert RuleSet(**values) != AMERICAN


def test_a_rule_set_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        AMERICAN.setup = "backgammon"  # pyright: ignore[reportAttributeAccessIssue]
