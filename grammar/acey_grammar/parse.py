"""Text to plays, actions and games, by the grammar of notation.lark. spec/notation.md §3 to §5.

Nothing here consults the rules of the game. Text that is not well formed raises NotationError.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Final, Protocol, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken
from msgspec.structs import replace

from acey_grammar.faults import Fault, NotationError, Place
from acey_grammar.places import Places, TurnPlaces
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
from acey_rules import (
    BAR,
    OFF,
    UNENTERED,
    Action,
    Concede,
    Name,
    Roll,
    WrittenMove,
    WrittenPlay,
)

STARTS: Final = ("file", "game", "turn", "play", "action")
"""The rules of the grammar that text can be read by."""
GRAMMAR: Final = files("acey_grammar").joinpath("notation.lark").read_text("utf-8")
"""The text of notation.lark."""

SOURCES: Final = {"bar": BAR, "off": UNENTERED} | {str(point): point for point in range(1, 25)}
STOPS: Final = {"off": OFF} | {str(point): point for point in range(1, 25)}
MARKS: Final[dict[str, RollKind]] = {"=": "named", "~": "complement"}
BLANKS: Final = " \t"
ESCAPE: Final = re.compile(r"\\(.)")
HOWS: Final[dict[str, HowName]] = {
    "": "play",
    "by resignation": "resignation",
    "on time": "time",
    "by forfeit": "forfeit",
}


class Parser(Protocol):
    """The part of a Lark parser that is used here, with its types."""

    def parse(self, text: str, start: str) -> Tree[Token]:
        """The tree of the text, read by a rule of the grammar. Raises UnexpectedInput."""
        ...


@cache
def parser() -> Parser:
    """The parser of notation.lark, made when it is first needed."""
    lark = Lark(GRAMMAR, parser="lalr", start=list(STARTS), maybe_placeholders=False)
    return cast("Parser", lark)


def normalised(text: str) -> str:
    """The text as the grammar takes it: no byte order mark, line feeds alone, one at the end."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


def tree_of(start: str, text: str) -> Tree[Token]:
    """The parse tree of normalised text. Raises NotationError."""
    try:
        return parser().parse(text, start=start)
    except UnexpectedInput as error:
        raise NotationError(fault_of(error, text)) from None


# --- plays and actions ------------------------------------------------------------------------


def parse_play(text: str) -> WrittenPlay:
    """Read a play: ``off/19 off/22``, ``13/7(2) 8/2*``, ``-``. spec/notation.md §3.

    Raises NotationError with the column.
    """
    tree_of("play", text)
    return written_play(text)


def written_play(text: str) -> WrittenPlay:
    """A play from text that is known to be one."""
    if text.strip() == "-":
        return WrittenPlay(())
    return WrittenPlay(tuple(map(_written_move, text.split())))


@cache
def _written_move(word: str) -> WrittenMove:
    path, _, times = word.partition("(")
    source, *stops = path.split("/")
    return WrittenMove(
        SOURCES[source],
        tuple(STOPS[stop.rstrip("*")] for stop in stops),
        tuple(STOPS[stop[:-1]] for stop in stops if stop[-1] == "*"),
        int(times[0]) if times else 1,
    )


def parse_action(text: str) -> Action:
    """Read an action: ``roll 63``, ``play off/19 off/22``, ``name 6``, ``resign``, ``resign 3``.

    Raises NotationError with the column.
    """
    token = tree_of("action", text).children[0]
    assert isinstance(token, Token)
    words = token.split()
    match token.type:
        case "ROLL_ACTION":
            return Roll(int(words[1][0]), int(words[1][1]))
        case "NAME_ACTION":
            return Name(int(words[1]))
        case "PLAY_ACTION":
            return written_play(token[len("play") :])
        case _:
            return Concede(points=int(words[1]) if len(words) > 1 else None)


# --- games ------------------------------------------------------------------------------------


def parse_game(text: str) -> GameRecord:
    """Read one game. Raises NotationError for the first fault. spec/notation.md §5."""
    return game_of(tree_of("file", normalised(text)))[0]


def game_of(tree: Tree[Token]) -> tuple[GameRecord, Places]:
    """The one game of a ``file`` tree, with the file comments around it."""
    tags: list[tuple[str, str]] = []
    turns: list[TurnRecord] = []
    comments: list[str] = []
    file_comments: list[FileComment] = []
    tag_places: list[Place] = []
    turn_places: list[TurnPlaces] = []
    result: Result | None = None
    result_place = Place(0, 0)
    count = 0
    for item in items_of(tree):
        token = item.children[0]
        assert isinstance(token, Token)
        match item.data:
            case "tag":
                tags.append(tag_of(token))
                tag_places.append(place_of(token))
                count += 1
            case "turn":
                turn, places = turn_of(item)
                turns.append(turn)
                turn_places.append(places)
                count += 1
            case "comments":
                for comment in item.children:
                    assert isinstance(comment, Token)
                    if turns:
                        turns[-1] = with_comment(turns[-1], comment)
                    elif comment.type == "TIME":
                        raise NotationError(_at(comment, "a time belongs after a turn"))
                    else:
                        comments.append(str(comment)[1:-1])
            case "result":
                result = result_of(token)
                result_place = place_of(token)
                count += 1
            case _:
                file_comments.append(FileComment(str(token)[1:], count))
    record = GameRecord(tuple(tags), tuple(turns), result, tuple(comments), tuple(file_comments))
    return record, Places(tuple(tag_places), tuple(turn_places), result_place)


