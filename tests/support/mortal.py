"""A server that dies of its first request and comes back at the same address."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

import zmq
from tests.support.acey import DEADLINE


@contextmanager
def killed_server(reply: bytes) -> Generator[tuple[str, list[bytes]]]:
    """A server that dies of its first request, comes back and answers one; what it was asked."""
    with zmq.Context() as context:
        first = context.socket(zmq.ROUTER)
        first.linger = 0
        address = f"tcp://127.0.0.1:{first.bind_to_random_port('tcp://127.0.0.1')}"
        asked: list[bytes] = []
        ended = threading.Event()

        def serve() -> None:
            asked.append(first.recv_multipart()[-1])
            first.close()
            with context.socket(zmq.ROUTER) as second:
                bind_again(second, address)
                name, request = second.recv_multipart()
                asked.append(request)
                second.send_multipart([name, reply])
                ended.wait(DEADLINE)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield address, asked
        finally:
            ended.set()
            thread.join()


def bind_again(sock: zmq.Socket[bytes], address: str) -> None:
    """Bind where another socket was closed, which frees its port some time after."""
    until = time.monotonic() + DEADLINE
    while True:
        try:
            sock.bind(address)
            return
        except zmq.ZMQError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
