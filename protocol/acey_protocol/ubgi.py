"""The Universal Backgammon Interface as text, both dialects, with acey-deucey. spec/engines.md.

Lines only: who writes them to whom, and how long one waits, is the arena's business. A host is a
program that asks, an engine one that answers.
"""

import re
from enum import Enum
from typing import Final, Literal, NamedTuple

from acey_grammar.faults import NotationError
from acey_grammar.parse import parse_play
from acey_protocol.position_id import encode_gnubg
from acey_rules import BAR, NAME, OFF, UNENTERED, Play, RuleSet, Side, State, WrittenPlay

VARIANT: Final = ("Variant", "game.variant")
"""The option that says which rules are played, in 0.1 and in 0.2."""
PASS: Final = "pass"
"""The payload of ``bestmove`` when nothing can be played."""


class UbgiError(ValueError):
    """A line that says nothing in either dialect, or not what is asked for."""


class Dialect(Enum):
    """The version of the interface an engine speaks; the host follows."""

    V01 = "0.1"
    V02 = "0.2"


class EngineOption(NamedTuple):
    """Something an engine can be told before a game."""

    name: str
    kind: Literal["int", "bool", "choice", "text"]
    default: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: str) -> None:
        """Raise UbgiError when the engine says it cannot take this value."""
        if self.kind == "int":
            if not re.fullmatch(r"-?\d+", value):
                raise UbgiError(f"{self.name} is a whole number, not {value!r}")
            low, high = self.least, self.most
            if (low is not None and int(value) < low) or (high is not None and int(value) > high):
                raise UbgiError(f"{self.name} is from {low} to {high}, not {value}")
        elif self.kind == "bool" and value not in ("true", "false"):
            raise UbgiError(f"{self.name} is true or false, not {value!r}")
        elif self.kind == "choice" and value not in self.choices:
            raise UbgiError(f"{self.name} is one of {', '.join(self.choices)}, not {value!r}")


class Handshake:
    """What an engine says of itself between ``ubgi`` and ``ubgiok``."""

    def __init__(self) -> None:
        """Nothing is known before the first line."""
        self.name = ""
        self.author = ""
        self.dialect = Dialect.V01
        self.options: dict[str, EngineOption] = {}

    def feed(self, line: str) -> bool:
        """Take a line; True when it ends the handshake. Raises UbgiError on a bad option line."""
        word, _, rest = line.strip().partition(" ")
        if word == "id":
            key, _, value = rest.partition(" ")
            if key == "name":
                self.name = value.strip()
            elif key == "author":
                self.author = value.strip()
        elif word == "proto":
            if rest.strip() not in {dialect.value for dialect in Dialect}:
                raise UbgiError(
                    f"the engine speaks version {rest.strip()!r}; 0.1 and 0.2 are known"
                )
            self.dialect = Dialect(rest.strip())
        elif word in ("option", "key"):
            option = parse_option(line) if word == "option" else parse_key(line)
            self.options[option.name] = option
        return word == "ubgiok"

    @property
    def variants(self) -> tuple[str, ...]:
        """The rule sets the engine says it plays; plain backgammon when it says nothing."""
        for name in VARIANT:
            if name in self.options:
                return self.options[name].choices
        return ("backgammon",)


def parse_option(line: str) -> EngineOption:
    """Read ``option name Ply type spin default 1 min 0 max 7`` (0.1). Raises UbgiError."""
    found = re.fullmatch(r"option name (.+?) type (\S+)\s*(.*)", line.strip())
    if found is None:
        raise UbgiError(f"{line!r} is no option line; one is 'option name N type T default V …'")
    name, kind, rest = found.groups()
    words = re.split(r"(?:^|\s)(default|min|max|var)(?=\s|$)", rest)
    pairs = [(word, text.strip()) for word, text in zip(words[1::2], words[2::2], strict=True)]
    values = dict(pairs)
    default = values.get("default", "")
    if kind == "spin":
        least, most = (_whole(values.get(key), line) for key in ("min", "max"))
        return EngineOption(name, "int", default, least, most)
    if kind == "check":
        return EngineOption(name, "bool", default)
    if kind == "combo":
        choices = tuple(text for word, text in pairs if word == "var")
        return EngineOption(name, "choice", default, choices=choices)
    if kind in ("string", "button"):
        return EngineOption(name, "text", default)
    raise UbgiError(f"{line!r}: {kind!r} is none of spin, check, combo, string")


def parse_key(line: str) -> EngineOption:
    """Read ``key engine.ply int 1..4 1 ! words`` (0.2). Raises UbgiError."""
    words = line.split()
    if len(words) < 4:
        raise UbgiError(f"{line!r} is no key line; one is 'key NAME TYPE RANGE DEFAULT'")
    _, name, kind, *rest = words
    if kind == "int":
        bounds = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", rest[0])
        if bounds:
            default = rest[1] if len(rest) > 1 else ""
            return EngineOption(name, "int", default, int(bounds[1]), int(bounds[2]))
        return EngineOption(name, "int", rest[1] if rest[0] == "*" and len(rest) > 1 else rest[0])
    if kind == "bool":
        return EngineOption(name, "bool", rest[1] if "|" in rest[0] and len(rest) > 1 else rest[0])
    if kind == "enum":
        default = rest[1] if len(rest) > 1 else ""
        return EngineOption(name, "choice", default, choices=tuple(rest[0].split("|")))
    if kind == "string":
        return EngineOption(name, "text", rest[1] if rest[0] == "*" and len(rest) > 1 else rest[0])
    raise UbgiError(f"{line!r}: {kind!r} is none of int, bool, enum, string")


