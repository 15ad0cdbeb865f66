"""Recorded dialogues, and playing them against a server. spec/vectors/dialogues/README.md.

A dialogue is lines of what is sent (``>``) and what must come back (``<``); ``+`` continues either
as a payload. ``{name}`` stands for what it stood for before, or, the first time, for anything of
its kind. A letter before the sign tells connections apart.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

import zmq

from acey_protocol.client_link import CurveKeys, Link, resolve
from acey_protocol.errors import NoReply

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
    """What the server must be like, in words; empty for any server."""
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

    def __init__(self, address: str, seconds: float, curve: CurveKeys | None = None) -> None:
        """``seconds`` is how long a reply may take."""
        self._address = address
        self._seconds = seconds
        self._curve = curve
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._links: dict[str, Link] = {}

    def close(self) -> None:
        """Close every connection."""
        self._hang_up()
        self._context.term()

    def play(self, dialogue: Dialogue) -> Mismatch | None:
        """Play a dialogue up to the first reply that is not as recorded.

        Raises BadAddress, NoReply when there is no connection, NotAdmitted.
        """
        bound: dict[str, str] = {}
        try:
            for message in dialogue.messages:
                if message.sent:
                    self._link(message.connection).socket.send(
                        _filled(message.text, bound).encode()
                    )
                    continue
                found = self._receive(message.connection)
                if found is None:
                    return Mismatch(message.line, message.text, "")
                if not _matches(message.text, found, bound):
                    return Mismatch(message.line, _filled(message.text, bound), found)
        finally:
            self._hang_up()
        return None

    def _hang_up(self) -> None:
        for link in self._links.values():
            link.close()
        self._links.clear()

    def _link(self, connection: str) -> Link:
        link = self._links.get(connection)
        if link is None:
            resolve(self._address)
            link = Link(self._context, zmq.DEALER, self._address, self._curve)
            self._links[connection] = link
        return link

    def _receive(self, connection: str) -> str | None:
        """The next reply; None when none comes in time. Raises NoReply without a connection."""
        link = self._link(connection)
        poller = zmq.Poller()
        for each in (link.socket, link.monitor):
            poller.register(each, zmq.POLLIN)
        until = monotonic() + self._seconds
        while ready := dict(poller.poll(max(0, round((until - monotonic()) * 1000)))):
            if link.socket in ready:
                return link.socket.recv().decode("utf-8", "replace")
            if link.look():
                break
        if trouble := link.trouble():
            raise NoReply(f"{self._address}: {trouble}")
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
