"""Reading what can be read of a game that the grammar refuses. spec/notation.md §6.

The game is read line by line, each by the grammar's own rule for it. Every line that is not well
formed is a fault of its own, and the rest is kept: tags as far as they can be made out, turns up to
the first that cannot be read.
"""

import re
from io import StringIO
from typing import Final

from acey_grammar.chunks import Chunk, Line, Source, first_letter, logical_lines
from acey_grammar.explain import RESULT, TAG, TURN, explain_line
from acey_grammar.faults import Fault, NotationError, Place
from acey_grammar.items import GameBuilder
from acey_grammar.mistake import Mistake
from acey_grammar.parse import fault_of, tree_of
from acey_grammar.reading import ReadGame

_SCORE: Final = re.compile(r"[ \t]*(?:1-0|0-1|½-½)[ \t]*$")
_ROLL: Final = re.compile(r"\d[ \t-]?\d\)?[ \t]*:")
_TURN_HEAD: Final = re.compile(r"[ \t]*([1-9][0-9]{0,8})\.[ \t]*([XO])\b")
_RESULT: Final = re.compile(r"[ \t]*(?:\*|[XOxo]\b[^:]*$)")
_BROKEN_TAG: Final = re.compile(r"[ \t]*\[[ \t]*([A-Za-z][A-Za-z0-9_]*)[\s=:]*(.*)")
NO_TAGS: Final = "a game starts with its tags"
_AROUND_VALUES: Final = " \t\n]\"'“”„«»\N{LEFT SINGLE QUOTATION MARK}’"


def rule_of(line: str) -> str:
    """The rule of the grammar that a line seems meant for; empty when it is none."""
    if not line.strip(" \t\n"):
        return "blank"
    word = first_letter(line)
    if word and word in "0123456789" and not _SCORE.match(line):
        return "turn"
    rule = {"[": "tag", "#": "file_comment", "{": "comments"}.get(word, "")
    if rule:
        return rule
    if _ROLL.search(line):
        return "turn"
    return "result" if _RESULT.match(line) else ""


class _Recovery:
    """One game read line by line."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.builder = GameBuilder()
        self.faults = self.builder.faults
        self.tagged = False
        self.ended = False
        self.unread = False
        """Whether a turn or the result could not be read."""
        self.behind = False
        """Whether something behind the end was reported."""
        self.strange = False
        """Whether the last line was none that a game can have."""
        self.is_game = False
        """Whether any line was one that a game can have."""

    def run(self) -> ReadGame:
        last, last_rule, broken = Line(self.chunk.line, ""), "", False
        for number, text in logical_lines(Source(StringIO(self.chunk.text))):
            rule = rule_of(text)
            if rule == "blank":
                continue
            line = Line(number + self.chunk.line - 1, text)
            before = len(self.faults)
            self._read(rule, line)
            if rule != "file_comment":
                last, last_rule, broken = line, rule, len(self.faults) > before
        if self.is_game:
            self._end(last, last_rule, broken)
        record, places = self.builder.build()
        complete = self.ended and not self.unread
        return ReadGame(record, places, tuple(self.faults), self.chunk.line, complete)

    def _read(self, rule: str, line: Line) -> None:
        """Read one line as what it seems meant for."""
        if self.ended and rule != "file_comment":
            self._behind(line)
            return
        if not self.tagged and rule in {"turn", "comments", "result"}:
            self._add_fault(line, Mistake(_start(line.text), _words(line.text), (TAG,), NO_TAGS))
            self.tagged = True
        self.tagged = self.tagged or rule == "tag"
        if rule == "result":
            self.ended = True
        if not rule and not self.strange:
            self._add_fault(line, explain_line(line.text))
        self.strange = not rule
        if self.strange:
            return
        self.is_game = self.is_game or rule != "file_comment"
        try:
            self.builder.add(tree_of(rule, line.text, line.number), line.number)
        except NotationError as error:
            self.faults.append(error.fault)
            self._salvage(rule, line, error.fault)
            # What stands behind a comment that is never closed was meant as part of it.
            self.strange = error.fault.found.startswith("{")

    def _salvage(self, rule: str, line: Line, fault: Fault) -> None:
        """Keep what can be made out of a line that is not well formed."""
        if rule == "tag":
            shown = "".join(each if each.isprintable() else " " for each in line.text)
            match = _BROKEN_TAG.match(shown)
            if match is not None:
                value = match[2].strip(_AROUND_VALUES)
                place = Place(line.number, _start(line.text) + 1)
                self.builder.add_tag(match[1], value, place)
        elif rule == "result":
            self.unread = True
        elif rule == "turn" and not self._salvage_turn(line, fault):
            self.unread = True
            self.builder.open = False
            self._count_turn(line)

    def _count_turn(self, line: Line) -> None:
        """Check the number of a turn that could not be read, if that much can be made out."""
        head = _TURN_HEAD.match(line.text)
        if head is None:
            self.builder.lose_turn()
        else:
            self.builder.count_turn(int(head[1]), head[2], Place(line.number, head.start(1) + 1))

    def _salvage_turn(self, line: Line, fault: Fault) -> bool:
        """Whether only what stands behind the rolls is wrong, and the turn was taken without."""
        at = fault.column - 1 if fault.line == line.number else -1
        if fault.found[:1] not in {"{", "}", "!", "?"} or at < 0:
            return False
        try:
            rolls = line.text[: line.text.find("{")] if "{" in line.text[:at] else line.text[:at]
            self.builder.add(tree_of("turn", rolls.rstrip() + "\n", line.number), line.number)
        except NotationError:
            return False
        return True

    def _behind(self, line: Line) -> None:
        if not self.behind:
            mistake = Mistake(
                _start(line.text), _words(line.text), (TAG,), "the game is over here", "after-end"
            )
            self._add_fault(line, mistake)
        self.behind = True

    def _end(self, last: Line, rule: str, broken: bool) -> None:
        """Tell what is wrong with the end: the last line cut off, or the result missing."""
        if broken and not self.behind:  # what stands behind the end is too much, not too little
            fault = self.faults[-1]
            reaches = fault.column - 1 + len(fault.found) >= len(last.text.rstrip())
            in_turn = rule == "turn" and not self.ended
            if self.chunk.torn or (self.chunk.last and in_turn and reaches):
                self._cut_off()
                return
        if not self.ended and not (broken and not rule):
            self._no_result(last)

    def _no_result(self, last: Line) -> None:
        text = last.text.rstrip()
        wanted = (TURN, RESULT) if self.tagged else (TAG,)
        mistake = Mistake(len(text), "", wanted, "every game has a result line", "missing-result")
        self._add_fault(Line(last.number, text), mistake)

    def _cut_off(self) -> None:
        """The last line of a file is broken and no result follows: it was cut off there."""
        fault = self.faults[-1]
        self.faults[-1] = Fault(
            kind="cut-off",
            line=fault.line,
            column=fault.column,
            message=f"{fault.message}; the text ends in this line, the rest is missing",
            found=fault.found,
            expected=fault.expected,
        )

    def _add_fault(self, line: Line, mistake: Mistake) -> None:
        self.faults.append(fault_of(mistake, line.text, line.number))


def _start(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _words(text: str) -> str:
    return text.strip().partition("\n")[0]


def recover(chunk: Chunk) -> tuple[ReadGame, bool]:
    """Read what can be read of a game that the grammar refuses.

    Also tells whether there is a game at all, and not only lines that belong to none.
    """
    recovery = _Recovery(chunk)
    return recovery.run(), recovery.is_game
