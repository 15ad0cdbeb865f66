"""Folders, globs, compressed files and units: what an archive is read from."""

import gzip
import json
import zipfile
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.archive import DATA
from tests.support.random_games import random_game

from acey_daemon.archive import documents as module
from acey_daemon.archive import units as units_module
from acey_daemon.archive.documents import json_documents, msgpack_documents
from acey_daemon.archive.judging import Options, judge_unit
from acey_daemon.archive.pool import read_archive
from acey_daemon.archive.sources import find_files
from acey_daemon.archive.units import units
from acey_grammar import FileComment, ReadGame, parse_game, validate, write_game
from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.registry import FORMATS, sniff
from acey_grammar.formats.replay import Replay, replay
from acey_grammar.formats.verdict import Verdict
from acey_grammar.validate import is_valid
from acey_protocol.records import MatchRecord, encode_json, encode_msgpack
from acey_rules import EUROPEAN, PRESETS

SAMPLES = DATA / "samples"
MAT = SAMPLES / "mat/jellyfish_gnubg_5pt.mat"
GAMES = [random_game("american", seed, 30) for seed in range(4)]
RECORDS = Options(records=True)


def read(*paths: Path | str, options: Options = RECORDS, jobs: int = 1) -> list[Verdict]:
    return list(read_archive([str(path) for path in paths], options, jobs))


def test_folders_are_walked_in_order_and_globs_filled_in(tmp_path: Path) -> None:
    for name in ("b/2.mat", "b/1.mat", "a.mat", "c.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")
    walked = [found.path for found in find_files([str(tmp_path)])]
    assert walked == [str(tmp_path / name) for name in ("a.mat", "c.txt", "b/1.mat", "b/2.mat")]
    globbed = [found.path for found in find_files([f"{tmp_path}/**/*.mat"])]
    assert globbed == [str(tmp_path / name) for name in ("a.mat", "b/1.mat", "b/2.mat")]
    nothing = str(tmp_path / "none*.mat")
    assert [found.path for found in find_files([nothing])] == [nothing]


