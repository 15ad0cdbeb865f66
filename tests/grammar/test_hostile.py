"""Text made to be slow takes as long as other text: each part of it is looked at a few times.

Reading that takes the square of the length would not end within the deadline of these tests, which
is a safety net and no assertion about time; where it would, what is done is counted.
"""

from collections.abc import Callable
from io import StringIO

import pytest
from tests.support.acey import acey

from acey_grammar import chunks, items
from acey_grammar.games import Region, parse_games, read_by

HEAD = '[X "alpha"]\n[O "beta"]\n[Rules "american"]\n[Opening "6-3"]\n\n'
TURN = HEAD + "1. X 63: off/19 off/22"
LONG = 600_000
"""Characters of a text that is read to its end."""

REPEATED = [
    ("", '[X "a"]\n\n'),
    ("", '[X "a"]\n# x\n\n'),
    ("", '[X "a"]\n1. X 63: off/19 off/22\n\n'),
    ("", 'X wins 7[X "a"]\n'),
    ("", "{a\n}"),
    (TURN + " ", "{a\n}"),
    (TURN + "\n", "{a}\n"),
    (TURN, "1"),
    (TURN, " 1"),
    (HEAD + "1. X 63: ", "a"),
]
"""What stands before, and what is repeated behind it."""


@pytest.mark.parametrize(("before", "repeated"), [each for each in REPEATED if "[" not in each[1]])
def test_long_text_is_read_to_its_end(before: str, repeated: str) -> None:
    """Not of many games, each of which takes its time."""
    text = before + repeated * (LONG // len(repeated))
    result = acey("validate", "--max-faults", "1", "-", stdin=text)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(("before", "repeated"), REPEATED)
def test_text_is_offered_as_a_game_a_few_times(before: str, repeated: str) -> None:
    text = before + repeated * (20_000 // len(repeated))
    offered = 0

    def take(region: Region) -> None:
        nonlocal offered
        offered += len(region.text)

    for _ in read_by(StringIO(text), take):
        pass
    assert offered <= 2 * len(text)


@pytest.mark.parametrize(("before", "repeated"), REPEATED)
def test_what_is_put_back_is_not_copied_together_with_all_that_follows(
    before: str, repeated: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_back = chunks.Source.put_back

    def checked(source: chunks.Source, lines: list[chunks.Line]) -> None:
        text = source.text
        put_back(source, lines)
        assert source.text is text

    monkeypatch.setattr(chunks.Source, "put_back", checked)
    for _ in parse_games(before + repeated * (20_000 // len(repeated))):
        pass


def counted(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[int]:
    """The length of the first argument of each call of a function."""
    function: Callable[..., object] = getattr(module, name)
    sizes: list[int] = []

    def counting(first: object, *others: object, **named: object) -> object:
        sizes.append(len(first) if isinstance(first, str) else 1)
        return function(first, *others, **named)

    monkeypatch.setattr(module, name, counting)
    return sizes


def test_a_comment_that_goes_on_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = counted(monkeypatch, chunks, "_open_comment")
    text = TURN + " " + "{a\n}" * 1000 + "\n*\n"
    (game,) = parse_games(text)
    assert len(game.record.turns[0].comments) == 1000
    assert sum(looked_at) <= 3 * len(text)


@pytest.mark.parametrize("separator", [" ", "\n"])
def test_a_turn_is_made_once_however_many_comments_it_has(
    separator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted(monkeypatch, items, "replace")
    comments = separator.join("{a}" for _ in range(1000))
    (game,) = parse_games(f"{TURN}{separator}{comments}\n  *\n")
    assert len(game.record.turns[0].comments) == 1000
    assert len(made) <= 1
