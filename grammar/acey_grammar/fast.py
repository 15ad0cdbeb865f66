"""Well-formed games read by regular expressions, many times faster than by the grammar's parser.

The expressions are made of the terminals of notation.lark. Whatever they do not take, right or
wrong, goes to the parser, which decides; tests hold the two equal on good and on broken text.
"""

import re
from functools import cache
from typing import Final, NamedTuple, cast

from acey_grammar.grammar import pattern
from acey_grammar.items import BLANKS, MARKS, result_of, tag_of
from acey_grammar.record import (
    FileComment,
    GameRecord,
    Glyph,
    Result,
    RollRecord,
    SideName,
    TurnRecord,
)

_COMMENT: Final = re.compile(r"\{([^}]*)\}")


class Head(NamedTuple):
    """What stands before the turns of a game."""

    tags: tuple[tuple[str, str], ...]
    file_comments: tuple[FileComment, ...]
    end: int
    """Where the rest of the text starts."""


class _Expressions(NamedTuple):
    head: re.Pattern[str]
    turn: re.Pattern[str]
    result: re.Pattern[str]


@cache
def _expressions() -> _Expressions:
    """The lines of a game, made of the terminals."""
    blanks = f"[{BLANKS}]*"
    note = f"(?:{pattern('COMMENT')}|{pattern('TIME')})"
    roll = f"{pattern('DICE')}{blanks}{pattern('PLAY')}"
    turn = (
        rf"([1-9][0-9]{{0,8}})\.{blanks}([XO]){blanks}({roll}(?:{blanks},{blanks}{roll})*){blanks}"
        rf"({pattern('GLYPH')})?{blanks}((?:{note}{blanks})*)"
    )
    return _Expressions(
        re.compile(rf"[{BLANKS}\n]*(?:({pattern('TAG')})|{pattern('FILE_COMMENT')}){blanks}\n"),
        re.compile(turn),
        re.compile(rf"({pattern('RESULT')}){blanks}"),
    )


def read_head(text: str) -> Head | None:
    """The tags of a game and the file comments among them; None without a tag.

    None as well where a tag comes twice, which may be two games run into one.
    """
    line_at = _expressions().head.match
    tags: list[tuple[str, str]] = []
    names: set[str] = set()
    comments: list[FileComment] = []
    end = 0
    while line := line_at(text, end):
        if line[1] is None:
            comments.append(FileComment(line[0].lstrip()[1:-1], len(tags)))
        else:
            tag = tag_of(line[1])
            if tag[0] in names:
                return None
            names.add(tag[0])
            tags.append(tag)
        end = line.end()
    if not tags:
        return None
    return Head(tuple(tags), tuple(comments), end)


def fast_game(text: str) -> GameRecord | None:
    """The one game that the text is, or None where it is for the parser to say.

    The text ends in a line feed and has no other line ends. Taken are games whose every turn
    stands on a line of its own with its comments.
    """
    head = read_head(text)
    if head is None:
        return None
    lines = text[head.end :].split("\n")
    return _Game(head).read(lines)


class _Game:
    """A game being read line by line."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.turns: list[TurnRecord] = []
        self.comments = list(head.file_comments)
        self.result: Result | None = None

    def read(self, lines: list[str]) -> GameRecord | None:
        turn_at = _expressions().turn.fullmatch
        add = self.turns.append
        starter, side, number = "", "", 0
        ended = False
        for line in lines:
            match = turn_at(line)
            if match is None:
                if line[:1] == "#":
                    self._comment(line, ended)
                elif not line.strip(BLANKS):
                    continue
                elif ended or not self._end(line):
                    return None
                else:
                    ended = True
                continue
            told, turn_side, rolls, glyph, notes = match.groups()
            starter = starter or turn_side
            number += turn_side == starter
            if ended or turn_side == side or told != str(number):
                return None
            side = turn_side
            turn = _turn(side, rolls, glyph or "", notes)
            if turn is None:
                return None
            add(turn)
        if not ended:
            return None
        return GameRecord(self.head.tags, tuple(self.turns), self.result, (), tuple(self.comments))

    def _comment(self, line: str, ended: bool) -> None:
        after = len(self.head.tags) + len(self.turns) + ended
        self.comments.append(FileComment(line[1:], after))

    def _end(self, line: str) -> bool:
        match = _expressions().result.fullmatch(line)
        if match is not None:
            self.result = result_of(match[1])
        return match is not None


def _turn(side: str, rolls: str, glyph: str, notes: str) -> TurnRecord | None:
    """The turn of a line; None where its notes are for the parser to judge."""
    records = tuple([_roll(roll) for roll in rolls.split(",")])
    seconds: float | None = None
    comments: tuple[str, ...] = ()
    if notes:
        found: list[str] = _COMMENT.findall(notes)
        times = [note for note in found if note[:2] == "%t" and note[2:3] in BLANKS]
        if len(times) > 1:
            return None
        if times:
            seconds = float(times[0][2:])
            found.remove(times[0])
        comments = tuple(found)
    return TurnRecord(cast("SideName", side), records, cast("Glyph", glyph), seconds, comments)


def _roll(text: str) -> RollRecord:
    dice, _, play = text.partition(":")
    dice = dice.strip(BLANKS)
    play = play.strip(BLANKS)
    if "  " in play or "\t" in play:
        play = " ".join(play.split())
    if len(dice) == 2:
        return RollRecord(dice, play)
    return RollRecord(dice[1:], play, MARKS[dice[0]])
