"""A daemon in memory for tests: a service whose time and entropy the test decides."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random

import msgspec

from acey_daemon.answering import Connection
from acey_daemon.service import Output, Service, Sources
from acey_daemon.settings import Settings
from acey_daemon.store import Store
from acey_rules import State, rule_set

ALPHA = Connection(b"alpha")
BETA = Connection(b"beta", True)


class Entropy:
    """Bytes that look random and are the same in every run."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.drawn = 0

    def __call__(self, count: int) -> bytes:
        self.drawn += 1
        return sha256(f"{self.seed} {self.drawn}".encode()).digest()[:count]


class World:
    """A service with a store in a folder, at a time that only the test moves."""

    def __init__(self, folder: Path, seed: int = 0, **settings: object) -> None:
        self.settings = msgspec.convert(
            {"store": str(folder / "store.sqlite"), "durability": "process", **settings},
            Settings,
        )
        self.entropy = Entropy(seed)
        self.now = 1000.0
        self.wall = 1_800_000_000_000
        self.store = Store(Path(self.settings.store), self.settings.durability)
        self.service = self._service()
        self.replies: list[tuple[Connection, str]] = []
        self.events: list[tuple[str, str]] = []

    def _service(self) -> Service:
        sources = Sources(self.entropy, lambda: self.wall)
        try:
            return Service(self.settings, self.store, sources, self.now)
        except BaseException:
            self.store.close()
            raise

    def restart(self) -> None:
        """Stop without a word and begin again from the store."""
        self.store.close()
        self.store = Store(Path(self.settings.store), self.settings.durability)
        self.service = self._service()

    def send(self, *requests: str | bytes, connection: Connection = ALPHA) -> list[str]:
        """The replies that this connection gets to requests which arrive together."""
        data = [each.encode() if isinstance(each, str) else each for each in requests]
        return self._take(
            self.service.step([(connection, each) for each in data], self.now), connection
        )

    def ask(self, request: str | bytes, connection: Connection = ALPHA) -> str:
        """The one reply to one request."""
        (reply,) = self.send(request, connection=connection)
        return reply

    def wait(self, seconds: float, connection: Connection = ALPHA) -> list[str]:
        """Let time pass, looking up whenever the service wants to; the replies that came."""
        end = self.now + seconds
        replies: list[str] = []
        while (deadline := self.service.next_deadline()) is not None and deadline <= end:
            self.now = max(self.now, deadline)
            replies += self._take(self.service.step([], self.now), connection)
        self.now = end
        return replies + self._take(self.service.step([], self.now), connection)

    def _take(self, output: Output, connection: Connection) -> list[str]:
        self.replies += [(to, reply.decode()) for to, reply in output.replies]
        self.events += [(topic, line.decode()) for topic, line in output.events]
        return [reply.decode() for to, reply in output.replies if to == connection]

    def open(self, options: str = "") -> tuple[str, str, str]:
        """Open a table: its name and the tokens of X and of O."""
        words = self.ask(f"open {options}").split()
        assert words[0] == "=", words
        return words[1], words[2].removeprefix("x="), words[3].removeprefix("o=")

    def history(self, table: str) -> list[str]:
        """The events of a table, without their numbers, which are checked to have no gap."""
        lines = self.ask(f"history {table}").split("\n")[1:]
        numbers = [int(line.split(" ", 1)[0]) for line in lines]
        assert numbers == list(range(1, len(lines) + 1))
        return [line.split(" ", 1)[1] for line in lines]


Chooser = Callable[[State], str]


def random_action(random: Random) -> Chooser:
    """Chooses any legal play or number."""

    def choose(state: State) -> str:
        if state.dice is None:
            return f"name {random.randint(1, 6)}"
        return f"play {random.choice(state.legal_plays()).text}"

    return choose


def play_match(
    world: World, table: str, tokens: tuple[str, str], choose: Chooser, rules: str = "american"
) -> str:
    """Play a table to its end, both seats from one connection; the reply ``over …``."""
    while True:
        for token in tokens:
            answer = world.ask(f"await {table} {token} timeout=0")
            words = answer.split()
            if words[1] == "over":
                return answer
            if words[1] == "wait":
                continue
            action = choose(State.parse(words[3], rule_set(rules)))
            verb, _, rest = action.partition(" ")
            done = world.ask(f"{verb} {table} {token} {rest} ply={words[2]}")
            assert done.startswith("= "), done
