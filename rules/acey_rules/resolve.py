"""Which legal play a written play means, or which rule it breaks. spec/notation.md §3.

A written play may leave out stops, mark no hits, and give its moves in any order. Every way of
carrying it out with the dice is tried; the legal positions these ways reach decide.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acey_rules.errors import AmbiguousPlay, IllegalAction, Rule
from acey_rules.play import (
    SOURCE_NAMES,
    TARGET_NAMES,
    Move,
    Play,
    WrittenMove,
    WrittenPlay,
    target_of,
)
from acey_rules.plays import (
    HOME,
    Board,
    after,
    board_of,
    legal_sequences,
    may_bear_off,
    position_of,
    single_moves,
)
from acey_rules.position import BAR, OFF, UNENTERED, Position, Side
from acey_rules.ruleset import Overshoot


class _Hop(NamedTuple):
    """From one written place to the next: one move, or several with stops left out."""

    source: int
    target: int
    direct: bool


class _Way(NamedTuple):
    """One way to carry a written play out."""

    moves: tuple[Move, ...]
    end: Board


def resolve(
    position: Position,
    side: Side,
    dice: tuple[int, int],
    overshoot: Overshoot,
    written: WrittenPlay,
    plays: Sequence[Play],
) -> Play:
    """The one of ``plays``, the legal plays of ``dice`` here, that ``written`` means.

    Raises AmbiguousPlay, or IllegalAction naming the rule broken.
    """
    board = board_of(position, side)
    numbers = dice if dice[0] != dice[1] else dice * 2
    if not all(map(_is_move, written.moves)):
        raise IllegalAction(Rule.NOT_THESE_DICE, "what is written is no move on any board")
    legal = {play.after: play for play in plays}
    marks = {stop for move in written.moves for stop in move.hits}
    reached: list[_Way] = []
    # A move that one die plays as it is written is read so; stops are filled in otherwise.
    for direct in (True, False):
        ways = list(_ways(board, _hops(written, numbers, direct), numbers, overshoot))
        reached += ways
        found: dict[Play, _Way] = {}
        for way in ways:
            play = legal.get(position_of(way.end, position, side))
            if play is not None and (play not in found or marks <= _hits(way)):
                found[play] = way
        marked = [play for play, way in found.items() if marks <= _hits(way)]
        if len(marked) == 1:
            return marked[0]
        if len(marked) > 1:
            texts = tuple(play.text for play in plays if play in marked)
            raise AmbiguousPlay(
                f"'{written}' can be read as {' or as '.join(map(repr, texts))}", texts
            )
        if found:
            wrong = min(marks - _hits(next(iter(found.values()))))
            raise IllegalAction(Rule.NO_HIT, f"'{written}' marks a hit on {wrong}; nothing is hit")
    raise _explain(board, dice, overshoot, written, plays, reached)


def _is_move(move: WrittenMove) -> bool:
    """Whether a written move could be one; text that was parsed always could."""
    return (
        move.source in SOURCE_NAMES
        and len(move.stops) > 0
        and all(stop in TARGET_NAMES for stop in move.stops)
        and set(move.hits) <= set(move.stops) - {OFF}
        and move.times in range(1, 5)
    )


def _hits(way: _Way) -> set[int]:
    return {move.target for move in way.moves if move.hit}


def _hops(written: WrittenPlay, numbers: tuple[int, ...], direct: bool) -> tuple[_Hop, ...]:
    """The hops of a written play; with ``direct``, those one die can play are played by one."""
    hops: list[_Hop] = []
    for move in written.moves:
        places = (move.source, *move.stops)
        for source, target in zip(places, move.stops, strict=False):
            single = direct and any(target_of(source, die) == target for die in numbers)
            hops += [_Hop(source, target, single)] * move.times
    return tuple(hops)


def _ways(
    board: Board, hops: tuple[_Hop, ...], numbers: tuple[int, ...], overshoot: Overshoot
) -> Iterator[_Way]:
    """Every way to carry out the hops, in any order, one move a die."""
    if not hops:
        yield _Way((), board)
    if len(hops) > len(numbers):
        return
    tried: set[tuple[_Hop, int]] = set()
    for index, hop in enumerate(hops):
        for place, die in enumerate(numbers):
            if (hop, die) in tried:
                continue
            tried.add((hop, die))
            target = target_of(hop.source, die)
            rest = hops[:index] + hops[index + 1 :]
            if target != hop.target:
                if hop.direct or target < hop.target or target == OFF:
                    continue
                rest = (*rest, _Hop(target, hop.target, direct=False))
            move = _legal_move(board, hop.source, die, overshoot)
            if move is None:
                continue
            others = numbers[:place] + numbers[place + 1 :]
            for way in _ways(after(board, move), rest, others, overshoot):
                yield _Way((move, *way.moves), way.end)


def _legal_move(board: Board, source: int, die: int, overshoot: Overshoot) -> Move | None:
    return next((m for m in single_moves(board, die, overshoot) if m.source == source), None)


# --- what is wrong with a play that means no legal one ----------------------------------------


def _explain(
    board: Board,
    dice: tuple[int, int],
    overshoot: Overshoot,
    written: WrittenPlay,
    plays: Sequence[Play],
    reached: list[_Way],
) -> IllegalAction:
    """The rule that a play breaks which is none of the legal ones. spec/rules.md §3, §4."""
    most = max(len(moves) for moves, _ in legal_sequences(board, *dice, overshoot))
    roll = f"{dice[0]}-{dice[1]}"
    if not written.moves:
        return IllegalAction(
            Rule.MUST_PLAY, f"'-' plays nothing of {roll}; {_can_be_played(most)}: '{plays[0]}'"
        )
    if reached:
        way = max(reached, key=lambda way: len(way.moves))
        used = len(way.moves)
        if used < most:
            return IllegalAction(
                Rule.MORE_DICE,
                f"'{written}' uses {_dice(used)} of {roll}; {_can_be_played(most)}",
            )
        return IllegalAction(
            Rule.HIGHER_DIE,
            f"'{written}' uses the {way.moves[0].die} of {roll}; only one die can be played, "
            f"and it must be the {plays[0].moves[0].die}",
        )
    wrong = _first_wrong_hop(board, dice, overshoot, written)
    if wrong.rule is not Rule.BAR_FIRST and most == 0:
        return IllegalAction(
            Rule.NOTHING_PLAYABLE, f"no part of {roll} can be played, only '-'; {wrong.message}"
        )
    return wrong


def _dice(count: int) -> str:
    return "one die" if count == 1 else f"{count} dice"


def _can_be_played(most: int) -> str:
    return f"{('one', 'two', 'three', 'four')[most - 1]} can be played"


def _first_wrong_hop(
    board: Board, dice: tuple[int, int], overshoot: Overshoot, written: WrittenPlay
) -> IllegalAction:
    """Carry the hops out as written as far as the rules allow, and name what stops the next."""
    numbers = dice if dice[0] != dice[1] else dice * 2
    roll = f"{dice[0]}-{dice[1]}"
    hops = _hops(written, numbers, direct=True)
    if len(hops) > len(numbers):
        return IllegalAction(
            Rule.TOO_MANY_MOVES, f"{len(hops)} moves are written; {roll} gives {len(numbers)}"
        )
    for hop in hops:
        way = next(_ways(board, (hop,), numbers, overshoot), None)
        if way is None:
            text = str(WrittenMove(hop.source, (hop.target,)))
            return _wrong_hop(board, hop, numbers, roll, overshoot, text)
        board = way.end
        for move in way.moves:
            place = numbers.index(move.die)
            numbers = numbers[:place] + numbers[place + 1 :]
    # Each hop can be played by itself but not with the dice the others leave.
    return IllegalAction(Rule.NOT_THESE_DICE, f"'{written}' is not {roll} played in any order")


def _wrong_hop(
    board: Board, hop: _Hop, numbers: tuple[int, ...], roll: str, overshoot: Overshoot, text: str
) -> IllegalAction:
    """Why this hop, written as ``text``, cannot be made with any of the numbers left."""
    source, target = hop.source, hop.target
    if board.mine[BAR] and source != BAR:
        return IllegalAction(
            Rule.BAR_FIRST, f"'{text}' leaves a checker on the bar, which must enter first"
        )
    if not board.mine[source]:
        place = {BAR: "on the bar", UNENTERED: "unentered"}.get(source, f"on {source}")
        return IllegalAction(Rule.NO_CHECKER, f"'{text}': no checker of the mover is {place}")
    if target == OFF and any(board.mine[HOME + 1 :]) and source <= HOME:
        return IllegalAction(
            Rule.NOT_HOME,
            f"'{text}' may not bear off yet: {_not_home(board)}",
        )
    if target != OFF and board.theirs[target] > 1:
        return IllegalAction(
            Rule.POINT_HELD,
            f"'{text}': the {target} point is held by {board.theirs[target]} opposing checkers",
        )
    pips = min(source, UNENTERED) - target
    if target == OFF and any(die > source for die in numbers):
        return _overshot(board, source, max(numbers), text, overshoot)
    if pips in _sums(numbers) or (target == OFF and HOME < pips < sum(numbers)):
        for place, die in enumerate(numbers):
            move = _legal_move(board, source, die, overshoot)
            if move is not None and move.target > target:
                # The checker comes so far; what it cannot do is to go on from there.
                onward = _Hop(move.target, target, direct=False)
                left = numbers[:place] + numbers[place + 1 :]
                return _wrong_hop(after(board, move), onward, left, roll, overshoot, text)
        return IllegalAction(
            Rule.POINT_HELD, f"'{text}': every point to stop on by the way is held"
        )
    if pips < 0:
        return IllegalAction(Rule.NOT_THESE_DICE, f"'{text}' moves backwards")
    return IllegalAction(
        Rule.NOT_THESE_DICE,
        f"'{text}' is {_counted(pips, 'pip')}, not {_left(numbers, roll)}",
    )


def _left(numbers: tuple[int, ...], roll: str) -> str:
    """The dice still to play, against the roll they come from."""
    if not numbers:
        return f"to be had from {roll}, which is used up"
    return f"to be had from the {' and '.join(map(str, numbers))} left of {roll}"


def _sums(numbers: tuple[int, ...]) -> set[int]:
    """The pips one checker could go with the numbers."""
    return set(numbers) | {sum(numbers[:count]) for count in range(1, len(numbers) + 1)}


def _not_home(board: Board) -> str:
    """Which checkers keep the others from being borne off; none is on the bar here."""
    unentered = board.mine[UNENTERED]
    if unentered:
        return f"{_counted(unentered, 'checker')} {_are(unentered)} unentered"
    outside = sum(board.mine[HOME + 1 : UNENTERED])
    return f"{_counted(outside, 'checker')} {_are(outside)} outside the home board"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _overshot(
    board: Board, source: int, die: int, text: str, overshoot: Overshoot
) -> IllegalAction:
    """Why a die larger than needed does not bear off from ``source``."""
    if may_bear_off(board, source, die, overshoot):
        return IllegalAction(Rule.NOT_THESE_DICE, f"'{text}' cannot be played with the dice left")
    if overshoot == "exact":
        why = f"a {die} takes a checker off from the {die} point only"
    elif overshoot == "any":
        why = f"a {die} takes off from a lower point only when no checker stands on {die} or above"
    else:
        why = f"a {die} takes off from a lower point only the highest checker"
    return IllegalAction(Rule.OVERSHOOT, f"'{text}': {why}")
