"""Who may connect, and what one connection can do to the others. spec/protocol.md §9."""

import re
import resource
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from textwrap import dedent

import pytest
import zmq
from tests.support.acey import acey, refused
from tests.support.daemon import DEADLINE, Daemon
from tests.support.world import BETA, World

from acey_daemon import tableverbs
from acey_daemon.access import AccessError, check_addresses, is_local
from acey_daemon.answering import Connection
from acey_daemon.tableverbs import MOST_AT_A_TABLE
from acey_protocol.client import Client, CurveKeys
from acey_protocol.errors import NoReply
from acey_protocol.lines import parse_reply

LOCAL = [
    "tcp://127.0.0.1:5858",
    "tcp://127.9.9.9:1",
    "tcp://[::1]:5858",
    "tcp://localhost:0",
    "tcp://lo:5",
    "ipc:///run/acey",
    "inproc://x",
]
OPEN = [
    "tcp://*:5858",
    "tcp://0.0.0.0:5858",
    "tcp://[::]:5858",
    "tcp://192.168.0.7:5858",
    "tcp://eth0:5858",
    "tcp://example.org:5858",
    "udp://127.0.0.1:1",
]


def test_which_addresses_only_this_machine_reaches() -> None:
    assert [address for address in LOCAL + OPEN if is_local(address)] == LOCAL


def test_other_addresses_need_keys_or_a_word() -> None:
    check_addresses(LOCAL, curve=False, insecure=False)
    check_addresses(OPEN, curve=True, insecure=False)
    check_addresses(OPEN, curve=False, insecure=True)
    for address in OPEN:
        with pytest.raises(AccessError, match="can be reached from other machines"):
            check_addresses([address], curve=False, insecure=False)


def test_the_command_refuses_to_be_open_to_all(tmp_path: Path) -> None:
    store = str(tmp_path / "s.sqlite")
    message = refused("serve", "--bind", "tcp://*:0", "--store", store, status=2)
    assert message.startswith("acey: tcp://*:0 can be reached from other machines: give CURVE keys")
    message = refused("serve", "--events", "tcp://0.0.0.0:0", "--store", store, status=2)
    assert message.startswith("acey: tcp://0.0.0.0:0 can be reached")
    assert not Path(store).exists()
    with Daemon(tmp_path, "--insecure", bind="tcp://*:0") as daemon, daemon.client() as client:
        client.ping()


def keys(folder: Path, *clients: str) -> None:
    assert acey("keygen", str(folder)).returncode == 0
    for name in clients:
        assert acey("keygen", str(folder), "--client", name).returncode == 0


def curve(folder: Path, name: str) -> CurveKeys:
    return CurveKeys.load(folder / "server.public", folder / f"{name}.secret")


