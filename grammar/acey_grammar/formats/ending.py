"""How a game ended, by what the board shows and what the file says. spec/formats/README.md §5."""

from typing import TYPE_CHECKING, NamedTuple

from acey_grammar.faults import Fault, Place
from acey_grammar.formats import verdict
from acey_grammar.formats.raw import Ended
from acey_grammar.formats.verdict import SIDE_NAMES, Notice
from acey_grammar.record import Result
from acey_rules import Concede, RulesError, Side, State

if TYPE_CHECKING:
    from acey_grammar.formats.replay import Replay


class Ending(NamedTuple):
    """How a game ended."""

    winner: Side | None
    points: int | None
    """What it counted, a cube included."""
    how: verdict.Ending
    cube: int
    """What the cube showed at the end."""
    record_points: int | None
    """What the record says it is worth: what the board shows, or was given up, without a cube."""
    stated: Result | None = None
    """What the file says where it is at odds with the board; the record keeps it."""
    faults: tuple[Fault, ...] = ()
    notices: tuple[Notice, ...] = ()


def judge_ending(game: "Replay") -> Ending:
    """The end of a replayed game, with what the file says of it checked against the board."""
    judge = _Judge(game)
    return judge.ending()._replace(faults=tuple(judge.faults), notices=tuple(judge.notices))


class _Judge:
    def __init__(self, game: "Replay") -> None:
        self.game = game
        self.raw = game.raw
        self.state: State = game.state
        self.end: Ended | None = game.raw.end
        self.faults: list[Fault] = []
        self.notices: list[Notice] = []

    def ending(self) -> Ending:
        """The end, by the first of these that applies."""
        game = self.game
        if self.end is not None and self.end.points == 0:
            self._fault(self.end.place, "a game is worth at least 1 point, not 0")
            self.end = self.end._replace(points=None)
        if self.state.outcome is not None:
            return self._borne_off(self.state.outcome.winner, self.state.outcome.points)
        if game.dropped is not None:
            return self._dropped(game.dropped.side.other)
        if game.gave_up is not None:
            return self._given_up(game.gave_up.side)
        if self.end is not None and (game.lost or self.raw.broken):
            return self._unknown(self.end)
        if self.end is not None and self.end.decides:
            return self._given_up(self.end.winner.other)
        return self._unfinished()

    def _borne_off(self, winner: Side, worth: int) -> Ending:
        cube = self.game.cube
        points = worth * cube
        end = self.end
        if end is None:
            return Ending(winner, points, "play", cube, worth)
        if end.winner is not winner:
            message = f"{end.winner.name} is named the winner; {winner.name} has borne off"
            self._fault(end.place, message)
            stated = Result(SIDE_NAMES[end.winner], end.points or worth)
            return Ending(winner, points, "play", cube, worth, stated)
        if end.points is not None and end.points != points:
            points = self._other_points(end, worth, points)
            if self.faults:
                stated = Result(SIDE_NAMES[winner], end.points)
                return Ending(winner, points, "play", cube, worth, stated)
        return Ending(winner, points, "play", cube, worth)

    def _other_points(self, end: Ended, worth: int, points: int) -> int:
        """What the game counted, where the file states another number than the board gives."""
        stated = end.points
        assert stated is not None
        cube = self.game.cube
        what = f"the position scores {worth}" + (f", with the cube {points}" if cube > 1 else "")
        if not end.exact:
            of_cube = "it is the cube, " if stated == cube else ""
            self._notice(end.place, f"the header says {_points(stated)}: {of_cube}{what}")
            return points
        if stated == self._needed(end.winner) and stated < points:
            self._notice(end.place, f"{_points(stated)} won the match; {what}")
            return stated
        if not self.raw.match and stated == cube == 1:
            self._notice(end.place, f"{_points(stated)} counted without a double; {what}")
            return stated
        self._fault(end.place, f"the game is stated to be worth {stated}; {what}")
        return points

    def _dropped(self, winner: Side) -> Ending:
        cube = self.game.cube
        end = self.end
        if end is not None and end.winner is not winner:
            message = f"{end.winner.name} is named the winner; {end.winner.name} dropped the double"
            self._fault(end.place, message)
        elif end is not None and end.exact and end.points not in (None, cube, self._needed(winner)):
            message = f"a drop loses what the cube shows, {cube}, not {end.points}"
            self._fault(end.place, message)
        return Ending(winner, cube, "drop", cube, 1)

    def _unknown(self, end: Ended) -> Ending:
        """The position was lost, so the board cannot tell what the file says."""
        points = end.points if end.exact else None
        return Ending(end.winner, points, "unknown", self.game.cube, points)

    def _given_up(self, loser: Side) -> Ending:
        game, end, cube = self.game, self.end, self.game.cube
        winner = loser.other
        after_roll = game.unplayed is not None and game.unplayed.side in (None, loser)
        how: verdict.Ending = "resign-after-roll" if after_roll else "resign"
        if game.gave_up is not None and game.gave_up.how in ("time", "forfeit"):
            how = "time" if game.gave_up.how == "time" else "forfeit"
        if end is not None and end.winner is not winner:
            self._fault(end.place, f"{end.winner.name} is named the winner and gave up")
        now = self._worth(loser, None)
        if end is None or end.points is None or not end.exact:
            agreed = game.gave_up.points if game.gave_up else None
            if end is None and agreed is None and game.gave_up is not None:
                with_cube = " with the cube" if cube > 1 else ""
                what = f"taken for the {_points(now * cube)} the position scores{with_cube}"
                self._notice(game.gave_up.place, f"what giving up cost is not said: {what}")
            return Ending(winner, agreed or now * cube, how, cube, now)
        points = end.points
        worth, rest = divmod(points, cube)
        if rest == 0 and self._worth(loser, worth):
            return Ending(winner, points, how, cube, worth)
        if points != self._needed(winner):
            self._fault(end.place, f"{_points(points)} cannot be given up here")
        return Ending(winner, points, how, cube, min(max(worth, 1), 3))

    def _unfinished(self) -> Ending:
        end = self.end
        if end is not None:
            message = f"{end.winner.name} is named the winner, but the game has no end"
            self._fault(end.place, message)
        elif self.raw.ends_expected and not self.raw.faults:
            place = self.game.last.place if self.game.last else self.raw.place
            self.notices.append(Notice("unfinished", *place, "the game stops here, without an end"))
        return Ending(None, None, "unfinished", self.game.cube, None)

    def _worth(self, loser: Side, points: int | None) -> int:
        """What giving up costs: ``points``, or what the position scores; 0 if that cannot be."""
        try:
            outcome = self.state.apply(Concede(loser, points)).outcome
        except RulesError:
            return 0
        return outcome.points if outcome else 0

    def _needed(self, winner: Side) -> int | None:
        """The points that win the match, where that is known."""
        raw = self.raw
        return raw.match - raw.score[winner] if raw.match and raw.score else None

    def _fault(self, place: Place, message: str) -> None:
        position = "" if self.game.stopped else self.state.line
        self.faults.append(
            Fault(
                kind="result",
                line=place.line,
                column=place.column,
                message=message,
                rule="spec/rules.md §6",
                position=position,
            )
        )

    def _notice(self, place: Place, message: str) -> None:
        self.notices.append(Notice("points", *place, message))


def _points(number: int) -> str:
    return f"{number} point{'s' if number != 1 else ''}"
