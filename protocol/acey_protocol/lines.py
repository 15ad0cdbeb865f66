"""Requests, replies and events as lines of text. spec/protocol.md §2 and §3.

    [<id>] <verb> [<argument> | <key>=<value>]…        then, for some verbs, payload lines
    =[<id>] <text>                                     success, then payload lines
    ?[<id>] <code> <message>                           failure; nothing was changed

This module knows the form of a line; which verbs and arguments there are is verbs.py.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from acey_protocol.errors import Code, ProtocolError, ReplyError, refused

MAX_LINE: Final = 64 * 1024
"""Bytes a request's first line may have, unless configured otherwise."""
MAX_PAYLOAD: Final = 16 * 1024 * 1024
"""Bytes a payload may have, unless configured otherwise."""
ID_DIGITS: Final = 18
"""Digits an id may have: any such number fits 64 bits."""

_KEY = re.compile(r"([a-z][a-z0-9-]*)=")
_BARE = re.compile(r"[^\s\"=\x00-\x20\x7f](?:[^\s\"\x00-\x20\x7f]*)\Z")


class Limits(NamedTuple):
    """How long a request may be, in bytes."""

    line: int = MAX_LINE
    payload: int = MAX_PAYLOAD


class Request(NamedTuple):
    """A request as its line says it; nothing is known yet about the verb."""

    id: str
    """The digits the client chose, or empty."""
    verb: str
    words: tuple[str, ...]
    """The arguments without a key, in order."""
    named: dict[str, str]
    """The arguments with a key."""
    payload: str
    """Everything after the first line, or empty."""


class Reply(NamedTuple):
    """A reply as its line says it."""

    id: str
    ok: bool
    text: str
    """What stands after ``=`` and the id; of a failure the message."""
    code: Code | None
    """Why the request was refused, or None."""
    payload: str
    """The lines after the first, joined by newlines, or empty."""

    @property
    def lines(self) -> list[str]:
        """The payload's lines."""
        return self.payload.split("\n") if self.payload else []


def _syntax(message: str, id: str = "") -> ProtocolError:
    error = refused(Code.SYNTAX, message)
    error.id = id
    return error


def parse_request(data: bytes, limits: Limits = Limits()) -> Request:  # noqa: B008 - a constant
    """Read one request: a line, and a payload after its first newline.

    Raises SyntaxRefused or TooLarge; the error's ``id`` is the request's as far as it was read.
    """
    first, newline, rest = data.partition(b"\n")
    if len(first) > limits.line:
        error = refused(Code.TOO_LARGE, f"a line has at most {limits.line} bytes, not {len(first)}")
        error.id = id_of(first)
        raise error
    line = _decode(first, "the line")
    id, words, named = _split(line.rstrip("\r"))
    if len(rest) > limits.payload:
        error = refused(
            Code.TOO_LARGE, f"a payload has at most {limits.payload} bytes, not {len(rest)}"
        )
        error.id = id
        raise error
    payload = ""
    if newline:
        try:
            payload = _decode(rest, "the payload")
        except ProtocolError as error:
            error.id = id
            raise
    return Request(id, words[0], tuple(words[1:]), named, payload)


_ID = re.compile(rb"[ \t]*([0-9]{1,%d})(?=[ \t\r\n]|\Z)" % ID_DIGITS)


def id_of(data: bytes) -> str:
    """The id of a request that is not read otherwise; empty when it has none."""
    found = _ID.match(data)
    return found[1].decode() if found else ""


def _decode(data: bytes, what: str) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _syntax(f"{what} is no UTF-8 at byte {error.start + 1}") from None
    if "\x00" in text:
        raise _syntax(f"{what} has a NUL at character {text.index(chr(0)) + 1}")
    return text


def _split(line: str) -> tuple[str, list[str], dict[str, str]]:
    """The id, the words and the named values of a line."""
    begin = line.lstrip(" \t")
    if begin.startswith("#"):
        raise _syntax("a line that starts with '#' is no request; there are no comments")
    words = _plain_words(line) if '"' not in line else _quoted_words(line)
    id = ""
    if words and words[0][1].isdecimal():
        id = _id(words.pop(0)[1])
    if not words:
        raise _syntax("a request begins with a verb; the line has none", id)
    plain: list[str] = [words[0][1]]
    named: dict[str, str] = {}
    for column, word in words[1:]:
        key = _KEY.match(word) if "=" in word else None
        value = word[key.end() :] if key else word
        if value.startswith('"'):
            value = _unquote(value, column + (key.end() if key else 0), id)
        if key is None:
            plain.append(value)
        elif key[1] in named:
            error = refused(Code.BAD_ARGUMENT, f"{key[1]}= is given twice")
            error.id = id
            raise error
        else:
            named[key[1]] = value
    return id, plain, named


