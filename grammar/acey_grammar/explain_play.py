"""What is wrong with the text of a play, in the terms of the notation. spec/notation.md §3, §8.

Only text that the grammar has refused comes here; nothing here decides what is accepted.
"""

import re
from collections.abc import Iterator
from typing import Final

from acey_grammar.mistake import Mistake, fits

PLAY: Final = "a play as 'off/19 off/22', or '-'"
MOVE: Final = "a move as '13/7' or 'off/19'"
SOURCE: Final = "a point 1-24, 'bar' or 'off'"
STOP: Final = "a point 1-24 or 'off'"
SLASH: Final = "'/' and where the checker goes"
REPEAT: Final = "a count from (2) to (4)"

_NOTHING: Final = re.compile(r"none|pass|no|nothing|forfeits?|cannot|can't|danced?|0|–|—|--", re.I)
_SEPARATORS: Final = re.compile(r"->|[-–—>\\:.|]")
_PLACES: Final = {"b": "bar", "bar": "bar", "25": "bar", "off": "off", "o": "off", "0": "off"}
_WORD: Final = re.compile(r"\S+")
_REPEAT: Final = re.compile(r"\((\d*)\)")
_LONGEST_SOURCE: Final = len("off")


def words_of(text: str) -> Iterator[tuple[int, str]]:
    """The words between blanks, each with its offset."""
    for word in _WORD.finditer(text):
        yield word.start(), word[0]


def explain_play(text: str) -> Mistake | None:
    """The first mistake in the text of a play; None when it is well formed."""
    words = list(words_of(text))
    if not words:
        return Mistake(len(text), "", (PLAY,))
    if len(words) == 1 and words[0][1] == "-":
        return None
    for index, (offset, word) in enumerate(words):
        mistake = _explain_word(word, alone=len(words) == 1)
        if mistake is not None and fits("SOURCE", word) and index + 1 < len(words):
            slashed = f"{word}/{words[index + 1][1]}"
            hint = f"write '{slashed}'" if fits("MOVE", slashed) else ""
            mistake = Mistake(len(word), " ", ("'/'",), hint)
        if mistake is not None:
            return mistake.moved(offset)
    return None


def _explain_word(word: str, alone: bool) -> Mistake | None:
    if fits("MOVE", word):
        return None
    if word == "-":
        return Mistake(0, word, (MOVE,), "'-' stands alone: no move at all")
    if _NOTHING.fullmatch(word):
        return Mistake(0, word, (PLAY if alone else MOVE,), "a roll that cannot be played is '-'")
    if word in {"*", "x", "X"}:
        return Mistake(0, word, (MOVE,), "a hit is marked with '*' right after its point: '13/7*'")
    if word[0] == "(" and not _REPEAT.match(word):
        return Mistake(0, word, (MOVE,), "a comment stands in braces")
    if _REPEAT.match(word):
        return Mistake(0, word, (MOVE,), "a count stands right after its move: '13/7(2)'")
    if word.endswith((",", ";")) and fits("MOVE", word[:-1]):
        hint = "moves are separated by blanks"
        return Mistake(len(word) - 1, word[-1], ("a blank and another move",), hint)
    if "/" not in word:
        return _no_slash(word)
    return _explain_parts(word)


def _no_slash(word: str) -> Mistake:
    """A word that is meant as a move but has no slash in it."""
    separator = _SEPARATORS.search(word)
    if separator is not None and separator.start() > 0:
        slashed = _SEPARATORS.sub("/", word)
        if fits("MOVE", slashed):
            return Mistake(separator.start(), separator[0], ("'/'",), f"write '{slashed}'")
    if fits("SOURCE", word):
        return Mistake(len(word), "", (SLASH,), f"'{word}' is where a checker comes from")
    for cut in range(1, min(len(word), _LONGEST_SOURCE + 1)):
        slashed = f"{word[:cut]}/{word[cut:]}"
        if fits("SOURCE", word[:cut]) and fits("MOVE", slashed):
            return Mistake(cut, word[cut:], ("'/'",), f"write '{slashed}'")
    return Mistake(0, word, (MOVE,))


