"""Every command that connects to a daemon, at one that encrypts and admits listed keys alone."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.support.acey import ACEY, acey, refused
from tests.support.daemon import DEADLINE, Daemon
from tests.support.servers import Server

from acey_protocol.client import Client, CurveKeys
from acey_protocol.client_async import AsyncClient
from acey_protocol.client_async_events import AsyncSubscriber
from acey_protocol.client_events import Heard, Subscriber
from acey_protocol.client_pipeline import Pipeline
from acey_protocol.errors import NotAdmitted
from acey_protocol.replies import Listed, OpenedTable

NOT_ADMITTED = (
    "the server does not admit this key; it is admitted once its public key lies in the folder "
    "clients of the server's keys (acey keygen DIR --client NAME) and the server has read them "
    "anew (SIGHUP)"
)
ENDED = (
    "what listens there ends every connection: server.public is not its key, or it does not encrypt"
)
WANTS_KEYS = (
    "what listens there ends every connection: it encrypts and wants keys, or it is no server of "
    "acey/1"
)
MISMATCH = "the server encrypts; a client needs its keys (docs/operating.md, Access)"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's folder; alpha is admitted, and what alpha gets lies in a folder of its own."""
    keys = tmp_path_factory.mktemp("keys")
    assert acey("keygen", str(keys)).returncode == 0
    for name in ("alpha", "beta"):
        assert acey("keygen", str(keys), "--client", name).returncode == 0
    (keys / "clients" / "beta.public").unlink()  # known here, and not admitted
    return keys


def given(keys: Path, client: str, folder: Path) -> Path:
    """The folder of a client, with the two files it gets."""
    folder.mkdir()
    for name in ("server.public", f"{client}.secret"):
        (folder / name).write_text((keys / name).read_text())
    return folder


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("daemon")
    with Daemon(folder, "--curve", str(keys), "--durability", "process") as daemon:
        yield daemon


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Path:
    """What alpha has."""
    return given(keys, "alpha", tmp_path_factory.mktemp("alpha") / "keys")


def connected(daemon: Daemon, mine: Path) -> Client:
    curve = CurveKeys.load(mine / "server.public", mine / "alpha.secret")
    return Client(daemon.requests, timeout=DEADLINE, curve=curve)


def opened(daemon: Daemon, mine: Path) -> OpenedTable:
    with connected(daemon, mine) as client:
        return client.open(x="alpha", o="beta", dice="seed:5")


def listed(daemon: Daemon, mine: Path) -> list[Listed]:
    with connected(daemon, mine) as client:
        return list(client.tables().tables)