def items_of(tree: Tree[Token]) -> list[Tree[Token]]:
    """The lines of a ``file`` tree, flat."""
    items: list[Tree[Token]] = []
    for child in tree.children:
        assert isinstance(child, Tree)
        if child.data == "game":
            items += [item for item in child.children if isinstance(item, Tree)]
        else:
            items.append(child)
    return items


def place_of(token: Token) -> Place:
    """Where a token starts."""
    assert token.line is not None
    assert token.column is not None
    return Place(token.line, token.column)


def end_of(token: Token) -> Place:
    """Just past a token."""
    assert token.end_line is not None
    assert token.end_column is not None
    return Place(token.end_line, token.end_column)


def tag_of(text: str) -> tuple[str, str]:
    """The name and the value of a tag."""
    name, _, quoted = text[1:-1].strip(BLANKS).partition('"')
    return name.rstrip(BLANKS), ESCAPE.sub(r"\1", quoted[:-1])


def turn_of(tree: Tree[Token]) -> tuple[TurnRecord, TurnPlaces]:
    """The turn that a ``turn`` tree holds."""
    number, side, *rest = tree.children
    assert isinstance(number, Token)
    rolls: list[RollRecord] = []
    dice_places: list[Place] = []
    play_places: list[Place] = []
    end = place_of(number)
    turn = TurnRecord(cast("SideName", str(side)), ())
    for child in rest:
        if isinstance(child, Tree):
            dice, play = _roll_tokens(child)
            rolls.append(roll_of(dice, play))
            dice_places.append(place_of(dice))
            play_places.append(place_of(play))
            end = end_of(play)
        elif child.type == "GLYPH":
            turn = replace(turn, glyph=cast("Glyph", str(child)))
        else:
            turn = with_comment(turn, child)
    places = TurnPlaces(place_of(number), tuple(dice_places), tuple(play_places), end)
    return replace(turn, rolls=tuple(rolls)), places


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


def with_comment(turn: TurnRecord, token: Token) -> TurnRecord:
    """The turn with one more comment, or with the time that the comment tells."""
    if token.type == "COMMENT":
        return replace(turn, comments=(*turn.comments, str(token)[1:-1]))
    if turn.seconds is not None:
        raise NotationError(_at(token, "the time of this turn is already given"))
    return replace(turn, seconds=float(token[3:-1]))


def result_of(text: str) -> Result | None:
    """The result that its line states."""
    if text == "*":
        return None
    winner, _, points, *how = text.split()
    return Result(cast("SideName", winner), int(points), HOWS[" ".join(how)])


# --- errors -----------------------------------------------------------------------------------


def _at(token: Token, message: str) -> Fault:
    place = place_of(token)
    return Fault(
        kind="syntax", line=place.line, column=place.column, message=message, found=str(token)
    )


WORDS: Final = {
    "TAG": 'a tag as [Name "value"]',
    "NUMBER": "a turn as '1. X'",
    "SIDE": "the side, X or O",
    "DICE": "a roll as 63:, =66: or ~11:",
    "PLAY": "a play as 'off/19 off/22', or '-'",
    "COMMA": "',' and another roll",
    "GLYPH": "a mark as ! or ?",
    "COMMENT": "a comment in braces",
    "TIME": "a time as {%t 1.25}",
    "RESULT": "a result as 'X wins 7', or '*'",
    "FILE_COMMENT": "a line starting with '#'",
    "_NL": "the end of the line",
    "$END": "the end of the text",
    "ROLL_ACTION": "'roll 63'",
    "NAME_ACTION": "'name 6'",
    "RESIGN_ACTION": "'resign'",
    "PLAY_ACTION": "'play off/19 off/22'",
}
"""What each terminal of the grammar is to the user."""


def fault_of(error: UnexpectedInput, text: str) -> Fault:
    """What the parser stumbled on, in the user's words and at its true place."""
    details = vars(error)
    if isinstance(error, UnexpectedToken):
        token: Token = details["token"]
        names = set(error.accepts or error.expected)
        offset = token.start_pos
        if token.type == "$END" or offset is None:
            offset = len(text)
    else:
        names = set(details["allowed"] or ())
        offset: int | None = details["pos_in_stream"]
    if offset is None or offset >= len(text):
        offset = len(text.rstrip())
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    found = (text[offset:].split(maxsplit=1) or [""])[0]
    expected = tuple(WORDS[name] for name in WORDS if name in names)
    said = f"found '{found}'" if found else "the text ends here"
    return Fault(
        kind="syntax",
        line=line,
        column=column,
        message=f"expected {' or '.join(expected)}; {said}",
        found=found,
        expected=expected,
    )
