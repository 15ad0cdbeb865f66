"""Lines, games and numbers of any length: read, or cut and told, and never slow or fatal."""

from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from tests.support.archive import text_verdicts

from acey_grammar.formats import games as module
from acey_grammar.formats import lines as lines_module
from acey_grammar.formats.games import LINE_LIMIT
from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.registry import FORMATS, judge, sniff
from acey_grammar.formats.verdict import Verdict

HEADS = {
    "mat": " 5 point match\n\n Game 1\n alpha : 0                       beta : 0\n",
    "sgf": "(;FF[4]GM[6]PW[alpha]PB[beta]",
    "bgammon": "i 1720000000 alpha beta 5 0 0 0 0 0\n",
    "fibs": "Score is 0-0 in a 5 point match.\nalpha is X - beta is O\n",
    "plain": "31: 8/5 6/5\n",
}
ROWS = {
    "mat": "  1) 31: 8/5 6/5                  63: 24/15\n",
    "sgf": ";W[31hefe];B[63aggj]\n",
    "bgammon": "1 r 3-1 8/5, 6/5\n2 r 6-3 1/7, 7/10\n",
    "fibs": "X: (3 1) 17-20 19-20\nO: (6 3) 24-18 18-15\n",
    "plain": "63: 24/15\n",
}


def judged(data: bytes) -> list[Verdict]:
    told, lines = sniff(TextLines(BytesIO(data)))
    assert told is not None
    return [judge(chunk) for chunk in FORMATS[told].split(lines)]


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_game_without_end_is_cut_and_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GAME_LIMIT", 2000)
    data = (HEADS[name] + ROWS[name] * 500).encode()
    told, lines = sniff(TextLines(BytesIO(data)))
    assert told == name
    chunks = list(FORMATS[name].split(lines))
    longest = max(sum(len(line.text) + 1 for line in chunk.lines) for chunk in chunks)
    assert 1900 < longest < 2100
    # Every line is in one of the games, and what was cut off is told of.
    held = [line.number for chunk in chunks for line in chunk.lines]
    assert held == sorted(held)
    assert held[-1] == data.count(b"\n")
    first = judge(chunks[0])
    assert [fault.message for fault in first.faults if fault.kind == "unsupported"] == [
        "a game has at most 2,000 characters; what follows is read as another"
    ]
    assert first.how in ("unknown", "unfinished")


def test_games_in_one_long_line_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GAME_LIMIT", 2000)
    game = f"{HEADS['sgf']};W[31hefe];B[63aggj])"
    found = judged((game * 100).encode())
    assert [(verdict.turns, verdict.faults) for verdict in found] == [(2, ())] * 100


@pytest.mark.parametrize("name", ["mat", "bgammon", "fibs", "plain"])
def test_a_long_line_is_cut_and_told(name: str) -> None:
    line = ROWS[name].rstrip("\n") + " " + "x" * LINE_LIMIT
    found = judged((HEADS[name] + line + "\n").encode())
    (fault,) = [fault for fault in found[0].faults if fault.kind == "unsupported"]
    assert (fault.line, fault.column) == (HEADS[name].count("\n") + line.count("\n") + 1, 16_385)
    assert fault.message.startswith("a line has at most 16,384 characters; the rest of 16,")


NUMBERS = ["1" + "0" * 9, "9" * 30, "8" * 5000, "²", "٣"]
PLACES = {
    "mat": [
        " # point match\n\n Game 1\n alpha : 0         beta : 0\n  1) 31: 8/5 6/5     63: 24/15\n",
        f"{HEADS['mat']}  1) 31: 8/5 6/5\n      Wins # points\n",
        " Game #\n alpha : #           beta : #\n  1) 31: 8/5 6/5      63: 24/15\n",
        f"{HEADS['mat']}  1) 31: 8/5 6/5                  Doubles => #\n  2) Takes\n",
        f"{HEADS['mat']}  #) 31: 8/5 6/5                  63: 24/15\n",
    ],
    "sgf": [
        f"{HEADS['sgf']}MI[length:#][ws:#][bs:#];W[31hefe])",
        f"{HEADS['sgf']}RE[W+#];W[31hefe])",
        f"{HEADS['sgf']}CV[#];W[31hefe])",
    ],
    "bgammon": [
        f"i # alpha beta # # # 1 # 0\n{ROWS['bgammon']}",
        f"bgammon-replay #\n{HEADS['bgammon']}{ROWS['bgammon']}1 d # 1\n",
    ],
    "fibs": [
        f"Score is #-# in a # point match.\nalpha is X - beta is O\n{ROWS['fibs']}",
        f"{HEADS['fibs']}{ROWS['fibs']}X: wins # points\n",
    ],
    "plain": ["#. 31: 8/5 6/5\n63: 24/15\n"],
}
CASES = [(name, text) for name, texts in PLACES.items() for text in texts]


