"""The small Lark grammars of the foreign formats, and where they stop understanding a text."""

from importlib.resources import files
from typing import NamedTuple, Protocol, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken


class Refused(NamedTuple):
    """Where a text stops being what the grammar describes."""

    offset: int
    """From 0; the length of the text where it ends too early."""
    terminals: frozenset[str]
    """What could stand there."""


class _Parser(Protocol):
    def parse(self, text: str) -> Tree[Token]:
        """The tree of a text."""
        ...


class SmallGrammar:
    """A grammar file beside this module."""

    def __init__(self, name: str, start: str) -> None:
        """Load the grammar; ``start`` is the rule to read by."""
        text = files("acey_grammar.formats").joinpath(name).read_text("utf-8")
        self._parser = cast("_Parser", Lark(text, parser="lalr", start=start))

    def parse(self, text: str) -> Tree[Token] | Refused:
        """The tree of a text, or where it is refused."""
        try:
            return self._parser.parse(text)
        except UnexpectedInput as error:
            return _refused(error, text)


def _refused(error: UnexpectedInput, text: str) -> Refused:
    details = vars(error)
    if isinstance(error, UnexpectedToken):
        token: Token = details["token"]
        # At the end of the text Lark gives the place of the last token.
        offset = len(text) if token.type == "$END" else token.start_pos
        names = details.get("accepts") or details.get("expected")
    else:
        offset = details["pos_in_stream"]
        names = details.get("allowed")
    return Refused(len(text) if offset is None else int(offset), frozenset(names or ()))
