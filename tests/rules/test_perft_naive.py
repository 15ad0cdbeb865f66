"""The counts of spec/vectors/perft.jsonl against the naive referees. spec/perft.md §1."""

import pytest
from tests.support import naive, naive_turn
from tests.support.vectors import Row, read

from acey_rules import PRESETS
from acey_rules.stage import ROLLS


class PerftVector(Row, frozen=True, forbid_unknown_fields=True, kw_only=True):
    position: str
    depth: int
    count: int


VECTORS = read("perft.jsonl", PerftVector)


def counted(line: str, plies: int, fields: dict[str, str]) -> int:
    """Count the positions that ``plies`` rolls lead to, by every roll, name and play."""
    *head, turn, text = line.split(":")
    agenda = text.split(".")
    if agenda[0] == "R":
        if plies == 0:
            return 1
        left = [naive_turn.after_roll(agenda, *roll, fields) for roll in ROLLS]
        return sum(counted(":".join([*head, turn, ".".join(a)]), plies - 1, fields) for a in left)
    if agenda[0] == "N":
        left = [naive_turn.after_name(agenda, number, fields) for number in range(1, 7)]
        return sum(counted(":".join([*head, turn, ".".join(a)]), plies, fields) for a in left)
    found = 0
    dice = int(agenda[0][0]), int(agenda[0][1])
    for board, sequences in naive.legal(naive.read(line), dice, fields["overshoot"]).items():
        if board.mine[naive.HOME] == 15:
            found += plies == 0
            continue
        used, on_bar = len(sequences[0]), board.mine[naive.BAR] > 0
        rest = naive_turn.after_play(agenda, used, on_bar, fields)
        next_turn = turn if rest else "xo"[turn == "x"]
        after_line = f"{naive.write(board, line)}:{next_turn}:{'.'.join(rest or ['R'])}"
        found += counted(after_line, plies, fields)
    return found


def wrong(preset: str, low: int, high: int) -> list[str]:
    """Return the rows of a preset that count otherwise, of those that count so much."""
    fields = dict(word.split("=") for word in PRESETS[preset].fields_text().split())
    rows = [row for row in VECTORS if row.rules == preset and low < row.count <= high]
    assert rows
    found: list[str] = []
    for row in rows:
        plies = row.depth - (":R" not in row.position)  # what is under way is the first ply
        if counted(row.position, plies, fields) != row.count:
            found.append(row.place)
    return found


@pytest.mark.parametrize("preset", PRESETS)
def test_small_counts(preset: str) -> None:
    assert wrong(preset, 0, 2000) == []


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_large_counts(preset: str) -> None:
    assert wrong(preset, 2000, 60_000) == []
