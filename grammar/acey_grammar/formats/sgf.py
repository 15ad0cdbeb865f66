"""Reader of SGF GM[6], as GNU Backgammon writes it. spec/formats/sgf.md.

White is X. Points are letters from White's side, for Black too; y is the bar and z is off.
"""

import re
from collections import Counter
from typing import Final

from acey_grammar.formats.raw import (
    Chunk,
    Cube,
    Ended,
    GaveUp,
    Mark,
    RawGame,
    Remark,
    Rolled,
    SetUp,
    Told,
)
from acey_grammar.formats.sgf_tree import NAME, Node, Property, TreeReader, matches, split
from acey_grammar.formats.text import NUMBER, number
from acey_grammar.record import Glyph, HowName
from acey_rules import BAR, OFF, Position, PositionError, Side, WrittenMove

__all__ = ["HOWS", "MARKS", "TAGS", "matches", "read", "split"]

_MOVE: Final = re.compile(r"([1-6])([1-6])((?:[a-z]{2})*)$")
_POINTS: Final = re.compile("[a-y](?::[a-y])?")
_RESULT: Final = re.compile(
    rf"([WB])\+({NUMBER})?(?:(R)(?:esign)?|(T)(?:ime)?|(F)(?:orfeit)?)?", re.I
)
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
_SWALLOWED: Final = re.compile(r"\n[ \t]*;\s*[WB]\[[1-6]{2}")
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
_SINGLE: Final = {"W", "B", "PW", "PB", "RE", "PL", "CV", "GM", "CA", *(name for name, _ in MARKS)}
"""Properties that have one value and stand once in a node, moves and comments aside."""
_CHARSETS: Final = {"utf-8", "utf8", "ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1"} | {
    "latin-1",
    "windows-1252",
    "cp1252",
    "",
}
"""Encodings that are told from the bytes."""
_MECHANICS: Final = {"FF", "GM", "CA", "ST"}
"""Properties about the file and not about the game."""


def read(chunk: Chunk) -> RawGame:
    """The game that a chunk tells."""
    return _Reader(chunk).read()


