"""The record that grows while a game is replayed. spec/formats/README.md §4."""

import re
from typing import Final

from acey_grammar.formats.ending import Ending
from acey_grammar.formats.raw import RawGame, Rolled
from acey_grammar.formats.verdict import SIDE_NAMES
from acey_grammar.record import (
    GameRecord,
    Glyph,
    HowName,
    Result,
    RollKind,
    RollRecord,
    TurnRecord,
)
from acey_grammar.tags import KNOWN
from acey_rules import RuleSet, Side

_HOW: Final[dict[str, HowName]] = {"play": "play", "time": "time", "forfeit": "forfeit"}


RESERVED: Final = (*KNOWN, "Cube", "Points")
"""Names of tags that mean something to us, so that a file cannot use them as it likes."""
_OPENING: Final = re.compile(r"(?:([1-6])-\1 )*[1-6]-[1-6]")


class _Turn:
    """A turn in the making."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.rolls: list[RollRecord] = []
        self.glyph: Glyph = ""
        self.seconds: float | None = None
        self.comments: list[str] = []

    def record(self) -> TurnRecord:
        side, rolls, comments = SIDE_NAMES[self.side], tuple(self.rolls), tuple(self.comments)
        return TurnRecord(side, rolls, self.glyph, self.seconds, comments)


class Recording:
    """A record in the making."""

    def __init__(self, raw: RawGame, rules: RuleSet) -> None:
        """Begin the record of a game."""
        self.raw = raw
        self.rules = rules
        self.turns: list[_Turn] = []
        self.comments: list[str] = []
        self.losses: list[str] = []
        self.closed = False
        """Whether nothing that follows can be recorded."""

    def roll(self, side: Side, roll: Rolled, kind: RollKind, play: str, starts: bool) -> None:
        """Write down a roll and its play; ``starts``: it is the first of a turn."""
        if self.closed:
            return
        if starts or not self.turns:
            self.turns.append(_Turn(side))
        entry = RollRecord(f"{roll.dice[0]}{roll.dice[1]}", play, kind)
        self.turns[-1].rolls.append(entry)

    def remark(self, text: str) -> None:
        """Write down a comment on the turn before, or on the game."""
        safe = text.replace("{", "(").replace("}", ")").replace("\r", "")
        if safe != text:
            self.lose("braces in a comment: written as round brackets")
        if safe.startswith("%"):
            safe = " " + safe
        self._comment(safe)

    def mark(self, glyph: Glyph) -> None:
        """Write down a judgement on the turn before."""
        if self.turns and not self.closed:
            self.turns[-1].glyph = glyph

    def took(self, seconds: float) -> None:
        """Write down how long the turn before took."""
        if self.turns and not self.closed:
            self.turns[-1].seconds = seconds

    def command(self, text: str) -> None:
        """Write down a command to programs."""
        self._comment(f"%{text}")

    def _comment(self, text: str) -> None:
        if not self.closed:
            (self.turns[-1].comments if self.turns else self.comments).append(text)

    def close(self, what: str) -> None:
        """Record nothing further; ``what`` is lost by that."""
        if not self.closed:
            self.closed = True
            self.lose(what)

    def lose(self, what: str) -> None:
        """Say once that something cannot be recorded."""
        if what not in self.losses:
            self.losses.append(what)

    def _free_name(self, name: str, value: str) -> str:
        """The name of a tag of the file, changed where the name means something to us."""
        if name == "Opening" and self._opened_by(value):
            return name
        return f"Header{name}" if name in RESERVED else name

    def _opened_by(self, value: str) -> bool:
        """Whether opening dice, X's first, fit the first roll of the game."""
        if not self.turns or not _OPENING.fullmatch(value):
            return False
        dice = (int(value[-3]), int(value[-1]))
        first = self.turns[0]
        starter = Side.X if dice[0] > dice[1] else Side.O
        rolled = sorted(map(int, first.rolls[0].dice)) == sorted(dice)
        return starter == first.side and (rolled or self.rules.opening == "reroll")

    def record(self, ending: Ending) -> GameRecord:
        """The record, complete."""
        raw = self.raw
        tags = [("X", raw.players[0] or "?"), ("O", raw.players[1] or "?")]
        tags.append(("Rules", self.rules.name))
        if self.rules.name == "custom":
            tags.append(("RuleSet", self.rules.fields_text()))
        if raw.match is not None:
            tags.append(("Match", str(raw.match)))
        if raw.score is not None:
            won = bool(raw.match) and max(raw.score) >= (raw.match or 0)
            # A score at which the match is over cannot be; it is kept, but not as the score.
            tags.append(("HeaderScore" if won else "Score", f"{raw.score[0]}-{raw.score[1]}"))
        if raw.start:
            first = next((item.side for item in raw.items if isinstance(item, Rolled)), None)
            turn = first if raw.turn is None else raw.turn
            tags.append(("Position", f"{raw.start}:{(turn or Side.X).letter}:R"))
        tags += [(self._free_name(name, value), value) for name, value in raw.tags]
        if ending.cube != 1:
            tags.append(("Cube", str(ending.cube)))
        result = ending.stated
        if result is None and ending.winner is not None and ending.record_points is not None:
            how = _HOW.get(ending.how, "resignation")
            result = Result(SIDE_NAMES[ending.winner], ending.record_points, how)
            if ending.points is not None and ending.points != ending.record_points:
                tags.append(("Points", str(ending.points)))
        clean = tuple((name, re.sub(r"[\r\n]+", " ", value)) for name, value in tags)
        turns = tuple([turn.record() for turn in self.turns])
        return GameRecord(clean, turns, result, tuple(self.comments))
