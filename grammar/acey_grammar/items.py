"""The parts of a game, from the trees of the grammar to a record. spec/notation.md §4, §5."""

import re
from collections.abc import Iterator
from typing import Final, cast

from lark import Token, Tree
from msgspec.structs import replace

from acey_grammar.faults import Fault, NotationError, Place
from acey_grammar.places import NOWHERE, Places, TurnPlaces
from acey_grammar.record import (
    FileComment,
    GameRecord,
    Glyph,
    HowName,
    Result,
    RollKind,
    RollRecord,
    SideName,
    TurnRecord,
)

BLANKS: Final = " \t"
MARKS: Final[dict[str, RollKind]] = {"=": "named", "~": "complement"}
"""What stands before the dice of a roll that was not rolled."""
HOWS: Final[dict[str, HowName]] = {
    "": "play",
    "by resignation": "resignation",
    "on time": "time",
    "by forfeit": "forfeit",
}
"""How a result line says how the game ended."""
_ESCAPE: Final = re.compile(r"\\(.)")


class GameBuilder:
    """Gathers the parts of a game, in the order of its text."""

    def __init__(self) -> None:
        """Start without any part."""
        self.faults: list[Fault] = []
        self.tags: list[tuple[str, str]] = []
        self.turns: list[TurnRecord] = []
        self._comments: list[str] = []
        """Comments before the first turn."""
        self._said: list[str] = []
        """Comments that come to the last turn, besides those on its line."""
        self._file_comments: list[FileComment] = []
        self._tag_places: list[Place] = []
        self._turn_places: list[TurnPlaces] = []
        self._result: Result | None = None
        self._result_place = NOWHERE
        self._count = 0
        self._numbers = _Numbers()
        self.open = True
        """Whether turns are still taken; a turn that could not be read closes the record."""

    def add(self, item: Tree[Token], line: int = 1) -> None:
        """Add a tag, a turn, comments, a result or a file comment.

        ``line`` is the number of the first line of the text that the tree was made from. Raises
        NotationError for a time that cannot stand there.
        """
        by = line - 1
        token = item.children[0]
        assert isinstance(token, Token)
        match item.data:
            case "tag":
                self.add_tag(*tag_of(token), place_of(token, by))
            case "turn":
                self.add_turn(*turn_of(item, by), int(token[:-1]))
            case "comments":
                for comment in item.children:
                    assert isinstance(comment, Token)
                    self._add_comment(comment, by)
            case "result":
                self._result, self._result_place = result_of(token), place_of(token, by)
                self._count += 1
            case _:
                self._file_comments.append(FileComment(str(token)[1:], self._count))

    def add_tag(self, name: str, value: str, place: Place) -> None:
        """Add a tag."""
        self.tags.append((name, value))
        self._tag_places.append(place)
        self._count += 1

    def add_turn(self, turn: TurnRecord, places: TurnPlaces, number: int) -> None:
        """Add a turn; one behind a turn that could not be read is only counted."""
        self.count_turn(number, turn.side, places.start)
        if self.open:
            self._close_turn()
            self.turns.append(turn)
            self._turn_places.append(places)
            self._count += 1

    def count_turn(self, number: int, side: str, place: Place) -> None:
        """Check the number of a turn."""
        fault = self._numbers.check(number, side, place)
        if fault is not None:
            self.faults.append(fault)

    def lose_turn(self) -> None:
        """Count a turn of which neither number nor side can be told."""
        self._numbers.lose()

    def _add_comment(self, token: Token, by: int) -> None:
        if token.type == "COMMENT":
            (self._said if self.turns else self._comments).append(str(token)[1:-1])
        elif self.turns:
            seconds = time_of(token, by, self.turns[-1].seconds)
            self.turns[-1] = replace(self.turns[-1], seconds=seconds)
        else:
            raise NotationError(_at(token, by, "a time belongs after a turn"))

    def _close_turn(self) -> None:
        """Let the last turn have its comments; all at once, for there may be many."""
        if self._said:
            turn = self.turns[-1]
            self.turns[-1] = replace(turn, comments=(*turn.comments, *self._said))
            self._said = []

    def build(self) -> tuple[GameRecord, Places]:
        """The record of what was added, and where its parts stand."""
        self._close_turn()
        record = GameRecord(
            tuple(self.tags),
            tuple(self.turns),
            self._result,
            tuple(self._comments),
            tuple(self._file_comments),
        )
        places = Places(tuple(self._tag_places), tuple(self._turn_places), self._result_place)
        return record, places


def lines_of(tree: Tree[Token]) -> Iterator[Tree[Token]]:
    """The lines of a ``file`` tree, whether within a game or not."""
    for child in tree.children:
        assert isinstance(child, Tree)
        if child.data == "game":
            yield from (line for line in child.children if isinstance(line, Tree))
        else:
            yield child


