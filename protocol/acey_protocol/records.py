"""Records on a wire or a disk: games and matches as JSON and MessagePack. spec/records.md.

A document names its form and version in the field ``format``: ``acey-game/1``, ``acey-match/1``.
A reader of a version reads every earlier one. A field that a version does not know is kept out, and
every later field has a default, so that old documents stay readable.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from acey_grammar.formats.verdict import GameReport
from acey_grammar.record import (
    FileComment,
    GameRecord,
    Result,
    RollRecord,
    SideName,
    TurnRecord,
    in_words,
    text_like,
)

__all__ = [
    "DiceRecord",
    "FileComment",
    "GameRecord",
    "MatchRecord",
    "Record",
    "RecordDecodeError",
    "Result",
    "RollRecord",
    "SideName",
    "TurnRecord",
    "decode_json",
    "decode_msgpack",
    "encode_json",
    "encode_msgpack",
    "record_schema",
    "schema_files",
]

Hex = Annotated[str, text_like("([0-9a-f]{2})*", "pairs of digits 0-9 and a-f")]
"""Bytes in lower-case hexadecimal."""
Count = Annotated[int, Meta(ge=0, lt=1_000_000_000)]


class DiceRecord(Struct, frozen=True):
    """Where the dice of a match came from, so that anyone can make them again. spec/dice.md."""

    source: Literal["fair", "seed", "manual", "file"]
    commitment: Hex = ""
    """SHA-256 of the secret, published before the first roll; ``fair`` only."""
    secret: Hex = ""
    """The secret, revealed when the match is over; ``fair`` only."""
    x_nonce: Hex = ""
    o_nonce: Hex = ""
    seed: int | None = None
    """The seed; ``seed`` only."""


class MatchRecord(Struct, frozen=True, tag_field="format", tag="acey-match/1"):
    """The games two players played at one table, in order."""

    x: str
    """Name of the player on X's side."""
    o: str
    """Name of the player on O's side."""
    rules: str
    """The name of a preset, or every field as ``field=value`` (spec/rules.md §7)."""
    games: tuple[GameRecord, ...]
    length: Count = 0
    """Points the match is to; 0 is a money session."""
    score: tuple[Count, Count] = (0, 0)
    """X's and O's points after the last game that has ended."""
    winner: SideName | None = None
    """Who won the match; None while it goes on, and in a money session."""
    clock: str | None = None
    """The time control as ``120+8``; None is no clock."""
    dice: DiceRecord | None = None
    """None where nothing is known of the dice."""


Record = GameRecord | MatchRecord
"""Every kind of document."""


class RecordDecodeError(ValueError):
    """Bytes that are no record; the message says what was expected, what was found and where."""


_JSON: Final = msgspec.json.Decoder(Record)
_MSGPACK: Final = msgspec.msgpack.Decoder(Record)
FORMATS: Final = ("acey-game/1", "acey-match/1")
"""What ``format`` can be."""


class _Head(Struct):
    """What is looked at first: which form and version a document is of."""

    format: str = ""


_JSON_HEAD: Final = msgspec.json.Decoder(_Head)
_MSGPACK_HEAD: Final = msgspec.msgpack.Decoder(_Head)


def encode_json(record: Record, indent: int = 0) -> bytes:
    """The record as one JSON document; ``indent`` spaces a level, 0 for a single line."""
    data = msgspec.json.encode(record)
    return msgspec.json.format(data, indent=indent) if indent else data


def encode_msgpack(record: Record) -> bytes:
    """The record as one MessagePack document."""
    return msgspec.msgpack.encode(record)


def decode_json(data: bytes | str) -> Record:
    """Read one JSON document. Raises RecordDecodeError."""
    return _decode(data, _JSON_HEAD, _JSON, "JSON")


def decode_msgpack(data: bytes) -> Record:
    """Read one MessagePack document. Raises RecordDecodeError."""
    return _decode(data, _MSGPACK_HEAD, _MSGPACK, "MessagePack")


def _decode(data: bytes | str, head: Any, decoder: Any, form: str) -> Record:
    try:
        _check_format(head.decode(data).format)
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise RecordDecodeError(f"no record: {in_words(error)}") from error
    except msgspec.DecodeError as error:
        raise RecordDecodeError(f"no {form}: {error}") from error
    except RecursionError as error:
        raise RecordDecodeError(f"no record: the {form} is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise RecordDecodeError(f"no {form}: bytes that are no UTF-8: {error}") from error


def _check_format(form: str) -> None:
    if form in FORMATS:
        return
    known = ", ".join(FORMATS)
    if not form:
        raise RecordDecodeError(f"no record: the field 'format' is missing; it is one of {known}")
    name, _, version = form.partition("/")
    if any(name == one.partition("/")[0] for one in FORMATS) and version.isdecimal():
        raise RecordDecodeError(f"'{form}' was written by a newer program; this one reads {known}")
    raise RecordDecodeError(f"no record: the format '{form}' is unknown; this one reads {known}")


def schema_files() -> dict[str, str]:
    """The files of spec/schema/ that belong to records, by name: each the schema of a document."""
    schemas = {
        "game-record.json": GameRecord,
        "match-record.json": MatchRecord,
        "game-report.json": GameReport,
    }
    return {
        name: msgspec.json.format(
            msgspec.json.encode(msgspec.json.schema(kind), order="deterministic"), indent=2
        ).decode()
        + "\n"
        for name, kind in schemas.items()
    }


def record_schema() -> dict[str, Any]:
    """The JSON Schema of a document of either kind."""
    return msgspec.json.schema(Record)
