"""How fast a daemon is, beside something outside it in the same run. bench/README.md.

Stateless ``legal`` is held against a bare ROUTER loop that answers with as many bytes; durable
``play`` against the same rows written to SQLite in groups of the same size, and against a bare loop
that stores such a row before it answers (bench_bare.py). Clients are one process with many DEALER
sockets, so that it is the server's end that differs between two figures.
"""

import multiprocessing
import os
import sqlite3
import statistics
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

import zmq

from acey_daemon.bench_bare import bare_echo, raw_commits, storing_echo
from acey_daemon.server import Server
from acey_daemon.settings import Settings
from acey_daemon.store import Durability, Store
from acey_rules import AMERICAN, BACKGAMMON, ROLLS, Draw, Name, Roll, RuleSet, State, seeded

if TYPE_CHECKING:
    from collections.abc import Generator
    from multiprocessing.connection import Connection as Pipe

CLIENTS: Final = 16
IN_FLIGHT: Final = 32
LONE_ROUNDS: Final = 7
PLAY_REQUEST: Final = 75
"""Bytes of a request to play, on average."""
PLAY_REPLY: Final = 45
"""Bytes of the reply to it."""
_CONTEXT = zmq.Context()
_SPAWN = multiprocessing.get_context("spawn")


class Throughput(NamedTuple):
    """What many clients together got."""

    per_second: float
    server_us: float
    """Processor time of the server for a message, in microseconds."""


class Latency(NamedTuple):
    """What a lone client waited, in microseconds."""

    p50: float
    p99: float


class LegalFigures(NamedTuple):
    """Stateless ``legal`` beside the bare echo."""

    request_bytes: float
    reply_bytes: float
    echo: Throughput
    legal: Throughput
    lone_echo: Latency
    lone_legal: Latency


class PlayFigures(NamedTuple):
    """Durable ``play`` beside raw group commits."""

    durability: str
    pause_ms: float
    """How much longer than the disk a commit was made to take, in milliseconds."""
    plays_per_second: float
    rows_per_commit: float
    raw_rows_per_second: float
    """Rows that SQLite alone writes, in groups of that size."""
    raw_commit_ms: float
    """How long one of those groups took, in milliseconds."""
    bare_per_second: float
    """Messages of a bare loop that stores such a row before it answers."""
    server_us: float
    """Processor time of the daemon for a play, in microseconds."""


# --- servers in processes of their own ----------------------------------------------------------


def _daemon(pipe: "Pipe", store: str, durability: Durability, pause: float = 0.0) -> None:
    """Serve a daemon without limits on one connection.

    With a pause the disk takes so many seconds longer; this process serves nothing else.
    """
    if pause:
        sync = Store.sync

        def slower(self: Store) -> None:
            sync(self)
            time.sleep(pause)

        Store.sync = slower
    settings = Settings(
        bind=("tcp://127.0.0.1:0",),
        events=("tcp://127.0.0.1:0",),
        store=store,
        durability=durability,
        requests_per_second=0,
        max_tables_each=100_000,
    )
    with Server(settings) as server:
        pipe.send(int(server.bound.requests[0].rpartition(":")[2]))
        server.run()


@contextmanager
def _process(target: object, *arguments: object) -> "Generator[tuple[str, int]]":
    """A server in a process: its address and its process id."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=target, args=(theirs, *arguments), daemon=True)  # pyright: ignore[reportArgumentType]
    process.start()
    theirs.close()  # so that a server that dies is noticed
    assert process.pid is not None
    try:
        yield f"tcp://127.0.0.1:{ours.recv()}", process.pid
    finally:
        process.kill()
        process.join()


def _cpu_seconds(pid: int) -> float:
    """Processor time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- clients -----------------------------------------------------------------------------------


def _sockets(address: str, count: int) -> list[zmq.Socket[bytes]]:
    sockets = [_CONTEXT.socket(zmq.DEALER) for _ in range(count)]
    for sock in sockets:
        sock.linger = 0
        sock.connect(address)
    return sockets