class _Reader:
    def __init__(self, chunk: Chunk) -> None:
        self.given_up: HowName | None = None
        self.rolled = False
        """Whether the game has begun."""
        self.game = RawGame(format=NAME, place=chunk.place, rules="backgammon")
        self.tree = TreeReader(chunk, self.game)

    def read(self) -> RawGame:
        """The whole game."""
        game = self.game
        for index, node in enumerate(self.tree.nodes()):
            self._check_single(node)
            if index == 0:
                self._root(node)
                if not game.rules:
                    return game
            else:
                self._late(node)
            self._node(node, first=not self.rolled)
        end = game.end
        if end is not None and self.given_up is not None and not game.broken:
            loser = end.winner.other
            game.items.append(GaveUp(end.place, loser, end.points, self.given_up))
        return game

    # --- what the properties say ----------------------------------------------------------

    def _root(self, node: Node) -> None:
        game = self.game
        names = {prop.name: prop for prop in reversed(node)}
        kind = names.get("GM")
        if kind is None or kind.values[0].strip() != "6":
            what = f"GM[{kind.values[0]}]" if kind else "a game without GM"
            game.rules = ""
            game.fault("unsupported", game.place, f"{what} is not backgammon, which is GM[6]")
        white, black = (names.get(name) for name in ("PW", "PB"))
        game.players = (white.values[0] if white else "", black.values[0] if black else "")
        for prop in node:
            self._game_info(prop)

    def _check_single(self, node: Node) -> None:
        """Report what stands more than once where it can stand once: only the first is read."""
        counts = Counter(prop.name for prop in node)
        for prop in node:
            many = counts.pop(prop.name, 0) > 1 and prop.name not in ("W", "B", "C")
            if prop.name in _SINGLE and (many or len(prop.values) > 1):
                message = f"{prop.name} can be given once; what follows the first is not read"
                self.game.fault("syntax", prop.place, message, prop.name)

    def _late(self, node: Node) -> None:
        """Report what is of the whole game and stands in the middle of it."""
        for prop in node:
            if prop.name in ("PW", "PB", "MI", "RE", *TAGS):
                self.game.lose(f"the property {prop.name} behind the first node")

    def _game_info(self, prop: Property) -> None:
        game = self.game
        if prop.name == "CA":
            self._charset(prop)
        elif prop.name in TAGS:
            game.tags.append((TAGS[prop.name], " ".join(", ".join(prop.values).split())))
        elif prop.name == "MI":
            self._match_info(prop)
        elif prop.name == "RE":
            self._result(prop)

    def _match_info(self, prop: Property) -> None:
        game = self.game
        numbers: dict[str, int] = {}
        for value in prop.values:
            name, _, text = value.partition(":")
            said = number(text.strip())
            if name not in ("length", "game", "ws", "bs"):
                game.lose(f"MI[{name}:…]")
            elif said is None or name in numbers:
                game.notice("header", prop.place, f"MI[{value}] is not understood")
            else:
                numbers[name] = said
        game.match = numbers.get("length")
        if "ws" in numbers and "bs" in numbers:
            game.score = (numbers["ws"], numbers["bs"])

    def _charset(self, prop: Property) -> None:
        """Report an encoding other than those that are read."""
        name = prop.values[0].strip()
        if name.lower().replace("_", "-") not in _CHARSETS:
            message = f"the game calls itself {name}; it is read as UTF-8 or Windows-1252"
            self.game.notice("encoding", prop.place, f"{message}, so letters may be wrong")

    def _result(self, prop: Property) -> None:
        result = _RESULT.fullmatch(prop.values[0].strip())
        if result is None:
            if prop.values[0] not in ("", "?", "Void", "0"):
                self.game.notice("header", prop.place, f"RE[{prop.values[0]}] is not understood")
            return
        winner = Side.X if result[1].upper() == "W" else Side.O
        points = number(result[2])
        self.game.end = Ended(prop.place, winner, points, decides=False)
        self.given_up = HOWS.get((result[3] or result[4] or result[5] or "").upper())

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
                    self._comment(prop)
                case name if (name, prop.values[0]) in MARKS:
                    game.items.append(Mark(prop.place, MARKS[name, prop.values[0]]))
                case "CV" if first and number(prop.values[0]):
                    game.cube = number(prop.values[0]) or 1
                case "PL" if not setup:
                    game.lose("the property PL without a position")
                case name if name in ("PW", "PB", "MI", "RE", "AE", "AW", "AB", "PL", *TAGS):
                    pass
                case name if name not in _MECHANICS:
                    game.lose(f"the property {name}")
                case _:
                    pass

    def _comment(self, prop: Property) -> None:
        for text in filter(None, map(str.strip, prop.values)):
            self.game.items.append(Remark(prop.place, text))
            if _SWALLOWED.search(text):
                message = "the comment holds what looks like moves; is its ']' missing?"
                self.game.fault("syntax", prop.place, message)

    def _act(self, prop: Property, side: Side) -> None:
        game = self.game
        value = prop.values[0].strip()
        if value in ("double", "take", "drop", "beaver"):
            game.items.append(Cube(prop.place, side, value))
            return
        self.rolled = True
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
        if turn and side is None:
            game.fault("syntax", setup[0].place, f"'{turn}' is nobody to roll: PL is W or B", turn)
        if first:
            game.start, game.turn = position, side
        else:
            game.items.append(SetUp(setup[0].place, position, side))


def _add_stones(board: list[int], prop: Property) -> None:
    """Put the checkers of AW or AB on the board; AE empties points."""
    for value in prop.values:
        if not _POINTS.fullmatch(value):
            raise ValueError(f"'{value}' is no point a-y, nor two with ':' between them")
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
