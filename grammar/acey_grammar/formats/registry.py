"""The formats by name, and which of them a text is. spec/formats/README.md §2."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from types import ModuleType
from typing import BinaryIO, Final, NamedTuple

from acey_grammar.formats import (
    bgammon,
    bgammon_writer,
    fibs,
    fibs_writer,
    mat,
    mat_writer,
    plain,
    plain_writer,
    sgf,
    sgf_writer,
)
from acey_grammar.formats.games import GAME_LIMIT, LINE_LIMIT, Split, split_games
from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.raw import Chunk, Line, RawGame
from acey_grammar.formats.replay import Replay, replay
from acey_grammar.formats.score import Tally
from acey_grammar.formats.telling import Held
from acey_grammar.formats.verdict import Verdict
from acey_rules import PRESETS, RuleSet

LOOKED_AT: Final = 2000
"""Lines that are looked at to find out the format of a file."""
_TAG: Final = re.compile(r"\s*\[\s*(?:[A-Za-z]\w*\s*[=:]?\s*[\"“”„'«]|(?:X|O|Rules)\s)")
"""A tag of our notation, also one that is not well formed."""
_TURN: Final = re.compile(r"\s*[0-9]+\.\s*[XO]\s*[1-6][1-6]:")
"""A line that both our notation and a list of plays can have."""


class Format(NamedTuple):
    """A foreign format."""

    name: str
    """As options and verdicts name it."""
    title: str
    """What it is, for people."""
    ending: str
    """The usual ending of its files, with the dot."""
    matches: Callable[[str], bool]
    """Whether a line is one that only this format has."""
    split_lines: Split
    """Cuts the lines of a file into games."""
    read_chunk: Callable[[Chunk], RawGame]
    """Reads one of them."""
    write: Callable[[Iterable[RawGame]], Iterator[str]]
    """The text of games; notes in each what the format cannot hold. Raises UnsupportedError."""
    held: Held
    """What the format can hold."""
    long_lines: bool
    """Whether a line may be as long as a game."""

    def split(self, lines: Iterable[Line]) -> Iterator[Chunk]:
        """The games of a file, one after the other, none longer than one can be."""
        return split_games(self.split_lines, lines, self.long_lines)

    def read(self, chunk: Chunk) -> RawGame:
        """The game that a chunk tells."""
        game = self.read_chunk(chunk)
        game.faults += chunk.faults
        game.broken = game.broken or chunk.cut
        return game


def _format(name: str, title: str, ending: str, reader: ModuleType, writer: ModuleType) -> Format:
    return Format(
        name,
        title,
        ending,
        reader.matches,
        reader.split,
        reader.read,
        writer.write,
        writer.HELD,
        long_lines=name == "sgf",
    )


FORMATS: Final = {
    form.name: form
    for form in (
        _format("sgf", "SGF GM[6]", ".sgf", sgf, sgf_writer),
        _format("bgammon", "bgammon.org replay", ".match", bgammon, bgammon_writer),
        _format("fibs", "FIBS oldmoves", ".fibs", fibs, fibs_writer),
        _format("mat", "Jellyfish match", ".mat", mat, mat_writer),
        _format("plain", "list of plays", ".txt", plain, plain_writer),
    )
}
"""The foreign formats, in the order in which a line is tried."""
TEXT_FORMATS: Final = ("acey", *FORMATS)
"""Every format that is lines of text."""


def format_of_line(text: str) -> str | None:
    """The name of the only format that has such a line; None when it tells nothing."""
    if _TAG.match(text):
        return "acey"
    if _TURN.match(text):
        return None
    short = text[:LINE_LIMIT]
    for form in FORMATS.values():
        if form.matches(text if form.long_lines else short):
            return form.name
    return None


def sniff(lines: Iterable[Line]) -> tuple[str | None, Iterator[Line]]:
    """The format of some lines, and the same lines again from the first.

    Lines of our notation keep the blanks at their ends, which a comment may hold.
    """
    rest = iter(lines)
    head: list[Line] = []
    size = 0
    for line in rest:
        head.append(line)
        size += len(line.text) + 1
        name = format_of_line(line.text)
        if name == "acey":
            # Whoever cuts at results looks for '*' alone.
            kept = (each if each.text == "*" else each.whole for each in chain(head, rest))
            return name, kept
        if name is not None:
            return name, chain(head, rest)
        if len(head) >= LOOKED_AT or size > GAME_LIMIT:
            break
    name = "plain" if any(_TURN.match(line.text) for line in head) else None
    return name, chain(head, rest)


def read_foreign(
    stream: BinaryIO, form: str = "auto", rules: RuleSet | None = None
) -> Iterator[Verdict]:
    """Every game of a file in a foreign format, judged one by one, its scores followed.

    Nothing for a text of no foreign format; ``sniff`` tells. What is wrong with the bytes is for
    ``TextLines`` to tell.
    """
    told, lines = sniff(TextLines(stream))
    name = (told or "") if form == "auto" else form
    if name not in FORMATS:
        return
    tally = Tally()
    for number, chunk in enumerate(FORMATS[name].split(lines), 1):
        verdict = judge(chunk, rules)
        verdict.game = number
        tally.check(verdict)
        yield verdict


def judge(chunk: Chunk, rules: RuleSet | None = None) -> Verdict:
    """Read one game and replay it, under ``rules`` or those of its format.

    With faults, the verdict names the other rule sets, if any, that replay it clean.
    """
    return judge_raw(FORMATS[chunk.format].read(chunk), rules)


def judge_raw(raw: RawGame, rules: RuleSet | None = None) -> Verdict:
    """Replay a game that has been read; see ``judge``."""
    if not raw.rules:
        return Verdict(
            line=raw.place.line,
            format=raw.format,
            rules="",
            players=raw.players,
            match=raw.match,
            faults=tuple(raw.faults),
            notices=tuple(raw.notices),
        )
    under = rules or PRESETS[raw.rules]
    verdict = replay(raw, under)
    if verdict.faults and not raw.faults:
        verdict.clean_under = clean_rule_sets(raw, under)
    return verdict


def clean_rule_sets(raw: RawGame, besides: RuleSet | None = None) -> tuple[str, ...]:
    """The presets under which the game has no fault, ``besides`` left out."""
    others = (rules for rules in PRESETS.values() if rules != besides)
    return tuple(rules.name for rules in others if Replay(raw, rules).clean())
