"""``acey engine-check``: takes a UBGI engine through numbered steps. spec/engines.md §6.

Each step asks for one thing a host relies on. The first that fails ends the check, and what was
said in it is shown; every wait has a deadline.
"""

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Final, NamedTuple

from acey_arena.process import LineProcess, ending
from acey_arena.seat import Fault
from acey_protocol.ubgi import (
    Handshake,
    UbgiError,
    go_line,
    is_plain,
    position_lines,
    read_move,
    read_name,
    set_line,
    variant_name,
)
from acey_rules import NAME, ROLL, Draw, Name, Roll, RulesError, RuleSet, Side, State, seeded

POSITIONS: Final = 50
NAMINGS: Final = 6
SEED: Final = 2026
QUIT_SECONDS: Final = 2.0


class Step(NamedTuple):
    """What came of one step."""

    number: int
    title: str
    good: bool
    detail: str
    dialogue: tuple[str, ...]
    """What was said in it, ``>`` to the engine and ``<`` from it."""


class _Wrong(Exception):
    """What an engine does not do as it should."""


class EngineCheck:
    """One engine under check."""

    def __init__(self, command: Sequence[str], rules: RuleSet, deadline: float) -> None:
        """``rules``: what it is to play; ``deadline``: seconds for each answer."""
        self._command = command
        self._rules = rules
        self._deadline = deadline
        self._process: LineProcess | None = None
        self._handshake = Handshake()
        self._said: list[str] = []
        self._steps: tuple[tuple[str, Callable[[], str]], ...] = (
            ("start", self._start),
            ("handshake", self._shake_hands),
            ("options", self._options),
            ("ready", self._ready),
            ("rules", self._set_rules),
            ("legal plays", self._plays),
            ("no legal play", self._pass),
            ("naming", self._names),
            ("errors", self._errors),
            ("quit", self._quit),
        )

    def run(self) -> Iterator[Step]:
        """The steps one after another, up to the first that fails."""
        try:
            for number, (title, step) in enumerate(self._steps, 1):
                self._said = []
                try:
                    detail, good = step(), True
                except (_Wrong, UbgiError) as error:
                    detail, good = str(error), False
                except Fault as fault:
                    detail, good = fault.reason, False
                    self._said += [f"! {line}" for line in fault.last_lines]
                yield Step(number, title, good, detail, tuple(self._said))
                if not good:
                    return
        finally:
            if self._process is not None:
                self._process.end()

    # --- talking ---------------------------------------------------------------------------------

    def _send(self, *lines: str) -> None:
        assert self._process is not None
        self._said += [f"> {line}" for line in lines]
        self._process.send(lines, self._deadline)

    def _read(self) -> str:
        assert self._process is not None
        line = self._process.read_line(monotonic() + self._deadline)
        self._said.append(f"< {line}")
        return line.strip()

    def _await(self, *words: str) -> str:
        """The rest of the first line that starts with one of the words; errors are wrong."""
        while True:
            word, _, rest = self._read().partition(" ")
            if word in words:
                return rest
            if word == "error":
                raise _Wrong(f"says 'error {rest}' where {' or '.join(words)} is due")
            if word.startswith("best"):
                raise _Wrong(f"says '{word}' where {' or '.join(words)} is due")

    # --- the steps -------------------------------------------------------------------------------

    def _start(self) -> str:
        self._process = LineProcess(self._command)
        return " ".join(self._command)

    def _shake_hands(self) -> str:
        self._send("ubgi")
        while not self._handshake.feed(self._read()):
            pass
        shaken = self._handshake
        if not shaken.name:
            raise _Wrong("the handshake has no 'id name'")
        return f"{shaken.name}, dialect {shaken.dialect.value}"

    def _options(self) -> str:
        for option in self._handshake.options.values():
            if option.kind != "text":
                try:
                    option.check(option.default)
                except UbgiError as error:
                    raise _Wrong(f"a default its own option does not allow: {error}") from error
        numbers = [o for o in self._handshake.options.values() if o.kind == "int"]
        for option in numbers:
            self._send(set_line(self._handshake.dialect, option.name, option.default), "isready")
            self._await("readyok")
        return f"{len(self._handshake.options)} options"

    def _ready(self) -> str:
        self._send("isready", "isready")
        self._await("readyok")
        self._await("readyok")
        return "readyok to each isready"

    def _set_rules(self) -> str:
        if self._rules.name not in self._handshake.variants:
            known = ", ".join(self._handshake.variants)
            raise _Wrong(f"does not play {self._rules.name}; it plays {known}")
        name = variant_name(self._handshake.dialect)
        if name in self._handshake.options:
            self._send(set_line(self._handshake.dialect, name, self._rules.name))
        self._send("newgame", "isready")
        self._await("readyok")
        return self._rules.name

    def _plays(self) -> str:
        for number, state in enumerate(self._states(lambda s: _choices(s) > 1, POSITIONS), 1):
            self._said = []
            self._send(*position_lines(state), go_line(self._handshake.dialect, state, None))
            payload = self._await("bestmove")
            try:
                move = read_move(payload, state)
                state.apply(move)
            except (UbgiError, RulesError) as error:
                raise _Wrong(f"position {number}, {state}: {error}") from error
        return f"legal in {POSITIONS} positions"

    def _pass(self) -> str:
        if is_plain(self._rules):
            line = "-A-----------------bbbbbbB:0:0:x:63"
        else:
            line = "-------------------bbbbbbB:13:3:x:63"
        state = State.parse(line, self._rules)
        self._send(*position_lines(state), go_line(self._handshake.dialect, state, None))
        payload = self._await("bestmove")
        move = read_move(payload, state)
        try:
            state.apply(move)
        except RulesError as error:
            raise _Wrong(str(error)) from error
        return f"'bestmove {payload}'".replace(" '", "'")

    def _names(self) -> str:
        if not self._rules.acey_bonus:
            return f"nothing is named in {self._rules.name}"
        named: list[int] = []
        for state in self._states(lambda s: s.agenda[0] is NAME, NAMINGS):
            self._send(*position_lines(state), go_line(self._handshake.dialect, state, None))
            named.append(read_name(self._await("bestname")))
        return f"named {', '.join(map(str, named))}"

    def _errors(self) -> str:
        for line in ("frobnicate", "position acey nonsense", "dice 7 0"):
            self._said = []
            self._send(line, "isready")
            answer = self._read()
            if not answer.startswith("error "):
                raise _Wrong(f"'{line}' is to be answered by an error line, not by '{answer}'")
            self._await("readyok")
        return "answered, and it goes on"

    def _quit(self) -> str:
        assert self._process is not None
        self._send("quit")
        status = self._process.wait(QUIT_SECONDS)
        if status is None:
            raise _Wrong(f"still runs {QUIT_SECONDS:g} s after 'quit'")
        if status:
            raise _Wrong(f"{ending(status)} after 'quit'")
        return "ended with exit status 0"

    def _states(self, wanted: Callable[[State], bool], count: int) -> Iterator[State]:
        """States of reproducible games in which a certain decision is due."""
        dice, game, found = seeded(SEED), 0, 0
        while found < count:
            game += 1
            state = _start_of(self._rules, dice.draw(Draw(game, None, 1, 0)))
            number = 0
            while state is not None and state.outcome is None and found < count:
                number += 1
                if wanted(state):
                    found += 1
                    yield state
                state = _onward(state, dice.draw(Draw(game, Side.X, number, number)), number)


def _choices(state: State) -> int:
    return len(state.legal_plays()) if state.dice is not None else 0


def _start_of(rules: RuleSet, opening: tuple[int, int]) -> State | None:
    return State.start(rules, opening) if opening[0] != opening[1] else None


def _onward(state: State, dice: tuple[int, int], number: int) -> State:
    """The next state of a game in which plays are taken in turn."""
    if state.agenda[0] is ROLL:
        return state.apply(Roll(*dice))
    if state.agenda[0] is NAME:
        return state.apply(Name(1 + number % 6))
    plays = state.legal_plays()
    return state.apply(plays[number * 7 % len(plays)])
