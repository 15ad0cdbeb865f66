"""Reader of .mat files, as Jellyfish, GNU Backgammon, GridGammon and XG write. spec/formats/mat.md.

A game is a table of two columns. Which column a thing stands in is told by the rolls: of two on a
line the second is the right player's, and where it stands is where the right column is.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, cast

from acey_grammar.faults import Place
from acey_grammar.formats.raw import (
    Chunk,
    Cube,
    Ended,
    GaveUp,
    Item,
    Line,
    Passed,
    RawGame,
    Remark,
    Rolled,
    SetUp,
    Told,
)
from acey_grammar.formats.snowie import reached_position
from acey_grammar.formats.text import NUMBER, read_moves
from acey_grammar.formats.words import MoveWords
from acey_rules import Side

NAME: Final = "mat"
WORDS: Final = MoveWords("mat.lark")

_MATCH: Final = re.compile(
    rf"\s*(?:({NUMBER})\s+point\s+match|(unlimited match|money (?:game|session)))", re.I
)
_GAME: Final = re.compile(r"\s*Game\s+([0-9]+)\s*$", re.I)
PLAYERS: Final = re.compile(
    rf"\s*(\S(?:(?!:\s*{NUMBER}\s).)*):\s*({NUMBER})\s+(\S.*?):\s*({NUMBER})\s*$"
)
"""Two names, with blanks behind them, and two scores."""
_COMMENT: Final = re.compile(r"\s*;\s*(.*)$")
_HEADER: Final = re.compile(r'\[([^"\]]*?)\s*"(.*)"\s*\]\s*$')
_ROW: Final = re.compile(r"\s*([0-9]+)\s*\)")
_KINDS: Final = {
    "comment": _COMMENT,
    "row": _ROW,
    "match": _MATCH,
    "game": _GAME,
    "players": PLAYERS,
}
"""The lines of the format, tried in this order."""
RATED: Final = re.compile(r"(.+),([0-9]+(?:\.[0-9]+)?)$")
_CELL: Final = re.compile(
    r"(?<!\S)(?:(?P<dice>[0-9]{2}):"
    rf"|(?P<double>(?:Re)?Doubles?\s*(?:=>|to)\s*(?P<value>{NUMBER}))"
    r"|(?P<take>Takes?)(?!\w)"
    r"|(?P<drop>Drops?|Pass(?:es)?)(?!\w)"
    r"|(?P<beaver>Beavers?|Raccoons?)(?!\w)"
    r"|(?P<resign>Resigns?)(?!\w)"
    rf"|(?P<wins>Wins\s+(?P<points>{NUMBER})\s+points?(?P<rest>[^\d:]*))(?!\w))",
    re.I,
)
_NO_MOVE: Final = re.compile(r"(?:Cannot|Can't|No)\s+move\s*\.?\s*$", re.I)
_UNKNOWN: Final = re.compile(r"\?{3,4}\s*$")
_ILLEGAL: Final = re.compile(r"Illegal\s+play\s*(?:\((.*?)\s*\))?\s*$", re.I)
TAG_NAMES: Final = {
    "Player 1": "X",
    "Player 2": "O",
    "Player 1 Elo": "XElo",
    "Player 2 Elo": "OElo",
    "EventDate": "Date",
    "EventTime": "Time",
    "Match ID": "MatchID",
}
"""Header names that are not simply ours without their blanks."""
_FIRST_COLUMN_WIDTH: Final = 27
"""How wide the left column is where no line of the game tells."""


class _Context(NamedTuple):
    """What the file said before the game."""

    match: int | None = None
    comments: tuple[Line, ...] = ()
    """The comments above the match."""


def matches(line: str) -> bool:
    """Whether a line is one that only this format has."""
    return bool(
        _MATCH.match(line) or _GAME.match(line) or re.match(r"\s*[0-9]+\)\s+[0-9]{2}:", line)
    )


def split(lines: Iterable[Line]) -> Iterator[Chunk]:
    """The games of a file, one after the other."""
    context = _Context()
    game: list[Line] = []
    waiting: list[Line] = []  # lines that belong to whatever comes next
    has_rows = ended = False
    for line in lines:
        kind = line_kind(line.text)
        if kind == "blank":
            continue
        starts = kind == "game" or (kind == "players" and (has_rows or not game))
        if (starts or kind == "match") and game:
            yield Chunk(NAME, tuple(game), tuple(context))
            game, has_rows, ended = [], False, False
        if kind == "match":
            comments = tuple(old for old in waiting if line_kind(old.text) == "comment")
            waiting = [old for old in waiting if line_kind(old.text) != "comment"]
            context = _Context(_match_length(line.text), comments)
        elif starts:
            game, waiting = [*waiting, line], []
        elif kind == "row" or (game and not ended and not header_tag(line.text)):
            game += [*waiting, line]
            waiting = []
            has_rows = has_rows or kind == "row"
            ended = ended or any(cell["wins"] for cell in _CELL.finditer(line.text))
        else:
            waiting.append(line)
    if game or waiting:
        yield Chunk(NAME, (*game, *waiting), tuple(context))


def line_kind(line: str) -> str:
    """What a line is, by its form alone."""
    if not line.strip():
        return "blank"
    for kind, pattern in _KINDS.items():
        if pattern.match(line):
            return kind
    return "other"


def header_tag(line: str) -> tuple[str, str] | None:
    """The tag that a comment line holds, by our name for it; None when it holds none."""
    comment = _COMMENT.match(line)
    header = _HEADER.fullmatch(comment[1].strip()) if comment else None
    if header is None:
        return None
    name = TAG_NAMES.get(header[1]) or re.sub(r"\W", "", header[1], flags=re.ASCII)
    value = header[2].replace(".", "-") if name == "Date" else header[2]
    return (name, value) if name[:1].isalpha() else None


def _match_length(line: str) -> int:
    found = _MATCH.match(line)
    return int(found[1]) if found and found[1] else 0


def read(chunk: Chunk) -> RawGame:
    """The game that a chunk tells."""
    return _Reader(chunk).read()


class _Reader:
    """Reads one game; the state is where in it we are."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.context = _Context(*cast("tuple[int | None, tuple[Line, ...]]", chunk.context))
        self.torn = chunk.lines[-1].number if chunk.lines[-1].torn else 0
        self.game = RawGame(format=NAME, place=chunk.place, rules="backgammon")
        self.right = 0
        self.left = 0
        self.tabs: int | None = None
        """Tabs before the left column, where more of them stand before the right one."""
        self.rolled_by: Side | None = None
        """Who had the last roll."""
        self.rolled_on = 0
        """The line it stands on."""

    def read(self) -> RawGame:
        """The whole game."""
        game = self.game
        game.match = self.context.match
        for line in self.context.comments:
            self._comment(line)
        self._find_columns()
        for line in self.chunk.lines:
            self._line(line)
        if game.players == ("", ""):
            game.notice("header", game.place, "no line names the players")
        return game

    # --- columns --------------------------------------------------------------------------

    def _find_columns(self) -> None:
        """Where the two columns start, told by the first line with two things on it."""
        for line in (line.text for line in self.chunk.lines):
            row = _ROW.match(line)
            if row is None:
                continue
            self.left = self.left or _width(line, row.end()) + 1
            cells = list(_CELL.finditer(line, row.end()))
            if len(cells) > 1 and not cells[1]["wins"]:
                self.right = _width(line, cells[1].start())
                tabs, further = (line.count("\t", 0, cell.start()) for cell in cells[:2])
                self.tabs = tabs if further > tabs else None
                return
        names = next(filter(None, (PLAYERS.match(line.text) for line in self.chunk.lines)), None)
        self.left = self.left or 5
        self.right = (
            _width(names.string, names.start(3)) if names else self.left + _FIRST_COLUMN_WIDTH
        )

    def _side(self, line: str, offset: int) -> Side:
        """Whose column an offset is in, when nothing else on the line tells."""
        if self.tabs is not None:
            return Side.O if line.count("\t", 0, offset) > self.tabs else Side.X
        return Side.X if 2 * _width(line, offset) < self.left + self.right else Side.O

    # --- lines ----------------------------------------------------------------------------

    def _line(self, line: Line) -> None:
        number, text = line.number, line.text
        match line_kind(text):
            case "comment":
                self._comment(line)
            case "row":
                row = _ROW.match(text)
                self._row(number, text, row.end() if row else 0)
            case "game":
                self.game.place = Place(number, 1)
            case "players":
                self._players(line)
            case "blank":
                return
            case _:
                if any(cell["wins"] for cell in _CELL.finditer(text)):
                    self._row(number, text, 0)
                else:
                    self._stray(number, text)

    def _stray(self, number: int, line: str) -> None:
        place = Place(number, len(line) - len(line.lstrip()) + 1)
        game = self.game
        if game.items and game.end is None:
            cut = number == self.torn
            kind = "cut-off" if cut else "syntax"
            said = "the text ends inside a line" if cut else "this is no line of a game"
            game.fault(kind, place, f"{said}: '{line.strip()}'", line.strip())
        else:
            game.notice("text", place, f"not part of a game: '{line.strip()}'")

    def _players(self, line: Line) -> None:
        game = self.game
        found = PLAYERS.match(line.text)
        assert found is not None
        names: list[str] = []
        for side, name in zip("XO", (found[1].rstrip(), found[3].rstrip()), strict=True):
            rated = RATED.fullmatch(name)
            names.append(rated[1] if rated else name)
            if rated:
                game.tags.append((f"{side}Rating", rated[2]))
            said = dict(game.tags).get(side)
            if said is not None and said != names[-1]:
                message = f"the header calls {side} '{said}', not '{names[-1]}'"
                game.notice("header", Place(line.number, 1), message)
        game.tags = [tag for tag in game.tags if tag[0] not in ("X", "O")]
        game.players = (names[0], names[1])
        game.score = (int(found[2]), int(found[4]))

    def _comment(self, line: Line) -> None:
        game = self.game
        comment = _COMMENT.match(line.text)
        assert comment is not None
        text = comment[1].strip()
        tag = header_tag(line.text)
        if tag is not None and not game.items:
            game.tags.append(tag)
            return
        if text:
            game.items.append(Remark(Place(line.number, comment.start(1) + 1), text))

    # --- cells ----------------------------------------------------------------------------

    def _row(self, number: int, line: str, start: int) -> None:
        cells = list(_CELL.finditer(line, start))
        ends = [*(cell.start() for cell in cells[1:]), len(line)] if cells else []
        before = line[start : cells[0].start() if cells else len(line)]
        sides = self._sides(line, cells)
        if before.strip():
            self._bare(number, line, start + len(before) - len(before.lstrip()), before.strip())
        for cell, end, side in zip(cells, ends, sides, strict=True):
            self._cell(number, line, cell, end, side)

    def _sides(self, line: str, cells: list[re.Match[str]]) -> list[Side]:
        """Whose each thing on a line is: of two the second is the right player's."""
        acts = [cell for cell in cells if not cell["wins"]]
        sides: list[Side] = []
        for cell in cells:
            if len(acts) > 1 and not cell["wins"]:
                sides.append(Side.X if cell is acts[0] else Side.O)
            else:
                sides.append(self._side(line, cell.start()))
        return sides

    def _cell(self, number: int, line: str, cell: re.Match[str], end: int, side: Side) -> None:
        game = self.game
        place = Place(number, cell.start() + 1)
        if cell["dice"]:
            if side is self.rolled_by:
                # The other cell is empty: on this row, or on the one before.
                row = number if side is Side.O else self.rolled_on
                game.items.append(Passed(Place(row, 1), side.other))
            self.rolled_by, self.rolled_on = side, number
            game.items.append(self._rolled(number, line, cell, end, side))
            return
        if cell["wins"]:
            if game.end is not None:
                game.fault("after-end", place, f"a second result: '{cell[0].strip()}'", cell[0])
                return
            game.end = Ended(place, side, int(cell["points"]))
            return
        rest = line[cell.end() : end].strip()
        if rest:
            at = Place(number, line.index(rest, cell.end()) + 1)
            game.fault("syntax", at, f"nothing can follow '{cell[0]}' here: '{rest}'", rest)
        item: Item
        if cell["double"]:
            item = Cube(place, side, "double", int(cell["value"]))
        elif cell["resign"]:
            item = GaveUp(place, side)
        else:
            item = Cube(
                place, side, "take" if cell["take"] else "drop" if cell["drop"] else "beaver"
            )
        game.items.append(item)

    def _rolled(self, number: int, line: str, cell: re.Match[str], end: int, side: Side) -> Rolled:
        place = Place(number, cell.start() + 1)
        dice = (int(cell["dice"][0]), int(cell["dice"][1]))
        text = line[cell.end() : end]
        at = Place(number, cell.end() + len(text) - len(text.lstrip()) + 1)
        found = text.strip()
        rolled = Rolled(place, side, dice, Told.BLANK, (), found, at)
        if not found:
            return rolled._replace(found_at=place)
        if _NO_MOVE.match(found):
            return rolled._replace(told=Told.NOTHING)
        if _UNKNOWN.match(found):
            return rolled._replace(told=Told.UNKNOWN)
        if illegal := _ILLEGAL.match(found):
            return self._reached(rolled, illegal)
        torn = number == self.torn and end == len(line)
        return read_moves(self.game, WORDS, rolled, torn)

    def _reached(self, rolled: Rolled, illegal: re.Match[str]) -> Rolled:
        """A play that the writer called illegal, with the position it led to."""
        reached = reached_position(illegal[1] or "", self.game.players, rolled.side)
        if reached is None:
            self.game.fault(
                "syntax",
                rolled.found_at,
                "'Illegal play' without a position that can be read; the play is unknown",
                rolled.found,
            )
            return rolled._replace(told=Told.UNKNOWN)
        return rolled._replace(told=Told.REACHED, reached=reached)

    def _bare(self, number: int, line: str, offset: int, text: str) -> None:
        """Something before the first roll or word of a line."""
        place = Place(number, offset + 1)
        side = self._side(line, offset)
        illegal = _ILLEGAL.match(text)
        if illegal and (reached := reached_position(illegal[1] or "", self.game.players, side)):
            # Without dice this is a position set by hand.
            self.game.items.append(SetUp(place, reached, side.other))
            return
        kind = "cut-off" if number == self.torn else "syntax"
        self.game.fault(kind, place, f"neither a roll nor a cube action: '{text}'", text)


def _width(line: str, offset: int) -> int:
    """The column that an offset is seen in, tabs being as wide as to the next multiple of 8."""
    return len(line[:offset].expandtabs(8))
