"""Moves as foreign formats write them, each by a Lark grammar of its own, to moves of ours.

The grammar of a format defines ``move`` from the terminals SOURCE, TARGET, HIT and REPEAT; what
these mean is the same everywhere and stands here. Archives repeat few different moves, so each
is parsed once.
"""

from functools import cached_property, lru_cache
from typing import Final

from lark import Token, Tree

from acey_grammar.formats.small_grammar import Refused, SmallGrammar
from acey_rules import BAR, OFF, UNENTERED, WrittenMove

_POINTS: Final = range(1, 25)
_NAMES: Final = {
    "SOURCE": "a point 1-24, 'bar' or 'off'",
    "TARGET": "a point 1-24 or 'off'",
    "HIT": "'*'",
    "REPEAT": "a repeat as (2)",
    "_SLASH": "'/'",
    "_DASH": "'-'",
    "_STROKE": "'/'",
    "$END": "the end of the move",
}
"""What each terminal is to the user."""


class WordError(ValueError):
    """A word that is no move; ``offset`` is where in it, from 0, ``expected`` what could stand."""

    def __init__(self, word: str, offset: int, expected: tuple[str, ...]) -> None:
        """Say what could stand there."""
        said = f"found '{word[offset:]}'" if offset < len(word) else "the move ends here"
        super().__init__(f"expected {' or '.join(expected)}; {said}")
        self.offset = offset
        self.expected = expected
        self.found = word[offset:]
        self.unfinished = offset >= len(word)
        """Whether the word is the beginning of a move."""


class MoveWords:
    """The moves of one format."""

    def __init__(self, grammar: str) -> None:
        """Read moves by the grammar file of that name beside this module."""
        self._grammar = grammar
        self.read = lru_cache(maxsize=1 << 16)(self._read)
        """The move that a word spells, in the numbering of the file. Raises WordError."""

    @cached_property
    def _parser(self) -> SmallGrammar:
        return SmallGrammar(self._grammar, "move")

    def _read(self, word: str) -> WrittenMove:
        tree = self._parser.parse(word)
        if isinstance(tree, Refused):
            expected = tuple(text for name, text in _NAMES.items() if name in tree.terminals)
            raise WordError(word, tree.offset, expected)
        return _move(word, tree)


def _move(word: str, tree: Tree[Token]) -> WrittenMove:
    source = 0
    stops: list[int] = []
    hits: list[int] = []
    times = 1
    for token in tree.children:
        assert isinstance(token, Token)
        match token.type:
            case "SOURCE":
                source = _SOURCES[token.lower()]
            case "TARGET":
                stops.append(_TARGETS[token.lower()])
            case "HIT":
                if stops[-1] == OFF:
                    raise WordError(word, token.start_pos or 0, (_NAMES["$END"],))
                hits.append(stops[-1])
            case _:
                times = int(token[1:-1])
    return WrittenMove(source, tuple(stops), tuple(hits), times)


_SOURCES: Final = {"bar": BAR, "25": BAR, "off": UNENTERED} | {str(p): p for p in _POINTS}
_TARGETS: Final = {"off": OFF, "0": OFF} | {str(p): p for p in _POINTS}


def turned(move: WrittenMove) -> WrittenMove:
    """The move counted from the other end of the board; bar and off are no points and stay."""
    return WrittenMove(
        25 - move.source if move.source in _POINTS else move.source,
        tuple(25 - stop if stop in _POINTS else stop for stop in move.stops),
        tuple(25 - stop if stop in _POINTS else stop for stop in move.hits),
        move.times,
    )
