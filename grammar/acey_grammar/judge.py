"""Games of a file read and validated in one go, which is many times faster for sound games.

A game that is written canonically and without a fault is scanned and replayed in C (scan.py), where
that is compiled; any other goes by the grammar and ``validate``, and both come to the same.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, TextIO

from acey_grammar.agendas import AgendaTable, agenda_table
from acey_grammar.fast import Head, read_head
from acey_grammar.games import Region, first_line, read_by, read_fast, read_region
from acey_grammar.places import Places
from acey_grammar.reading import ReadGame
from acey_grammar.record import GameRecord, HowName, Result, RollRecord, SideName, TurnRecord
from acey_grammar.tags import TagsRead, read_tags
from acey_grammar.validate import Validation, ended, validate
from acey_rules import How, Outcome, Position, RuleSet, Side, State, generator
from acey_rules.score import score

_SIDES: Final[tuple[SideName, SideName]] = ("X", "O")
_HOWS: Final[tuple[HowName, ...]] = ("play", "resignation", "time", "forfeit")
_FIRST: Final = re.compile(r"^[ \t]*1\.[ \t]*([XO])[ \t]*([1-6][1-6]):", re.M)


def scanner_compiled() -> bool:
    """Whether the scanner serves: it was compiled, and so was the kernel that it asks."""
    return generator.is_extension("acey_grammar.scan") and generator.NAME == "kernel"


scan: "Callable[..., tuple[bytes, int, int, int, int, int, int, int] | None] | None" = None
if scanner_compiled():
    from acey_grammar.scan import scan


class JudgedGame:
    """One game of a file, validated; its record is made when it is asked for."""

    __slots__ = ("_read", "_region", "first", "line", "result", "tags", "validation")

    tags: tuple[tuple[str, str], ...]
    first: SideName | None
    """Who had the first turn."""
    result: Result | None
    line: int
    """The line its first tag stands on."""
    validation: Validation

    def __init__(self, read: ReadGame, validation: Validation) -> None:
        """Take a game that was read in full."""
        self._read: ReadGame | None = read
        self._region: Region | None = None
        record = read.record
        self.tags = record.tags
        self.first = record.turns[0].side if record.turns else None
        self.result = record.result
        self.line = read.line
        self.validation = validation

    @classmethod
    def scanned(
        cls,
        region: Region,
        tags: tuple[tuple[str, str], ...],
        first: SideName | None,
        result: Result | None,
        validation: Validation,
    ) -> "JudgedGame":
        """A game of which only the outcome is known as yet."""
        game = cls.__new__(cls)
        game._read, game._region = None, region
        game.tags, game.first, game.result = tags, first, result
        game.line = first_line(region)
        game.validation = validation
        return game

    @property
    def read(self) -> ReadGame:
        """The game with its record and its places."""
        if self._read is None:
            assert self._region is not None
            self._read = read_region(self._region)
        return self._read


def judge_games(path: str | Path, rules: RuleSet | None = None) -> Iterator[JudgedGame]:
    """The games of a file in UTF-8, each validated; ``rules`` override those they name.

    Raises OSError when the file cannot be read, UnicodeDecodeError when it is no UTF-8.
    """
    with Path(path).open(encoding="utf-8", newline="") as file:
        yield from judge_acey(file, str(path), rules)


def judge_acey(file: TextIO, name: str = "", rules: RuleSet | None = None) -> Iterator[JudgedGame]:
    """The games of a file in this notation, each validated; see ``read_acey``."""
    for game in read_by(file, partial(_scanned, rules), name):
        yield game if isinstance(game, JudgedGame) else JudgedGame(game, validate(game, rules))


def _scanned(rules: RuleSet | None, region: Region) -> JudgedGame | None:
    """The game, when it can be scanned and nothing is wrong with it."""
    if scan is None:
        game = read_fast(region)
        return None if game is None else JudgedGame(game, validate(game, rules))
    head = read_head(region.text)
    if head is None:
        return None
    body = region.text[head.end :]
    tags = _read_tags(head, body, rules)
    start = tags.start
    if tags.faults or tags.rules is None or start is None or start.outcome is not None:
        return None
    table = agenda_table(tags.rules)
    agenda = table.numbers[start.agenda]
    found = scan(body, start.position.packed, start.turn, agenda, table.rows, tags.rules.overshoot)
    if found is None:
        return None
    packed, side, agenda, turns, rolls, winner, points, how = found
    result = None
    if winner >= 0:
        result = Result(_SIDES[winner], points, _HOWS[how])
    state = _state(tags.rules, packed, Side(side), agenda, table)
    state, wrong = ended(state, ReadGame(GameRecord(head.tags, (), result)))
    if wrong:
        return None
    validation = Validation((), tags.rules, state, turns, rolls)
    first = start.turn.name if turns else None
    return JudgedGame.scanned(region, head.tags, first, result, validation)


def _read_tags(head: Head, body: str, rules: RuleSet | None) -> TagsRead:
    """What the tags say; the first turn tells who starts where the opening dice do not."""
    turns: tuple[TurnRecord, ...] = ()
    first = _FIRST.search(body)
    if first is not None:
        side: SideName = "X" if first[1] == "X" else "O"
        turns = (TurnRecord(side, (RollRecord(first[2], "-"),)),)
    return read_tags(GameRecord(head.tags, turns), Places(), rules)


def _state(rules: RuleSet, packed: bytes, side: Side, agenda: int, table: AgendaTable) -> State:
    """The state a scan has come to."""
    position = Position(packed)
    if agenda >= 0:
        return State(rules, position, side, table.agendas[agenda])
    won = Outcome(side, score(rules, position, side.other), How.BORNE_OFF)
    return State(rules, position, side, (), won)
