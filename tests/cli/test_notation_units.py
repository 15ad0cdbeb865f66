"""Cutting plain text fast gives the games that reading line by line gives."""

from io import BytesIO
from random import Random

import pytest
from tests.support.recorded import random_game

from acey_daemon.archive.judging import Options, judge_unit
from acey_daemon.archive.notation import Cutter
from acey_daemon.archive.units import units
from acey_grammar import parse_games, write_game
from acey_grammar.formats.verdict import Verdict
from acey_rules import PRESETS

GAMES = [write_game(random_game(rules, Random(1))[0]) for rules in PRESETS.values()]
TEXT = "\n".join(GAMES * 3)


def pieces(data: bytes, size: int) -> tuple[list[tuple[int, str]], bytes, int]:
    cutter = Cutter(BytesIO(data), size)
    return [(piece.line, piece.text.decode()) for piece in cutter], cutter.rest, cutter.line


@pytest.mark.parametrize("size", [1, 5000, 1 << 20])
def test_pieces_are_the_text_with_their_lines(size: int) -> None:
    found, rest, _ = pieces(TEXT.encode(), size)
    assert "".join(text for _, text in found) == TEXT
    assert rest == b""
    line = 1
    for number, text in found:
        assert number == line
        assert text.startswith("[X ")
        line += text.count("\n")
    assert len(found) == (15 if size == 1 else len(found))


def test_nothing_is_cut_inside_a_comment() -> None:
    inside = '{see\n*\n\n[X "y"]\n}'
    text = f'[X "a"]\n\n{inside}\n*\n\n[X "b"]\n*\n'
    found, _, _ = pieces(text.encode(), 1)
    assert [piece for _, piece in found] == [text[: text.index('[X "b"]')], '[X "b"]\n*\n']


@pytest.mark.parametrize(
    "odd", [b"\r\n", b"\xe9", b"\x1a", b"\x0c"], ids=["CRLF", "Windows-1252", "SUB", "form feed"]
)
def test_what_is_not_plain_is_left_for_the_careful_reader(odd: bytes) -> None:
    data = b'[X "a"]\n*\n\n[X "b' + odd + b'"]\n*\n'
    found, rest, line = pieces(data, 1)
    assert (found, rest, line) == ([], data, 1)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
def test_both_ways_find_the_same_games(end: str, mark: bytes) -> None:
    broken = GAMES[0].replace("O wins", "O won").replace("X wins", "X won")
    text = "\n".join([*GAMES, broken, *GAMES])
    data = mark + text.replace("\n", end).encode()
    verdicts = [verdict for unit in units(BytesIO(data)) for verdict in judge_unit(unit, Options())]
    games = list(parse_games(text))
    assert [verdict.line for verdict in verdicts] == [game.line for game in games]
    assert [len(verdict.faults) for verdict in verdicts] == [len(game.faults) for game in games]
    assert sum(map(bool, (verdict.faults for verdict in verdicts))) == 1


def test_a_text_cut_off_is_told_alike_whatever_ends_its_lines() -> None:
    text = (
        '[X "alpha"]\n[O "beta"]\n[Rules "american"]\n\n'
        "1. X 63: off/19 off/22 {a comment}\nX wins 7 by resignation\n"
    )
    for cut in range(1, len(text) + 1):
        told = [
            [
                (fault.kind, fault.line, fault.column)
                for verdict in found
                for fault in verdict.faults
            ]
            for found in (judged(text[:cut].encode()), judged(text[:cut].encode(), "\r\n"))
        ]
        assert told[0] == told[1], text[:cut]


def judged(data: bytes, end: str = "\n") -> list[Verdict]:
    """The verdicts on a text with other line ends."""
    stream = BytesIO(data.replace(b"\n", end.encode()))
    return [verdict for unit in units(stream) for verdict in judge_unit(unit, Options())]
