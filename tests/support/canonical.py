"""The canonical text and order of the plays of one roll, from the sequences naive.py finds.

Written from spec/notation.md §3 alone, as an implementation in another language would be; it made
the expected texts in spec/vectors/texts.jsonl.
"""

from itertools import groupby
from typing import NamedTuple

from tests.support.naive import BAR, HOME, UNENTERED, Board, Sequence, legal


class Way(NamedTuple):
    """The whole way of one checker in a play."""

    places: tuple[int, ...]  # where it stood before, between and after its moves
    pips: int  # the sum of its dice


def listing(board: Board, dice: tuple[int, int], overshoot: str) -> list[tuple[str, Board]]:
    """Return the text of each legal play in the order they are listed, with the board after it."""
    plays = [(pick(sequences), after) for after, sequences in legal(board, dice, overshoot).items()]
    plays.sort(key=lambda play: order([way.places for way in ways(play[0])]))
    return [(text(sequence, board, dice), after) for sequence, after in plays]


def pick(sequences: list[Sequence]) -> Sequence:
    """Pick the canonical one: move by move the higher source, then the higher die."""
    return max(sequences, key=lambda steps: [(step.source, step.die) for step in steps])


def order(play: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return what sorts plays: way by way higher source, higher target, fewer and higher stops."""
    return [(-places[0], -places[-1], *(-stop for stop in places[1:-1])) for places in play]


def ways(sequence: Sequence) -> list[Way]:
    """Join the moves of each checker; where two stand on a point, the one from behind goes on."""
    open_ways: list[Way] = []
    for step in sorted(sequence, key=lambda step: -step.source):
        before = [way for way in open_ways if way.places[-1] == step.source]
        way = max(before, key=lambda way: way.places[0], default=Way((step.source,), 0))
        if before:
            open_ways.remove(way)
        open_ways.append(Way((*way.places, step.target), way.pips + step.die))
    return sorted(open_ways, key=lambda way: (-way.places[0], len(way.places), way.places[-1]))


def text(sequence: Sequence, board: Board, dice: tuple[int, int]) -> str:
    """Write a canonical sequence."""
    unmarked = {step.target for step in sequence if step.hit}
    words: list[str] = []
    for (source, *stops, target), equal in groupby(ways(sequence), key=lambda way: way.places):
        gathered = list(equal)
        way = gathered[0]
        spelled = [{BAR: "bar", UNENTERED: "off"}.get(source, str(source))]
        needed = way.pips > source if target == HOME else False
        if stops and dice[0] != dice[1] and stops[0] not in unmarked:
            other = min(source, UNENTERED) - sum(dice) + (min(source, UNENTERED) - stops[0])
            needed = needed or (other > 0 and board.theirs[other] == 1)
        for stop in (*stops, target):
            hit = stop in unmarked
            unmarked.discard(stop)
            if hit or needed or stop == target:
                spelled.append(("off" if stop == HOME else str(stop)) + "*" * hit)
        count = len(gathered)
        words.append("/".join(spelled) + (f"({count})" if count > 1 else ""))
    return " ".join(words) or "-"
