"""Our bots as UBGI engines: ``acey ubgi --bot NAME``. spec/engines.md §2 and §3.

The interface is a function: ``UbgiEngine.handle`` takes a line and gives the lines to answer; the
loop over standard input is a few lines beside it.
"""

from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Final, TextIO

from acey_arena.bots import Bot
from acey_arena.roster import ROSTER, check_bot
from acey_protocol.position_id import PositionIdError, decode_gnubg, decode_xgid
from acey_protocol.ubgi import VARIANT, Dialect, write_move
from acey_rules import NAME, PRESETS, Position, RulesError, RuleSet, Side, State, rule_set

SEED: Final = "Seed"
"""The option every bot has: what it draws random numbers from."""
CODES: Final = {
    "command": {Dialect.V01: "unknown_command", Dialect.V02: "bad_command"},
    "value": {Dialect.V01: "bad_argument", Dialect.V02: "bad_value"},
    "state": {Dialect.V01: "missing_context", Dialect.V02: "bad_state"},
    "unsupported": {Dialect.V01: "unsupported_feature", Dialect.V02: "unsupported"},
}
"""The error codes of both dialects, by what is wrong."""


class _Refusal(Exception):
    """A command that cannot be done; ``kind`` is a key of CODES."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class UbgiEngine:
    """One session of a bot as an engine."""

    def __init__(self, bot: str, dialect: Dialect) -> None:
        """``dialect`` is what the handshake announces; commands of both are understood."""
        self._name = bot
        self._dialect = dialect
        self._options = {SEED: "0", **{name: str(value) for name, value in _own(bot).items()}}
        self._rules: RuleSet = PRESETS["backgammon"]
        self._bot: Bot | None = None
        self._position: Position | None = None
        self._state: State | None = None
        self._turn = Side.X
        self._dice: tuple[int, int] | None = None
        self.over = False
        """Whether the host has said ``quit``."""
        self._commands: dict[str, Callable[[str], list[str]]] = {
            "ubgi": self._introduce,
            "isready": lambda _rest: ["readyok"],
            "newgame": self._new_game,
            "setoption": self._set_option,
            "set": self._set,
            "get": self._get,
            "keys": lambda _rest: self._keys(),
            "position": self._set_position,
            "dice": self._set_dice,
            "go": self._go,
            "quit": self._quit,
        }

    def handle(self, line: str) -> list[str]:
        """The lines to answer to one line; never raises on what a host may send."""
        word, _, rest = line.strip().partition(" ")
        if not word:
            return []
        try:
            command = self._commands.get(word)
            if command is None:
                raise _Refusal("command", f"{word!r} is no command")
            return command(rest.strip())
        except _Refusal as refusal:
            return [f"error {CODES[refusal.kind][self._dialect]} {refusal}"]

    # --- who we are ------------------------------------------------------------------------------

    def _introduce(self, _rest: str) -> list[str]:
        told = [
            f"id name {self._name}",
            "id author aceydeucey",
            f"id version {version('aceydeucey')}",
        ]
        if self._dialect is Dialect.V02:
            return [*told, "proto 0.2", *self._keys(), "ubgiok"]
        variants = " ".join(f"var {name}" for name in PRESETS)
        lines = [f"option name {VARIANT[0]} type combo default backgammon {variants}"]
        for name, (least, most, default) in _ranges(self._name).items():
            lines.append(f"option name {name} type spin default {default} min {least} max {most}")
        return [*told, *lines, "ubgiok"]

    def _keys(self) -> list[str]:
        lines = [f"key {VARIANT[1]} enum {'|'.join(PRESETS)} backgammon"]
        for name, (least, most, default) in _ranges(self._name).items():
            minor = " !" if name == SEED else ""
            lines.append(f"key {self._key(name)} int {least}..{most} {default}{minor}")
        return lines

    @staticmethod
    def _key(name: str) -> str:
        return f"engine.{name.lower()}"

    # --- options ---------------------------------------------------------------------------------

    def _set_option(self, rest: str) -> list[str]:
        before, _, value = rest.partition(" value ")
        if not before.startswith("name ") or not value:
            raise _Refusal("value", "expected: setoption name NAME value VALUE")
        self._assign(before.removeprefix("name ").strip(), value.strip())
        return []

    def _set(self, rest: str) -> list[str]:
        key, _, value = rest.partition(" ")
        if not value.strip():
            raise _Refusal("command", "expected: set KEY VALUE")
        self._assign(key, value.strip())
        return []

    def _assign(self, name: str, value: str) -> None:
        if name in VARIANT:
            if value not in PRESETS:
                raise _Refusal("value", f"{name} is one of {', '.join(PRESETS)}")
            self._rules = rule_set(value)
            self._forget()
            return
        option = self._option(name)
        least, most, _ = _ranges(self._name)[option]
        if not value.isascii() or not value.isdigit() or not least <= int(value) <= most:
            raise _Refusal("value", f"{name} is a number from {least} to {most}")
        self._options[option] = value
        self._bot = None

    def _option(self, name: str) -> str:
        for option in self._options:
            if name in (option, self._key(option)):
                return option
        raise _Refusal("unsupported", f"there is no option {name!r}")

    def _get(self, rest: str) -> list[str]:
        value = self._rules.name if rest in VARIANT else self._options[self._option(rest)]
        return [f"value {rest} {value}"]

    # --- the game --------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._position = self._state = self._dice = None

    def _new_game(self, _rest: str) -> list[str]:
        self._forget()
        self._bot = None
        return []

    def _set_position(self, rest: str) -> list[str]:
        form, _, text = rest.partition(" ")
        self._forget()
        try:
            match form:
                case "acey":
                    self._state = State.parse(text.strip(), self._rules)
                case "gnubgid":
                    self._turn, self._position = Side.X, decode_gnubg(text.strip(), Side.X)
                case "xgid":
                    self._position, self._turn, self._dice = decode_xgid(text.strip())
                case _:
                    raise _Refusal(
                        "value", "expected: position gnubgid, xgid or acey, then its text"
                    )
        except (PositionIdError, RulesError) as error:
            raise _Refusal("value", str(error)) from error
        return []

    def _set_dice(self, rest: str) -> list[str]:
        words = rest.split()
        if len(words) != 2 or not all(word in "123456" and len(word) == 1 for word in words):
            raise _Refusal("value", "expected: dice and two numbers 1-6")
        self._dice = (int(words[0]), int(words[1]))
        return []

    def _decision(self) -> State:
        """The state to decide in, from a position line, or from an ID and dice."""
        if self._state is not None:
            return self._state
        if self._position is None:
            raise _Refusal("state", "a position comes first")
        if self._dice is None:
            raise _Refusal("state", "dice come first")
        high, low = max(self._dice), min(self._dice)
        try:
            return State.parse(f"{self._position}:{self._turn.letter}:{high}{low}", self._rules)
        except RulesError as error:
            raise _Refusal("value", str(error)) from error

    def _go(self, rest: str) -> list[str]:
        words = rest.split()
        role = words[words.index("role") + 1] if "role" in words[:-1] else (words or ["chequer"])[0]
        if role in ("cube", "turn"):
            raise _Refusal("unsupported", f"go {role}")
        state = self._decision()
        if self._bot is None:
            options = {name: value for name, value in self._options.items() if name != SEED}
            numbers = check_bot(self._name, options, "bot")
            self._bot = ROSTER[self._name].make(int(self._options[SEED]), numbers)
        if role == "name":
            if not state.agenda or state.agenda[0] is not NAME:
                raise _Refusal("state", "no double is to be named")
            return [f"bestname {self._bot.choose_double(state)}"]
        if state.dice is None:
            raise _Refusal("state", "no dice are to be played")
        return [f"bestmove {write_move(self._bot.choose_play(state, state.legal_plays()))}"]

    def _quit(self, _rest: str) -> list[str]:
        self.over = True
        return []


def _own(bot: str) -> dict[str, int]:
    return {name: default for name, (_, _, default) in ROSTER[bot].options.items()}


def _ranges(bot: str) -> dict[str, tuple[int, int, int]]:
    return {SEED: (0, 2**31 - 1, 0), **ROSTER[bot].options}


def serve(engine: UbgiEngine, lines: Iterable[str], out: TextIO) -> None:
    """Answer lines until the host says ``quit`` or has no more to say."""
    for line in lines:
        answers = engine.handle(line)
        if answers:
            out.write("".join(f"{answer}\n" for answer in answers))
            out.flush()
        if engine.over:
            return
