"""Records as JSON and MessagePack come back as they were, and bad ones are explained."""

import json
import re

import msgspec
import pytest
from msgspec import ValidationError

from acey_grammar import FileComment, GameRecord, Result, RollRecord, TurnRecord
from acey_grammar.record import in_words
from acey_protocol.records import (
    DiceRecord,
    MatchRecord,
    Record,
    RecordDecodeError,
    decode_json,
    decode_msgpack,
    encode_json,
    encode_msgpack,
    schema_files,
)

GAME = GameRecord(
    tags=(("X", 'al"pha\\'), ("O", "béta"), ("Rules", "american")),
    turns=(
        TurnRecord(
            "X",
            (
                RollRecord("21", "off/24 off/23"),
                RollRecord("66", "off/19(4)", "named"),
                RollRecord("63", "-"),
            ),
            glyph="!?",
            seconds=1.25,
            comments=("well", "%eval 0.1"),
        ),
    ),
    result=Result("X", 15, "time"),
    comments=("before",),
    file_comments=(FileComment(" first"), FileComment(" last", 5)),
)
MATCH = MatchRecord(
    x="alpha",
    o="beta",
    rules="american",
    games=(GAME, GAME),
    length=30,
    score=(30, 0),
    winner="X",
    clock="120+8",
    dice=DiceRecord("fair", "00ff", "ab", "", "cd"),
)


@pytest.mark.parametrize("record", [GAME, MATCH], ids=["game", "match"])
@pytest.mark.parametrize("indent", [0, 2])
def test_json_comes_back(record: Record, indent: int) -> None:
    data = encode_json(record, indent)
    assert decode_json(data) == record
    assert decode_json(data.decode()) == record
    assert (b"\n" in data) == (indent > 0)


@pytest.mark.parametrize("record", [GAME, MATCH], ids=["game", "match"])
def test_messagepack_comes_back(record: Record) -> None:
    assert decode_msgpack(encode_msgpack(record)) == record


def test_a_document_names_its_form_and_version() -> None:
    assert msgspec.json.decode(encode_json(GAME))["format"] == "acey-game/1"
    assert msgspec.msgpack.decode(encode_msgpack(MATCH))["format"] == "acey-match/1"


KNOWN = "acey-game/1, acey-match/1"
BAD = {
    b"": "no JSON: Input data was truncated",
    b"[]": "no record: Expected `object`, got `array`",
    b"{}": f"no record: the field 'format' is missing; it is one of {KNOWN}",
    b'{"format":"acey-game/2"}': (
        f"'acey-game/2' was written by a newer program; this one reads {KNOWN}"
    ),
    b'{"format":"pgn"}': f"no record: the format 'pgn' is unknown; this one reads {KNOWN}",
    b'{"format":"acey-game/1"}': "no record: Object missing required field `tags`",
    b'{"format":"acey-game/1","tags":[["X",1]]}': (
        "no record: Expected `str`, got `int` - at `$.tags[0][1]`"
    ),
    b'{"format":"acey-game/1","tags":[["X","a"]],"turns":[{"side":"Y"}]}': (
        "no record: Invalid enum value 'Y' - at `$.turns[0].side`"
    ),
    b'{"format":"acey-game/1","tags":[["X","a"]],"result":{"winner":"X","points":0}}': (
        "no record: Expected `int` >= 1 - at `$.result.points`"
    ),
    b'{"format":"acey-game/1","tags":[["X\\n","a"]]}': (
        "no record: Expected a name of letters, digits and '_', a letter first - at `$.tags[0][0]`"
    ),
    b'{"format":"acey-game/1","tags":[["X","a\\nb"]]}': (
        "no record: Expected a text of one line - at `$.tags[0][1]`"
    ),
    b'{"format":"acey-game/1","tags":[["X","a"]],"turns":[{"side":"X","rolls":[{"dice":"73"}]}]}': (
        "no record: Expected two digits 1-6 - at `$.turns[0].rolls[0].dice`"
    ),
    b'{"format":"acey-match/1","x":"a","o":"b","rules":"american","games":[],'
    b'"dice":{"kind":"fair","secret":"xy"}}': (
        "no record: Expected pairs of digits 0-9 and a-f - at `$.dice.secret`"
    ),
}


def test_no_pattern_is_told_to_people() -> None:
    schemas = "".join(schema_files().values())
    patterns = re.findall(r'"pattern": ("[^\n]*")', schemas)
    assert len(patterns) > 5
    for pattern in patterns:
        expected = f"Expected `str` matching regex {json.loads(pattern)!r} - at `$.x`"
        words = in_words(ValidationError(expected))
        assert "regex" not in words
        assert words.endswith(" - at `$.x`")


@pytest.mark.parametrize("data", BAD, ids=range(len(BAD)))
def test_a_bad_document_is_explained_with_its_place(data: bytes) -> None:
    with pytest.raises(RecordDecodeError) as caught:
        decode_json(data)
    assert str(caught.value) == BAD[data]


DEPTH = 200_000
UNKNOWN = b'{"format":"acey-game/1","tags":[["X","a"]],"unknown":'
DEEP = {
    "brackets": b"[" * DEPTH,
    "objects": b'{"a":' * DEPTH,
    "unknown brackets": UNKNOWN + b"[" * DEPTH,
    "unknown objects": (
        b'{"format":"acey-game/1","tags":[["X","a"]],"unknown":'
        + b'{"a":' * DEPTH
        + b"1"
        + b"}" * DEPTH
        + b"}"
    ),
}


@pytest.mark.parametrize("data", DEEP.values(), ids=DEEP)
def test_deep_nesting_is_refused_and_harms_nothing(data: bytes) -> None:
    with pytest.raises(RecordDecodeError):
        decode_json(data)
    assert decode_json(encode_json(GAME)) == GAME


def test_deep_nesting_in_messagepack_is_refused() -> None:
    head = msgspec.msgpack.encode({"format": "acey-game/1", "tags": [["X", "a"]]})
    three = b"\x83" + head[1:] + msgspec.msgpack.encode("unknown")
    assert decode_msgpack(three + b"\x01") == GameRecord((("X", "a"),))
    with pytest.raises(RecordDecodeError, match="nested too deeply"):
        decode_msgpack(three + b"\x91" * DEPTH + b"\x01")
