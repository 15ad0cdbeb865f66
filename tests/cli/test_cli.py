"""``acey`` as a process: what appears where, and with which exit status."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.acey import ACEY, Terminal, acey, refused

from acey_daemon import commands
from acey_grammar.board import text_board
from acey_rules import State, rule_set

DATA = Path(__file__).parents[1] / "data"
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


WRITERS = [
    ("--version",),
    ("--help",),
    ("legal", "--help"),
    ("legal", START),
    ("show", START, "--svg"),
    ("convert", str(DATA / "samples" / "mat" / "jellyfish_gnubg_5pt.mat"), "--to", "acey"),
    ("schema", "game-record"),
    ("serve", "--print-config"),
    ("engine-check", "--", "true"),
]
"""Commands that write results in every way there is: as text, as bytes, through rich and typer."""


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_a_reader_that_closes_early_is_no_fault(words: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        result = subprocess.run(
            [ACEY, *words],
            check=False,
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=60,
            text=True,
        )
    finally:
        os.close(write)
    assert (result.returncode, result.stderr) == (141, "")


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
@pytest.mark.parametrize(
    ("where", "why"),
    [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")],
    ids=["full", "closed"],
)
def test_an_output_that_cannot_be_written_is_told(
    where: str, why: str, words: tuple[str, ...]
) -> None:
    result = subprocess.run(
        ["sh", "-c", f'"$@" {where}', "sh", ACEY, *words],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        text=True,
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.endswith(f"acey: standard output: {why}\n")
    assert "fault of acey" not in result.stderr


def test_a_closed_stream_is_never_a_file_of_the_command(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    words = ["serve", "--bind", "tcp://127.0.0.1:0", "--events", "tcp://127.0.0.1:0", "--store"]
    result = subprocess.run(
        ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", ACEY, *words, str(store)],
        check=False,
        timeout=60,
    )
    assert result.returncode == 2
    assert b"standard output" not in store.read_bytes()
    assert acey("store", "check", str(store)).returncode == 0


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_results_for_programs_are_utf_8_whatever_the_locale(encoding: str, tmp_path: Path) -> None:
    games = tmp_path / "games.acey"
    text = (DATA / "own" / "games.acey").read_text("utf-8")
    games.write_text(text.replace("Corsair", "Zo\u00eb \u2603"), "utf-8")
    plain = acey("validate", "--json", str(games), PYTHONIOENCODING="utf-8").stdout
    assert json.loads(plain.splitlines()[0])["players"][0] == "Zo\u00eb \u2603"
    result = subprocess.run(
        [ACEY, "validate", "--json", str(games)],
        check=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        stdout=subprocess.PIPE,
        timeout=60,
    )
    assert result.stdout.decode() == plain


def test_what_an_encoding_cannot_hold_is_escaped_for_people(tmp_path: Path) -> None:
    games = tmp_path / "games.acey"
    text = (DATA / "own" / "games.acey").read_text("utf-8")
    games.write_text(text.replace("Corsair", "Zo\u00eb"), "utf-8")
    result = acey("replay", str(games), "--game", "1", PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("game 1: Zo\\xeb (X)")


BAD_BYTES = os.fsdecode(b"caf\xe9")


@pytest.mark.parametrize(
    "words",
    [("ask", BAD_BYTES), ("store", "check", BAD_BYTES)],
    ids=lambda words: words[0],
)
def test_an_argument_that_is_no_text_is_a_usage_error(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / BAD_BYTES).write_bytes(b"")
    line = refused(*words, status=2)
    assert line == "acey: 'caf\\udce9': some of its bytes are no text in UTF-8"


@pytest.mark.parametrize("command", ["legal", "show"])
def test_a_position_that_is_no_text_is_a_bad_position(command: str) -> None:
    line = refused(command, f"--------------------------:15:15:{BAD_BYTES}:63", status=1)
    assert line == "acey: bad position: turn: 'caf\\udce9' is neither 'x' nor 'o'"


def test_a_file_whose_name_is_no_text_is_read(tmp_path: Path) -> None:
    (tmp_path / f"{BAD_BYTES}.acey").write_bytes((DATA / "own" / "games.acey").read_bytes())
    result = acey("validate", str(tmp_path))
    assert (result.returncode, result.stderr) == (0, "")
    assert r"caf\udce9.acey: 4 games" in result.stdout
    first = acey("validate", "--json", str(tmp_path)).stdout.splitlines()[0]
    assert json.loads(first)["file"] == str(tmp_path / f"{BAD_BYTES}.acey")


def test_a_payload_that_is_no_text_is_bad_input() -> None:
    result = subprocess.run(
        [ACEY, "ask", "validate"], check=False, input=b"ab\xff", capture_output=True, timeout=60
    )
    assert (result.returncode, result.stderr) == (
        1,
        b"acey: standard input: byte 2 is no UTF-8 text\n",
    )


def test_colour_appears_on_a_terminal_only_and_not_where_it_is_not_wanted() -> None:
    for environment, coloured in (
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ):
        with Terminal("show", START, cwd=None, output=None, **environment) as terminal:
            assert terminal.finish() == 0
        assert ("\x1b[" in terminal.shown) is coloured
    assert "\x1b" not in acey("show", START).stdout


def test_no_binary_file_is_written_to_a_terminal() -> None:
    for words in (("show", START, "--png"), ("convert", str(DATA), "--to", "msgpack")):
        with Terminal(*words) as terminal:
            assert terminal.finish() == 2
        assert "is not for a terminal; say -o " in terminal.shown


def test_servers_are_refused_addresses_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for option in ("--bind", "--events"):
        # ZeroMQ would take 80000 for 80000 - 65536.
        for address in ("here", "tcp://127.0.0.1:80000", "tcp://127.0.0.1", "udp://1:1", "ipc://"):
            line = refused("serve", option, address, status=2)
            assert line.startswith(f"acey: {option[2:]}: '{address}' is no address such as tcp://")
    assert refused("serve", "--metrics", "here", status=2).startswith("acey: metrics: 'here' is no")
    assert refused("serve", "--dice-dir", "none", status=2) == (
        "acey: dice_dir: none: there is no such folder"
    )
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    assert refused("serve", "--config", "bytes.toml", status=2) == (
        "acey: bytes.toml: byte 0 is no UTF-8 text"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bytes.toml"]
    assert refused("serve", "--curve", "none", status=2) == (
        "acey: none/server.secret: there is no such file; acey keygen none makes it"
    )


def test_keys_are_told_where_they_cannot_be_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert refused("keygen", str(file), status=2) == f"acey: {file}: Not a directory"
    assert refused("keygen", str(file / "x"), status=2) == f"acey: {file / 'x'}: Not a directory"


def test_a_store_is_looked_after_only_where_there_is_one(tmp_path: Path) -> None:
    empty, other = tmp_path / "empty", tmp_path / "other.sqlite"
    empty.write_bytes(b"")
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE t (x)")
    before = other.read_bytes()
    for command in ("check", "export", "vacuum"):
        missing = refused("store", command, str(tmp_path / "none"), status=2)
        assert missing == f"acey: {tmp_path / 'none'}: there is no such file"
        folder = refused("store", command, str(tmp_path), status=2)
        assert folder == f"acey: {tmp_path}: is a directory"
        line = refused("store", command, str(empty), status=2)
        assert line.startswith(f"acey: {empty}: the file is empty; remove it if nothing was ever")
        line = refused("store", command, str(other), status=2)
        assert line.startswith(f"acey: {other}: this is no store of acey; name the file that a ")
    assert (empty.read_bytes(), other.read_bytes()) == (b"", before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "other.sqlite"]


def test_conforming_to_nothing_is_refused(tmp_path: Path) -> None:
    server = "tcp://127.0.0.1:1"
    for folder in (tmp_path, tmp_path / "none"):
        line = refused("conform", server, "--dialogues", str(folder), status=2)
        assert line == f"acey: {folder}: there is no dialogue in it (a folder of .txt files)"
    line = refused("conform", server, "--only", "chess", status=2)
    assert line.startswith("acey: there is no dialogue 'chess'; there are clock, ")


def test_shell_completion_names_the_commands() -> None:
    result = acey(_ACEY_COMPLETE="complete_bash", COMP_WORDS="acey le", COMP_CWORD="1")
    assert result.stdout.split() == ["legal"]
    options = acey(_ACEY_COMPLETE="complete_bash", COMP_WORDS="acey legal --ru", COMP_CWORD="2")
    assert options.stdout.split() == ["--rules"]
    script = acey("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_ACEY_COMPLETE=complete_bash" in script.stdout