def _explain_parts(word: str) -> Mistake | None:
    """A word with slashes: its places, hit marks and count, one after the other."""
    path, bracket, tail = word.partition("(")
    offset = 0
    for index, part in enumerate(path.split("/")):
        mistake = _explain_place(part, index)
        if mistake is not None and not part:
            mistake = mistake._replace(found=word[offset : offset + 1])
        if mistake is not None:
            return mistake.moved(offset)
        offset += len(part) + 1
    inner = path.split("/")[1:-1]
    if "off" in inner:
        place = path.index("/off/") + 1
        return Mistake(place, "off", ("a point 1-24",), "a checker that is off goes no further")
    return _explain_count(len(path), bracket + tail)


def _explain_place(part: str, index: int) -> Mistake | None:
    """One place of a path; the first has ``index`` 0."""
    wanted = SOURCE if index == 0 else STOP
    bare = part.rstrip("*")
    if fits("SOURCE" if index == 0 else "STOP", part) or (index and part == "off"):
        return None
    if not part:
        return Mistake(0, "", (wanted,))
    place = _PLACES.get(bare.lower())
    if place is not None and bare != place and not (index and place == "bar"):
        written = "the bar is written 'bar'" if place == "bar" else "off the board is written 'off'"
        return Mistake(0, bare, (wanted,), written)
    if index and bare.lower() in {"bar", "b", "25"}:
        return Mistake(0, bare, (wanted,), "no checker moves to the bar; a hit is marked with '*'")
    if bare == part:
        return _no_place(part, wanted)
    if index == 0:
        return Mistake(len(bare), "*", ("'/'",), "'*' follows the point where the hit is")
    if bare == "off":
        return Mistake(len(bare), "*", (), "nothing is hit off the board")
    if fits("POINT", bare):
        return Mistake(len(bare) + 1, part[len(bare) + 1 :], (), "a hit is marked with one '*'")
    return _no_place(bare, wanted)


def _no_place(part: str, wanted: str) -> Mistake:
    digits = re.match(r"\d+", part)
    if digits is None:
        return Mistake(0, part, (wanted,))
    number, rest = digits[0], part[digits.end() :]
    if number[0] == "0" and fits("POINT", number.lstrip("0")):
        return Mistake(0, part, (wanted,), f"write '{number.lstrip('0')}', without the 0")
    if not fits("POINT", number):
        return Mistake(0, number, (wanted,))
    if rest in {"x", "X"}:
        return Mistake(len(number), rest, (), "a hit is marked with '*'")
    if re.fullmatch(r"[xX×][2-4]", rest):
        return Mistake(len(number), rest, (), f"a count is written as '({rest[1]})'")
    slashed = _SEPARATORS.sub("/", rest)
    if slashed != rest and fits("MOVE", f"1/{number}{slashed}"):
        return Mistake(len(number), rest[0], ("'/'",))
    return Mistake(len(number), rest, ("the end of the move", "'/'", "'*'", REPEAT))


def _explain_count(offset: int, text: str) -> Mistake | None:
    """What follows the path: ``(2)``, or something wrong; ``offset`` is where it starts."""
    if not text or fits("REPEAT", text):
        return None
    count = _REPEAT.match(text)
    if count is None:
        if fits("REPEAT", text + ")"):
            return Mistake(offset + len(text), "", ("')'",))
        return Mistake(offset, text, (REPEAT,))
    if not fits("REPEAT", count[0]):
        return Mistake(offset, count[0], (REPEAT,))
    rest = text[count.end() :]
    hint = "a move has one count" if rest.startswith("(") else ""
    if rest.startswith("*"):
        hint = "'*' stands before the count: '13/7*(2)'"
    return Mistake(offset + count.end(), rest, ("a blank and another move",), hint)
