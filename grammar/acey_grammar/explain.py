"""What is wrong with a line that the grammar has refused. spec/notation.md §8.

Each function takes the text of one thing (an action, a tag, a turn, a result), knows that it is not
well formed, and finds the first mistake in it. Nothing here decides what is accepted: the grammar
has done so, and where nothing here finds a mistake, the place where the parser stopped is told.
"""

import re
from typing import Final

from acey_grammar.explain_play import PLAY, explain_play
from acey_grammar.grammar import Refusal, pattern
from acey_grammar.mistake import Mistake, fits, invisible

TAG: Final = 'a tag as [Name "value"]'
TURN: Final = "a turn as '1. X 63: off/19 off/22'"
RESULT: Final = "a result as 'X wins 7' or 'O wins 3 by resignation', or '*'"
DICE: Final = "a roll as 63:, =66: or ~11:"
LINE_END: Final = "the end of the line"

WORDS: Final = {
    "TAG": TAG,
    "NUMBER": TURN,
    "SIDE": "the side, X or O",
    "DICE": DICE,
    "PLAY": PLAY,
    "COMMA": "',' and another roll",
    "GLYPH": "a mark as '!' or '?'",
    "COMMENT": "a comment in braces",
    "TIME": "a time as {%t 1.25}",
    "RESULT": RESULT,
    "FILE_COMMENT": "a line that starts with '#'",
    "_NL": LINE_END,
    "$END": "the end of the text",
    "ROLL_ACTION": "'roll 63'",
    "PLAY_ACTION": "'play off/19 off/22'",
    "NAME_ACTION": "'name 6'",
    "RESIGN_ACTION": "'resign'",
}
"""What each terminal of the grammar is to the people who write it."""


def explain(start: str, text: str, refusal: Refusal) -> Mistake:
    """The first mistake in a text that the grammar's rule ``start`` has refused."""
    match start:
        case "play":
            mistake = explain_play(text)
        case "action":
            mistake = _explain_action(text)
        case "tag":
            mistake = _explain_tag(text)
        case "turn":
            mistake = _explain_turn(text)
        case "result":
            mistake = _explain_result(text)
        case "comments":
            mistake = explain_comments(text)
        case _:
            mistake = None
    mistake = mistake or _as_refused(text, refusal)
    hidden = invisible(text)
    reaches = mistake.offset + len(mistake.found)
    return hidden if hidden is not None and hidden.offset <= reaches else mistake


def _as_refused(text: str, refusal: Refusal) -> Mistake:
    """The place where the parser stopped, in the terms of the notation."""
    offset = min(refusal.offset, len(text.rstrip()))
    expected = tuple(words for name, words in WORDS.items() if name in refusal.allowed)
    # Where nothing is missing either, it is the end of a line that cannot stand there.
    return Mistake(offset, _word(text, offset) or ("" if expected else "\n"), expected)


# --- actions ----------------------------------------------------------------------------------

_ACTIONS: Final = ("'roll 63'", "'play off/19 off/22'", "'name 6'", "'resign'")


def _explain_action(text: str) -> Mistake | None:
    words = re.match(r"(\s*)(\S*)(\s*)(.*)", text, re.S)
    assert words is not None
    verb, rest = words[2], words[4].rstrip()
    at = words.start(4)
    match verb:
        case "play":
            mistake = explain_play(rest)
            return mistake and mistake.moved(at)
        case "roll":
            return Mistake(at, rest, ("two dice, as 'roll 63'",), _dice_hint(rest))
        case "name":
            return Mistake(at, rest, ("a number 1-6, as 'name 6'",))
        case "resign":
            return Mistake(at, rest, ("nothing more", "a number of points, as 'resign 3'"))
        case _:
            lower = verb.lower()
            hint = "actions are written in small letters" if lower != verb else ""
            return Mistake(words.start(2), verb, _ACTIONS, hint)


def _dice_hint(text: str) -> str:
    """What to write when the dice are recognisable."""
    digits = "".join(re.findall(r"\d", text))
    return f"write '{digits}'" if re.fullmatch("[1-6][1-6]", digits) else ""


# --- tags -------------------------------------------------------------------------------------

_NAME: Final = re.compile(r"[^\s\"\[\]=:“”„'«»]*")
_QUOTES: Final = "“”„‟«»'\N{LEFT SINGLE QUOTATION MARK}’`"


def _explain_tag(text: str) -> Mistake | None:
    line = text.rstrip()
    at = line.index("[") + 1
    at += len(line[at:]) - len(line[at:].lstrip())
    name = _NAME.match(line, at)
    assert name is not None
    if not fits("TAG_NAME", name[0]):
        return Mistake(
            at,
            name[0] or line[at : at + 1],
            ("a tag name of letters, digits and _",),
            f"as in {TAG[9:]}",
        )
    at = name.end()
    rest = line[at:].lstrip()
    value_at = len(line) - len(rest)
    if rest[:1] in {"=", ":"}:
        return Mistake(value_at, rest[0], ("a blank and the value in quotes",), f"as in {TAG[9:]}")
    if rest[:1] and rest[0] in _QUOTES:
        return Mistake(value_at, rest[0], ('the value in straight quotes: "..."',))
    if rest[:1] != '"':
        hint = "a tag name has no blanks" if re.match(r'\w+ *"[^"]+"', rest) else ""
        return Mistake(value_at, rest, ('the value in quotes: "..."',), hint)
    if value_at == at:
        return Mistake(at, '"', ("a blank between the name and the value",))
    return _explain_value(line, value_at)