def _plain_words(line: str) -> list[tuple[int, str]]:
    """The words of a line without a quote, where splitting by spaces is all there is to do."""
    return [(0, word) for word in line.replace("\t", " ").split(" ") if word]


def _id(word: str) -> str:
    if len(word) > ID_DIGITS or not word.isascii():
        raise _syntax(f"an id has up to {ID_DIGITS} digits 0-9")
    return word


def _quoted_words(line: str) -> list[tuple[int, str]]:
    """The words with their columns; a word may be, or end with, a JSON string."""
    found: list[tuple[int, str]] = []
    at, length = 0, len(line)
    while at < length:
        if line[at] in " \t":
            at += 1
            continue
        start = at
        while at < length and line[at] not in " \t":
            if line[at] == '"':
                if at > start and not _KEY.fullmatch(line, start, at):
                    raise _syntax(f"column {at + 1}: a quote in the middle of a word", _begun(line))
                at = _string_end(line, at)
                if at < length and line[at] not in " \t":
                    raise _syntax(
                        f"column {at + 1}: a space is missing after the string", _begun(line)
                    )
                break
            at += 1
        found.append((start + 1, line[start:at]))
    return found


def _string_end(line: str, start: int) -> int:
    at = start + 1
    while at < len(line):
        if line[at] == "\\":
            at += 2
        elif line[at] == '"':
            return at + 1
        else:
            at += 1
    raise _syntax(f"column {start + 1}: the string is not closed", _begun(line))


def _begun(line: str) -> str:
    """The id of a line that breaks later on."""
    word = line.replace("\t", " ").lstrip(" ").split(" ", 1)[0]
    return word if word.isdecimal() and word.isascii() and len(word) <= ID_DIGITS else ""


def _unquote(text: str, column: int, id: str) -> str:
    try:
        value = msgspec.json.decode(text, type=str)
    except msgspec.DecodeError:
        raise _syntax(f"column {column}: {text[:60]} is no JSON string", id) from None
    if "\x00" in value:
        raise _syntax(f"column {column}: the string has a NUL", id)
    return value


def quote(value: str) -> str:
    """A value as requests and replies write it: bare, or a JSON string where it needs one."""
    bare = _BARE.match(value) and not _KEY.match(value)
    return value if bare else msgspec.json.encode(value).decode()


def write_request(
    verb: str,
    words: Sequence[str] = (),
    named: dict[str, str] | None = None,
    payload: str = "",
    id: str = "",
) -> bytes:
    """A request as bytes; values are quoted where they need it."""
    parts = [id, verb] if id else [verb]
    parts += [quote(word) for word in words]
    parts += [f"{key}={quote(value)}" for key, value in (named or {}).items()]
    text = " ".join(parts)
    return (f"{text}\n{payload}" if payload else text).encode()


def write_reply(id: str, text: str, payload: str = "") -> bytes:
    """A reply of success."""
    head = f"={id} {text}" if text else f"={id}"
    return (f"{head}\n{payload}" if payload else head).encode()


def write_error(error: ProtocolError, id: str = "", json: bool = False) -> bytes:
    """A reply of failure: one line of message, then the payload's lines.

    With ``json`` the message is a JSON document: ``message`` and the error's details.
    """
    head = f"?{id or error.id} {error.code}"
    if json:
        document = msgspec.json.encode({"message": error.message, **error.details})
        return f"{head} ".encode() + document
    message = one_line(error.message)
    text = f"{head} {message}\n{error.payload}" if error.payload else f"{head} {message}"
    return text.encode(errors="backslashreplace")


def one_line(text: str) -> str:
    """The text with its control characters written out, so that it stays on its line."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\t" else char.encode("unicode_escape").decode()
        for char in text
    )


_HEAD = re.compile(r"([=?])([0-9]{0,18})(?: (.*))?\Z")


def parse_reply(data: bytes) -> Reply:
    """Read a reply. Raises ReplyError."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ReplyError(f"the reply is no UTF-8 at byte {error.start + 1}") from None
    first, _, payload = text.partition("\n")
    head = _HEAD.match(first)
    if head is None:
        raise ReplyError(f"{first[:80]!r} is no reply: it begins with neither '=' nor '?'")
    sign, id, rest = head[1], head[2], head[3] or ""
    if sign == "=":
        return Reply(id, True, rest, None, payload)
    word, _, message = rest.partition(" ")
    try:
        return Reply(id, False, message, Code(word), payload)
    except ValueError:
        raise ReplyError(f"{word[:40]!r} is no error code of acey/1") from None


def split_values(text: str) -> tuple[list[str], dict[str, str]]:
    """The words and the named values of a reply's text, strings unquoted. Raises ReplyError."""
    try:
        _, words, named = _split(f"reply {text}")
    except ProtocolError as error:
        raise ReplyError(f"{text[:80]!r}: {error.message}") from None
    return words[1:], named
