"""The grammar of notation.lark, loaded: its parser and its terminals. spec/notation.md §1.

Everything that reads notation by another way than the parser (explanations of mistakes, the fast
reader) takes the terminals from here, so that each is written once.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple, Protocol, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

GRAMMAR: Final = files("acey_grammar").joinpath("notation.lark").read_text("utf-8")
"""The text of notation.lark."""
STARTS: Final = (
    "file",
    "game",
    "tag",
    "turn",
    "comments",
    "result",
    "file_comment",
    "play",
    "action",
)
"""The rules that text can be read by."""

_TERMINAL: Final = re.compile(r"^([A-Z_]+)(?:\.\d+)?:", re.M)


class Parser(Protocol):
    """The part of a Lark parser that is used here, with its types."""

    def parse(self, text: str, start: str) -> Tree[Token]:
        """The tree of the text, read by a rule of the grammar. Raises UnexpectedInput."""
        ...


class Refusal(NamedTuple):
    """Where the parser went no further, and the terminals that could stand there."""

    offset: int
    allowed: frozenset[str]


@cache
def parser() -> Parser:
    """The parser of notation.lark, made when it is first needed."""
    lark = Lark(GRAMMAR, parser="lalr", start=list(STARTS), maybe_placeholders=False)
    return cast("Parser", lark)


@cache
def patterns() -> dict[str, str]:
    """Every terminal of notation.lark by name, as a regular expression."""
    names = _TERMINAL.findall(GRAMMAR)
    every = f"{GRAMMAR}\nevery: {' | '.join(names)}\n"
    lark = Lark(every, parser="lalr", lexer="basic", start="every")
    return {terminal.name: terminal.pattern.to_regexp() for terminal in lark.terminals}


def pattern(name: str) -> str:
    """A terminal of notation.lark, as a regular expression."""
    return patterns()[name]


def parse_tree(start: str, text: str) -> Tree[Token] | Refusal:
    """The tree of normalised text, or where the parser refused it.

    At the end of the text the parser reports the last token; the place here is the true one.
    """
    try:
        return parser().parse(text, start=start)
    except UnexpectedInput as error:
        details = vars(error)
        if isinstance(error, UnexpectedToken):
            token: Token = details["token"]
            at_end = token.type == "$END" or token.start_pos is None
            offset = len(text) if at_end else cast("int", token.start_pos)
            return Refusal(offset, frozenset(error.accepts or error.expected))
        return Refusal(details["pos_in_stream"], frozenset(details["allowed"] or ()))
