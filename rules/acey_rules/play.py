"""A play of one roll, and its canonical text (spec/notation.md §3).

``Play`` is what a generator makes: legal, in canonical form, with the position it leads to.
``WrittenPlay`` is what somebody wrote: not yet known to be legal; resolve.py finds its Play.
"""

from typing import NamedTuple

from acey_rules.position import BAR, OFF, UNENTERED, Position, Side
from acey_rules.ruleset import Overshoot

SOURCE_NAMES = {BAR: "bar", UNENTERED: "off"} | {point: str(point) for point in range(1, 25)}
TARGET_NAMES = {OFF: "off"} | {point: str(point) for point in range(1, 25)}


class Move(NamedTuple):
    """One checker moved with one die, in the mover's own numbering."""

    source: int
    """1-24, UNENTERED or BAR."""
    die: int
    """The number played, 1-6."""
    hit: bool
    """Whether it sends an opposing blot to the bar."""

    @property
    def target(self) -> int:
        """Where the checker ends: 1-24 or OFF."""
        return target_of(self.source, self.die)

    def __str__(self) -> str:
        """``24/18``, ``off/19*``, ``6/off``."""
        return f"{SOURCE_NAMES[self.source]}/{TARGET_NAMES[self.target]}{'*' * self.hit}"


def target_of(source: int, die: int) -> int:
    """Where ``die`` takes a checker from ``source``; OFF also for a die larger than needed."""
    return max(min(source, UNENTERED) - die, OFF)


class Play:
    """A legal play of one roll: its moves, the position it leads to and its text.

    Plays are equal when they lead to the same position. Only generators make them, each its own
    kind of this class: the reference FoundPlay, the kernel KernelPlay.
    """

    __slots__ = ()

    @property
    def moves(self) -> tuple[Move, ...]:
        """The canonical sequence, one move a die, in an order in which each is legal.

        Empty for a roll that cannot be played.
        """
        raise NotImplementedError

    @property
    def after(self) -> Position:
        """The position it leads to."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The canonical text, ``off/19 off/22``; ``-`` when no die could be played."""
        raise NotImplementedError

    @property
    def wins(self) -> bool:
        """Whether it bears off the mover's last checker."""
        raise NotImplementedError

    def is_of(
        self,
        position: Position,  # noqa: ARG002 - this class does not keep what it was found for
        side: Side,  # noqa: ARG002
        dice: tuple[int, int],  # noqa: ARG002
        overshoot: Overshoot,  # noqa: ARG002
    ) -> bool:
        """Whether it is known to have been found for this very roll of this position.

        False says nothing: it may be legal there all the same.
        """
        return False

    def __str__(self) -> str:
        """The canonical text."""
        return self.text

    def __repr__(self) -> str:
        """The text, recognisable as a play."""
        return f"<Play {self.text}>"

    def __eq__(self, other: object) -> bool:
        """Plays are the same play when they lead to the same position (spec/rules.md §4)."""
        return isinstance(other, Play) and self.after == other.after

    def __hash__(self) -> int:
        """Consistent with equality."""
        return hash(self.after)


class FoundPlay(Play):
    """A play found by the reference."""

    __slots__ = ("_after", "_keep_stop", "_moves", "_text", "_wins")

    def __init__(
        self, moves: tuple[Move, ...], after: Position, wins: bool, keep_stop: bool
    ) -> None:
        """``keep_stop``: another way between the same ends differs, so the stop is written."""
        self._moves = moves
        self._after = after
        self._wins = wins
        self._keep_stop = keep_stop
        self._text: str | None = None

    @property
    def moves(self) -> tuple[Move, ...]:
        """The canonical sequence."""
        return self._moves

    @property
    def after(self) -> Position:
        """The position it leads to."""
        return self._after

    @property
    def wins(self) -> bool:
        """Whether it bears off the mover's last checker."""
        return self._wins

    @property
    def text(self) -> str:
        """The canonical text."""
        if self._text is None:
            self._text = _write(self._moves, self._keep_stop)
        return self._text


class WrittenMove(NamedTuple):
    """A move as written: one checker's way, perhaps with stops left out, perhaps repeated."""

    source: int
    """1-24, UNENTERED or BAR."""
    stops: tuple[int, ...]
    """Each point written after a slash, the last being where the checker ends (OFF allowed)."""
    hits: tuple[int, ...] = ()
    """The stops marked with ``*``."""
    times: int = 1
    """How many checkers go this way, 1-4."""

    def __str__(self) -> str:
        """``24/18*/12(2)``; places that do not exist as the numbers they are."""
        source = SOURCE_NAMES.get(self.source, str(self.source))
        stops = "".join(
            f"/{TARGET_NAMES.get(stop, str(stop))}{'*' * (stop in self.hits)}"
            for stop in self.stops
        )
        return f"{source}{stops}{f'({self.times})' if self.times != 1 else ''}"


class WrittenPlay(NamedTuple):
    """A play as written; no moves stand for ``-``."""

    moves: tuple[WrittenMove, ...]

    def __str__(self) -> str:
        """The moves as written, separated by single spaces."""
        return " ".join(map(str, self.moves)) or "-"


# --- canonical text -------------------------------------------------------------------------


class Path(NamedTuple):
    """One checker's consecutive moves. The first fields order the paths of a play."""

    rank: int
    """The source, negated: the highest comes first."""
    moves: int
    """How many moves are joined; fewer come first."""
    target: int
    """Where the checker ends; with one move each, the higher die comes first."""
    stops: tuple[int, ...]
    """The points touched on the way."""
    pips: int
    """The sum of the dice played."""

    @property
    def source(self) -> int:
        """1-24, UNENTERED or BAR."""
        return -self.rank

    @property
    def way(self) -> tuple[int, int, tuple[int, ...]]:
        """All but the dice: two checkers may bear off from one point with different dice."""
        return self.rank, self.target, self.stops


def paths_of(moves: tuple[Move, ...]) -> list[Path]:
    """Join the moves into one path a checker, in the order they are written.

    The checker that comes from the highest source goes on where two stand on one point. Paths are
    ordered by source from the highest (bar, off, 24 ... 1), then fewer moves, then lower target.
    """
    left = sorted(moves, key=lambda move: -move.source)
    paths: list[Path] = []
    while left:
        first = left.pop(0)
        ends, pips = [first.target], first.die
        while onward := next((move for move in left if move.source == ends[-1]), None):
            left.remove(onward)
            ends.append(onward.target)
            pips += onward.die
        paths.append(Path(-first.source, len(ends), ends[-1], tuple(ends[:-1]), pips))
    return sorted(paths)


def _write(moves: tuple[Move, ...], keep_stop: bool) -> str:
    """The text of a canonical sequence of moves, spec/notation.md §3."""
    hits = {move.target for move in moves if move.hit}
    words: list[str] = []
    times: list[int] = []
    previous: Path | None = None
    for path in paths_of(moves):
        if previous is not None and path.way == previous.way:
            times[-1] += 1
            continue
        previous = path
        # The pips of a path that bears off with more than it needs do not tell its dice.
        keep = keep_stop or (path.target == OFF and path.pips > path.source)
        word = SOURCE_NAMES[path.source]
        for stop in (*path.stops, path.target):
            hit = stop in hits
            hits.discard(stop)
            if hit or keep or stop == path.target:
                word += f"/{TARGET_NAMES[stop]}{'*' * hit}"
        words.append(word)
        times.append(1)
    repeats = (f"({count})" if count > 1 else "" for count in times)
    return " ".join(map(str.__add__, words, repeats)) or "-"