def test_compressed_files_are_looked_into(tmp_path: Path) -> None:
    plain = [verdict.final for verdict in read(MAT)]
    assert len(plain) == 4
    packed = tmp_path / "match"  # no ending tells
    packed.write_bytes(gzip.compress(MAT.read_bytes()))
    assert [verdict.final for verdict in read(packed)] == plain
    folder = tmp_path / "many.zip"
    with zipfile.ZipFile(folder, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(MAT, "old/match.mat")
        archive.writestr("old/more.gz", gzip.compress(MAT.read_bytes()))
    found = read(folder)
    assert [verdict.final for verdict in found] == plain * 2
    assert [verdict.file for verdict in found[::4]] == [
        f"{folder}!old/match.mat",
        f"{folder}!old/more.gz",
    ]


@pytest.mark.parametrize("keep", [100, 600])
def test_a_damaged_compressed_file_is_a_fault_and_hides_no_other(tmp_path: Path, keep: int) -> None:
    broken = tmp_path / "a.gz"
    broken.write_bytes(gzip.compress(MAT.read_bytes())[:keep])
    wrong = tmp_path / "b.zip"
    wrong.write_bytes(b"PK\x03\x04 and nothing more")
    found = read(broken, wrong, MAT)
    kinds = {verdict.file: [fault.kind for fault in verdict.faults] for verdict in found[::-1]}
    assert "cut-off" in [fault.kind for verdict in found for fault in verdict.faults]
    assert kinds[str(wrong)] == ["file"]
    assert [verdict.final for verdict in found if verdict.file == str(MAT)] == [
        verdict.final for verdict in read(MAT)
    ]


def test_zip_files_damaged_at_random_are_told_or_read(tmp_path: Path) -> None:
    folder = tmp_path / "good.zip"
    with zipfile.ZipFile(folder, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(MAT, "match.mat")
    good = folder.read_bytes()
    broken = tmp_path / "broken.zip"
    for seed in range(200):
        random = Random(seed)
        data = bytearray(good)
        for _ in range(4):
            at = random.choice((random.randrange(len(data)), -random.randrange(1, 90)))
            data[at] = random.randrange(256)
        broken.write_bytes(data)
        assert read(broken)


def test_a_file_of_no_format_is_a_fault_when_asked_for_and_noted_in_a_folder(
    tmp_path: Path,
) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("nothing to see\n")
    (asked,) = read(other)
    assert [fault.kind for fault in asked.faults] == ["format"]
    (met,) = read(tmp_path)
    assert met.faults == ()
    assert [notice.kind for notice in met.notices] == ["format"]
    other.write_text("\n# nothing\n")
    assert [notice.kind for notice in read(other)[0].notices] == ["empty"]
    assert [fault.kind for fault in read(tmp_path / "none")[0].faults] == ["missing"]


@pytest.mark.parametrize(
    "text",
    [
        '[X\t"alpha"]\n[O\t"beta"]\n[Rules\t"american"]\n\n1. X 63: off/19 off/22\n*\n',
        '[X"alpha"]\n[O"beta"]\n[Rules"american"]\n\n1. X 63: off/19 off/22\n*\n',
        "[X alpha]\n[O beta]\n[Rules american]\n\n1. X 63: off/19 off/22\n*\n",
        "[X: «alpha»]\n1. X 63: off/19 off/22\n*\n",
        f"3. X 63: off/19 off/22\n3. O 63: off/19 off/22\n*\n\n{write_game(GAMES[0])}",
        f"# ours\n\n12. O 11: -\nX wins 3\n\n{write_game(GAMES[0])}",
    ],
)
def test_our_notation_is_told_by_its_tags_however_broken(text: str) -> None:
    assert sniff(TextLines(BytesIO(text.encode())))[0] == "acey"


def test_turns_alone_are_a_list_of_plays() -> None:
    text = "1. X 63: off/19 off/22\n1. O 54: off/20 off/21\n"
    assert sniff(TextLines(BytesIO(text.encode())))[0] == "plain"


def test_several_processes_read_the_same_in_the_same_order(tmp_path: Path) -> None:
    big = tmp_path / "big.acey"
    text = "\n".join(write_game(game) for game in GAMES)
    big.write_text("\n".join([text] * 60))
    alone = read(SAMPLES, big, options=Options())
    assert read(SAMPLES, big, options=Options(), jobs=2) == alone
    assert [verdict.game for verdict in alone if verdict.file == str(big)] == list(range(1, 241))
    assert [verdict.line for verdict in alone[-240:]] == sorted(
        verdict.line for verdict in alone[-240:]
    )


def test_records_in_every_form_of_ours(tmp_path: Path) -> None:
    match = MatchRecord("alpha", "beta", "american", tuple(GAMES), clock="120+8")
    array = b"[" + b",\n".join(map(encode_json, GAMES)) + b"]"
    files = {
        "one.json": encode_json(GAMES[0], indent=2),
        "array.json": b"\xef\xbb\xbf" + array,
        "lines.jsonl": b"\n".join(map(encode_json, GAMES)),
        "match.json": encode_json(match),
        "many.msgpack": b"".join(map(encode_msgpack, GAMES)),
        "games.acey": "\n".join(map(write_game, GAMES)).encode(),
    }
    for name, data in files.items():
        path = tmp_path / name
        path.write_bytes(data)
        found = read(path)
        expected = GAMES[:1] if name == "one.json" else GAMES
        assert [verdict.record for verdict in found] == expected, name
        assert [verdict.faults for verdict in found] == [()] * len(expected), name
    assert read(tmp_path / "match.json")[0].losses == ("of the match: the clock",)


def test_bad_documents_are_told_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    good = encode_json(GAMES[0])
    path.write_bytes(good + b'\n{"format":"acey-game/1"}\nrubbish\n' + good + b'\n{"format":"acey-')
    found = read(path)
    assert [verdict.line for verdict in found] == [1, 2, 4, 4, 5]
    assert [[fault.kind for fault in verdict.faults] for verdict in found] == [
        [],
        ["syntax"],
        ["syntax"],
        [],
        ["syntax"],
    ]


def test_rules_are_inferred() -> None:
    acey = SAMPLES / "bgammon/acey_full_spaces.match"
    (verdict,) = read(acey, options=Options(infer=True))
    assert verdict.clean_under == ("bgammon",)
    (wrong,) = read(acey, options=Options(rules=EUROPEAN))
    assert wrong.faults
    assert wrong.clean_under == ("bgammon",)


@given(st.lists(st.dictionaries(st.text(max_size=4), st.text(max_size=6))), st.integers(1, 50))
def test_json_documents_are_found_in_blocks_of_any_size(
    objects: list[dict[str, str]], block: int
) -> None:
    texts = [json.dumps(one).encode() for one in objects]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        for data in (b"\n".join(texts), b"[" + b", ".join(texts) + b"]", b"".join(texts)):
            assert [found.data for found in json_documents(BytesIO(data))] == texts


def test_messagepack_that_is_none_is_told() -> None:
    good = encode_msgpack(GAMES[0])
    assert [one.problem for one in msgpack_documents(BytesIO(good + good[:-3]))] == [
        "",
        "the file ends inside a record",
    ]
    (wrong,) = msgpack_documents(BytesIO(b"\xc1"))
    assert wrong.problem == "no MessagePack: no value starts with 0xC1"


AWKWARD = """\
[X "a"]
[O "b"]
[Rules "american"]

*

[X "c"]

[O "d"]
[Rules "american"]

1. X 63: off/19 off/22 {a remark
[Event "x"]
X wins 3
[Event "y"]
}
*

[X "e"]
[O "f"]
[Rules "american"]

1. X 63: off/19 off/22
X wins 7[X "g"]
[O "h"]
[Rules "american"]
*
"""


@pytest.mark.parametrize("text", [AWKWARD, AWKWARD.replace("}\n", ""), AWKWARD * 3])
def test_units_of_any_size_hold_the_same_games(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def judged() -> list[Verdict]:
        found = units(BytesIO(text.encode()))
        return [verdict for unit in found for verdict in judge_unit(unit, RECORDS)]

    whole = judged()
    monkeypatch.setattr(units_module, "UNIT", 1)
    assert judged() == whole
    assert len(whole) >= 4


@pytest.mark.parametrize("rules", ["american", "bgammon"])
def test_the_clean_rule_set_is_named_however_another_starts(tmp_path: Path, rules: str) -> None:
    (forced,) = read(SAMPLES / "mat/words_merged_moves.mat", options=Options(rules=PRESETS[rules]))
    assert forced.faults
    assert forced.clean_under == ("backgammon",)
    path = tmp_path / "wrong_tag.acey"
    game = write_game(random_game("backgammon", 3)).replace('"backgammon"', f'"{rules}"')
    path.write_text(game)
    (tagged,) = read(path)
    assert tagged.faults
    assert tagged.clean_under == ("backgammon",)


@pytest.mark.parametrize("rules", list(PRESETS))
def test_a_rule_set_is_clean_exactly_where_validating_finds_nothing(rules: str) -> None:
    """The short way stops at the first fault; the long way lists all."""
    for seed in range(2):
        game = ReadGame(random_game(rules, seed, 30))
        for other in PRESETS.values():
            assert is_valid(game, other) is validate(game, other).valid
    for path in SAMPLES.glob("faulty/*"):
        told, lines = sniff(TextLines(BytesIO(path.read_bytes())))
        form = FORMATS[told or ""]
        for raw in map(form.read, form.split(lines)):
            faults = replay(raw, PRESETS[rules]).faults
            assert Replay(raw, PRESETS[rules]).clean() is not bool(faults)


def test_a_match_that_was_over_before_a_game_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "over.acey"
    tags = '[X "alpha"]\n[O "beta"]\n[Rules "american"]\n[Match "3"]\n[Score "3-1"]\n'
    path.write_text(f"{tags}\n*\n")
    (found,) = read(path)
    assert [(fault.kind, fault.line) for fault in found.faults] == [("score", 5)]
    assert found.notices == ()


def test_a_fault_of_a_json_record_says_where_in_it(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    broken = write_game(GAMES[0]).partition("\n\n")[0] + "\n\n1. X 31: off/22 off/20\n*\n"
    path.write_bytes(b"\n" + encode_json(parse_game(broken)))
    (found,) = read(path)
    assert [(fault.kind, fault.line) for fault in found.faults] == [("illegal-play", 2)]
    assert found.faults[0].message.endswith(" - at `$.turns[0].rolls[0]`")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_blanks_at_line_ends_are_kept_in_comments_whatever_ends_the_lines(
    tmp_path: Path, end: str
) -> None:
    text = (
        '[X "alpha"]\t\n[O "beta"]\n[Rules "american"]  \n\n'
        "1. X 63: off/19 off/22 {two  \nlines\t\nand }  \n# file comment  \n*  \n"
    )
    path = tmp_path / "blanks.acey"
    path.write_bytes(text.replace("\n", end).encode())
    (found,) = read(path)
    assert found.record is not None
    assert found.record == parse_game(text)
    assert found.record.turns[0].comments == ("two  \nlines\t\nand ",)
    assert found.record.file_comments == (FileComment(" file comment  ", 4),)