def _explain_value(line: str, at: int) -> Mistake | None:
    """What is wrong from the opening quote of a tag's value on."""
    end = at + 1
    while end < len(line) and line[end] != '"':
        if line[end] == "\\" and line[end + 1 : end + 2] not in {'"', "\\"}:
            hint = "a backslash in a value is written '\\\\'"
            return Mistake(end, line[end : end + 2], ('\\"', "\\\\"), hint)
        end += 2 if line[end] == "\\" else 1
    if end >= len(line):
        closing = len(line) - 1 if line.endswith("]") else len(line)
        return Mistake(closing, line[closing:], ('the closing quote: "',))
    rest = line[end + 1 :].lstrip()
    place = len(line) - len(rest)
    if not rest.startswith("]"):
        hint = "a quote in a value is written '\\\"'" if '"' in rest else ""
        return Mistake(place, rest, ("']'",), hint)
    after = rest[1:].lstrip()
    hint = "each tag has a line of its own" if after.startswith("[") else ""
    return Mistake(len(line) - len(after), after, (LINE_END,), hint)


# --- turns ------------------------------------------------------------------------------------

_NUMBER: Final = re.compile(r"[ \t]*([0-9]*)([^\sXOxo0-9]*)[ \t]*")
_ROLL: Final = re.compile(r"[ \t]*([^:,{}!?]*):?")
_PLAY_END: Final = re.compile(
    r"[,;{}!?#\n]|$"
    r"|[=~]?\(?\d[ \t,-]*\d\)?[ \t]*:"  # another roll
    r"|(?<!\d)\d+\.[ \t]*[XO]\b"  # another turn
    r"|[XO][ \t]+(?:wins|[=~]?\d\d:)"  # a result, or a turn without its number
)


def _explain_turn(text: str) -> Mistake | None:
    head = _NUMBER.match(text)
    assert head is not None
    number, dot = head[1], head[2]
    if dot != "." or not fits("NUMBER", f"{number}."):
        return _wrong_number(text, head)
    at = head.end()
    side = re.match(r"[^\s:]*", text[at:])
    assert side is not None
    if side[0] not in {"X", "O"}:
        return Mistake(at, side[0], ("the side, X or O",), _side_hint(side[0]))
    at += 1
    while True:
        mistake, at = _explain_roll(text, at)
        if mistake is not None:
            return mistake
        if text[at : at + 1] != ",":
            return _explain_tail(text, at)
        at += 1


def _side_hint(found: str) -> str:
    """What to write for a letter that is meant as a side."""
    if found in {"x", "o"}:
        return "the side is a capital letter"
    alike = len(found) == 1 and not found.isascii()
    return "the side is a letter of the Latin alphabet" if alike else ""


def _wrong_number(text: str, head: re.Match[str]) -> Mistake:
    number, dot = head[1], head[2]
    if dot == ":" and fits("DICE", f"{number}:"):
        hint = "a turn has a number and a side"
        return Mistake(head.start(1), f"{number}:", (TURN,), hint)
    if not number:
        return Mistake(head.start(1), _word(text, head.start(1)), (TURN,), "a turn has a number")
    if number[0] == "0":
        return Mistake(head.start(1), number, ("a turn number from 1, without leading 0",))
    if not fits("NUMBER", f"{number}."):
        return Mistake(head.start(1), number, ("a turn number of at most 9 digits",))
    if dot == "...":
        return Mistake(head.start(2), dot, ("'.' and the side",), "the side is always written")
    return Mistake(head.start(2), dot or _word(text, head.end()), ("'.' after the turn number",))


def _word(text: str, at: int) -> str:
    found = re.match(r"\S*", text[at:])
    return found[0] if found else ""


def _explain_roll(text: str, at: int) -> tuple[Mistake | None, int]:
    """What is wrong with one roll and its play, and where the text goes on behind them."""
    start = at + len(text[at:]) - len(text[at:].lstrip(" \t"))
    dice = re.compile(pattern("DICE")).match(text, start)
    if dice is None:
        return _wrong_dice(text, start), at
    end = _PLAY_END.search(text, dice.end())
    assert end is not None
    play = text[dice.end() : end.start()]
    mistake = explain_play(play)
    if mistake is None:
        return None, end.start()
    if not play.strip():
        return Mistake(dice.end(), _word(text, end.start()), (PLAY,)), at
    return mistake.moved(dice.end()), at


