"""What the readers of foreign formats share: lines, and the moves of a roll."""

import re
from typing import Final

from acey_grammar.faults import Place
from acey_grammar.formats.raw import RawGame, Rolled, Told
from acey_grammar.formats.words import MoveWords, WordError, turned
from acey_rules import WrittenMove

MOST_WORDS: Final = 16
"""Words of a play that are looked at; four moves are the most there can be."""
_SEPARATORS: Final = " \t,"


NUMBER: Final = "[0-9]{1,9}"
"""Every number that files hold; a longer one is a mistake, and no machine need count so far."""
_NUMBER: Final = re.compile(NUMBER)


def number(text: str | None) -> int | None:
    """The number that a text is, of at most nine digits; None when it is none."""
    return int(text) if text and _NUMBER.fullmatch(text) else None


def read_moves(
    game: RawGame, words: MoveWords, rolled: Rolled, torn: bool, mirrored: bool = False
) -> Rolled:
    """The roll with the moves that its text spells.

    A word that is none is a fault; ``torn``: the text is the last of a file without a line end, so
    that an unfinished word is where it was cut. ``mirrored``: the points are counted from the other
    end.
    """
    read: list[WrittenMove] = []
    told = Told.PLAYED
    words_found = split_words(rolled.found)
    if len(words_found) > MOST_WORDS:
        offset, word = words_found[MOST_WORDS]
        place = Place(rolled.found_at.line, rolled.found_at.column + offset)
        game.fault(
            "syntax", place, f"a play has at most four moves; found {len(words_found)}", word
        )
        return rolled._replace(told=Told.PARTLY)
    for offset, word in words_found:
        try:
            move = words.read(word)
        except WordError as error:
            column = rolled.found_at.column + offset + error.offset
            place = Place(rolled.found_at.line, column)
            last = offset + len(word) == len(rolled.found)
            if torn and last and error.unfinished:
                game.fault("cut-off", place, f"the text ends inside the move '{word}'", word)
                return rolled._replace(told=Told.CUT)
            if told is Told.PLAYED:
                game.fault("syntax", place, f"'{word}' is no move: {error}", word)
            told = Told.PARTLY
            continue
        read.append(turned(move) if mirrored else move)
    return rolled._replace(told=told, moves=tuple(read), torn=torn)


def split_words(text: str) -> list[tuple[int, str]]:
    """The words of a text separated by blanks or commas, each with its offset."""
    words: list[tuple[int, str]] = []
    start = None
    for offset, character in enumerate(text):
        if character in _SEPARATORS:
            if start is not None:
                words.append((start, text[start:offset]))
            start = None
        elif start is None:
            start = offset
    if start is not None:
        words.append((start, text[start:]))
    return words
