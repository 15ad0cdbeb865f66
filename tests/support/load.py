"""Many tables played at once, with everything remembered that was acknowledged."""

import time
from collections.abc import Callable
from random import Random

import zmq
from tests.support.daemon import DEADLINE, Daemon
from tests.support.world import random_action

from acey_protocol.client import Client
from acey_protocol.errors import Busy, Code
from acey_protocol.events import AnyEvent, Named, Played
from acey_protocol.lines import parse_reply
from acey_rules import AMERICAN, State


class Load:
    """Many tables played at once from one connection, every acknowledgement remembered."""

    def __init__(self, daemon: Daemon, tables: int, random: Random) -> None:
        """Open the tables and take their seats."""
        self.random = random
        self.busy = 0
        """Requests refused because the store could not be written; they are kept for later."""
        self.address = daemon.requests
        self.seats: dict[str, tuple[str, str]] = {}
        self.acknowledged: dict[str, dict[int, str]] = {}
        self.sent: dict[str, tuple[str, str]] = {}
        self.sock = self._connect()
        with daemon.client() as client:
            for _ in range(tables):
                table = client.open(dice="fair")
                for token in (table.x, table.o):
                    self._seat(table.table, token)

    def _seat(self, table: str, token: str) -> None:
        id = str(len(self.seats) + 1)
        self.seats[id] = table, token
        self.acknowledged.setdefault(table, {})
        self._send(id, f"await {table} {token} timeout=600")

    def _connect(self) -> zmq.Socket[bytes]:
        sock = zmq.Context.instance().socket(zmq.DEALER)
        sock.linger = 0
        sock.rcvtimeo = 50
        sock.connect(self.address)
        return sock

    def _send(self, id: str, request: str) -> None:
        self.sent[id] = request, self.seats[id][0]
        self.sock.send(f"{id} {request}".encode())

    def close(self) -> None:
        """Go."""
        self.sock.close()

    def resend(self) -> None:
        """After a restart: everything that has no reply yet, on a new connection."""
        self.sock.close()
        self.sock = self._connect()
        for id, (request, _) in self.sent.items():
            self.sock.send(f"{id} {request}".encode())

    @property
    def done(self) -> int:
        """How many actions were acknowledged in all."""
        return sum(len(each) for each in self.acknowledged.values())

    def run(self, until: float) -> int:
        """Play on until a moment; how many actions were acknowledged."""
        return self.run_while(lambda: time.monotonic() < until)

    def run_while(self, wanted: Callable[[], bool]) -> int:
        """Play on while that is wanted; how many actions were acknowledged."""
        count = 0
        while wanted():
            try:
                reply = parse_reply(self.sock.recv())
            except zmq.Again:
                continue
            if reply.code is Code.BUSY:
                self.busy += 1
                continue
            count += self._take(reply.id, reply.ok, reply.text)
        return count

    def _take(self, id: str, ok: bool, text: str) -> int:
        table, token = self.seats[id]
        request, _ = self.sent[id]
        words = text.split()
        if request.startswith("await") and ok and words[0] in ("play", "name"):
            action = random_action(self.random)(State.parse(words[2], AMERICAN))
            verb, _, rest = action.partition(" ")
            self._send(id, f"{verb} {table} {token} {rest} ply={words[1]}")
            return 0
        if ok and words[0] == "over":
            del self.sent[id]
            return 0
        if not request.startswith("await"):
            assert ok, (request, text)
            action = request.split(f" {token} ")[1].split(" ply=")[0]
            self.acknowledged[table][int(words[0])] = f"{action} {words[1]}"
        self._send(id, f"await {table} {token} timeout=600")
        return not request.startswith("await")

    def check(self, daemon: Daemon) -> int:
        """Every acknowledged action is in the history, once; how many there are."""
        total = 0
        with daemon.client() as client:
            for table, acknowledged in self.acknowledged.items():
                done: dict[int, str] = {}
                for _, event in _history(client, table):
                    if isinstance(event, Played | Named):
                        assert event.ply not in done
                        what = event.play if isinstance(event, Played) else event.number
                        done[event.ply] = f"{what} {event.position}"
                for ply, action in acknowledged.items():
                    assert done[ply] == action
                total += len(acknowledged)
        return total


def _history(client: Client, table: str) -> list[tuple[int, AnyEvent]]:
    """The events of a table; a question that came with an action not stored is refused with it."""
    until = time.monotonic() + DEADLINE
    while True:
        try:
            return client.history(table)
        except Busy:
            if time.monotonic() > until:
                raise
