"""The recorded dialogues, played against a real daemon. spec/vectors/dialogues/README.md."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.acey import ACEY, acey, refused
from tests.support.daemon import DEADLINE, Daemon

from acey_daemon.conform import FOLDER, Dialogue, Speaker, dialogues, read_dialogue
from acey_protocol.errors import Code
from acey_protocol.verbs import VERBS

ALL = list(dialogues())
LIMITS = "max_tables = 2\nmax_tables_each = 1\nmax_waiting_each = 1\nmax_line = 256\n"
FAULTY = (sys.executable, str(Path(__file__).parents[1] / "support" / "faulty.py"))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with Daemon(tmp_path_factory.mktemp("daemon")) as daemon:
        yield daemon


def played(daemon: Daemon, dialogue: Dialogue) -> str:
    speaker = Speaker(daemon.requests, DEADLINE)
    try:
        return str(speaker.play(dialogue) or "")
    finally:
        speaker.close()


@pytest.mark.parametrize("dialogue", ALL, ids=[each.name for each in ALL])
def test_a_dialogue_goes_as_recorded(daemon: Daemon, tmp_path: Path, dialogue: Dialogue) -> None:
    if not dialogue.needs:
        assert played(daemon, dialogue) == ""
        return
    config = tmp_path / "acey.toml"
    config.write_text(LIMITS if dialogue.name == "limits" else "")
    program = FAULTY if dialogue.name == "fault" else (ACEY,)
    with Daemon(tmp_path, "--config", str(config), program=program) as such:
        assert played(such, dialogue) == ""


def test_the_dialogues_cover_every_verb_and_every_code() -> None:
    sent = [each.text.split() for dialogue in ALL for each in dialogue.messages if each.sent]
    verbs = {word for words in sent for word in words[:2] if word in VERBS}
    assert verbs == set(VERBS)
    replies = [each.text for dialogue in ALL for each in dialogue.messages if not each.sent]
    codes = {word for reply in replies if reply.startswith("?") for word in reply.split()[:2]}
    assert codes >= set(Code)


def test_the_dialogues_come_with_the_program() -> None:
    spec = Path(__file__).parents[2] / "spec" / "vectors" / "dialogues"
    assert [path.name for path in sorted(FOLDER.iterdir())] == [
        path.name for path in sorted(spec.iterdir())
    ]
    assert all(path.read_bytes() == (spec / path.name).read_bytes() for path in FOLDER.iterdir())


def test_the_command_tells_what_differs(daemon: Daemon, tmp_path: Path) -> None:
    result = acey("conform", daemon.requests, "--only", "oracle", "--only", "records")
    assert (result.returncode, result.stdout) == (0, "oracle: same\nrecords: same\n")
    (tmp_path / "wrong.txt").write_text("> 1 ping\n< =2\n")
    result = acey("conform", daemon.requests, "--dialogues", str(tmp_path), "--json")
    assert result.returncode == 1
    assert json.loads(result.stdout) == [
        {"dialogue": "wrong", "outcome": "differs", "why": "line 2: expected '=2', found '=1'"}
    ]
    (tmp_path / "wrong.txt").write_text("ping\n")
    line = refused("conform", daemon.requests, "--dialogues", str(tmp_path), status=2)
    assert line.endswith("wrong.txt:1: a line begins with '>', '<' or '+'")


def test_a_server_without_the_fault_is_not_asked_for_it_unless_somebody_says_so(
    daemon: Daemon,
) -> None:
    result = acey("conform", daemon.requests)
    left_out = [line for line in result.stdout.splitlines() if not line.endswith(": same")]
    assert (result.returncode, [line[:22] for line in left_out]) == (
        0,
        ["fault: left out: needs", "limits: left out: need"],
    )
    result = acey("conform", daemon.requests, "--only", "fault")
    assert (result.returncode, result.stdout[:53]) == (
        1,
        "fault: differs: line 6: expected '?2 internal {any}',",
    )


def test_a_placeholder_stands_for_one_thing(daemon: Daemon, tmp_path: Path) -> None:
    path = tmp_path / "d.txt"
    path.write_text("> {id} ping\n< ? {word} {any}\n> 5 ping\n< ={n:number}\n> {n} ping\n< =6\n")
    assert played(daemon, read_dialogue(path)) == "line 6: expected '=6', found '=5'"
