"""What a client says of addresses, keys and servers that do not fit, and when a connection ends."""

import asyncio
import os
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

import pytest
import zmq
from tests.support.mortal import killed_server
from tests.support.ports import held_port

from acey_protocol.client import Client, CurveKeys
from acey_protocol.client_async import AsyncClient
from acey_protocol.client_async_events import AsyncSubscriber
from acey_protocol.client_events import Subscriber
from acey_protocol.client_link import Link
from acey_protocol.client_pipeline import Pipeline
from acey_protocol.errors import BadAddress, BadKeys, NoReply, NotAdmitted

PATIENCE = 60.0
"""Seconds before a wait is given up: a net for what never comes, no assertion about time."""
SHORT = 0.3
"""Seconds for what is not to come."""


def client(address: str, seconds: float = PATIENCE, curve: CurveKeys | None = None) -> None:
    with Client(address, timeout=seconds, attempts=1, curve=curve) as connected:
        connected.ping()


def subscriber(address: str, seconds: float = PATIENCE, curve: CurveKeys | None = None) -> None:
    with Subscriber(address, curve=curve) as subscribed:
        assert subscribed.hear(seconds) is not None


def pipeline(address: str, seconds: float = PATIENCE, curve: CurveKeys | None = None) -> None:
    with Pipeline(address, curve=curve) as connected:
        connected.send("ping")
        connected.receive(seconds)


def async_client(address: str, seconds: float = PATIENCE, curve: CurveKeys | None = None) -> None:
    async def run() -> None:
        async with AsyncClient(address, timeout=seconds, attempts=1, curve=curve) as connected:
            await connected.ping()

    asyncio.run(run())


def async_subscriber(
    address: str, seconds: float = PATIENCE, curve: CurveKeys | None = None
) -> None:
    async def run() -> None:
        async with AsyncSubscriber(address, curve=curve) as subscribed:
            assert await subscribed.hear(seconds) is not None

    asyncio.run(run())


class Attempt(Protocol):
    """An attempt to get something from an address."""

    @property
    def __name__(self) -> str: ...

    def __call__(
        self, address: str, seconds: float = ..., curve: CurveKeys | None = ..., /
    ) -> None: ...


EVERY = pytest.mark.parametrize(
    "attempt", [client, subscriber, pipeline, async_client, async_subscriber]
)


def said(error: type[Exception], attempt: Attempt, address: str, seconds: float = PATIENCE) -> str:
    with pytest.raises(error) as caught:
        attempt(address, seconds, None)
    return str(caught.value)


BAD = {
    "here": "",
    "localhost:5858": "",
    "": "",
    "http://localhost:5858": ": 'http' is no transport; use tcp or ipc",
    "udp://127.0.0.1:5858": ": 'udp' is no transport; use tcp or ipc",
    "tcp://127.0.0.1": ": a port from 1 to 65535 is missing",
    "tcp://127.0.0.1:": ": a port from 1 to 65535 is missing",
    "tcp://127.0.0.1:0": ": a port from 1 to 65535 is missing",
    "tcp://127.0.0.1:65536": ": a port from 1 to 65535 is missing",
    "tcp://*:5858": ": the name or number of a machine is missing",
    "tcp://:5858": ": the name or number of a machine is missing",
    "ipc://": ": the path of a socket is missing",
    f"ipc:///{'x' * 200}": ": file name too long",
}


@EVERY
@pytest.mark.parametrize("address", BAD)
def test_what_is_no_address_is_told(attempt: Attempt, address: str) -> None:
    assert said(BadAddress, attempt, address) == (
        f"{address!r} is no address, such as tcp://127.0.0.1:5858 or ipc:///run/acey{BAD[address]}"
    )


@EVERY
def test_a_machine_that_is_not_found_is_told(attempt: Attempt) -> None:
    # A name that no resolver is asked for: RFC 6761 §6.4.
    line = said(BadAddress, attempt, "tcp://acey.invalid:5858")
    assert line.startswith("tcp://acey.invalid:5858: the machine 'acey.invalid' is not found: ")
    line = said(BadAddress, attempt, f"tcp://{'x' * 70}.org:1")
    assert line.endswith("is not found: this cannot be a name")


@contextmanager
def unused(kind: str, folder: Path) -> Generator[str]:
    """An address at which nobody listens."""
    if kind == "ipc":
        yield f"ipc://{folder}/nobody"
        return
    with held_port() as port:
        yield f"tcp://127.0.0.1:{port}"


@EVERY
@pytest.mark.parametrize("kind", ["tcp", "ipc"])
def test_an_address_at_which_nobody_listens_is_told(
    attempt: Attempt, kind: str, tmp_path: Path
) -> None:
    begin = {"client": "no reply to 'ping': ", "subscriber": "no events: ", "pipeline": ""}
    name = attempt.__name__.removeprefix("async_")
    with unused(kind, tmp_path) as address:
        assert said(NoReply, attempt, address, SHORT) == (
            f"{address}: {begin[name]}nobody listens there, or it cannot be reached"
        )


