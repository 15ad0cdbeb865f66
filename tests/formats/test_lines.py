"""Bytes to lines: encodings, line ends, and what is reported of them. spec/formats/README.md §1."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acey_grammar.formats import lines as module
from acey_grammar.formats.lines import TextLines


def read(data: bytes) -> tuple[list[str], TextLines]:
    lines = TextLines(BytesIO(data))
    return [line.text for line in lines], lines


@pytest.mark.parametrize(
    "data",
    [
        "Zoë\nß".encode(),
        b"\xef\xbb\xbf" + "Zoë\nß".encode(),
        "Zoë\r\nß".encode(),
        "Zoë\rß".encode(),
        "Zoë \t \nß\x1a".encode(),
        "Zoë\nß".encode("utf-16"),
        "\ufeffZoë\nß".encode("utf-16-be"),
        "Zoë\r\nß\r\n".encode("utf-32"),
    ],
)
def test_marks_line_ends_and_trailing_blanks(data: bytes) -> None:
    found, lines = read(data)
    assert found == ["Zoë", "ß"]
    assert (lines.faults, lines.notices) == ([], [])


def test_windows_letters_are_read_and_told_once() -> None:
    found, lines = read("plain\nZoë\nŠ\nnaïve\n".encode("cp1252"))
    assert found == ["plain", "Zoë", "Š", "naïve"]
    assert lines.faults == []
    (notice,) = lines.notices
    assert (notice.kind, notice.line, notice.column) == ("encoding", 2, 3)
    assert notice.message == "not UTF-8 (the byte 0xEB): such lines are read as Windows-1252"


def test_lines_of_both_encodings_in_one_file() -> None:
    found, lines = read("Zoë\n".encode() + "Zoë\n".encode("cp1252"))
    assert found == ["Zoë", "Zoë"]
    assert [notice.line for notice in lines.notices] == [2]


def test_a_byte_that_is_no_letter_is_a_fault() -> None:
    found, lines = read(b"good\nZo\x81\n")
    assert found == ["good", "Zo\ufffd"]
    (fault,) = lines.faults
    assert (fault.kind, fault.line, fault.column) == ("encoding", 2, 3)


def test_the_last_line_without_an_end_is_torn_and_offsets_are_of_bytes() -> None:
    lines = list(TextLines(BytesIO("ë\r\nb\nc".encode())))
    assert [(line.number, line.offset, line.torn) for line in lines] == [
        (1, 0, False),
        (2, 4, False),
        (3, 6, True),
    ]


def test_a_line_without_end_is_cut_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 1000)
    monkeypatch.setattr(module, "BLOCK", 100)
    found, lines = read(b"x" * 5000 + b"\nnext\n")
    assert [len(text) for text in found] == [1000, 4]
    assert [fault.kind for fault in lines.faults] == ["encoding"]


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")))),
    st.integers(1, 40),
)
def test_blocks_of_any_size_give_the_same_lines(texts: list[str], block: int) -> None:
    data = "".join(f"{text}\r\n" for text in texts).encode()
    patch = pytest.MonkeyPatch()
    with patch.context() as context:
        context.setattr(module, "BLOCK", block)
        found, _ = read(data)
    assert found == texts
