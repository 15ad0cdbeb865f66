"""Files of every format broken in every way: no reader crashes, hangs or says one thing in two.

What one process finds is what another sends; what is recorded reads back; and a game without a
fault has a record without one.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from io import BytesIO
from random import Random
from typing import Final

import msgspec
import pytest
from tests.support.archive import DATA

from acey_daemon.archive.judging import Options, judge_unit
from acey_daemon.archive.units import units
from acey_daemon.archive.writing import TARGETS, write_archive
from acey_grammar import parse_games, validate, write_game
from acey_grammar.formats.score import Tally
from acey_grammar.formats.telling import UnsupportedError
from acey_grammar.formats.verdict import GameReport, Verdict
from acey_grammar.write import RecordError
from acey_protocol.records import decode_json, decode_msgpack, encode_json, encode_msgpack
from acey_rules import generator

SEEDS: Final = range(12 if generator.NAME == "kernel" else 2)
PIECES: Final = [
    *(b"\n", b"\r", b"\t", b" ", b"\0", b"\x1a", b"\f", b"\x81", b"\xe9", b"\xff\xfe"),
    *(
        "²".encode(),
        "٣".encode(),
        "\uff11".encode(),
        "\u2028".encode(),
        "\xa0".encode(),
        "é".encode(),
    ),
    *(b"[", b"]", b"(", b")", b"{", b"}", b'"', b"\\", b"*", b"/", b"-", b"0", b"7", b"25", b"#"),
    *(b"9" * 30, b"9" * 5000, b"????", b"Illegal play (", b"Cannot Move", b"Doubles => 2"),
    *(
        b"Takes",
        b"Drops",
        b" Wins 0 points",
        b"i 1 a b 1 0 0 1 1 1\n",
        b"Game 1\n",
        b"X: doubles\n",
    ),
    *(b"(;FF[4]GM[6]", b"CV[0]", b"AE[a:y]AW[a][b]AB[x]PL[B]", b"W[66]", b"B[21abcd]", b"off*"),
    *(b"{%unplayed 62}", b"{%cube X double 99999999}", b'[Position "x"]', b'[Match "99999999999"]'),
    *(b'[Score "1-2"]', b'[Opening "1-1 2-3"]', b'[Rules "custom"]', b"null", b"1e999", b"-1"),
]


def changed(data: bytes, random: Random, others: list[bytes]) -> bytes:
    """The bytes broken in one to four places."""
    for _ in range(random.randint(1, 4)):
        data = random.choice(WAYS)(data, random) if random.random() < 0.9 else data
        if random.random() < 0.1:
            other, at = random.choice(others), random.randrange(len(data) + 1)
            start = random.randrange(len(other))
            data = data[:at] + other[start : start + random.choice((10, 80, 400))] + data[at:]
    return data


def _byte(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _left_out(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + data[at + random.choice((1, 2, 5, 40, 300)) :]


def _doubled(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + data[max(at - random.choice((1, 5, 40, 300)), 0) :]


def _piece(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(PIECES) + data[at + random.randrange(3) :]


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)] if random.random() < 0.3 else data


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    line = lines.pop(random.randrange(len(lines)))
    for _ in range(random.randrange(3)):
        lines.insert(random.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _number(data: bytes, random: Random) -> bytes:
    numbers = list(re.finditer(rb"\d+", data))
    if not numbers:
        return data
    found = random.choice(numbers)
    other = random.choice((b"0", b"1", b"7", b"25", b"99", b"1" + b"0" * 10, b"8" * 4400))
    return data[: found.start()] + other + data[found.end() :]


def _encoding(data: bytes, random: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    encoding = random.choice(("utf-16", "utf-32", "cp1252", "utf-8-sig"))
    return text.replace("\n", random.choice(("\n", "\r\n", "\r"))).encode(encoding, "replace")


WAYS: Final[list[Callable[[bytes, Random], bytes]]] = [
    *(_byte, _left_out, _doubled, _piece, _piece, _piece, _cut, _lines, _lines, _number, _encoding)
]


@cache
def good_files() -> dict[str, bytes]:
    """A file of every format."""
    paths = [path for path in (DATA / "samples").glob("*/*") if path.is_file()]
    files = {path.name: path.read_bytes() for path in sorted(paths)}
    games = [
        verdict.record
        for data in files.values()
        for verdict in judged(data)
        if verdict.record is not None
    ][:4]
    return files | {
        "games.acey": "\n".join(map(write_game, games)).encode(),
        "games.jsonl": b"\n".join(map(encode_json, games)),
        "games.json": b"[" + b", ".join(encode_json(game, indent=1) for game in games) + b"]",
        "games.msgpack": b"".join(map(encode_msgpack, games)),
        "games.txt": b"# engine log\n\n63: 24/18 13/10\n31: 8/5 6/5\n\n21: off/24 off/23\n",
    }


def judged(data: bytes) -> list[Verdict]:
    options = Options(records=True)
    return [verdict for unit in units(BytesIO(data)) for verdict in judge_unit(unit, options)]


def check(verdict: Verdict) -> None:
    sent = msgspec.msgpack.encode(verdict)
    assert msgspec.msgpack.decode(sent, type=Verdict) == verdict
    report = msgspec.json.encode(verdict.report)
    assert msgspec.json.decode(report, type=GameReport) == verdict.report
    record = verdict.record
    if record is None:
        return
    assert decode_json(encode_json(record)) == record
    assert decode_msgpack(encode_msgpack(record)) == record
    try:
        text = write_game(record)
    except RecordError:
        assert verdict.format in ("json", "msgpack")  # a play there is any text at all
        return
    (again,) = parse_games(text)
    assert [fault for fault in again.faults if fault.kind in ("syntax", "cut-off")] == []
    assert again.record == record or write_game(again.record) == text
    if not verdict.faults and record.turns:
        assert validate(record).faults == ()
    for target in TARGETS:
        with suppress(UnsupportedError):
            assert write_archive([verdict], target, BytesIO(), lambda _verdict, _losses: None) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_broken_files_are_told_of_and_what_is_recorded_reads_back(seed: int) -> None:
    files = good_files()
    for name, data in files.items():
        random = Random(f"{name} {seed}")
        tally = Tally()
        for number, verdict in enumerate(
            judged(changed(data, random, list(files.values()))), start=1
        ):
            verdict.file, verdict.game = name, number
            if verdict.format:
                tally.check(verdict)
            check(verdict)


def test_every_way_of_breaking_is_tried_on_every_format() -> None:
    """The files told of above are of all the formats that are read."""
    formats = {verdict.format for data in good_files().values() for verdict in judged(data)}
    assert formats == {"acey", "json", "msgpack", "mat", "sgf", "bgammon", "fibs", "plain"}
