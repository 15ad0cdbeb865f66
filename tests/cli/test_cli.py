"""``acey`` as a process: what appears where, and with which exit status."""

import json
import os
import re
import subprocess
import sys

import pytest
from tests.support.acey import ACEY, Terminal, acey, refused

from acey_daemon import commands
from acey_grammar.board import text_board
from acey_rules import State, rule_set

START = "--------------------------:15:15:x:63"


def test_version_names_the_version_the_generator_and_python() -> None:
    result = acey("--version", ACEY_KERNEL="reference")
    assert result.returncode == 0
    assert result.stderr == ""
    assert re.fullmatch(
        r"aceydeucey \d+\.\d+\.\d+, reference move generator, \w+ 3\.\d+\.\d+\S*\n", result.stdout
    )
    assert acey("-V", ACEY_KERNEL="reference").stdout == result.stdout


def test_version_imports_nothing_heavy() -> None:
    code = (
        "import sys; from acey_daemon.cli import run; run(['--version']); "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    output = subprocess.check_output([sys.executable, "-c", code], text=True, timeout=60)
    loaded = set(output.splitlines()[-1].split())
    assert "acey_rules" in loaded
    assert loaded.isdisjoint({"typer", "rich", "zmq", "lark", "sqlite3", "asyncio", "acey_grammar"})


def test_without_arguments_the_help_is_shown_and_the_status_is_usage() -> None:
    result = acey()
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == acey("--help").stdout


def test_help_lists_every_command_with_what_it_does() -> None:
    result = acey("--help")
    assert " \n" not in result.stdout
    assert (result.returncode, result.stderr) == (0, "")
    for name, command in commands.COMMANDS.items():
        if "." not in name:
            assert re.search(rf"^  {name} +{re.escape(command.summary[:30])}", result.stdout, re.M)


@pytest.mark.parametrize("name", sorted(commands.all_commands()))
def test_every_command_has_help_with_examples_that_name_it(name: str) -> None:
    words = name.split(".")
    result = acey(*words, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"Usage: acey {' '.join(words)}")
    assert re.search(rf"^      .*\bacey {' '.join(words)}\b", result.stdout, re.M)


def test_an_unknown_command_is_answered_with_a_near_one() -> None:
    assert refused("legl", status=2) == "acey: there is no command acey legl; did you mean legal?"
    assert refused("xyzzy", status=2) == "acey: there is no command acey xyzzy; see acey --help"


def test_usage_errors_are_one_line_that_names_the_command() -> None:
    assert refused("legal", status=2) == (
        "acey legal: missing argument 'POSITION' (see acey legal --help)"
    )
    assert refused("show", START, "--view", "z", status=2) == (
        "acey show: invalid value for '--view': 'z' is not one of 'x', 'o' (see acey show --help)"
    )
    assert refused("legal", START, "--jsno", status=2).startswith(
        "acey legal: no such option: --jsno"
    )
    assert refused("legal", START, "--rules", status=2) == (
        "acey legal: option '--rules' needs a value (see acey legal --help)"
    )
    assert refused("ask", "ping", "--address", "here", status=2) == (
        "acey: 'here' is no address, such as tcp://127.0.0.1:5858 or ipc:///run/acey"
    )
    assert refused("legal", START, "--rules", "navy", status=2) == (
        "acey: no rule set 'navy'; there are american, dice-board, european, bgammon, backgammon"
    )


@pytest.mark.parametrize("command", ["legal", "show"])
def test_a_bad_position_is_bad_input_and_the_field_is_named(command: str) -> None:
    assert refused(command, "-" * 26 + ":16:15:x:63", status=1) == (
        "acey: bad position: X unentered: '16' is no number from 0 to 15"
    )
    assert refused(command, "-" * 26, status=1) == (
        "acey: bad position: fields: a position line has 5 fields separated by ':', not 1"
    )


def test_legal_lists_plays_with_the_positions_after() -> None:
    result = acey("legal", START)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (
        "off/19 off/22\t-------------------A--A---:13:15:o:R\n"
        "off/16\t----------------A---------:14:15:o:R\n"
    )


def test_legal_json_is_the_json_of_the_protocol() -> None:
    for line in (START, "--------------------------:15:15:x:N.R", "-" * 26 + ":0:1:x:-"):
        result = acey("legal", line, "--json")
        assert (result.returncode, result.stderr) == (0, "")
        request = f"legal {line} format=json\n"
        assert f"= {result.stdout}\n" == acey("stdio", stdin=request).stdout
    assert json.loads(acey("legal", START, "--json").stdout)["plays"][1] == {
        "play": "off/16",
        "moves": [
            {"from": "off", "to": "19", "die": 6, "hit": False},
            {"from": "19", "to": "16", "die": 3, "hit": False},
        ],
        "position": "----------------A---------:14:15:o:R",
    }


def test_legal_takes_a_position_before_and_after_options() -> None:
    line = "-b----E-C---eE---c-e----B-:0:0:x:62"
    expected = acey("legal", line, "--rules", "backgammon")
    assert expected.stdout.startswith("24/18 13/11\t") or expected.stdout.count("\n") > 5
    for arguments in (
        ("legal", "--rules", "backgammon", line),
        ("legal", "--rules=backgammon", line),
        ("legal", "--rules=backgammon", "--", line),
    ):
        result = acey(*arguments)
        assert (result.returncode, result.stdout) == (0, expected.stdout)


def test_legal_lists_names_and_rolls_where_they_are_due() -> None:
    naming = acey("legal", "--------------------------:15:15:x:N.R").stdout.splitlines()
    assert [line.partition("\t")[0] for line in naming] == [f"name {n}" for n in range(1, 7)]
    rolling = acey("legal", "--------------------------:15:15:x:R").stdout.splitlines()
    assert len(rolling) == 21
    assert rolling[1] == "roll 21\t--------------------------:15:15:x:21.N.R"


def test_show_draws_the_board_of_the_library() -> None:
    state = State.parse(START, rule_set("american"))
    assert acey("show", START, "--ascii").stdout == text_board(state, ascii_only=True) + "\n"
    assert acey("show", START, PYTHONIOENCODING="utf-8").stdout == text_board(state) + "\n"
    assert acey("show", START, PYTHONIOENCODING="ascii").stdout == (
        text_board(state, ascii_only=True) + "\n"
    )


def test_a_reader_that_closes_early_is_no_fault() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        result = subprocess.run(
            [ACEY, "legal", START],
            check=False,
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=60,
            text=True,
        )
    finally:
        os.close(write)
    assert (result.returncode, result.stderr) == (141, "")


def test_colour_appears_on_a_terminal_only() -> None:
    with Terminal("show", START) as terminal:
        assert terminal.finish() == 0
    assert "\x1b[1;31m" in terminal.shown
    assert "\x1b" not in acey("show", START).stdout


def test_shell_completion_names_the_commands() -> None:
    result = acey(_ACEY_COMPLETE="complete_bash", COMP_WORDS="acey le", COMP_CWORD="1")
    assert result.stdout.split() == ["legal"]
    options = acey(_ACEY_COMPLETE="complete_bash", COMP_WORDS="acey legal --ru", COMP_CWORD="2")
    assert options.stdout.split() == ["--rules"]
    script = acey("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_ACEY_COMPLETE=complete_bash" in script.stdout
