"""Records to canonical text. spec/notation.md §4 to §6.

Writing is the inverse of reading: reading what was written gives the record again, and writing
what was read gives canonical text. Plays are written as the record holds them; ``canonical``
rewrites them.
"""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

import msgspec

from acey_grammar.chunks import GAME_LIMIT, LINE_LIMIT
from acey_grammar.items import HOWS, MARKS
from acey_grammar.mistake import fits
from acey_grammar.record import GameRecord, Result, RollRecord, TurnRecord, in_words

_MARK: Final = {kind: mark for mark, kind in MARKS.items()}
_HOW: Final = {how: text for text, how in HOWS.items()}


class RecordError(ValueError):
    """A record that no text can say, such as a comment with a brace in it."""


def write_game(record: GameRecord) -> str:
    """The canonical text of one game, ending in a line feed. spec/notation.md §5.

    Raises RecordError naming the field, when a field holds what notation cannot say.
    """
    _check(record)
    tags = [_tag_line(name, value) for name, value in record.tags]
    numbered = zip(record.numbers(), record.turns, strict=True)
    turns = [f"{number}. {write_turn(turn)}" for number, turn in numbered]
    items = [*tags, *turns, write_result(record.result)]
    lines: list[str] = []
    for index, item in enumerate([*items, None]):
        remarks = [f"#{note.text}" for note in record.file_comments if note.after == index]
        if index == len(tags):
            lines += [*remarks, "", *(f"{{{text}}}" for text in record.comments)]
        else:
            lines += remarks
        if item is not None:
            lines.append(item)
    return _checked("\n".join(lines) + "\n")


def write_games(records: Iterable[GameRecord]) -> str:
    """The canonical text of a file of games, separated by blank lines. spec/notation.md §6."""
    return "\n".join(map(write_game, records))


def write_turn(turn: TurnRecord) -> str:
    """A turn without its number: ``X 63: off/19 off/22 ! {%t 1.25}``. spec/notation.md §4."""
    words = [turn.side, ", ".join(map(write_roll, turn.rolls)), turn.glyph]
    if turn.seconds is not None:
        words.append(f"{{%t {seconds_text(turn.seconds)}}}")
    words += [f"{{{comment}}}" for comment in turn.comments]
    return " ".join(filter(None, words))


def write_roll(roll: RollRecord) -> str:
    """A roll and its play: ``=66: off/19(4)``."""
    return f"{_MARK.get(roll.kind, '')}{roll.dice}: {roll.play}"


def write_result(result: Result | None) -> str:
    """The result line: ``X wins 7``, ``O wins 3 by resignation``, ``*``."""
    if result is None:
        return "*"
    return f"{result.winner} wins {result.points} {_HOW[result.how]}".rstrip()


def seconds_text(seconds: float) -> str:
    """Seconds as digits with a point, no exponent: ``1.25``, ``8``."""
    text = f"{Decimal(repr(abs(seconds))):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _tag_line(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def _check(record: GameRecord) -> None:
    """Refuse what could not be read back."""
    try:
        msgspec.convert(msgspec.to_builtins(record), GameRecord)
    except msgspec.ValidationError as error:
        raise RecordError(in_words(error)) from error
    for number, turn in enumerate(record.turns):
        for index, roll in enumerate(turn.rolls):
            if not fits("PLAY", roll.play):
                at = f"$.turns[{number}].rolls[{index}].play"
                raise RecordError(f"{roll.play!r} is no play - at `{at}`")
    for mistake in loose_ends(record):
        raise RecordError(mistake)


def loose_ends(record: GameRecord) -> Iterator[str]:
    """What no text says though each field by itself could: blanks in plays, places of comments."""
    for number, turn in enumerate(record.turns):
        for index, roll in enumerate(turn.rolls):
            if " ".join(roll.play.split()) != roll.play:
                at = f"$.turns[{number}].rolls[{index}].play"
                yield f"the moves of {roll.play!r} are not parted by single blanks - at `{at}`"
    places = [comment.after for comment in record.file_comments]
    if places != sorted(places):
        yield "file comments are in the order they stand in - at `$.file_comments`"
    last = len(record.tags) + len(record.turns) + 1
    for index, place in enumerate(places):
        if place > last:
            at = f"$.file_comments[{index}].after"
            yield f"{place} is behind the end, which is {last} - at `{at}`"


def _checked(text: str) -> str:
    """The text, if every reader of it will take it."""
    if len(text) > GAME_LIMIT:
        raise RecordError(f"a game has at most {GAME_LIMIT:,} characters; it has {len(text):,}")
    if max(map(len, text.split("\n"))) >= LINE_LIMIT:
        raise RecordError(f"a line has less than {LINE_LIMIT:,} characters")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RecordError(f"{text[error.start]!r} is no character of a text") from error
    return text