def _whole(text: str | None, line: str) -> int | None:
    if text is None:
        return None
    if not re.fullmatch(r"-?\d+", text):
        raise UbgiError(f"{line!r}: {text!r} is no whole number")
    return int(text)


# --- what a host says ---------------------------------------------------------------------------


def set_line(dialect: Dialect, name: str, value: str) -> str:
    """The line that sets an option."""
    if dialect is Dialect.V02:
        return f"set {name} {value}"
    return f"setoption name {name} value {value}"


def variant_name(dialect: Dialect) -> str:
    """The name of the option for the rules."""
    return VARIANT[dialect is Dialect.V02]


def is_plain(rules: RuleSet) -> bool:
    """Whether plain UBGI can say every position and decision of the rule set."""
    return rules.setup == "backgammon" and not rules.acey_bonus


def position_lines(state: State) -> list[str]:
    """The lines that say the position and the dice of a decision."""
    if not is_plain(state.rules):
        return [f"position acey {state}"]
    lines = [f"position gnubgid {encode_gnubg(state.position, state.turn)}"]
    if state.dice:
        lines.append(f"dice {state.dice[0]} {state.dice[1]}")
    return lines


def go_line(dialect: Dialect, state: State, milliseconds: int | None) -> str:
    """The line that asks for the decision due; the time left is said where the dialect can."""
    role = "name" if state.agenda[0] is NAME else "chequer"
    if dialect is Dialect.V02:
        return f"go {role}"
    return f"go role {role}" + (f" movetime {milliseconds}" if milliseconds is not None else "")


# --- what an engine answers ---------------------------------------------------------------------

_STEP: Final = re.compile(r"(bar|off|[1-9]|1\d|2[0-5])[/-](off|0|[1-9]|1\d|2[0-4])")
_NUMBERS: Final = {"bar": BAR, "off": UNENTERED} | {str(point): point for point in range(1, 25)}


def read_move(payload: str, state: State) -> Play | WrittenPlay:
    """The play that the payload of ``bestmove`` means: steps, ``pass``, or any notation of ours.

    Single steps with the dice that lead to where a legal play leads are that play; anything else is
    returned as written, for State.find to judge. Raises UbgiError when it is no play at all.
    """
    text = payload.strip()
    if text in ("", PASS, "-"):
        return WrittenPlay(())
    # Most engines write single steps as canonical text does, which need not be carried out.
    if (found := state.find_text(text)) is not None:
        return found
    steps = _steps(text, state)
    reached = _carried_out(steps, state) if steps is not None else None
    if reached is not None and (found := state.find_result(reached)) is not None:
        return found
    try:
        return parse_play(_translated(text, state))
    except NotationError as error:
        raise UbgiError(f"{payload.strip()!r} is no play: {error.message}") from error


def _steps(text: str, state: State) -> list[tuple[int, int]] | None:
    """Source and target of each step, or None when the text holds more than single steps."""
    steps: list[tuple[int, int]] = []
    for word in text.split():
        found = _STEP.fullmatch(word)
        if found is None:
            return None
        source, target = found.groups()
        start = _entry(state) if source == "25" else _NUMBERS[source]
        steps.append((start, OFF if target in ("off", "0") else int(target)))
    return steps


def _carried_out(steps: list[tuple[int, int]], state: State) -> bytes | None:
    """The packed position after the steps; None where a step is not one die, or is blocked."""
    dice, side = state.dice or (), state.turn
    sign = 1 if side is Side.X else -1
    packed = bytearray(state.position.packed)
    for source, target in steps:
        if target != OFF and min(source, UNENTERED) - target not in dice:
            return None
        if source == UNENTERED:
            packed[26 + side] = (packed[26 + side] - 1) & 0xFF
        else:
            index = min(source, 25) if sign > 0 else 25 - min(source, 25)
            packed[index] = (packed[index] - sign) & 0xFF
        if target == OFF:
            continue
        index = target if sign > 0 else 25 - target
        there = sign * (packed[index] - 256 if packed[index] > 127 else packed[index])
        if there < -1:
            return None
        if there == -1:
            bar = 0 if sign > 0 else 25
            packed[index] = 0
            packed[bar] = (packed[bar] - sign) & 0xFF
        packed[index] = (packed[index] + sign) & 0xFF
    return bytes(packed)


def _entry(state: State) -> int:
    """What 25 means as a source: the bar while a checker is on it, else a checker not in play."""
    return BAR if state.position.on_bar(state.turn) else UNENTERED


def _translated(text: str, state: State) -> str:
    """Engine notation as ours: ``25`` for bar or unentered, ``0`` for off, dashes for slashes."""
    entry = "bar" if _entry(state) == BAR else "off"
    text = re.sub(
        r"(?<![\d])25(?=[/-])", entry, text.replace("-", "/") if "/" not in text else text
    )
    return re.sub(r"(?<=/)0(?!\d)", "off", text)


def write_move(play: Play) -> str:
    """A play as the payload of ``bestmove``: single steps without hits, or ``pass``."""
    return " ".join(str(move._replace(hit=False)) for move in play.moves) or PASS


def read_name(payload: str) -> int:
    """The number of ``bestname 6``. Raises UbgiError."""
    text = payload.strip()
    if text not in ("1", "2", "3", "4", "5", "6"):
        raise UbgiError(f"{text!r} is no number to name; one is 1-6")
    return int(text)
