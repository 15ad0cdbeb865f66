"""The doors are shut after a long message, and nobody is kept out for longer than that takes."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zmq
from tests.support.acey import DEADLINE

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
    listeners = Listeners([address], lambda: now)
    assert lets_in(address)
    for _ in range(2):
        listeners.shut_doors(DEADLINE)
        listeners.shut_doors(DEADLINE)
        now += SHUT_SECONDS
        listeners.open_doors(all_received=False)
        assert listeners.shut
        assert not lets_in(address)
        listeners.open_doors(all_received=True)
        assert not listeners.shut
        assert lets_in(address)
    listeners.close()


def test_they_are_shut_for_twice_the_time_that_messages_took(address: str) -> None:
    now = 100.0
    listeners = Listeners([address], lambda: now)
    for _ in range(3):
        listeners.shut_doors(0.5)
    now = 102.9
    listeners.open_doors(all_received=False)
    assert listeners.shut
    now = 103.0
    listeners.open_doors(all_received=False)
    assert not listeners.shut
    assert lets_in(address)
    listeners.close()


def test_they_are_shut_for_a_little_at_least(address: str) -> None:
    now = 100.0
    listeners = Listeners([address], lambda: now)
    listeners.shut_doors()
    listeners.open_doors(all_received=True)
    assert listeners.shut
    now += SHUT_SECONDS
    listeners.open_doors(all_received=False)
    assert not listeners.shut
    assert lets_in(address)
    listeners.close()


def test_other_ports_stay_open(address: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        listeners = Listeners([address])
        listeners.shut_doors(DEADLINE)
        assert lets_in(f"tcp://127.0.0.1:{other.getsockname()[1]}")
        assert not lets_in(address)
        listeners.close()


def test_whoever_has_knocked_is_let_in_later(address: str) -> None:
    now = 0.0
    listeners = Listeners([address], lambda: now)
    listeners.shut_doors(DEADLINE)
    with ThreadPoolExecutor() as pool:
        knocking = pool.submit(lets_in, address, DEADLINE)
        assert not lets_in(address)
        now += SHUT_SECONDS
        listeners.open_doors(all_received=True)
        assert knocking.result()
    listeners.close()


def test_no_descriptor_is_left_open(address: str) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    listeners = Listeners([address])
    assert len(list(Path("/proc/self/fd").iterdir())) == before + 1
    listeners.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_port_is_free_when_all_have_let_go() -> None:
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.bind("tcp://127.0.0.1:*")
        address = router.getsockopt_string(zmq.LAST_ENDPOINT)
        listeners = Listeners([address, "ipc:///nowhere"])
        listeners.close()
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.bind(address)