@pytest.mark.parametrize("said", NUMBERS, ids=["10 digits", "30", "5000", "raised", "other"])
@pytest.mark.parametrize(("name", "text"), CASES)
def test_numbers_that_are_none_of_ours_are_told(name: str, text: str, said: str) -> None:
    lines = list(TextLines(BytesIO(text.replace("#", said).encode())))
    found = [judge(chunk) for chunk in FORMATS[name].split(lines)]
    for verdict in found:
        sent = msgspec.msgpack.encode(verdict)
        assert msgspec.msgpack.decode(sent, type=Verdict) == verdict
    if "Game #" in text or "#)" in text or name == "plain":
        return  # numbers of games and rows are not looked at
    told = [bool(verdict.faults or verdict.notices or verdict.losses) for verdict in found]
    assert any(told) or "time" in text or "MI" not in text


@pytest.mark.parametrize("name", ["mat", "sgf"])
def test_no_game_is_won_by_nothing(name: str, tmp_path: Path) -> None:
    text = {
        "mat": f"{HEADS['mat']}  1) 31: 8/5 6/5                  63:\n      Wins 0 points\n",
        "sgf": f"{HEADS['sgf']}RE[W+0R];W[31hefe])",
    }[name]
    (verdict,) = text_verdicts(tmp_path, "game", text)
    assert [(fault.kind, fault.message) for fault in verdict.faults] == [
        ("result", "a game is worth at least 1 point, not 0")
    ]
    assert verdict.points == 3  # what giving up costs while nobody has borne off


def test_a_cube_doubled_for_ever_is_told() -> None:
    row = "X: doubles\nO: accepts\nX: (3 1) 17-20 19-20\nO: doubles\nX: accepts\n"
    (verdict,) = judged((HEADS["fibs"] + row * 40).encode())
    said = {fault.message for fault in verdict.faults if fault.kind == "unsupported"}
    assert said == {"a cube of 2097152 is more than is counted here"}


LONG: dict[str, str] = {
    "columns of names": HEADS["mat"] + "a : 1 b " * 20_000 + "\n",
    "blanks": "a" + " " * 200_000 + "b : 1 c : x\n" + HEADS["mat"],
    "words": HEADS["mat"] + "  1) 11: " + "x/y " * 50_000 + "\n",
    "comments before a match": HEADS["mat"]
    + ROWS["mat"]
    + "; hello\n" * 30_000
    + HEADS["mat"]
    + ROWS["mat"],
    "lines of a FIBS file that are none": HEADS["fibs"] + "junk line\n" * 30_000,
    "a FIBS act": HEADS["fibs"] + "X: a" + " " * 200_000 + "1b\n",
    "paragraphs": "# a log\n\n" * 900 + ROWS["plain"] + "junk\n\n" * 40_000,
    "an index": "bgammon-replay 00000012\n" * 20_000 + HEADS["bgammon"],
    "remarks on one play": ROWS["plain"] + "; note\n" * 60_000,
    "brackets that never close": HEADS["sgf"] + "C[" + "[" * 200_000,
    "trees that never close": HEADS["sgf"] + "(" * 100_000,
    "variations in variations": HEADS["sgf"] + "(;C[x]" * 30_000 + "X[",
    "line feeds in a comment": HEADS["sgf"] + "C[" + "\n" * 200_000 + "])",
    "starts of games": "(;FF[" * 50_000 + HEADS["sgf"] + ")",
    "nodes on one line": HEADS["sgf"] + ";C[x]" * 30_000 + ")",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_the_time_of_reading_grows_with_the_text_and_no_faster(text: str) -> None:
    """Where a text is read again for each of its lines, this test does not come to its end."""
    assert judged(text.encode())


def test_a_long_line_is_measured_whole_and_no_byte_of_it_unnoticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines_module, "LONGEST", 1000)
    monkeypatch.setattr(lines_module, "BLOCK", 100)
    for size in range(985, 1015):
        letters = "é" * (size // 2 - 1) + "x" * (size % 2)
        text = TextLines(BytesIO(f"{letters}\r\nnext".encode()))
        first, second = text
        assert (first.text == letters) is (size <= 1001)
        assert [fault.message for fault in text.faults] == (
            [f"the line is {size} bytes long; what is over 1000 is not read"] * (size > 1000)
        )
        assert text.notices == []
        assert (second.text, second.offset, second.torn) == ("next", size, True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_wide_letters_end_as_others(encoding: str, end: str) -> None:
    text = TextLines(BytesIO(end.join(["Zoë", "ß", "last"]).encode(encoding)))
    assert [line.text for line in text] == ["Zoë", "ß", "last"]
    cut = TextLines(BytesIO("Zoë\nß".encode(encoding)[:-1]))
    assert [line.text[:1] for line in cut] == ["Z", "\ufffd"]
    assert [(fault.kind, fault.line, fault.column) for fault in cut.faults] == [("encoding", 2, 1)]
