"""What is left of a message of many frames is dropped, and nothing else."""

import pytest
import zmq
from tests.support.acey import DEADLINE
from tests.support.zmtp import MORE, framed, raw_peer

from acey_daemon import frames
from acey_daemon.frames import MOST_FRAMES, drop, functions, received
from acey_daemon.memory import Account
from acey_rules import generator


def test_it_is_done_in_c_where_the_kernel_serves() -> None:
    assert (frames.discard is not None) == (generator.NAME == "kernel")
    assert functions() is not None


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3, 1000])
@pytest.mark.parametrize("size", [0, 1, 40, 300, 70_000])
def test_a_message_is_dropped_to_its_end(
    compiled: bool, count: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(frames, "discard", None)
    with zmq.Context.instance().socket(zmq.ROUTER) as router:
        router.rcvtimeo = DEADLINE * 1000
        port = router.bind_to_random_port("tcp://127.0.0.1")
        with raw_peer(f"tcp://127.0.0.1:{port}", "DEALER") as peer:
            data = b"x" * size
            peer.sendall(framed(data, MORE) * (count - 1) + framed(data) + framed(b"next"))
            name = router.recv()
            drop(router, Account(0, None))
            assert router.recv_multipart() == [name, b"next"]
            peer.sendall(framed(b"last"))
            assert router.recv() == name
            assert router.recv() == b"last"
            drop(router, Account(0, None))  # nothing is left
            peer.sendall(framed(b"after"))
            assert router.recv_multipart() == [name, b"after"]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("added", [0, 33])
def test_what_is_received_and_dropped_is_counted(
    compiled: bool, added: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(frames, "discard", None)
    with zmq.Context.instance().socket(zmq.ROUTER) as router:
        router.rcvtimeo = DEADLINE * 1000
        port = router.bind_to_random_port("tcp://127.0.0.1")
        with raw_peer(f"tcp://127.0.0.1:{port}", "DEALER") as peer:
            for count in (1, 2, MOST_FRAMES, MOST_FRAMES + 1, 20 * MOST_FRAMES):
                parts = [b"%d" % number * 100 for number in range(count)]
                sent = [framed(part, MORE) for part in parts[:-1]] + [framed(parts[-1])]
                peer.sendall(b"".join(sent))
                router.recv()
                account = Account(added, None)
                kept = received(router, router.recv(), account)
                assert kept == parts[: MOST_FRAMES + 1]
                account.taken += drop(router, account)
                like = [framed(part + b"x" * added) for part in parts[1:]]
                assert account.taken == sum(map(len, like))
                assert not router.get(zmq.RCVMORE)
