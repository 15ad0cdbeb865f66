"""Text to plays, actions and games, by the grammar of notation.lark. spec/notation.md §3 to §5.

Nothing here consults the rules of the game. Text that is not well formed raises NotationError.
"""

import re
from functools import cache
from typing import Final

from lark import Token, Tree

from acey_grammar.explain import explain
from acey_grammar.faults import Fault, NotationError
from acey_grammar.grammar import Refusal, parse_tree
from acey_grammar.mistake import Mistake
from acey_grammar.record import (
    HowName,
    RollKind,
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


def tree_of(start: str, text: str, line: int = 1) -> Tree[Token]:
    """The parse tree of normalised text, the first line of which has the number ``line``.

    Raises NotationError that explains the first mistake.
    """
    tree = parse_tree(start, text)
    if isinstance(tree, Refusal):
        raise NotationError(fault_of(explain(start, text, tree), text, line))
    return tree


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
        tuple(dict.fromkeys(STOPS[stop[:-1]] for stop in stops if stop[-1] == "*")),
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


# --- errors -----------------------------------------------------------------------------------


def fault_of(mistake: Mistake, text: str, line: int = 1) -> Fault:
    """A mistake as a fault, with its place in a text that starts at ``line``."""
    offset = mistake.offset
    return Fault(
        kind=mistake.kind,
        line=line + text.count("\n", 0, offset),
        column=offset - text.rfind("\n", 0, offset),
        message=mistake.message,
        found=mistake.found,
        expected=mistake.expected,
    )
