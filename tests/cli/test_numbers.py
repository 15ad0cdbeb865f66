"""Numbers that are none, or out of range, are refused in the same words by every command."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import typer
from tests.support.acey import refused

from acey_daemon import commands
from acey_daemon.commands import app
from acey_daemon.commands.app import Group, run


class Number(NamedTuple):
    """An option of a command that takes a number."""

    words: tuple[str, ...]
    """The command and the option's name."""
    kind: type
    least: float | None
    most: float | None


def numbers() -> Iterator[Number]:
    root = Group(name="acey", help="")
    for full_name in sorted(commands.all_commands()):
        group: Any = root
        words = full_name.split(".")
        for word in words:
            group = group.get_command(None, word)
        for param in group.params:
            kind = getattr(param.type_descriptor, "annotation", None)
            if kind in (int, float) and param.opts[0].startswith("-"):
                yield Number((*words, param.opts[0]), kind, param.min, param.max)


NUMBERS = list(numbers())


def said(words: tuple[str, ...], value: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What is said of a value that is refused, without the command and the option."""
    assert run([*words, value]) == 2
    out, line = capsys.readouterr()
    start = f"acey {' '.join(words[:-1])}: invalid value for '{words[-1]}'"
    assert (out, line.count("\n")) == ("", 1)
    assert line.startswith(start)
    assert line.endswith(f" (see acey {' '.join(words[:-1])} --help)\n")
    return line.partition(": ")[2].partition(": ")[2].rpartition(" (see ")[0]


def test_the_commands_have_numbers_of_every_kind() -> None:
    assert len(NUMBERS) > 20
    assert {number.kind for number in NUMBERS} == {int, float}
    assert {(number.least is None, number.most is None) for number in NUMBERS} >= {
        (True, True),
        (False, True),
        (False, False),
    }


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: " ".join(number.words))
@pytest.mark.parametrize("value", ["x", "", "1,5"])
def test_what_is_no_number_is_repeated(
    number: Number, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = "a whole number" if number.kind is int else "a number"
    assert said(number.words, value, capsys) == f"{wanted} is expected, not {value!r}"


@pytest.mark.parametrize(
    "number",
    [number for number in NUMBERS if number.least is not None],
    ids=lambda number: " ".join(number.words),
)
def test_a_number_out_of_range_is_told_the_range(
    number: Number, capsys: pytest.CaptureFixture[str]
) -> None:
    least, most = number.least, number.most
    span = f"{least} or more" if most is None else f"{least} to {most}"
    for value in ["-7"] if most is None else ["-7", str(most + 1)]:
        assert said(number.words, value, capsys) == f"{span}, not {value}"


def test_a_number_that_has_only_a_greatest_value_is_told_it() -> None:
    def command(ply: int = typer.Option(0, "--ply", max=9)) -> None:
        del ply

    with pytest.raises(typer.TyperException) as caught:
        app._build("command", command).main(["--ply", "10"], "acey", standalone_mode=False)
    assert "at most 9, not 10" in app._usage_error(caught.value)


def test_the_words_of_the_process() -> None:
    assert refused("serve", "--rate", "x", status=2) == (
        "acey serve: invalid value for '--rate': a whole number is expected, not 'x' "
        "(see acey serve --help)"
    )
    assert refused("duel", "pip", "pip", "--match", "9999", status=2) == (
        "acey duel: invalid value for '--match': 0 to 1000, not 9999 (see acey duel --help)"
    )


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_long_number_is_not_repeated_whole(digits: int) -> None:
    line = refused("duel", "pip", "pip", "--match", "9" * digits, status=2)
    assert f"not {'9' * 40}… (see" in line


def test_other_usage_errors_keep_their_words() -> None:
    assert refused("play", "--side", "z", status=2) == (
        "acey play: invalid value for '--side': 'z' is not one of 'x', 'o' (see acey play --help)"
    )
