"""The trees of an SGF file: cut into games, and the nodes of each. spec/formats/sgf.md §2, §4.

What the properties mean is for sgf.py.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple, cast

from lark import Token, Tree

from acey_grammar.faults import Place
from acey_grammar.formats.raw import Chunk, Line, RawGame
from acey_grammar.formats.small_grammar import Refused, SmallGrammar

NAME: Final = "sgf"
GAME: Final = re.compile(r"\(\s*;\s*(?:FF|GM|CA|AP)\s*\[[^\]\\]{0,200}\]")
"""How a game starts; with its bracket closed, this cannot stand inside a well-formed value."""
_AFTER_VALUE: Final = re.compile(r"(\][ \t]*)[A-Za-z\s]*$")
_VALUE: Final = r"\[(?:[^\]\\]|\\[\s\S])*+\]?"
_BRACKETS: Final = re.compile(rf"{_VALUE}|[()]")
"""A value, in which brackets mean nothing and which may never end, or the bracket of a tree."""
_NODES: Final = re.compile(rf"{_VALUE}|;")
"""A value, or the start of a node."""


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


class TreeReader:
    """Reads the nodes of one game; what is wrong is reported in the game."""

    def __init__(self, chunk: Chunk, game: RawGame) -> None:
        """Read the text of a chunk."""
        self.text = "\n".join(line.text for line in chunk.lines)
        self.starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        self.line = chunk.lines[0].number
        self.column = cast("tuple[int]", chunk.context)[0]
        self.game = game

    def nodes(self) -> list[Node]:
        """The nodes of the main line."""
        found = GAME.search(self.text)
        start = found.start() if found else 0
        self._around(self.text[:start], 0)
        self.game.place = self.place(start)
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
            place = self.place(offset + len(text) - len(text.lstrip()))
            self.game.notice("text", place, f"not part of a game: '{said[:60]}'")

    def _broken(self, start: int, end: int, offset: int) -> list[Node]:
        """Report where the tree is not well formed and read what stands before."""
        text = self.text[start:end]
        game = self.game
        game.broken = True
        place = self.place(start + min(offset, len(text.rstrip())))
        found = text[offset : offset + 20].split("\n")[0].rstrip()
        if not text[offset:].strip() or text[offset] == "[":
            game.fault("cut-off", place, "the text ends inside the game")
        elif after := _AFTER_VALUE.search(text[:offset]):
            # What follows the bracket may start like a property; the bracket is the mistake.
            at = after.end(1)
            found = text[at : at + 20].split("\n")[0].strip()
            message = f"a value has ended before '{found}'; inside one, ']' is written '\\]'"
            game.fault("syntax", self.place(start + at), message, found)
        else:
            message = f"expected a property as C[…], a ';' or a ')'; found '{found}'"
            game.fault("syntax", place, message, found)
        tree = _grammar().parse(_whole_nodes(text[:offset]))
        return [] if isinstance(tree, Refused) else list(self._main_line(tree, start))

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
                self._tell_variations(branches[1:], start)
            tree = branches[0]

    def _tell_variations(self, others: list[Tree[Token]], start: int) -> None:
        """Report the variations at a fork that are not read."""
        game = self.game
        offset = next(_offsets(others[0]), 0)
        many = len(others) > 1
        said = f"{len(others)} more variations start" if many else "another variation starts"
        game.notice("text", self.place(start + offset), f"{said} here; only the first is read")
        game.lose("other variations than the first")

    def _property(self, tree: Tree[Token], start: int) -> Property:
        name, *values = tree.children
        assert isinstance(name, Token)
        upper = "".join(filter(str.isupper, name))  # old files write Black[..] for B[..]
        texts = tuple(_unescaped(str(value)) for value in values)
        return Property(upper, texts, self.place(start + (name.start_pos or 0)))

    def place(self, offset: int) -> Place:
        """The place in the file of an offset in the text."""
        line = bisect_right(self.starts, offset) - 1
        column = offset - self.starts[line] + 1
        return Place(self.line + line, column + (self.column - 1 if line == 0 else 0))


def _unescaped(value: str) -> str:
    """The text of a value: soft line breaks removed, escapes undone."""
    return re.sub(r"\\(\r\n|[\s\S])", lambda found: found[1].strip("\r\n"), value[1:-1])


def _offsets(tree: Tree[Token]) -> Iterator[int]:
    """Where the properties of the nodes right in a tree start."""
    for node in tree.children:
        for item in node.children if isinstance(node, Tree) else ():
            name = item.children[0] if isinstance(item, Tree) and item.children else None
            if isinstance(name, Token):
                yield name.start_pos or 0


def _whole_nodes(text: str) -> str:
    """A text that stops inside a tree, without its last node, and closed."""
    last = [found.start() for found in _NODES.finditer(text) if found[0] == ";"]
    good = text[: last[-1] if last else 0].rstrip()
    while good.endswith("("):
        good = good[:-1].rstrip()
    marks = [found[0] for found in _BRACKETS.finditer(good)]
    return good + ")" * (marks.count("(") - marks.count(")"))


def _end_of_tree(text: str, start: int) -> int:
    """Offset after the bracket that closes the tree; the end of the text if none does."""
    depth = 0
    for found in _BRACKETS.finditer(text[start:]):
        if found[0] == "(":
            depth += 1
        elif found[0] == ")":
            depth -= 1
            if depth == 0:
                return start + found.end()
    return len(text)