def _wrong_dice(text: str, at: int) -> Mistake:
    whole = re.match(r"[=~+]?[ \t]*\(?\d*[ \t,;.\-–]*\d*\)?[ \t]*[:;.]?", text[at:])
    found = (whole[0] if whole else "").rstrip() or _word(text, at)
    mark = found[0] if found[:1] in {"=", "~"} else ""
    digits = "".join(re.findall(r"[0-9]", found))
    hint = ""
    if re.fullmatch("[1-6][1-6]", digits):
        hint = f"write '{mark}{digits}:'"
    elif re.fullmatch("[1-6]", digits) and mark:
        hint = f"write '{mark}{digits}{digits}:'"
    elif len(digits) == 2:
        hint = "a die shows 1 to 6"
    elif not digits and fits("MOVE", found.rstrip(",")):
        hint = "',' separates rolls; moves are separated by blanks"
    return Mistake(at, found, (DICE,), hint)


_AFTER: Final = ("',' and another roll", "a mark as '!' or '?'", "a comment in braces", LINE_END)


def _explain_tail(text: str, at: int) -> Mistake | None:
    """What is wrong behind the rolls: marks and comments."""
    at += len(text[at:]) - len(text[at:].lstrip(" \t"))
    glyph = re.match(r"[!?]*", text[at:])
    if glyph is not None and glyph[0]:
        if not fits("GLYPH", glyph[0]):
            return Mistake(at, glyph[0], ("one of ! !! ? ?? !? ?!",))
        at += len(glyph[0])
    return explain_comments(text, at)


_STRAYS: Final = {
    "}": "no comment is open here",
    ";": "a comment stands in braces",
    "(": "a comment stands in braces",
    "#": "a file comment has a line of its own",
}


def explain_comments(text: str, at: int = 0) -> Mistake | None:
    """What is wrong with the comments that start at ``at``."""
    while True:
        at += len(text[at:]) - len(text[at:].lstrip())
        if text[at : at + 1] != "{":
            break
        whole = re.compile(r"\{[^{}]*").match(text, at)
        assert whole is not None
        if text[whole.end() : whole.end() + 1] != "}":
            return _unclosed(text, at, whole.end())
        comment = text[at : whole.end() + 1]
        if not fits("COMMENT", comment) and not fits("TIME", comment):
            return Mistake(at, comment, ("a time in seconds as {%t 1.25}",))
        at = whole.end() + 1
    if at >= len(text):
        return None
    hint = _STRAYS.get(text[at], "")
    if re.match(r";[ \t]*[=~]?[1-6][1-6]:", text[at:]):
        hint = "rolls are separated by ','"
    elif re.match(r"[XO][ \t]+wins", text[at:]):
        hint = "the result has a line of its own"
    elif re.match(r"[0-9]+\.[ \t]*[XO]|[XO][ \t]", text[at:]):
        hint = "each turn has a line of its own"
    return Mistake(at, _word(text, at), _AFTER, hint)


def _unclosed(text: str, at: int, end: int) -> Mistake:
    if text[end : end + 1] == "{":
        hint = "the comment before it is not closed, or a brace stands in it"
        return Mistake(end, "{", ("'}'",), hint)
    found = text[at:end].rstrip()
    return Mistake(at, found, ("'}' at the end of the comment",), "this comment is never closed")


# --- results ----------------------------------------------------------------------------------

_RESULT: Final = re.compile(r"[ \t]*(\S*)[ \t]*(\S*)[ \t]*(\S*)[ \t]*(.*)")


def _explain_result(text: str) -> Mistake | None:
    words = _RESULT.match(text)
    assert words is not None
    side, verb, points, how = words[1], words[2], words[3], words[4].rstrip()
    if side not in {"X", "O"}:
        if side == "*" and verb:
            return Mistake(words.start(2), verb, (LINE_END,), "'*' stands alone")
        return Mistake(words.start(1), side, (RESULT,), _side_hint(side))
    if verb != "wins":
        return Mistake(words.start(2), verb, ("'wins'",), "as in 'X wins 7'")
    if not fits("POINTS", points):
        return Mistake(words.start(3), points, ("the points won, a number from 1",))
    if how:
        ways = ("'by resignation'", "'on time'", "'by forfeit'", LINE_END)
        return Mistake(words.start(4), how, ways)
    return None


# --- lines that are none of these -------------------------------------------------------------

_COMMENT_SIGN: Final = re.compile(r"[ \t]*(;|//|%|--|/\*)")
_OUTCOME: Final = re.compile(r"\b(wins?|won|draws?|resigns?|forfeits?|1-0|0-1|½-½)\b", re.I)


def explain_line(text: str) -> Mistake:
    """What is wrong with a line that is none that a game can have."""
    hidden = invisible(text)
    if hidden is not None:
        return hidden
    line = text.rstrip()
    at = len(line) - len(line.lstrip())
    found = line[at:]
    if _COMMENT_SIGN.match(line):
        return Mistake(at, found, ("a line that starts with '#'",), "as in '# a comment'")
    if _OUTCOME.search(line):
        return Mistake(at, found, (RESULT,))
    return Mistake(at, found, (TAG, TURN, RESULT, "a line that starts with '#'"))
