"""What ``acey bench arena`` measures."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import count
from platform import python_implementation, python_version
from random import Random
from time import monotonic, perf_counter
from typing import Final

from msgspec import Struct

from acey_arena.daemon import TABLES, ManyTables
from acey_arena.executor import Executor, InlineExecutor
from acey_arena.plan import Plan, Player
from acey_arena.process import LineProcess
from acey_arena.referee import PairTask, play_pair
from acey_arena.ubgi_seat import UbgiSeat
from acey_rules import AMERICAN, NAME, ROLL, Name, Roll, State, generator

ENGINE: Final = (sys.executable, "-P", "-m", "acey_daemon", "ubgi", "--bot", "random")
ENGINE_PAIRS: Final = 6
WAIT: Final = 60.0
RANDOM_PLAN: Final = Plan(
    players=(Player(name="a", bot="random"), Player(name="b", bot="random")), seed=1
)


class Figure(Struct, frozen=True):
    """A rate and how it stands to its yardstick."""

    name: str
    rate: float
    """Games a second."""
    yardstick: str
    yardstick_rate: float
    ratio: float
    wanted: float
    """The least ratio the project holds itself to."""


class Measured(Struct, frozen=True):
    """A run of the benchmark."""

    python: str
    generator: str
    cores: int
    load: float
    """Load of the machine when the run began: on a busy machine only the ratios mean something."""
    figures: tuple[Figure, ...]


def measure(seconds: float, rounds: int) -> Measured:
    """Measure everything, ``rounds`` times in turn, and keep the best of each."""
    load = os.getloadavg()[0]
    loop = local = daemon = engines = script = 0.0
    recorded = _record_lines()
    for _ in range(rounds):
        loop = max(loop, loop_rate(seconds))
        local = max(local, executor_rate(InlineExecutor(RANDOM_PLAN), seconds))
        daemon = max(daemon, executor_rate(ManyTables(RANDOM_PLAN), seconds, 2 * TABLES))
        engines = max(engines, _engine_rate())
        script = max(script, _script_rate(recorded))
    figures = (
        _figure("random duel, refereed here", local, "a plain loop", loop, 0.5),
        _figure("random duel, refereed by a daemon", daemon, "a plain loop", loop, 0.1),
        _figure("two engine processes", engines, "a bare script", script, 0.7),
    )
    python = f"{python_implementation()} {python_version()}"
    return Measured(python, generator.NAME, os.cpu_count() or 1, round(load, 2), figures)


def _figure(name: str, rate: float, yardstick: str, yardstick_rate: float, wanted: float) -> Figure:
    ratio = round(rate / yardstick_rate, 3)
    return Figure(name, round(rate, 1), yardstick, round(yardstick_rate, 1), ratio, wanted)


# --- bots ---------------------------------------------------------------------------------------


def loop_rate(seconds: float) -> float:
    """Random games a second without referee, dice streams, seats or records."""
    random, games = Random(1), 0
    began = perf_counter()
    while perf_counter() - began < seconds:
        _random_game(random)
        games += 1
    return games / (perf_counter() - began)


def _random_game(random: Random) -> State:
    x_die = o_die = 0
    while x_die == o_die:
        x_die, o_die = random.randint(1, 6), random.randint(1, 6)
    state = State.start(AMERICAN, (x_die, o_die))
    while state.outcome is None:
        stage = state.agenda[0]
        if stage is ROLL:
            state = state.apply(Roll(random.randint(1, 6), random.randint(1, 6)))
        elif stage is NAME:
            state = state.apply(Name(random.randint(1, 6)))
        else:
            plays = state.legal_plays()
            state = state.apply(plays[random.randrange(len(plays))])
    return state


def executor_rate(executor: Executor, seconds: float, warm: int = 1) -> float:
    """Games a second of an executor, from the result after so many on.

    Tables that begin together end together; only after some games each are results spread evenly.
    """
    with closing(executor):
        results = executor.play(PairTask(number, 1, 0, 1) for number in count(1))
        for _ in range(warm):
            next(results)
        games, began = 0, perf_counter()
        while perf_counter() - began < seconds:
            games += len(next(results).games)
        rate = games / (perf_counter() - began)
        results.close()
    return rate


# --- engines ------------------------------------------------------------------------------------

Sent = tuple[int, tuple[str, ...], bool]
"""Which engine, the lines, and whether an answer is waited for."""


class _Recorded(LineProcess):
    """An engine whose lines are written down."""

    def __init__(self, command: Sequence[str], engine: int, sent: list[Sent]) -> None:
        super().__init__(command)
        self._engine = engine
        self._sent = sent

    def send(self, lines: Sequence[str], limit: float) -> None:
        answered = lines[-1] in ("ubgi", "isready") or lines[-1].startswith("go")
        self._sent.append((self._engine, tuple(lines), answered))
        super().send(lines, limit)


def _players() -> tuple[Player, Player]:
    return Player(name="a", engine=ENGINE, start=WAIT), Player(name="b", engine=ENGINE, start=WAIT)


def _play_engines(start: Callable[[int], Callable[[Sequence[str]], LineProcess]]) -> float:
    """Play the pairs between two engines; games a second from the second pair on."""
    players = _players()
    plan = Plan(players=players, seed=1)
    seats = (UbgiSeat(players[0], start(0)), UbgiSeat(players[1], start(1)))
    play_pair(plan, PairTask(1, 1, 0, 1), seats)
    began = perf_counter()
    games = [len(play_pair(plan, task, seats).games) for task in _engine_tasks()]
    rate = sum(games) / (perf_counter() - began)
    for seat in seats:
        seat.close()
    return rate


def _engine_tasks() -> Iterator[PairTask]:
    return (PairTask(number, 1, 0, 1) for number in range(2, ENGINE_PAIRS + 2))


def _engine_rate() -> float:
    return _play_engines(lambda _engine: LineProcess)


def _record_lines() -> list[Sent]:
    """Everything that is sent to the engines while they play."""
    sent: list[Sent] = []

    def start(engine: int) -> Callable[[Sequence[str]], LineProcess]:
        return lambda command: _Recorded(command, engine, sent)

    _play_engines(start)
    return sent


def _script_rate(sent: Sequence[Sent]) -> float:
    """Games a second of a script that writes the same lines and reads the answers."""
    engines = (LineProcess(ENGINE), LineProcess(ENGINE))
    first = [index for index, (_, lines, _) in enumerate(sent) if lines[0] == "newgame"][4]
    began = 0.0
    for index, (engine, lines, answered) in enumerate(sent):
        if index == first:
            began = perf_counter()
        if lines[-1] == "quit":
            continue
        engines[engine].send(lines, WAIT)
        while answered and not _ends(engines[engine].read_line(monotonic() + WAIT)):
            pass
    rate = 2 * ENGINE_PAIRS / (perf_counter() - began)
    for engine in engines:
        engine.end()
    return rate


def _ends(line: str) -> bool:
    return line.startswith(("best", "readyok", "ubgiok"))
