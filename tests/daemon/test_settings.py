"""A setting that cannot be is told with its file, its name, what it is and what it may be."""

import re
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
from msgspec import inspect, structs
from tests.support.acey import refused

from acey_daemon.settings import Settings, SettingsError, settings_of

FIELDS = {field.name: field for field in structs.fields(Settings)}
VALUES = (
    '"x"', "-1", "2.5", "nan", "true", "[3]", '["x", 3]', "[[]]", "1979-05-27", "07:32:00",
    "1979-05-27T07:32:00Z", "1180591620717411303424", "{ a = 1 }", f'"{"y" * 500}"',
)  # fmt: skip
"""One of each kind that TOML has; none of them is good for every setting."""
LIBRARY = re.compile(r"\$|`|Expected|Object|Invalid|\bgot\b|\b(?:int|str|array|object|enum|bool)\b")
"""Words of the library that reads settings; nobody writes them into a file."""


def fault(path: Path, text: str) -> str:
    """What is said of a file of settings; empty when nothing is."""
    path.write_text(f"{text}\n")
    try:
        settings_of(path, {})
    except SettingsError as error:
        return str(error)
    return ""


def may_be(name: str) -> str:
    """Words that must stand in what is said of a value of the wrong kind."""
    field = FIELDS[name]
    match inspect.type_info(field.type):
        case inspect.LiteralType():
            *most, last = (f'"{word}"' for word in get_args(field.type))
            return f"{', '.join(most)} or {last} is expected"
        case inspect.IntType(ge=least, le=None):
            return f"a whole number from {least} on is expected"
        case inspect.IntType(ge=least, le=most):
            return f"a whole number from {least} to {most} is expected"
        case inspect.BoolType():
            return "true or false is expected"
        case inspect.StrType():
            return "text in quotes is expected"
        case _:
            return f'a list of texts such as ["{field.default[0]}"] is expected'


@pytest.mark.parametrize("name", FIELDS)
def test_a_value_of_the_wrong_kind_is_told_with_what_the_setting_may_be(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "acey.toml"
    told = 0
    for value in VALUES:
        said = fault(path, f"{name} = {value}")
        if not said:
            continue
        assert said.startswith(f"{path}: {name}: "), said
        assert "\n" not in said
        assert len(said.removeprefix(str(path))) < 600
        if " is expected, not " in said:
            told += 1
            assert said.startswith(f"{path}: {name}: {may_be(name)}, not "), said
            assert not LIBRARY.search(said.removeprefix(str(path))), said
    assert told >= 8


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('max_line = "x"', 'max_line: a whole number from 256 to 16777216 is expected, not "x"'),
        ("max_tables = 0", "max_tables: a whole number from 1 on is expected, not 0"),
        ("insecure = 1", "insecure: true or false is expected, not 1"),
        ("store = 1979-05-27", "store: text in quotes is expected, not 1979-05-27"),
        ("[store]", "store: text in quotes is expected, not a table"),
        ('durability = "disc"', 'durability: "disk" or "process" is expected, not "disc"'),
        (
            'log_level = "trace"',
            'log_level: "debug", "info", "warning" or "error" is expected, not "trace"',
        ),
        (
            'bind = "tcp://127.0.0.1:1"',
            'bind: a list of texts such as ["tcp://127.0.0.1:5858"] is expected, '
            'not "tcp://127.0.0.1:1"',
        ),
    ],
)
def test_what_a_setting_is_and_may_be_is_told_in_words_of_the_file(
    tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "acey.toml"
    assert fault(path, text) == f"{path}: {says}"
    assert refused("serve", "--config", str(path), status=2) == f"acey: {path}: {says}"


@pytest.mark.parametrize("name", FIELDS)
def test_a_slip_in_the_name_of_a_setting_is_told_with_what_was_meant(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "acey.toml"
    slips = {name[:-1], f"{name}s", name.replace("_", "-"), name.capitalize()} - set(FIELDS)
    for slip in slips:
        assert fault(path, f"{slip} = 1") == (
            f'{path}: there is no setting "{slip}"; did you mean {name}? '
            f"There are {', '.join(FIELDS)}"
        )
    assert slips


def test_the_name_of_no_setting_is_told_with_those_there_are(tmp_path: Path) -> None:
    path = tmp_path / "acey.toml"
    for text, name in (("zzz = 1", "zzz"), ('"" = 1', ""), ("[zzz]", "zzz")):
        assert fault(path, text) == (
            f'{path}: there is no setting "{name}"; there are {", ".join(FIELDS)}'
        )


@pytest.mark.parametrize(
    ("name", "value"),
    [("bind", []), ("events", ["x"]), ("metrics", "x"), ("store", "/"), ("dice_dir", "/none")],
)
def test_the_file_is_named_when_the_setting_comes_from_it_and_not_when_an_option_does(
    tmp_path: Path, name: str, value: object
) -> None:
    path = tmp_path / "acey.toml"
    # A list or text of JSON is one of TOML, where it is as simple as here.
    written = str(value).replace("'", '"') if isinstance(value, list) else f'"{value}"'
    assert fault(path, f"{name} = {written}").startswith(f"{path}: {name}: ")
    path.write_text("max_tables = 7\n")
    with pytest.raises(SettingsError, match=f"^{name}: "):
        settings_of(path, {name: value})
    # What an option says is not looked for in the file.
    path.write_text(f"{name} = {written}\n")
    good = getattr(Settings(), name)
    assert getattr(settings_of(path, {name: good}), name) == good


def test_every_word_of_a_choice_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "acey.toml"
    choices = [name for name, field in FIELDS.items() if get_origin(field.type) is Literal]
    assert choices
    for name in choices:
        for word in get_args(FIELDS[name].type):
            assert fault(path, f'{name} = "{word}"') == ""