def test_keys_are_made_once_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    keys(folder, "alpha")
    for name in ("server.secret", "alpha.secret"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    before = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert refused("keygen", str(folder), status=2).endswith("server.secret is there already")
    assert "is there already" in refused("keygen", str(folder), "--client", "alpha", status=2)
    assert "cannot be a file's name" in refused("keygen", str(folder), "--client", "../x", status=2)
    assert "no server's keys yet" in refused(
        "keygen", str(tmp_path / "none"), "--client", "a", status=2
    )
    assert {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    secret = (folder / "server.secret").read_text().strip()
    assert secret not in acey("keygen", str(tmp_path / "other")).stdout


def asks(daemon: Daemon, keys: CurveKeys | None, seconds: float = 5.0) -> bool:
    """Whether a client with these keys is answered."""
    with Client(daemon.requests, timeout=seconds, attempts=1, curve=keys) as client:
        try:
            client.ping()
        except NoReply:
            return False
    return True


def test_the_program_with_keys_in_the_manual_runs_as_it_stands(tmp_path: Path) -> None:
    manual = (Path(__file__).parents[2] / "docs" / "operating.md").read_text("utf-8")
    found = re.search(r"In Python:\n\n((?:(?:    .*)?\n)+)", manual)
    assert found is not None
    program = dedent(found[1])
    assert program.count("tcp://host:5858") == 1
    folder = tmp_path / "keys"
    keys(folder, "alpha")
    with Daemon(tmp_path, "--curve", str(folder)) as daemon:
        result = subprocess.run(
            [sys.executable, "-c", program.replace("tcp://host:5858", daemon.requests)],
            check=False,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            cwd=folder,
        )
    assert (result.returncode, result.stderr) == (0, "")
    assert "acey/1" in result.stdout


def test_only_listed_keys_are_admitted_and_the_list_is_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    keys(folder, "alpha")
    with Daemon(tmp_path, "--curve", str(folder), bind="tcp://*:0") as daemon:
        assert daemon.process is not None
        alpha = curve(folder, "alpha")
        assert asks(daemon, alpha, DEADLINE)
        assert not asks(daemon, None, 0.5)
        stranger = CurveKeys(alpha.server, *(key.decode() for key in zmq.curve_keypair()))
        assert not asks(daemon, stranger, 0.5)
        other = CurveKeys(stranger.public, alpha.public, alpha.secret)  # not this server's key
        assert not asks(daemon, other, 0.5)
        keys_before = daemon.log.read_text().count("client keys read")
        acey("keygen", str(folder), "--client", "beta")
        beta = curve(folder, "beta")
        assert not asks(daemon, beta, 0.5)
        with Client(daemon.requests, timeout=5.0, attempts=1, curve=alpha) as connected:
            connected.ping()
            (folder / "clients" / "alpha.public").unlink()
            daemon.process.send_signal(signal.SIGHUP)
            daemon.logged("client keys read", keys_before + 1)
            assert asks(daemon, beta, DEADLINE)
            assert not asks(daemon, alpha, 0.5)
            with pytest.raises(NoReply):  # a connection made before the key was taken off the list
                connected.request("ping", again=False)
        # A folder that cannot be read leaves the list as it was.
        (folder / "clients" / "broken.public").write_text("no key\n")
        daemon.process.send_signal(signal.SIGHUP)
        daemon.logged("client keys not read", 1)
        assert asks(daemon, beta, DEADLINE)


def subscribed(daemon: Daemon, keys: CurveKeys, topic: str) -> zmq.Socket[bytes]:
    """A subscriber with keys, which has received the state of the topic's table."""
    sock = zmq.Context.instance().socket(zmq.SUB)
    sock.linger = 0
    sock.rcvtimeo = DEADLINE * 1000
    sock.curve_serverkey = keys.server.encode()
    sock.curve_publickey = keys.public.encode()
    sock.curve_secretkey = keys.secret.encode()
    sock.subscribe(topic)
    sock.connect(daemon.events)
    assert sock.recv_multipart()[1].split()[1] == b"state"
    return sock


def test_a_client_that_is_taken_off_the_list_hears_and_gets_nothing_more(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    keys(folder, "alpha", "beta")
    alpha, beta = curve(folder, "alpha"), curve(folder, "beta")
    with Daemon(tmp_path, "--curve", str(folder)) as daemon:
        assert daemon.process is not None
        with (
            Client(daemon.requests, timeout=DEADLINE, attempts=1, curve=beta) as client,
            zmq.Context.instance().socket(zmq.DEALER) as waiting,
        ):
            table = client.open(dice="manual")
            topic = f"table.{table.table}"
            waiting.linger = 0
            waiting.rcvtimeo = DEADLINE * 1000
            waiting.curve_serverkey = alpha.server.encode()
            waiting.curve_publickey = alpha.public.encode()
            waiting.curve_secretkey = alpha.secret.encode()
            waiting.connect(daemon.requests)
            waiting.send(f"1 await {table.table} {table.x} timeout=600".encode())
            waiting.send(b"2 ping")
            assert waiting.recv() == b"=2"
            with subscribed(daemon, alpha, topic) as off, subscribed(daemon, beta, topic) as on:
                (folder / "clients" / "alpha.public").unlink()
                daemon.process.send_signal(signal.SIGHUP)
                daemon.logged("clients=1 connections_cut=2", 1)
                client.seat(table.table, table.o).wait(0)
                client.seat(table.table, table.x).roll(None, "61")
                heard = b""
                while b" opening 61" not in heard:
                    heard = on.recv_multipart()[1]
                while off.poll(300):  # what came before: a state for each of both subscriptions
                    assert off.recv_multipart()[1].split()[1] == b"state"
                assert waiting.poll(300) == 0
            client.ping()


def test_a_server_without_keys_does_not_start(tmp_path: Path) -> None:
    line = refused(
        "serve", "--curve", str(tmp_path), "--store", str(tmp_path / "s"), "--bind",
        "tcp://127.0.0.1:0", "--events", "tcp://127.0.0.1:0", status=2,
    )  # fmt: skip
    secret = tmp_path / "server.secret"
    assert line == f"acey: {secret}: there is no such file; acey keygen {tmp_path} makes it"


# --- what one connection can do -------------------------------------------------------------------


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path, requests_per_second=10, max_tables_each=3)
    yield world
    world.store.close()


def test_a_connection_that_asks_too_fast_is_told_so(world: World) -> None:
    replies = world.send(*(f"{number} ping" for number in range(15)))
    assert replies[:10] == [f"={number}" for number in range(10)]
    assert replies[10:] == [
        f"?{number} rate-limited a connection may send 10 requests in a second"
        for number in range(10, 15)
    ]
    assert world.ask("ping", BETA) == "="
    world.now += 0.2
    assert [reply[:1] for reply in world.send("ping", "ping", "ping")] == ["=", "=", "?"]


def test_so_many_wait_at_a_table_whatever_their_connections(world: World) -> None:
    table, x, o = world.open()
    for number in range(MOST_AT_A_TABLE):
        connection = Connection(b"gone %d" % number)
        assert world.send(f"await {table} {x} timeout=3600", connection=connection) == []
    assert world.send(f"await {table} {x} timeout=3600") == [
        f"? rate-limited {MOST_AT_A_TABLE} requests wait at this table"
    ]
    # Who has something to decide is told so at once.
    world.ask(f"await {table} {o} timeout=0")
    turns = [world.ask(f"await {table} {token} timeout=0") for token in (x, o)]
    assert sorted(turn.split()[1] for turn in turns) == ["play", "wait"]


def test_so_many_wait_in_all(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tableverbs, "MOST_WAITING", 3)
    table, x, _ = world.open()
    for number in range(3):
        connection = Connection(b"gone %d" % number)
        assert world.send(f"await {table} {x} timeout=5", connection=connection) == []
    refusal = "? busy 3 requests wait for their reply, no more fit in"
    assert world.ask(f"await {table} {x} timeout=5") == refusal
    assert world.ask("seek name=alpha") == refusal
    world.wait(5)
    assert world.ask("stats").count(" waiting=0 ") == 1
    assert world.send(f"await {table} {x} timeout=5") == []


def test_a_connection_has_so_many_open_tables_and_no_more(world: World) -> None:
    tables = [world.open() for _ in range(3)]
    assert world.ask("open") == "? rate-limited this connection has 3 open tables"
    assert world.ask("open", BETA).startswith("= ")
    table, token, _ = tables[0]
    assert world.ask(f"leave {table} {token}").startswith("= ")
    assert world.ask("open").startswith("= ")


def dealer(daemon: Daemon, high_water: int = 0) -> zmq.Socket[bytes]:
    """A socket that keeps so many replies before it stops reading; 0 is any number."""
    sock = zmq.Context.instance().socket(zmq.DEALER)
    sock.linger = 0
    sock.sndhwm = 0
    sock.rcvhwm = high_water
    sock.rcvtimeo = DEADLINE * 1000
    sock.connect(daemon.requests)
    return sock


def test_who_never_reads_harms_nobody_else(tmp_path: Path) -> None:
    """Replies of 40 MB are asked for and not read: memory stays bounded, others are served."""
    with Daemon(tmp_path, "--rate", "0") as daemon, daemon.client() as other:
        line = b"legal --A--CABCB-c-cbAaA-Ad--b--:0:0:o:66 rules=backgammon"
        with dealer(daemon, high_water=1) as deaf:
            deaf.send(line)
            size = len(deaf.recv())
            before = daemon.memory()
            for _ in range(40_000_000 // size):
                deaf.send(line)
            deadline = time.monotonic() + DEADLINE
            while other.stats()["requests_ignored"] == 0:
                assert time.monotonic() < deadline, (size, other.stats())
                time.sleep(0.05)
            assert daemon.memory() - before < 30_000_000
        other.ping()


def test_who_floods_is_refused_and_others_are_served(tmp_path: Path) -> None:
    with Daemon(tmp_path, "--rate", "100") as daemon, daemon.client() as other:
        with dealer(daemon) as flood:
            for number in range(20_000):
                flood.send(b"%d ping" % number)
            for _ in range(50):
                other.ping()
            replies = [parse_reply(flood.recv()) for _ in range(20_000)]
        refusals = [reply for reply in replies if reply.code == "rate-limited"]
        assert len(refusals) > 10_000
        assert [int(reply.id) for reply in replies] == list(range(20_000))


def test_who_takes_many_connections_leaves_some_for_others(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))  # which the daemon inherits
    try:
        daemon = Daemon(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with daemon, ExitStack() as opened:
        host, _, port = daemon.requests.removeprefix("tcp://").partition(":")
        for _ in range(100):
            opened.enter_context(socket.create_connection((host, int(port))))
        with daemon.client() as client:
            assert client.request("ping").ok


def test_ten_thousand_open_tables_fit_in_memory(tmp_path: Path) -> None:
    (tmp_path / "acey.toml").write_text("max_tables_each = 10000\nrequests_per_second = 0\n")
    options = ("--config", str(tmp_path / "acey.toml"))
    with Daemon(tmp_path, *options) as daemon, dealer(daemon) as sock:
        for begin in range(0, 10_000, 100):
            for number in range(begin, begin + 100):
                sock.send(b"open x=alpha%d o=beta match=7 clock=120+8" % number)
            assert all(sock.recv().startswith(b"= ") for _ in range(100))
        sock.send(b"open")
        assert sock.recv() == b"? rate-limited this connection has 10000 open tables"
        assert daemon.memory() < 200_000_000
        daemon.kill()
        daemon.start()
        with daemon.client() as client:
            assert client.stats()["tables_open"] == 10_000
        assert daemon.memory() < 200_000_000


def has_ipv6() -> bool:
    """Whether this machine has the address ::1."""
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_an_address_of_ipv6_is_served(tmp_path: Path) -> None:
    with Daemon(tmp_path, bind="tcp://[::1]:0") as daemon:
        assert daemon.requests.startswith("tcp://[::1]:")
        with daemon.client() as client:
            client.ping()
