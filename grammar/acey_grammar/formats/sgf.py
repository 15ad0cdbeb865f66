"""Reader of SGF GM[6], as GNU Backgammon writes it. spec/formats/sgf.md.

White is X. Points are letters from White's side, for Black too; y is the bar and z is off.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple, cast

from lark import Token, Tree

from acey_grammar.faults import Place
from acey_grammar.formats.raw import (
    Chunk,
    Cube,
    Ended,
    GaveUp,
    Line,
    Mark,
    RawGame,
    Remark,
    Rolled,
    SetUp,
    Told,
)
from acey_grammar.formats.small_grammar import Refused, SmallGrammar
from acey_grammar.record import Glyph, HowName
from acey_rules import BAR, OFF, Position, PositionError, Side, WrittenMove

NAME: Final = "sgf"
GAME: Final = re.compile(r"\(\s*;\s*(?:FF|GM|CA|AP)\s*\[[^\]\\]*\]")
"""How a game starts; with its bracket closed, this cannot stand inside a well-formed value."""

_MOVE: Final = re.compile(r"([1-6])([1-6])((?:[a-z]{2})*)$")
_RESULT: Final = re.compile(r"([WB])\+(\d+)?([RTF])?", re.I)
TAGS: Final = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "DT": "Date",
    "AN": "Annotator",
    "WR": "XRating",
    "BR": "ORating",
    "RU": "Conditions",
    "GC": "GameComment",
    "AP": "Application",
    "US": "User",
    "SO": "Source",
    "CP": "Copyright",
    "TM": "TimeLimit",
    "ON": "OpeningName",
}
"""Properties of the game and our tags for them."""
_AFTER_VALUE: Final = re.compile(r"(\][ \t]*)[A-Za-z\s]*$")
_SWALLOWED: Final = re.compile(r"\n\s*;\s*[WB]\[[1-6]{2}")
"""Moves inside a comment: it was never closed."""
HOWS: Final[dict[str, HowName]] = {"R": "resignation", "T": "time", "F": "forfeit"}
"""How a game was lost, as RE says it."""
MARKS: Final[dict[tuple[str, str], Glyph]] = {
    ("TE", "1"): "!",
    ("TE", "2"): "!!",
    ("BM", "1"): "?",
    ("BM", "2"): "??",
    ("IT", ""): "!?",
    ("DO", ""): "?!",
}
"""Judgements on a move."""
_MECHANICS: Final = {"FF", "GM", "CA", "ST"}
"""Properties about the file and not about the game."""


class Property(NamedTuple):
    """A property of a node, its values unescaped."""

    name: str
    values: tuple[str, ...]
    place: Place
    """Of its name."""


Node = list[Property]


def matches(line: str) -> bool:
    """Whether a line is one that only this format has."""
    return bool(GAME.search(line))


def split(lines: Iterable[Line]) -> Iterator[Chunk]:
    """The games of a file, one after the other; what precedes the first belongs to it."""
    game: list[Line] = []
    column = 1
    begun = False
    for line in lines:
        start = 0
        for found in GAME.finditer(line.text):
            if begun:
                game.append(line._replace(text=line.text[start : found.start()], torn=False))
                yield Chunk(NAME, tuple(game), (column,))
                game, start, column = [], found.start(), found.start() + 1
            begun = True
        game.append(line._replace(text=line.text[start:]))
    if any(line.text.strip() for line in game):
        yield Chunk(NAME, tuple(game), (column,))


@cache
def _grammar() -> SmallGrammar:
    return SmallGrammar("sgf.lark", "tree")


def read(chunk: Chunk) -> RawGame:
    """The game that a chunk tells."""
    return _Reader(chunk).read()


class _Reader:
    def __init__(self, chunk: Chunk) -> None:
        self.text = "\n".join(line.text for line in chunk.lines)
        self.line = chunk.lines[0].number
        self.column = cast("tuple[int]", chunk.context)[0]
        self.given_up: HowName | None = None
        self.game = RawGame(format=NAME, place=Place(self.line, self.column), rules="backgammon")

    def read(self) -> RawGame:
        """The whole game."""
        game = self.game
        nodes = self._nodes()
        for index, node in enumerate(nodes):
            if index == 0:
                self._root(node)
                if not game.rules:
                    return game
            self._node(node, first=not any(isinstance(item, Rolled) for item in game.items))
        end = game.end
        if end is not None and self.given_up is not None and not game.broken:
            loser = end.winner.other
            game.items.append(GaveUp(end.place, loser, end.points, self.given_up))
        return game

    # --- the tree -------------------------------------------------------------------------

    def _nodes(self) -> list[Node]:
        """The nodes of the main line."""
        found = GAME.search(self.text)
        start = found.start() if found else 0
        self._around(self.text[:start], 0)
        self.game.place = self._place(start)
        end = _end_of_tree(self.text, start)
        self._around(self.text[end:], end)
        tree = _grammar().parse(self.text[start:end])
        if isinstance(tree, Refused):
            return self._broken(start, end, tree.offset)
        return list(self._main_line(tree, start))

    def _around(self, text: str, offset: int) -> None:
        """Report text outside the tree."""
        said = " ".join(text.split())
        if said:
            place = self._place(offset + len(text) - len(text.lstrip()))
            self.game.notice("text", place, f"not part of a game: '{said[:60]}'")

    def _broken(self, start: int, end: int, offset: int) -> list[Node]:
        """Report where the tree is not well formed and read what stands before."""
        text = self.text[start:end]
        game = self.game
        game.broken = True
        place = self._place(start + min(offset, len(text.rstrip())))
        found = text[offset : offset + 20].split("\n")[0].rstrip()
        if not text[offset:].strip() or text[offset] == "[":
            game.fault("cut-off", place, "the text ends inside the game")
        elif after := _AFTER_VALUE.search(text[:offset]):
            # What follows the bracket may start like a property; the bracket is the mistake.
            at = after.end(1)
            found = text[at : at + 20].split("\n")[0].strip()
            message = f"a value has ended before '{found}'; inside one, ']' is written '\\]'"
            game.fault("syntax", self._place(start + at), message, found)
        else:
            message = f"expected a property as C[…], a ';' or a ')'; found '{found}'"
            game.fault("syntax", place, message, found)
        good = text[:offset]
        while (good := good[: good.rfind(";")]).count(";"):
            tree = _grammar().parse(good + ")")
            if not isinstance(tree, Refused):
                return list(self._main_line(tree, start))
        return []

    def _main_line(self, tree: Tree[Token], start: int) -> Iterator[Node]:
        """The nodes of the first variation at every fork."""
        while True:
            branches: list[Tree[Token]] = []
            for child in tree.children:
                assert isinstance(child, Tree)
                if child.data == "node":
                    yield [
                        self._property(item, start)
                        for item in child.children
                        if isinstance(item, Tree)
                    ]
                else:
                    branches.append(child)
            if not branches:
                return
            if len(branches) > 1:
                self.game.lose(f"{len(branches) - 1} other variations")
            tree = branches[0]

    def _property(self, tree: Tree[Token], start: int) -> Property:
        name, *values = tree.children
        assert isinstance(name, Token)
        upper = "".join(filter(str.isupper, name))  # old files write Black[..] for B[..]
        texts = tuple(_unescaped(str(value)) for value in values)
        return Property(upper, texts, self._place(start + (name.start_pos or 0)))

    def _place(self, offset: int) -> Place:
        line = self.text.count("\n", 0, offset)
        column = offset - (self.text.rfind("\n", 0, offset) + 1) + 1
        return Place(self.line + line, column + (self.column - 1 if line == 0 else 0))

    # --- what the properties say ----------------------------------------------------------

    def _root(self, node: Node) -> None:
        game = self.game
        names = {prop.name: prop for prop in node}
        kind = names.get("GM")
        if kind is None or kind.values[0].strip() != "6":
            what = f"GM[{kind.values[0]}]" if kind else "a game without GM"
            game.rules = ""
            game.fault("unsupported", game.place, f"{what} is not backgammon, which is GM[6]")
        white, black = (names.get(name) for name in ("PW", "PB"))
        game.players = (white.values[0] if white else "", black.values[0] if black else "")
        for prop in node:
            self._game_info(prop)

    def _game_info(self, prop: Property) -> None:
        game = self.game
        if prop.name in TAGS:
            game.tags.append((TAGS[prop.name], " ".join(", ".join(prop.values).split())))
        elif prop.name == "MI":
            self._match_info(prop)
        elif prop.name == "RE":
            self._result(prop)

    def _match_info(self, prop: Property) -> None:
        game = self.game
        told = {value.partition(":")[0]: value.partition(":")[2] for value in prop.values}
        numbers = {name: int(text) for name, text in told.items() if text.strip().isdecimal()}
        game.match = numbers.get("length")
        if "ws" in numbers and "bs" in numbers:
            game.score = (numbers["ws"], numbers["bs"])
        for name in told:
            if name not in ("length", "game", "ws", "bs"):
                game.lose(f"MI[{name}:…]")

    def _result(self, prop: Property) -> None:
        result = _RESULT.match(prop.values[0])
        if result is None:
            if prop.values[0] not in ("", "?", "Void", "0"):
                self.game.notice("header", prop.place, f"RE[{prop.values[0]}] is not understood")
            return
        winner = Side.X if result[1].upper() == "W" else Side.O
        points = int(result[2]) if result[2] else None
        self.game.end = Ended(prop.place, winner, points, decides=False)
        self.given_up = HOWS.get((result[3] or "").upper())

    def _node(self, node: Node, first: bool) -> None:
        game = self.game
        setup = [prop for prop in node if prop.name in ("AE", "AW", "AB")]
        if setup:
            self._set_up(node, setup, first)
        for prop in node:
            match prop.name:
                case "W" | "B":
                    self._act(prop, Side.X if prop.name == "W" else Side.O)
                case "C":
                    text = prop.values[0].strip()
                    if text:
                        game.items.append(Remark(prop.place, text))
                    if _SWALLOWED.search(text):
                        message = "the comment holds what looks like moves; is its ']' missing?"
                        game.fault("syntax", prop.place, message)
                case name if (name, prop.values[0]) in MARKS:
                    game.items.append(Mark(prop.place, MARKS[name, prop.values[0]]))
                case "CV" if first and prop.values[0].isdigit():
                    game.cube = int(prop.values[0])
                case name if name in ("PW", "PB", "MI", "RE", "AE", "AW", "AB", "PL", *TAGS):
                    pass
                case name if name not in _MECHANICS:
                    game.lose(f"the property {name}")
                case _:
                    pass

    def _act(self, prop: Property, side: Side) -> None:
        game = self.game
        value = prop.values[0].strip()
        if value in ("double", "take", "drop", "beaver"):
            game.items.append(Cube(prop.place, side, value))
            return
        move = _MOVE.match(value)
        if move is None:
            message = f"'{value}' is no move: two dice and pairs of letters, or a cube action"
            game.fault("syntax", prop.place, message, value)
            game.items.append(Rolled(prop.place, side, (0, 0), Told.CUT))
            return
        dice = (int(move[1]), int(move[2]))
        pairs = [move[3][index : index + 2] for index in range(0, len(move[3]), 2)]
        moves = tuple(WrittenMove(_point(a, side), (_target(b, side),)) for a, b in pairs)
        told = Told.PLAYED if moves else Told.NOTHING
        game.items.append(Rolled(prop.place, side, dice, told, moves, value, prop.place))

    def _set_up(self, node: Node, setup: list[Property], first: bool) -> None:
        game = self.game
        board = [0] * 26
        try:
            for prop in setup:
                _add_stones(board, prop)
            letters = "".join(_letter(count) for count in board)
            position = str(Position.parse(f"{letters}:0:0"))
        except (PositionError, ValueError) as error:
            game.fault("syntax", setup[0].place, f"the position set up cannot be: {error}")
            return
        turn = next((p.values[0] for p in node if p.name == "PL"), "")
        side = {"W": Side.X, "B": Side.O}.get(turn[:1].upper())
        if first:
            game.start = position
        else:
            game.items.append(SetUp(setup[0].place, position, side))


def _add_stones(board: list[int], prop: Property) -> None:
    """Put the checkers of AW or AB on the board; AE empties points."""
    for value in prop.values:
        ends = [ord(letter) - ord("a") + 1 for letter in value.split(":")]
        for index in range(ends[0], ends[-1] + 1):
            if prop.name == "AE":
                if index <= 24:
                    board[index] = 0
            elif index <= 24:
                board[index] += 1 if prop.name == "AW" else -1
            elif index == 25:
                board[25 if prop.name == "AW" else 0] += 1 if prop.name == "AW" else -1


def _letter(count: int) -> str:
    if count == 0:
        return "-"
    return chr(ord("A") + count - 1) if count > 0 else chr(ord("a") - count - 1)


def _point(letter: str, side: Side) -> int:
    index = ord(letter) - ord("a") + 1
    if index > 24:
        return BAR
    return index if side is Side.X else 25 - index


def _target(letter: str, side: Side) -> int:
    point = _point(letter, side)
    return OFF if point == BAR else point


def _unescaped(value: str) -> str:
    """The text of a value: soft line breaks removed, escapes undone."""
    return re.sub(r"\\(\r\n|[\s\S])", lambda found: found[1].strip("\r\n"), value[1:-1])


def _end_of_tree(text: str, start: int) -> int:
    """Offset after the bracket that closes the tree; the end of the text if none does."""
    depth = 0
    for found in re.finditer(r"\[(?:[^\]\\]|\\[\s\S])*\]|[()]", text[start:]):
        if found[0] == "(":
            depth += 1
        elif found[0] == ")":
            depth -= 1
            if depth == 0:
                return start + found.end()
    return len(text)
