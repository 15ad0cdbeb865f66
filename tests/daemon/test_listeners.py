"""The doors are shut after a long message, and nobody is kept out for longer than that takes."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zmq
from tests.support.acey import DEADLINE

from acey_daemon import listeners
from acey_daemon.listeners import SHUT_SECONDS, Listeners

HOSTS = {"tcp://127.0.0.1": socket.AF_INET, "tcp://[::1]": socket.AF_INET6}


@pytest.fixture(params=HOSTS)
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a ROUTER listens."""
    with zmq.Context.instance().socket(zmq.ROUTER) as router:
        router.ipv6 = "[" in request.param
        try:
            router.bind(f"{request.param}:*")
        except zmq.ZMQError:
            pytest.skip("this machine has no such address")
        yield router.getsockopt_string(zmq.LAST_ENDPOINT)


def lets_in(address: str, patience: float = 0.3) -> bool:
    """Whether a new connection is let in; a knock that is not heard is repeated in a second."""
    host, _, port = address.rpartition(":")
    with socket.socket(HOSTS[host]) as knocking:
        knocking.settimeout(patience)
        try:
            knocking.connect((host.removeprefix("tcp://").strip("[]"), int(port)))
        except TimeoutError:
            return False
        return True


def test_doors_that_are_shut_let_nobody_in_until_all_was_received(address: str) -> None:
    now = 100.0
    doors = Listeners([address], lambda: now)
    assert lets_in(address)
    for _ in range(2):
        doors.shut_doors(DEADLINE)
        doors.shut_doors(DEADLINE)
        now += SHUT_SECONDS
        doors.open_doors(all_received=False)
        assert doors.shut
        assert not lets_in(address)
        doors.open_doors(all_received=True)
        assert not doors.shut
        assert lets_in(address)
    doors.close()


def test_they_are_shut_for_twice_the_time_that_messages_took(address: str) -> None:
    now = 100.0
    doors = Listeners([address], lambda: now)
    for _ in range(3):
        doors.shut_doors(0.5)
    now = 102.9
    doors.open_doors(all_received=False)
    assert doors.shut
    now = 103.0
    doors.open_doors(all_received=False)
    assert not doors.shut
    assert lets_in(address)
    doors.close()


def test_they_are_shut_for_a_little_at_least(address: str) -> None:
    now = 100.0
    doors = Listeners([address], lambda: now)
    doors.shut_doors()
    doors.open_doors(all_received=True)
    assert doors.shut
    now += SHUT_SECONDS
    doors.open_doors(all_received=False)
    assert not doors.shut
    assert lets_in(address)
    doors.close()


def test_other_ports_stay_open(address: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        doors = Listeners([address])
        doors.shut_doors(DEADLINE)
        assert lets_in(f"tcp://127.0.0.1:{other.getsockname()[1]}")
        assert not lets_in(address)
        doors.close()


def test_whoever_has_knocked_is_let_in_later(address: str) -> None:
    now = 0.0
    doors = Listeners([address], lambda: now)
    doors.shut_doors(DEADLINE)
    with ThreadPoolExecutor() as pool:
        knocking = pool.submit(lets_in, address, DEADLINE)
        assert not lets_in(address)
        now += SHUT_SECONDS
        doors.open_doors(all_received=True)
        assert knocking.result()
    doors.close()


def test_where_filters_are_refused_the_doors_stay_open(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "_ATTACH_FILTER", -1)
    doors = Listeners([address])
    doors.shut_doors(DEADLINE)
    assert lets_in(address)
    doors.open_doors(all_received=True)
    assert lets_in(address)


def test_no_descriptor_is_left_open(address: str) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    doors = Listeners([address])
    assert len(list(Path("/proc/self/fd").iterdir())) == before + 1
    doors.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_port_is_free_when_all_have_let_go() -> None:
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.bind("tcp://127.0.0.1:*")
        address = router.getsockopt_string(zmq.LAST_ENDPOINT)
        doors = Listeners([address, "ipc:///nowhere"])
        doors.close()
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.bind(address)
