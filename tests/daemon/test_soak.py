"""Two hundred bots at a daemon for minutes: `make soak`. ACEY_SOAK_SECONDS sets how long."""

import os
import threading
import time
from collections import defaultdict
from pathlib import Path
from random import Random

import pytest
import zmq
from tests.support.daemon import Daemon
from tests.support.world import random_action

from acey_protocol.lines import parse_reply
from acey_rules import AMERICAN, State

SECONDS = float(os.environ.get("ACEY_SOAK_SECONDS", "600"))
BOTS = 200


class Subscriber(threading.Thread):
    """Listens to every table and notes each gap in the numbers of a table's events."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.last: dict[str, int] = defaultdict(int)
        self.gaps: list[str] = []
        self.stopping = False
        self.sock = zmq.Context.instance().socket(zmq.SUB)
        self.sock.linger = 0
        self.sock.rcvhwm = 0
        self.sock.rcvtimeo = 200
        self.sock.subscribe("table.")
        self.sock.connect(address)

    def run(self) -> None:
        while not self.stopping:
            try:
                topic, line = (frame.decode() for frame in self.sock.recv_multipart())
            except zmq.Again:
                continue
            seq = int(line.split(" ", 1)[0])
            if topic in self.last and seq != self.last[topic] + 1:
                self.gaps.append(f"{topic}: {seq} after {self.last[topic]}")
            self.last[topic] = seq
        self.sock.close()


class Bots:
    """Many random bots, a connection for each pair; a table that is over is followed by another."""

    def __init__(self, daemon: Daemon, count: int) -> None:
        self.random = Random(1)
        self.choose = random_action(self.random)
        self.poller = zmq.Poller()
        self.seats: dict[zmq.Socket[bytes], dict[str, tuple[str, str]]] = {}
        self.refusals: list[str] = []
        self.matches = 0
        self.actions = 0
        for _ in range(count // 2):
            sock = zmq.Context.instance().socket(zmq.DEALER)
            sock.linger = 0
            sock.connect(daemon.requests)
            self.poller.register(sock, zmq.POLLIN)
            self.open(sock)

    def open(self, sock: zmq.Socket[bytes]) -> None:
        self.seats[sock] = {}
        sock.send(b"0 open match=7 clock=60+10")

    def run(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for sock, _ in self.poller.poll(500):
                try:
                    while True:
                        self.take(sock, sock.recv(zmq.NOBLOCK))
                except zmq.Again:
                    pass

    def take(self, sock: zmq.Socket[bytes], data: bytes) -> None:
        reply = parse_reply(data)
        seats = self.seats[sock]
        words = reply.text.split()
        if not reply.ok:
            self.refusals.append(data.decode())
        elif reply.id == "0":
            seats["1"] = (words[0], words[1].removeprefix("x="))
            seats["2"] = (words[0], words[2].removeprefix("o="))
            for id in seats:
                self.wait(sock, id)
        elif words[0] == "over":
            del seats[reply.id]
            if not seats:
                self.matches += 1
                self.open(sock)
        elif words[0] in ("play", "name"):
            table, token = seats[reply.id]
            action = self.choose(State.parse(words[2], AMERICAN))
            verb, _, rest = action.partition(" ")
            line = f"{reply.id} {verb} {table} {token} {rest} ply={words[1]}"
            sock.send(line.encode())
        else:
            self.actions += words[0] != "wait"
            self.wait(sock, reply.id)

    def wait(self, sock: zmq.Socket[bytes], id: str) -> None:
        table, token = self.seats[sock][id]
        sock.send(f"{id} await {table} {token} timeout=20".encode())

    def close(self) -> None:
        for sock in self.seats:
            sock.close()


@pytest.mark.soak
def test_two_hundred_bots_for_a_long_time(tmp_path: Path) -> None:
    """No growth of memory after warm-up, no lost event, no refusal nobody provoked."""
    with Daemon(tmp_path) as daemon:
        subscriber = Subscriber(daemon.events)
        subscriber.start()
        bots = Bots(daemon, BOTS)
        try:
            bots.run(SECONDS / 5)
            warm = daemon.memory()
            bots.run(SECONDS * 4 / 5)
            grown = daemon.memory() - warm
        finally:
            subscriber.stopping = True
            subscriber.join()
            bots.close()
        assert bots.refusals == []
        assert subscriber.gaps == []
        assert len(subscriber.last) >= BOTS // 2
        assert bots.actions > 1000
        # Table objects, caches and the allocator settle within a few megabytes.
        assert grown < 8_000_000, f"{grown} bytes more after {bots.actions} actions"
        print(f"\n{bots.actions} actions, {bots.matches} matches, {warm} bytes, {grown} more")  # noqa: T201