@contextmanager
def listener(greet: Callable[[socket.socket], object]) -> Generator[str]:
    """A server that does something else than speak ZeroMQ."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        held: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    accepted, _ = server.accept()
                except OSError:
                    return
                held.append(accepted)
                greet(accepted)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for each in held:
            each.close()


@EVERY
def test_a_server_of_another_kind_is_told(attempt: Attempt) -> None:
    def hang_up(accepted: socket.socket) -> None:
        accepted.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        accepted.shutdown(socket.SHUT_RDWR)

    with listener(hang_up) as address:
        assert said(NotAdmitted, attempt, address) == (
            f"{address}: what listens there ends every connection: it encrypts and wants keys, or "
            "it is no server of acey/1"
        )


@pytest.mark.parametrize("attempt", [client, async_client])
def test_a_server_that_says_nothing_is_told(attempt: Attempt) -> None:
    with listener(socket.socket.fileno) as address:
        assert said(NoReply, attempt, address, SHORT) == (
            f"{address}: no reply to 'ping': what listens there does not answer as a server of "
            "acey/1 does"
        )


def test_a_lost_connection_ends_the_wait_at_once() -> None:
    with zmq.Context() as context:
        server = context.socket(zmq.ROUTER)
        server.linger = 0
        address = f"tcp://127.0.0.1:{server.bind_to_random_port('tcp://127.0.0.1')}"
        told: list[str] = []
        # An hour, during which nothing would happen if only the time were waited for.
        with Client(address, timeout=3600.0, attempts=1, tell=told.append) as connected:
            ended = threading.Thread(target=lambda: (server.recv_multipart(), server.close()))
            ended.start()
            with pytest.raises(NoReply) as caught:
                connected.seat("7", "0" * 32).wait(3600)
            ended.join()
        assert str(caught.value) == f"{address}: no reply to 'await': the connection is lost"
        assert told == [f"the connection to {address} is lost; trying to connect anew"]


def test_a_request_is_sent_again_to_a_server_that_came_back() -> None:
    told: list[str] = []
    with killed_server(b"=1 {}") as (address, asked):
        with Client(address, timeout=PATIENCE, attempts=3, tell=told.append) as connected:
            connected.ping()
        assert asked == [b"1 ping format=json"] * 2
    assert told == [
        f"the connection to {address} is lost; trying to connect anew",
        f"connected to {address} again",
    ]


def test_what_would_open_a_second_table_is_not_sent_again() -> None:
    with (
        killed_server(b"=2 {}") as (address, asked),
        Client(address, timeout=PATIENCE, attempts=3) as connected,
    ):
        with pytest.raises(NoReply, match="no reply to 'open': the connection is lost"):
            connected.open()
        connected.ping()
        assert asked == [b"1 open match=0 format=json", b"2 ping format=json"]


def test_a_pipeline_tells_at_once_that_its_server_is_gone() -> None:
    with zmq.Context() as context:
        server = context.socket(zmq.ROUTER)
        server.linger = 0
        address = f"tcp://127.0.0.1:{server.bind_to_random_port('tcp://127.0.0.1')}"
        with Pipeline(address) as pipeline:
            pipeline.send("ping")
            server.recv_multipart()
            server.close()
            with pytest.raises(NoReply) as caught:
                pipeline.receive(3600)
            assert str(caught.value) == f"{address}: the connection is lost"
            assert pipeline.in_flight == 1


KEY = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
SERVER_REMEDY = "copy server.public here from the folder that acey keygen made for the server"
CLIENT_REMEDY = "acey keygen DIR --client NAME, run where the server is, writes NAME.secret"


@pytest.mark.parametrize(
    "text", [b"", b"short", KEY.encode()[:39], b"~" * 40, b"\xff" * 40, KEY.encode() * 2]
)
def test_a_file_that_holds_no_key_is_named_with_the_remedy(tmp_path: Path, text: bytes) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text(f"{KEY}\n")
    bad.write_bytes(text)
    for server, secret, remedy in ((bad, good, SERVER_REMEDY), (good, bad, CLIENT_REMEDY)):
        with pytest.raises(BadKeys) as caught:
            CurveKeys.load(server, secret)
        assert str(caught.value) == f"{bad}: no CURVE key of 40 characters; {remedy}"


def test_a_file_that_is_missing_is_named_with_the_remedy(tmp_path: Path) -> None:
    good, missing = tmp_path / "good", tmp_path / "missing"
    good.write_text(f"{KEY}\n")
    for server, secret, remedy in ((missing, good, SERVER_REMEDY), (good, missing, CLIENT_REMEDY)):
        with pytest.raises(BadKeys) as caught:
            CurveKeys.load(server, secret)
        assert str(caught.value) == f"{missing}: {os.strerror(2)}; {remedy}"


def test_connections_that_are_closed_while_they_are_being_made_stop_nothing() -> None:
    # A connection is closed while ZeroMQ's thread tells its monitor things; that thread must live
    # on, or no other connection of the program ever gets anywhere.
    with (
        zmq.Context() as context,
        socket.create_server(("127.0.0.1", 0)) as listener,
        closing(context.socket(zmq.ROUTER)) as router,
    ):
        stopped = threading.Event()

        def accept() -> None:
            listener.settimeout(0.05)
            while not stopped.is_set():
                try:
                    listener.accept()[0].close()
                except OSError:
                    continue

        thread = threading.Thread(target=accept)
        thread.start()
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        try:
            for number in range(1500):
                Link(context, zmq.DEALER, address).close()
                if number % 50 == 0:
                    time.sleep(0.01)
        finally:
            stopped.set()
            thread.join()
        router.linger = 0
        port = router.bind_to_random_port("tcp://127.0.0.1")
        link = Link(context, zmq.DEALER, f"tcp://127.0.0.1:{port}")
        link.socket.send(b"ping")
        came = router.poll(round(1000 * PATIENCE))
        link.close()
        if not came:
            os._exit(70)  # a context whose thread is stuck can never be left
        assert router.recv_multipart()[1] == b"ping"


def test_a_monitor_that_is_not_looked_at_fills_without_end() -> None:
    # Were it to be full, the thread that tells it things would wait, and everything with it.
    with zmq.Context() as context, closing(Link(context, zmq.DEALER, "tcp://127.0.0.1:1")) as link:
        assert link.monitor.rcvhwm == 0
