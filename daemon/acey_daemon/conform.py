"""Recorded dialogues, and playing them against a server. spec/vectors/dialogues/README.md.

A dialogue is lines of what is sent (``>``) and what must come back (``<``); ``+`` continues either
as a payload. ``{name}`` stands for what it stood for before, or, the first time, for anything of
its kind. A letter before the sign tells connections apart.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import zmq

FOLDER: Final = Path(__file__).parent / "dialogues"
"""The dialogues that come with the program."""
KINDS: Final[Mapping[str, str]] = {
    "table": r"[0-9a-z]{8}",
    "token": r"[0-9a-f]{32}",
    "hex": r"[0-9a-f]{64}",
    "number": r"[0-9]+",
    "seconds": r"[0-9]+\.[0-9]",
    "date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "word": r"\S+",
    "side": r"[xo]",
    "any": r".*",
    "lines": r"[\s\S]*",
}
"""What a placeholder ``{name:kind}`` may stand for."""
_LINE = re.compile(r"([A-Z]?)([<>+]) ?(.*)")
_HOLE = re.compile(r"\{(\w*)(?::(\w+))?\}")


class DialogueError(Exception):
    """A file that is no dialogue; the message names the line."""


class Message(NamedTuple):
    """One request, or one reply that must come."""

    line: int
    connection: str
    sent: bool
    text: str


class Dialogue(NamedTuple):
    """A recorded dialogue."""

    name: str
    about: str
    needs: str
    """How the server must be set, in words; empty for any server."""
    messages: tuple[Message, ...]


class Mismatch(NamedTuple):
    """A reply that is not what the dialogue says."""

    line: int
    expected: str
    found: str

    def __str__(self) -> str:
        """Both, side by side."""
        return f"line {self.line}: expected {self.expected!r}, found {self.found!r}"


def read_dialogue(path: Path) -> Dialogue:
    """Read a dialogue. Raises DialogueError, OSError."""
    about: list[str] = []
    needs = ""
    messages: list[Message] = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            words = line.removeprefix("#").strip()
            if words.startswith("needs: "):
                needs = words.removeprefix("needs: ")
            elif words and not messages:
                about.append(words)
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise DialogueError(f"{path}:{number}: a line begins with '>', '<' or '+'")
        connection, sign, text = found.groups()
        if sign != "+":
            messages.append(Message(number, connection or "A", sign == ">", text))
        elif messages:
            last = messages[-1]
            messages[-1] = last._replace(text=f"{last.text}\n{text}")
        else:
            raise DialogueError(f"{path}:{number}: nothing to continue")
    return Dialogue(path.stem, " ".join(about), needs, tuple(messages))


def dialogues(folder: Path = FOLDER) -> Iterator[Dialogue]:
    """The dialogues of a folder, by name. Raises DialogueError, OSError."""
    for path in sorted(folder.glob("*.txt")):
        yield read_dialogue(path)


class Speaker:
    """Plays dialogues against one server, each connection a DEALER."""

    def __init__(self, address: str, seconds: float) -> None:
        """``seconds`` is how long a reply may take."""
        self._address = address
        self._milliseconds = round(seconds * 1000)
        self._context = zmq.Context()
        self._sockets: dict[str, zmq.Socket[bytes]] = {}

    def close(self) -> None:
        """Close every connection."""
        self._context.destroy(linger=0)

    def play(self, dialogue: Dialogue) -> Mismatch | None:
        """Play a dialogue up to the first reply that is not as recorded."""
        bound: dict[str, str] = {}
        try:
            for message in dialogue.messages:
                if message.sent:
                    self._socket(message.connection).send(_filled(message.text, bound).encode())
                    continue
                found = self._receive(message.connection)
                if found is None:
                    return Mismatch(message.line, message.text, "")
                if not _matches(message.text, found, bound):
                    return Mismatch(message.line, _filled(message.text, bound), found)
        finally:
            for sock in self._sockets.values():
                sock.close(linger=0)
            self._sockets.clear()
        return None

    def _socket(self, connection: str) -> zmq.Socket[bytes]:
        sock = self._sockets.get(connection)
        if sock is None:
            sock = self._sockets[connection] = self._context.socket(zmq.DEALER)
            sock.rcvtimeo = self._milliseconds
            sock.connect(self._address)
        return sock

    def _receive(self, connection: str) -> str | None:
        try:
            return self._socket(connection).recv().decode("utf-8", "replace")
        except zmq.Again:
            return None


def _filled(text: str, bound: Mapping[str, str]) -> str:
    """A text with the placeholders that are known filled in."""
    return _HOLE.sub(lambda hole: bound.get(hole[1], hole[0]), text)


def _matches(expected: str, found: str, bound: dict[str, str]) -> bool:
    """Whether a reply is as expected; what new placeholders stand for is remembered."""
    pattern = ""
    at = 0
    for hole in _HOLE.finditer(expected):
        pattern += re.escape(expected[at : hole.start()]) + _group(hole, bound, pattern)
        at = hole.end()
    match = re.fullmatch(pattern + re.escape(expected[at:]), found)
    if match is None:
        return False
    bound.update(match.groupdict())
    return True


def _group(hole: re.Match[str], bound: Mapping[str, str], before: str) -> str:
    name, kind = hole[1], hole[2] or hole[1]
    if name in bound:
        return re.escape(bound[name])
    pattern = KINDS.get(kind, KINDS["word"])
    if not name or (hole[2] is None and name in KINDS):
        return f"(?:{pattern})"
    if f"(?P<{name}>" in before:
        return f"(?P={name})"
    return f"(?P<{name}>{pattern})"