def bot(daemon: Daemon, table: OpenedTable, mine: Path) -> subprocess.Popen[str]:
    """One of our bots on O's side."""
    words = ["bot", "--table", table.table, "--address", daemon.requests, "--curve", str(mine)]
    return subprocess.Popen(
        [ACEY, *words],
        env=os.environ | {"ACEY_TOKEN": table.o},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


# --- the allowed key ------------------------------------------------------------------------------


def test_ask_is_answered(daemon: Daemon, keys: Path, mine: Path) -> None:
    for words in (
        ("--curve", str(mine)),
        ("--curve", str(mine), "--client", "alpha"),
        ("--curve", str(keys), "--client", "alpha"),  # the folder keygen made, with several keys
    ):
        result = acey("ask", "--address", daemon.requests, *words, "ping")
        assert (result.returncode, result.stdout, result.stderr) == (0, "\n", "")
    result = acey(
        "ask", "ping", ACEY_ADDRESS=daemon.requests, ACEY_CURVE=str(keys), ACEY_CLIENT="alpha"
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "\n", "")


def test_conform_plays_its_dialogues(daemon: Daemon, mine: Path) -> None:
    result = acey("conform", daemon.requests, "--curve", str(mine), "--only", "oracle")
    assert (result.returncode, result.stdout, result.stderr) == (0, "oracle: same\n", "")


@pytest.mark.parametrize(
    "words",
    [("bot", "--name", "pip"), ("engine", "--", str(ACEY), "ubgi", "--bot", "pip")],
    ids=["bot", "engine"],
)
def test_a_seat_is_played_to_its_end(daemon: Daemon, mine: Path, words: Sequence[str]) -> None:
    table = opened(daemon, mine)
    seat = ("--table", table.table, "--address", daemon.requests, "--curve", str(mine))
    with bot(daemon, table, mine) as other:
        result = acey(words[0], *seat, *words[1:], ACEY_TOKEN=table.x)
        said = other.communicate(timeout=DEADLINE)[0]
    assert result.returncode == 0, result.stderr
    with connected(daemon, mine) as client:
        over = client.state(table.table).over
    assert over is not None
    assert result.stdout == said == f"{over.text()}\n"


def test_a_person_plays_there(daemon: Daemon, mine: Path) -> None:
    table = opened(daemon, mine)
    with bot(daemon, table, mine) as other:
        result = acey(
            "play", "--connect", daemon.requests, "--table", table.table, "--curve", str(mine),
            stdin="resign\nyes\n", ACEY_TOKEN=table.x,
        )  # fmt: skip
        other.communicate(timeout=DEADLINE)
    assert result.returncode == 0, result.stderr
    with connected(daemon, mine) as client:
        over = client.state(table.table).over
    assert over is not None
    assert (over.winner, over.how) == ("o", "by resignation")


def test_a_bot_sits_down_against_a_person_there(daemon: Daemon, mine: Path) -> None:
    before = [each.table for each in listed(daemon, mine)]
    result = acey(
        "play", "--connect", daemon.requests, "--curve", str(mine), "--bot", "random",
        stdin="resign\nyes\n",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    new = [each for each in listed(daemon, mine) if each.table not in before]
    assert [(each.x, each.o, each.status) for each in new] == [("you", "random", "over")]


def test_the_pages_show_its_tables(daemon: Daemon, mine: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    table = opened(daemon, mine)
    words = ["--connect", daemon.requests, "--events", daemon.events, "--curve", str(mine)]
    log = tmp_path / "web.log"
    server = Server(["web", "--listen", "127.0.0.1:0", *words], log)
    try:
        url = server.line()
        with urlopen(f"{url}table/{table.table}", timeout=DEADLINE) as page:
            assert page.status == 200
            assert table.table in page.read().decode()
    finally:
        assert server.end() == 0
    assert log.read_text() == ""


def test_the_python_clients_connect(daemon: Daemon, mine: Path) -> None:
    curve = CurveKeys.load(mine / "server.public", mine / "alpha.secret")
    table = opened(daemon, mine).table
    with Pipeline(daemon.requests, curve=curve) as pipeline:
        pipeline.send("ping")
        assert [reply.ok for reply in pipeline.receive(DEADLINE)] == [True]
    with Subscriber(daemon.events, table, curve=curve) as subscriber:
        heard = subscriber.hear(DEADLINE)

    async def run() -> tuple[str, Heard | None]:
        async with (
            AsyncClient(daemon.requests, timeout=DEADLINE, curve=curve) as client,
            AsyncSubscriber(daemon.events, table, curve=curve) as subscriber,
        ):
            return (await client.state(table)).status, await subscriber.hear(DEADLINE)

    assert asyncio.run(run()) == ("waiting", heard)
    assert heard == Heard(table, 1, "state 0 0-0 -")


def test_the_python_clients_are_told_that_they_are_not_admitted(daemon: Daemon, keys: Path) -> None:
    curve = CurveKeys.load(keys / "server.public", keys / "beta.secret")

    async def request() -> None:
        async with AsyncClient(daemon.requests, timeout=DEADLINE, curve=curve) as client:
            await client.ping()

    async def event() -> None:
        async with AsyncSubscriber(daemon.events, curve=curve) as subscriber:
            await anext(subscriber)

    def pipelined() -> None:
        with Pipeline(daemon.requests, curve=curve) as pipeline:
            pipeline.receive(DEADLINE)

    def heard() -> None:
        with Subscriber(daemon.events, curve=curve) as subscriber:
            subscriber.hear(DEADLINE)

    for attempt, address in (
        (lambda: asyncio.run(request()), daemon.requests),
        (lambda: asyncio.run(event()), daemon.events),
        (pipelined, daemon.requests),
        (heard, daemon.events),
    ):
        with pytest.raises(NotAdmitted) as caught:
            attempt()
        assert str(caught.value) == f"{address}: {NOT_ADMITTED}"


# --- other keys -----------------------------------------------------------------------------------

COMMANDS = {
    "ask": ("ask", "ping", "--timeout", "60", "--address"),
    "bot": ("bot", "--table", "7", "--token", "0" * 32, "--address"),
    "engine": ("engine", "--table", "7", "--token", "0" * 32, "--bei", "127.0.0.1:1", "--address"),
    "conform": ("conform", "--only", "oracle", "--timeout", "60"),
    "play": ("play", "--connect"),
}
"""Each followed by the daemon's address."""


def why(result: subprocess.CompletedProcess[str], daemon: Daemon) -> str:
    """The last line of a command that cannot connect, without what is about the request."""
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    last = result.stderr.splitlines()[-1]
    assert last.startswith(f"acey: {daemon.requests}: ")
    return last.removeprefix(f"acey: {daemon.requests}: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_key_that_is_not_on_the_list_is_told(daemon: Daemon, keys: Path, command: str) -> None:
    curve = ("--curve", str(keys), "--client", "beta")
    result = acey(*COMMANDS[command], daemon.requests, *curve)
    assert why(result, daemon) == NOT_ADMITTED


@pytest.mark.parametrize("command", COMMANDS)
def test_the_key_of_another_server_is_told(
    daemon: Daemon, keys: Path, tmp_path: Path, command: str
) -> None:
    other = given(keys, "alpha", tmp_path / "other")
    (other / "server.public").write_text((keys / "clients" / "alpha.public").read_text())
    result = acey(*COMMANDS[command], daemon.requests, "--curve", str(other))
    assert why(result, daemon) == ENDED


@pytest.mark.parametrize("command", COMMANDS)
def test_a_client_without_keys_is_told(daemon: Daemon, command: str) -> None:
    # Which of the two ends notices first depends on who was faster.
    assert why(acey(*COMMANDS[command], daemon.requests), daemon) in (WANTS_KEYS, MISMATCH)


def test_a_server_without_keys_is_told(tmp_path: Path, mine: Path) -> None:
    with Daemon(tmp_path) as plain:
        result = acey(*COMMANDS["ask"], plain.requests, "--curve", str(mine))
        assert why(result, plain) in (ENDED, "the server does not encrypt; connect without keys")


def test_a_key_that_is_admitted_meanwhile_works(daemon: Daemon, keys: Path, tmp_path: Path) -> None:
    assert acey("keygen", str(keys), "--client", "gamma").returncode == 0
    theirs = given(keys, "gamma", tmp_path / "gamma")
    words = ("ask", "ping", "--address", daemon.requests, "--curve", str(theirs))
    assert why(acey(*words), daemon) == NOT_ADMITTED
    assert daemon.process is not None
    before = daemon.log.read_text().count("client keys read")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.logged("client keys read", before + 1)
    assert acey(*words).returncode == 0


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [*COMMANDS, "web"])
def test_a_folder_without_keys_is_told_with_file_and_remedy(tmp_path: Path, command: str) -> None:
    words = ("web", "--connect") if command == "web" else COMMANDS[command]
    line = refused(*words, "tcp://127.0.0.1:1", "--curve", str(tmp_path), status=2)
    assert line == (
        f"acey: {tmp_path}/server.public: No such file or directory; copy server.public here from "
        "the folder that acey keygen made for the server"
    )


def test_a_file_of_the_folder_that_does_not_fit_is_told(keys: Path, tmp_path: Path) -> None:
    folder = given(keys, "alpha", tmp_path / "keys")
    words = ("ask", "ping", "--address", "tcp://127.0.0.1:1", "--curve", str(folder))
    remedy = "acey keygen DIR --client NAME, run where the server is, writes NAME.secret"
    assert refused(*words, "--client", "beta", status=2) == (
        f"acey: {folder}/beta.secret: No such file or directory; {remedy}"
    )
    (folder / "alpha.secret").write_text("no key\n")
    assert refused(*words, status=2) == (
        f"acey: {folder}/alpha.secret: no CURVE key of 40 characters; {remedy}"
    )
    (folder / "beta.secret").write_text("no key\n")
    assert refused(*words, status=2) == (
        f"acey: {folder} holds the keys of several clients; choose one with --client: alpha, beta"
    )
    for name in ("alpha", "beta"):
        (folder / f"{name}.secret").unlink()
    assert refused(*words, status=2) == (
        f"acey: {folder}/NAME.secret: No such file or directory; {remedy}"
    )


def test_options_that_say_nothing_alone_are_refused(tmp_path: Path) -> None:
    assert refused("ask", "ping", "--client", "alpha", status=2) == (
        "acey: --client names a key in a folder; say which with --curve DIR"
    )
    assert refused("play", "--curve", str(tmp_path), status=2) == (
        "acey: --curve is for a daemon that encrypts; say where it is with --connect"
    )