def flood(
    address: str, pid: int, requests: Sequence[bytes], seconds: float, in_flight: int = IN_FLIGHT
) -> Throughput:
    """Keep requests in flight on many connections for a while."""
    sockets = _sockets(address, CLIENTS)
    poller = zmq.Poller()
    place = 0
    for sock in sockets:
        poller.register(sock, zmq.POLLIN)
        for _ in range(in_flight):
            sock.send(requests[place % len(requests)])
            place += 1
    done = 0
    cpu, begin = _cpu_seconds(pid), time.perf_counter()
    end = begin + seconds
    while time.perf_counter() < end:
        for sock, _ in poller.poll(1000):
            try:
                while True:
                    sock.recv(zmq.NOBLOCK)
                    sock.send(requests[place % len(requests)])
                    place += 1
                    done += 1
            except zmq.Again:
                pass
    took = time.perf_counter() - begin
    used = _cpu_seconds(pid) - cpu
    for sock in sockets:
        sock.close()
    return Throughput(done / took, used / max(done, 1) * 1e6)


def lone(address: str, requests: Sequence[bytes], count: int) -> Latency:
    """One request at a time on one connection."""
    (sock,) = _sockets(address, 1)
    waits: list[float] = []
    for place in range(count):
        begin = time.perf_counter()
        sock.send(requests[place % len(requests)])
        sock.recv()
        waits.append((time.perf_counter() - begin) * 1e6)
    sock.close()
    cuts = statistics.quantiles(waits[count // 10 :], n=100)
    return Latency(cuts[49], cuts[98])


# --- legal -------------------------------------------------------------------------------------


def middle_positions(rules: RuleSet, count: int, seed: int) -> list[str]:
    """Position lines with dice to play, from the middle of random games."""
    random = Random(seed)
    lines: list[str] = []
    while len(lines) < count:
        state = State.start(rules, (6, 1))
        for number in range(random.randint(20, 80)):
            if state.outcome is not None:
                break
            if state.dice is not None and number > 15 and random.random() < 0.1:
                lines.append(state.line)
            choices = state.legal_actions()
            state = state.apply(
                Roll(*random.choice(ROLLS))
                if isinstance(choices[0], Roll)
                else random.choice(choices)
            )
    return lines[:count]


def _middle(rounds: Sequence[Latency]) -> Latency:
    """The median of each figure."""
    return Latency(
        statistics.median(each.p50 for each in rounds),
        statistics.median(each.p99 for each in rounds),
    )


def measure_legal(seconds: float) -> LegalFigures:
    """Stateless ``legal`` over mid-game positions, beside the echo."""
    requests = [
        f"{number} legal {line} rules={rules.name}".encode()
        for rules in (AMERICAN, BACKGAMMON)
        for number, line in enumerate(middle_positions(rules, 200, 1))
    ]
    with (
        TemporaryDirectory() as folder,
        _process(_daemon, f"{folder}/store.sqlite", "process") as (address, pid),
    ):
        (sock,) = _sockets(address, 1)
        sizes: list[int] = []
        for request in requests:
            sock.send(request)
            sizes.append(len(sock.recv()))
        sock.close()
        legal = flood(address, pid, requests, seconds)
        reply = b"x" * round(statistics.mean(sizes))
        with _process(bare_echo, reply) as (bare, bare_pid):
            flood(bare, bare_pid, requests, 0.2)
            echo = flood(bare, bare_pid, requests, seconds)
            # In turn, so that whatever else the machine does meets both alike.
            rounds = [
                (lone(address, requests, 2000), lone(bare, requests, 2000))
                for _ in range(LONE_ROUNDS)
            ]
    lone_legal, lone_echo = (_middle(each) for each in zip(*rounds, strict=True))
    return LegalFigures(
        statistics.mean(map(len, requests)), len(reply), echo, legal, lone_echo, lone_legal
    )


# --- play ---------------------------------------------------------------------------------------


class _Script(NamedTuple):
    """A game known beforehand: who sends what."""

    actions: list[tuple[int, str]]


def scripted_game(seed: int) -> _Script:
    """Every decision of the game that ``dice=seed:<n>`` gives, in order."""
    dice = seeded(seed)
    number = 1
    while (opening := dice.draw(Draw(1, None, number, 0)))[0] == opening[1]:
        number += 1
    state = State.start(AMERICAN, opening)
    random = Random(seed)
    counts = [0, 0]
    ply = number + 1
    actions: list[tuple[int, str]] = []
    while state.outcome is None:
        side = state.turn
        choices = state.legal_actions()
        if isinstance(choices[0], Roll):
            counts[side] += 1
            state = state.apply(Roll(*dice.draw(Draw(1, side, counts[side], 0))))
            ply += 1
            continue
        choice = random.choice(choices)
        if isinstance(choice, Name):
            actions.append((side, f"name {{}} {choice.number} ply={ply}"))
        elif state.legal_plays()[0].moves:
            actions.append((side, f"play {{}} {choice} ply={ply}"))
        state = state.apply(choice)
        ply += 1
    return _Script(actions)


class _Tables:
    """Many tables at once, each with one action in flight."""

    def __init__(self, address: str, count: int) -> None:
        self._sockets = _sockets(address, CLIENTS)
        self._seats: list[tuple[str, str]] = []
        self._scripts = [scripted_game(seed).actions for seed in range(count)]
        self._next = [0] * count
        sock = self._sockets[0]
        for seed in range(count):
            words = _ask(sock, f"open dice=seed:{seed}").split()
            x, o = words[2].removeprefix("x="), words[3].removeprefix("o=")
            self._seats.append((f"{words[1]} {x}", f"{words[1]} {o}"))
            for seat in self._seats[-1]:
                _ask(sock, f"await {seat} timeout=0")

    def close(self) -> None:
        """Close every connection."""
        for sock in self._sockets:
            sock.close()

    def _send(self, table: int) -> bool:
        script = self._scripts[table]
        if self._next[table] >= len(script):
            return False
        side, action = script[self._next[table]]
        self._next[table] += 1
        line = f"{table} {action.format(self._seats[table][side])}"
        self._sockets[table % CLIENTS].send(line.encode())
        return True

    def run(self, seconds: float) -> tuple[int, float]:
        """Play for a while: how many actions were acknowledged, and in how many seconds."""
        poller = zmq.Poller()
        for sock in self._sockets:
            poller.register(sock, zmq.POLLIN)
        running = sum(self._send(table) for table in range(len(self._seats)))
        done = 0
        begin = time.perf_counter()
        while running and time.perf_counter() < begin + seconds:
            for sock, _ in poller.poll(1000):
                try:
                    while True:
                        reply = sock.recv(zmq.NOBLOCK)
                        if not reply.startswith(b"="):
                            raise RuntimeError(reply.decode())
                        done += 1
                        running -= not self._send(int(reply[1 : reply.index(b" ")]))
                except zmq.Again:
                    pass
        return done, time.perf_counter() - begin


def _ask(sock: zmq.Socket[bytes], line: str) -> str:
    sock.send(line.encode())
    return sock.recv().decode()


def measure_play(
    seconds: float, tables: int, durability: Durability, pause: float = 0.0
) -> PlayFigures:
    """Durable ``play`` at many busy tables, beside the same rows written to SQLite.

    ``pause`` stands for a slower disk: every commit, of either, takes so many seconds longer.
    """
    with TemporaryDirectory(prefix=".acey-bench-", dir=Path.cwd()) as folder:
        store = f"{folder}/store.sqlite"
        with _process(_daemon, store, durability, pause) as (address, pid):
            load = _Tables(address, tables)
            (sock,) = _sockets(address, 1)
            counter = "syncs" if durability == "disk" else "commits"
            before, cpu = _counter(sock, counter), _cpu_seconds(pid)
            done, took = load.run(seconds)
            used, commits = _cpu_seconds(pid) - cpu, _counter(sock, counter) - before
            load.close()
            sock.close()
        db = sqlite3.connect(store)
        rows = db.execute(
            "SELECT row, previous, table_id, first, at_ms, events, checksum FROM log "
            "WHERE first > 4 ORDER BY row"
        ).fetchall()
        db.close()
        batch = max(1, round(done / max(commits, 1)))
        raw = raw_commits(f"{folder}/raw.sqlite", rows, batch, durability, pause)
        stored = (f"{folder}/bare.sqlite", rows, durability, pause)
        with _process(storing_echo, b"=" * PLAY_REPLY, *stored) as (address, pid):
            request = [b"p" * PLAY_REQUEST]
            bare = flood(address, pid, request, seconds, max(1, tables // CLIENTS))
    return PlayFigures(
        durability,
        pause * 1e3,
        done / took,
        done / max(commits, 1),
        raw,
        batch / raw * 1e3,
        bare.per_second,
        used / done * 1e6,
    )


def _counter(sock: zmq.Socket[bytes], wanted: str) -> float:
    pairs = (pair.partition("=") for pair in _ask(sock, "stats").split()[1:])
    return next(float(value) for name, _, value in pairs if name == wanted)
