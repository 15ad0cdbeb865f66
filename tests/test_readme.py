"""What README.md shows is true: its commands are run, its programs are those of clients/."""

import doctest
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support.acey import ACEY, DEADLINE
from tests.support.tools import need

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


class Shown(NamedTuple):
    """A command of the README and what it says the command writes; … stands for anything."""

    command: str
    output: str

    def matches(self, output: str) -> bool:
        pattern = r"[^\n]*".join(map(re.escape, self.output.split("…")))
        return re.fullmatch(pattern, output) is not None


def shown() -> list[Shown]:
    found: list[Shown] = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append(Shown(command, output))
    return found


class Shell:
    """One shell for all commands, as a reader has one."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._started = 0
        self._process = subprocess.Popen(
            ["bash"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=os.environ | environment,
            text=True,
            start_new_session=True,
        )

    def run(self, command: str) -> str:
        """Run a command to its end and return what it wrote."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{{ {command}\n}} 2>&1; echo ==done==\n")
        self._process.stdin.flush()
        return "".join(iter(self._process.stdout.readline, "==done==\n"))

    def start(self, shown: Shown) -> str:
        """Start a command in the background; what it has written once that is as shown."""
        self._started += 1
        log = self._folder / f"started-{self._started}"
        log.touch()
        self.run(f"{shown.command.removesuffix('&')} > {log} 2> {log}.err &")
        deadline = time.monotonic() + DEADLINE
        while not shown.matches(log.read_text()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return log.read_text()

    def close(self) -> None:
        """End the shell and everything it started."""
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.communicate()


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """A shell in a folder that looks like a clone after `make demo`."""
    scripts = tmp_path / ".venv" / "bin"
    scripts.mkdir(parents=True)
    (scripts / "activate").write_text(f'PATH="{scripts}:{ACEY.parent}:$PATH"\n')
    (tmp_path / "clients").symlink_to(ROOT / "clients")
    shell = Shell(tmp_path, {"PYTHONIOENCODING": "utf-8"})
    yield shell
    shell.close()


def test_the_commands_do_what_is_shown(shell: Shell, tmp_path: Path) -> None:
    need("libzmq with its headers", ["pkg-config", "--exists", "libzmq"])
    requests, events = free_ports(2)
    # The daemon of the README listens where a daemon may be running already.
    commands = [
        Shown(
            each.command.replace("5858", str(requests)).replace(
                "acey serve",
                f"acey serve --bind tcp://127.0.0.1:{requests} --events tcp://127.0.0.1:{events}",
            ),
            each.output.replace("5858", str(requests)).replace("5859", str(events)),
        )
        for each in shown()
    ]
    shell.run(f"export ACEY_ADDRESS=tcp://127.0.0.1:{requests}")
    assert len(commands) > 10
    for each in commands:
        output = shell.start(each) if each.command.endswith("&") else shell.run(each.command)
        assert each.matches(output), f"$ {each.command}\n{output}"
    with socket.socket() as probe:  # the daemon was stopped, not only told to
        assert probe.connect_ex(("127.0.0.1", requests)) != 0
    # What is done in Python goes on with the file the commands have left.
    tests = doctest.DocTestParser().get_doctest(blocks("pycon")[0], {}, "README.md", None, None)
    previous = Path.cwd()
    os.chdir(tmp_path)
    try:
        failed, tried = doctest.DocTestRunner().run(tests)
    finally:
        os.chdir(previous)
    assert (failed, tried) == (0, 6)


@pytest.mark.parametrize(
    ("language", "path"), [("python", "clients/python/first.py"), ("c", "clients/c/first.c")]
)
def test_the_programs_are_those_of_the_clients_folder(language: str, path: str) -> None:
    assert blocks(language) == [(ROOT / path).read_text("utf-8")]
    assert f"[{path}]({path})" in README


def test_it_opens_with_the_two_commands_of_the_set_up() -> None:
    targets = re.findall(r"^make (\w+)", blocks("sh")[0], re.MULTILINE)
    assert targets == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in targets:
        assert re.search(rf"^{target}: .*## ", makefile, re.MULTILINE)


def test_the_pages_of_docs_are_all_listed() -> None:
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert pages
    assert pages - set(re.findall(r"\]\((docs/[a-z]+\.md)\)", README)) == set()


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], check=False, capture_output=True, text=True, cwd=ROOT, timeout=DEADLINE
    ).stdout


MADE = r"(?:>|-o|--html|--output) ([a-z]+(?:\.[a-z]+)?)(?![\w/*])"
"""A file that a command of the documents writes into the folder where its reader is."""


@pytest.mark.parametrize("page", ["README.md", "docs/clients.md", "docs/viewing.md"])
def test_what_a_reader_makes_is_no_change_of_the_project(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += re.findall(r"^    acey .*$", text, re.MULTILINE)
    made = {name for line in lines for name in re.findall(MADE, line)}
    assert made
    assert made - set(git("check-ignore", "--no-index", *made).split()) == set()


def test_nothing_of_the_project_is_ignored() -> None:
    assert git("ls-files", "--cached")
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard") == ""


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