class _Numbers:
    """Checks that turns are numbered by pairs. spec/notation.md §5.

    Where a side moves twice running a turn is missing, which is another fault; the numbers are
    taken up again from there, as they are after a wrong one and after a turn that was lost.
    """

    def __init__(self) -> None:
        self._starter = ""
        """Unknown while the first turn is lost; two turns running tell it."""
        self._last = ""
        self._number = 0
        self._lost = False
        """Whether the turn before could not be read."""

    def lose(self) -> None:
        """Take note of a turn of which neither number nor side can be told."""
        self._lost = True

    def check(self, number: int, side: str, place: Place) -> Fault | None:
        """The fault of a wrong number."""
        if not (self._starter or self._lost):
            self._starter = self._told_starter(number, side)
        unknown = self._lost or not self._starter
        due = number if unknown else self._number + (self._last != self._starter)
        fault = None
        if number != due and side != self._last:
            fault = Fault(
                kind="turn-number",
                line=place.line,
                column=place.column,
                message=f"expected the turn number {due}; found '{number}.'; "
                "the turns of the two sides share a number",
                rule="spec/notation.md §5",
                found=f"{number}.",
                expected=(f"{due}.",),
            )
        self._last, self._number, self._lost = side, number, False
        return fault

    def _told_starter(self, number: int, side: str) -> str:
        """Who moved first, as the first turn tells, or a turn and the answer to it."""
        if not self._last or (side != self._last and number == self._number + 1):
            return side
        return self._last if side != self._last and number == self._number else ""


def place_of(token: Token, by: int = 0) -> Place:
    """Where a token starts, ``by`` lines further on."""
    assert token.line is not None
    assert token.column is not None
    return Place(token.line + by, token.column)


def end_of(token: Token, by: int = 0) -> Place:
    """Just past a token, ``by`` lines further on."""
    assert token.end_line is not None
    assert token.end_column is not None
    return Place(token.end_line + by, token.end_column)


def tag_of(text: str) -> tuple[str, str]:
    """The name and the value of a tag."""
    name, _, quoted = text[1:-1].strip(BLANKS).partition('"')
    return name.rstrip(BLANKS), _ESCAPE.sub(r"\1", quoted[:-1])


def turn_of(tree: Tree[Token], by: int = 0) -> tuple[TurnRecord, TurnPlaces]:
    """The turn that a ``turn`` tree holds."""
    number, side, *rest = tree.children
    assert isinstance(number, Token)
    rolls: list[RollRecord] = []
    dice_places: list[Place] = []
    play_places: list[Place] = []
    end = place_of(number, by)
    glyph = ""
    seconds: float | None = None
    comments: list[str] = []
    for child in rest:
        if isinstance(child, Tree):
            dice, play = _roll_tokens(child)
            rolls.append(roll_of(dice, play))
            dice_places.append(place_of(dice, by))
            play_places.append(place_of(play, by))
            end = end_of(play, by)
        elif child.type == "GLYPH":
            glyph = str(child)
        elif child.type == "COMMENT":
            comments.append(str(child)[1:-1])
        else:
            seconds = time_of(child, by, seconds)
    places = TurnPlaces(place_of(number, by), tuple(dice_places), tuple(play_places), end)
    turn = TurnRecord(
        cast("SideName", str(side)), tuple(rolls), cast("Glyph", glyph), seconds, tuple(comments)
    )
    return turn, places


def _roll_tokens(tree: Tree[Token]) -> tuple[Token, Token]:
    dice, play = tree.children
    assert isinstance(dice, Token)
    assert isinstance(play, Tree)
    token = play.children[0]
    assert isinstance(token, Token)
    return dice, token


def roll_of(dice: str, play: str) -> RollRecord:
    """The roll written as ``=66:`` and its play."""
    kind = MARKS.get(dice[0], "rolled")
    return RollRecord(dice[-3:-1], " ".join(play.split()), kind)


def time_of(token: Token, by: int, given: float | None) -> float:
    """The seconds that a comment tells. Raises NotationError where they were given before."""
    if given is not None:
        raise NotationError(_at(token, by, "the time of this turn is already given"))
    return float(token[3:-1])


def result_of(text: str) -> Result | None:
    """The result that its line states."""
    if text == "*":
        return None
    winner, _, points, *how = text.split()
    return Result(cast("SideName", winner), int(points), HOWS[" ".join(how)])


def _at(token: Token, by: int, message: str) -> Fault:
    place = place_of(token, by)
    return Fault(
        kind="syntax", line=place.line, column=place.column, message=message, found=str(token)
    )
