"""A UBGI engine that behaves for some decisions and then fails in the way it is told to.

Run as a process by the tests: ``scripted_engine.py MODE AFTER``. It needs nothing but the rules.
"""

import os
import signal
import sys
import time
from collections.abc import Callable

from acey_rules import PositionError, State, rule_set

FOREVER = 1000
HANDSHAKE = (
    "id name scripted",
    "id author tests",
    "proto 0.2",
    "key game.variant enum american|backgammon american",
    "key engine.level int 1..9 1",
    "ubgiok",
)


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def chatter() -> None:
    while True:
        say("info nodes 1")
        time.sleep(0.01)


def close() -> None:
    os.close(1)
    time.sleep(FOREVER)


def babble() -> None:
    os.write(1, b"x" * 1_000_000)
    time.sleep(FOREVER)


FAILURES: dict[str, Callable[[], object]] = {
    "hang": lambda: time.sleep(FOREVER),
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda: sys.exit(7),
    "close": close,
    "babble": babble,
    "chatter": chatter,
    "late": lambda: time.sleep(0.8),
    "illegal": lambda: say("bestmove 24/1"),
    "garbage": lambda: say("bestmove banana"),
    "name": lambda: say("bestname 3"),
    "refuse": lambda: say("error bad_state tired"),
}


UNASKED = {"extra": "bestname 3", "twice": "bestmove pass"}
"""What it says after an answer, asked for nothing."""


def answer(state: State) -> str:
    """The first legal play, or a 6."""
    if state.agenda[0].text == "N":
        return "bestname 6"
    moves = state.legal_plays()[0].moves
    return "bestmove " + (" ".join(str(move._replace(hit=False)) for move in moves) or "pass")


class Engine:
    """The session."""

    def __init__(self, mode: str, after: int) -> None:
        self.mode = mode
        self.left = after
        self.rules = rule_set("american")
        self.state: State | None = None

    def take(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        match word:
            case "ubgi":
                say(*HANDSHAKE)
            case "set":
                self.set(rest)
            case "isready":
                say("readyok")
            case "position":
                self.position(rest.partition(" ")[2])
            case "go":
                self.go()
            case "newgame":
                pass
            case _:
                say(f"error bad_command {word}")

    def set(self, rest: str) -> None:
        key, _, value = rest.partition(" ")
        sys.stderr.write(f"told {key} {value}\n")
        if key == "game.variant":
            self.rules = rule_set(value)
        elif value == "9":
            say("error bad_value engine.level 9 costs extra")

    def position(self, line: str) -> None:
        try:
            self.state = State.parse(line, self.rules)
        except PositionError as error:
            say(f"error bad_value {error}")

    def go(self) -> None:
        if self.left == 0 and self.mode in FAILURES:
            sys.stderr.write(f"about to {self.mode}\n")
            sys.stderr.flush()
            FAILURES[self.mode]()
            if self.mode != "late":
                return
        self.left = max(self.left - 1, 0)
        assert self.state is not None
        unasked = [UNASKED[self.mode]] if self.left == 0 and self.mode in UNASKED else []
        say("info depth 1", answer(self.state), *unasked)


def main(mode: str, after: int) -> None:
    if mode == "deaf":
        time.sleep(FOREVER)
    if mode == "stillborn":
        sys.stderr.write("no licence found\n")
        sys.exit(3)
    engine = Engine(mode, after)
    for line in sys.stdin:
        if line.strip() == "quit":
            return
        engine.take(line.strip())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
