"""A UBGI engine in a seat: starts it, asks it, gives up on it. spec/engines.md §2."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from acey_arena.plan import Player
from acey_arena.process import GRACE, LineProcess
from acey_arena.seat import Fault, FaultKind, GameStart
from acey_protocol.ubgi import (
    Handshake,
    UbgiError,
    go_line,
    position_lines,
    read_move,
    read_name,
    set_line,
    variant_name,
)
from acey_rules import Play, RuleSet, State, WrittenPlay

Start = Callable[[Sequence[str]], LineProcess]
QUIT: Final = "quit"


class UbgiSeat:
    """A player whose decisions a UBGI engine makes. Its process starts with its first game."""

    def __init__(self, player: Player, start: Start = LineProcess) -> None:
        """``start`` runs a command; tests give another."""
        self._player = player
        self._start = start
        self._process: LineProcess | None = None
        self._handshake = Handshake()
        self._rules = ""

    @property
    def handshake(self) -> Handshake:
        """What the engine said of itself when it was last started."""
        return self._handshake

    def new_game(self, game: GameStart) -> None:
        """Start the engine if it does not run, set its options, and say that a game begins."""
        try:
            if self._process is None:
                self._process = self._start(self._player.engine)
                self._shake_hands(self._process)
            if game.rules.name != self._rules:
                self._set_options(self._process, game.rules)
            self._ready(self._process, ["newgame"])
        except Fault as fault:
            raise Fault(
                FaultKind.START, f"did not get ready: {fault.reason}", fault.last_lines
            ) from fault

    def _shake_hands(self, process: LineProcess) -> None:
        until = monotonic() + self._player.start
        process.send(["ubgi"], self._player.start)
        self._handshake = Handshake()
        try:
            while not self._handshake.feed(process.read_line(until)):
                pass
        except UbgiError as error:
            raise Fault(FaultKind.GARBAGE, str(error), process.last_lines) from error

    def _set_options(self, process: LineProcess, rules: RuleSet) -> None:
        shaken = self._handshake
        if rules.name not in shaken.variants:
            known = ", ".join(shaken.variants)
            raise Fault(FaultKind.REFUSED, f"does not play {rules.name}; it plays {known}")
        lines: list[str] = []
        name = variant_name(shaken.dialect)
        if name in shaken.options:
            lines.append(set_line(shaken.dialect, name, rules.name))
        for option, value in self._player.options.items():
            if option not in shaken.options:
                known = ", ".join(shaken.options) or "none"
                raise Fault(FaultKind.REFUSED, f"has no option {option!r}; it has {known}")
            try:
                shaken.options[option].check(value)
            except UbgiError as error:
                raise Fault(FaultKind.REFUSED, f"option {error}") from error
            lines.append(set_line(shaken.dialect, option, value))
        self._ready(process, lines)
        self._rules = rules.name

    def _ready(self, process: LineProcess, lines: list[str]) -> None:
        """Send lines and wait until the engine has taken them in; an error line is a fault."""
        until = monotonic() + self._player.start
        process.send([*lines, "isready"], self._player.start)
        while (answer := process.read_line(until).strip()) != "readyok":
            if answer.startswith("error"):
                raise Fault(FaultKind.REFUSED, f"says '{answer}'", process.last_lines)

    def choose_play(
        self, state: State, plays: Sequence[Play], limit: float | None
    ) -> Play | WrittenPlay:
        """Ask for ``bestmove``."""
        del plays  # an engine finds them itself
        payload, process = self._ask(state, "bestmove", limit)
        try:
            return read_move(payload, state)
        except UbgiError as error:
            raise Fault(FaultKind.GARBAGE, str(error), process.last_lines) from error

    def choose_double(self, state: State, limit: float | None) -> int:
        """Ask for ``bestname``."""
        payload, process = self._ask(state, "bestname", limit)
        try:
            return read_name(payload)
        except UbgiError as error:
            raise Fault(FaultKind.GARBAGE, str(error), process.last_lines) from error

    def _ask(self, state: State, wanted: str, limit: float | None) -> tuple[str, LineProcess]:
        process = self._process
        assert process is not None, "a game has begun"
        seconds = self._player.deadline if limit is None else min(limit, self._player.deadline)
        milliseconds = None if limit is None else int(seconds * 1000)
        go = go_line(self._handshake.dialect, state, milliseconds)
        for line in process.pending():
            if line.startswith("best"):  # taken for the answer to come, it would be the wrong one
                reason = f"said '{line[:80]}' without being asked"
                raise Fault(FaultKind.GARBAGE, reason, process.last_lines)
        until = monotonic() + seconds
        process.send([*position_lines(state), go], seconds)
        while True:
            line = process.read_line(until)
            word, _, payload = line.strip().partition(" ")
            if word == wanted:
                return payload, process
            if word.startswith("best"):
                reason = f"answered '{line[:80]}' to '{go}', which asks for {wanted}"
                raise Fault(FaultKind.GARBAGE, reason, process.last_lines)
            if word == "error":
                raise Fault(FaultKind.REFUSED, f"says '{line[:200]}'", process.last_lines)

    def last_words(self) -> tuple[str, ...]:
        """The end of its standard error."""
        return self._process.last_lines if self._process is not None else ()

    def abandon(self) -> None:
        """Kill the process; the next game starts another."""
        if self._process is not None:
            self._process.end()
            self._process = None
            self._rules = ""

    def close(self) -> None:
        """Ask the engine to quit, and end it when it does not."""
        if self._process is not None:
            try:
                self._process.send([QUIT], GRACE)
                self._process.wait(GRACE)
            except Fault:
                pass  # it has ended already, which is what is wanted
        self.abandon()
