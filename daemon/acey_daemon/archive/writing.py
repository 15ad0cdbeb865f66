"""Records to a format, game by game, and what that format cannot hold."""

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Final

from acey_grammar.formats.raw import RawGame
from acey_grammar.formats.registry import FORMATS
from acey_grammar.formats.telling import UnsupportedError, tell
from acey_grammar.formats.verdict import Verdict
from acey_grammar.write import RecordError, write_game
from acey_protocol.records import GameRecord, encode_json, encode_msgpack

TARGETS: Final = ("acey", "json", "jsonl", "msgpack", *FORMATS)
"""Every format that can be written."""
ENDINGS: Final = {
    ".acey": "acey",
    ".json": "json",
    ".jsonl": "jsonl",
    ".msgpack": "msgpack",
} | {form.ending: form.name for form in FORMATS.values()}
"""The formats by the usual endings of their files."""

OnLoss = Callable[[Verdict, tuple[str, ...]], None]
"""Told of what is lost of a game; by raising it stops the writing."""


def write_archive(games: Iterable[Verdict], target: str, file: BinaryIO, on_loss: OnLoss) -> int:
    """Write the games that have a record; how many there were.

    Raises UnsupportedError naming the game that the target cannot hold at all.
    """
    written = _Written(games, on_loss)
    for text in _writer(target)(written):
        file.write(text)
    return written.count


class _Written:
    """The games on their way to a file, counted."""

    def __init__(self, games: Iterable[Verdict], on_loss: OnLoss) -> None:
        self.games = games
        self.on_loss = on_loss
        self.count = 0

    def records(self) -> Iterator[tuple[Verdict, GameRecord]]:
        for verdict in self.games:
            if verdict.record is not None:
                self.count += 1
                yield verdict, verdict.record

    def __iter__(self) -> Iterator[GameRecord]:
        """The records alone, of which nothing more is lost than reading lost."""
        for verdict, record in self.records():
            self.on_loss(verdict, verdict.losses)
            yield record

    def told(self, target: str) -> Iterator[RawGame]:
        """The games as a foreign format tells them."""
        for verdict, record in self.records():
            try:
                game = tell(record, FORMATS[target].held)
            except UnsupportedError as error:
                raise UnsupportedError(f"{_name(verdict)}: {error}") from error
            yield game
            # The writer has written it by now and noted what was lost.
            self.on_loss(verdict, (*verdict.losses, *game.losses))


def _name(verdict: Verdict) -> str:
    return f"{verdict.file}: game {verdict.game}"


def _writer(target: str) -> Callable[[_Written], Iterator[bytes]]:
    writers: dict[str, Callable[[_Written], Iterator[bytes]]] = {
        "acey": _acey,
        "json": _json,
        "jsonl": _json_lines,
        "msgpack": _msgpack,
    }
    return writers.get(target) or (lambda games: _foreign(games, target))


def _acey(games: _Written) -> Iterator[bytes]:
    between = ""
    for record in games:
        try:
            yield f"{between}{write_game(record)}".encode()
        except RecordError as error:
            raise UnsupportedError(f"game {games.count}: {error}") from error
        between = "\n"


def _json(games: _Written) -> Iterator[bytes]:
    """One game is a document of its own, several are an array."""
    first: bytes | None = None
    many = False
    for record in games:
        data = encode_json(record, indent=2)
        if first is None:
            first = data
            continue
        if not many:
            yield b"[\n" + first
        many = True
        yield b",\n" + data
    if many:
        yield b"\n]\n"
    elif first is not None:
        yield first + b"\n"


def _json_lines(games: _Written) -> Iterator[bytes]:
    for record in games:
        yield encode_json(record) + b"\n"


def _msgpack(games: _Written) -> Iterator[bytes]:
    yield from map(encode_msgpack, games)


def _foreign(games: _Written, target: str) -> Iterator[bytes]:
    told = games.told(target)
    try:
        for text in FORMATS[target].write(told):
            yield text.encode()
    except UnsupportedError as error:
        if ": game " in str(error):
            raise
        raise UnsupportedError(f"game {games.count}: {error}") from error
