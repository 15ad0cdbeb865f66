"""A second referee for one roll: naive, slow, and without a line in common with acey_rules.

Written from spec/rules.md §1, §3 and §4 alone: every order of the dice is tried, breadth first, and
only then is it asked which of these sequences of single moves used enough dice.
"""

from collections.abc import Iterator
from typing import NamedTuple

HOME, UNENTERED, BAR = 0, 25, 26  # beside the points 1..24, all in the mover's own numbering


class Board(NamedTuple):
    """Where the checkers stand, seen by the mover."""

    mine: tuple[int, ...]  # counts by place, HOME .. BAR
    theirs: tuple[int, ...]  # counts by point; their bar is at 0


class Step(NamedTuple):
    """One checker moved with one die."""

    source: int
    target: int
    die: int
    hit: bool


Sequence = tuple[Step, ...]


def read(line: str) -> Board:
    """Return the board of a position line, seen by the side whose turn it is."""
    cells, unentered_x, unentered_o, turn, _agenda = line.split(":")
    x = ["-ABCDEFGHIJKLMNO".find(cell) for cell in cells]
    o = ["-abcdefghijklmno".find(cell) for cell in cells][::-1]  # index 25 is now O's bar
    mine, theirs, waiting = (x, o, unentered_x) if turn == "x" else (o, x, unentered_o)
    mine = [max(count, 0) for count in mine]
    theirs = [max(count, 0) for count in theirs]
    places = [0, *mine[1:25], int(waiting), mine[25]]
    places[HOME] = 15 - sum(places)
    return Board(tuple(places), (theirs[25], *theirs[24:0:-1]))


def write(board: Board, line: str) -> str:
    """Return the first three fields of the line after ``board`` was reached from ``line``."""
    *_, unentered_x, unentered_o, turn, _agenda = line.split(":")
    mine, theirs = board
    own, other = ("ABCDEFGHIJKLMNO", "abcdefghijklmno")[:: 1 if turn == "x" else -1]
    cells = [other[theirs[0] - 1] if theirs[0] else "-"]
    for point in range(1, 25):
        cell = own[mine[point] - 1] if mine[point] else "-"
        cells.append(other[theirs[point] - 1] if theirs[point] else cell)
    cells.append(own[mine[BAR] - 1] if mine[BAR] else "-")
    if turn == "x":
        return f"{''.join(cells)}:{mine[UNENTERED]}:{unentered_o}"
    return f"{''.join(cells[::-1])}:{unentered_x}:{mine[UNENTERED]}"


def steps(board: Board, die: int, overshoot: str) -> Iterator[Step]:
    """Yield every legal move of one checker with one die (§3)."""
    mine, theirs = board
    home = sum(mine[HOME:7]) == 15  # nobody unentered, on the bar or outside the home board
    highest = max((p for p in range(1, 27) if mine[p]), default=0)
    for source in [BAR] if mine[BAR] else [p for p in range(1, 26) if mine[p]]:
        target = min(source, 25) - die
        if target >= 1:
            if theirs[target] <= 1:
                yield Step(source, target, die, hit=theirs[target] == 1)
        elif home and (
            target == 0
            or (overshoot == "any" and highest < die)
            or (overshoot == "highest" and source == highest)
        ):
            yield Step(source, HOME, die, hit=False)


def moved(board: Board, step: Step) -> Board:
    """Return the board after one step."""
    mine, theirs = list(board.mine), list(board.theirs)
    mine[step.source] -= 1
    mine[step.target] += 1
    if step.hit:
        theirs[step.target] -= 1
        theirs[0] += 1
    return Board(tuple(mine), tuple(theirs))


def legal(board: Board, dice: tuple[int, int], overshoot: str) -> dict[Board, list[Sequence]]:
    """Return each board that a legal play of the roll reaches, with all sequences to it (§4).

    A forfeited roll is the board itself, reached by the empty sequence.
    """
    high, low = max(dice), min(dice)
    unplayed = (high,) * 4 if high == low else (high, low)
    layer: list[tuple[Board, tuple[int, ...], Sequence]] = [(board, unplayed, ())]
    ended: list[tuple[Board, Sequence]] = []
    while layer:
        deeper: list[tuple[Board, tuple[int, ...], Sequence]] = []
        for before, left, done in layer:
            ways = [
                step
                for die in sorted(set(left))
                if before.mine[HOME] < 15
                for step in steps(before, die, overshoot)
            ]
            for step in ways:
                rest = list(left)
                rest.remove(step.die)
                deeper.append((moved(before, step), tuple(rest), (*done, step)))
            if not ways:
                ended.append((before, done))
        layer = deeper
    most = max(len(done) for _, done in ended)
    best = max((done[0].die for _, done in ended if len(done) == 1), default=0)
    found: dict[Board, list[Sequence]] = {}
    for after, done in ended:
        enough = len(done) == most and (most != 1 or done[0].die == best)
        if enough or after.mine[HOME] == 15:
            found.setdefault(after, []).append(done)
    return found
