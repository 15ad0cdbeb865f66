"""The scores of a match, game after game: a score that does not follow is common, and reported.

spec/formats/README.md §6.
"""

from msgspec.structs import replace

from acey_grammar.formats.verdict import SIDE_NAMES, Notice, Verdict


class Tally:
    """Follows the games of one file."""

    def __init__(self) -> None:
        """Begin a file."""
        self._key: tuple[object, ...] = ()
        self._points: dict[str, int] | None = None
        """What each player has, as far as the games tell; None where it is not known."""

    def check(self, verdict: Verdict) -> None:
        """Compare the score before a game with what the games before it tell, and go on.

        A record whose file states no score gets the one that the games tell.
        """
        told = any(fault.kind == "score" for fault in verdict.faults)
        if verdict.match and verdict.score and max(verdict.score) >= verdict.match and not told:
            stated = f"{verdict.score[0]}-{verdict.score[1]}"
            message = f"at {stated} the match to {verdict.match} was over before this game"
            verdict.notices = (*verdict.notices, Notice("score", verdict.line, 1, message))
        key = (verdict.format, verdict.match, frozenset(verdict.players))
        # A money session is as often written with every game at 0-0.
        anew = not verdict.match and verdict.score == (0, 0)
        if key != self._key or anew or self._match_over(verdict.match):
            self._key, self._points = key, None
        if self._points is not None:
            self._compare(verdict, self._points)
        elif verdict.score is not None and verdict.players[0] != verdict.players[1]:
            self._points = dict(zip(verdict.players, verdict.score, strict=True))
        self._add(verdict)

    def _match_over(self, match: int | None) -> bool:
        return bool(match and self._points and max(self._points.values()) >= match)

    def _compare(self, verdict: Verdict, points: dict[str, int]) -> None:
        stated = verdict.score
        due = (points[verdict.players[0]], points[verdict.players[1]])
        if stated is None:
            self._note_score(verdict, due)
        elif stated != due:
            swapped = stated == due[::-1]
            message = (
                f"the score is stated as {stated[0]}-{stated[1]}; "
                f"the games before make it {due[0]}-{due[1]}"
                f"{', so it is printed the wrong way round' if swapped else ''}"
            )
            verdict.notices = (*verdict.notices, Notice("score", verdict.line, 1, message))
            if not swapped:
                self._points = dict(zip(verdict.players, stated, strict=True))

    def _note_score(self, verdict: Verdict, due: tuple[int, int]) -> None:
        """Give the record the score that its file does not state."""
        record = verdict.record
        if record is None or verdict.match is None or record.tag("Score") is not None:
            return
        verdict.score = due
        place = next((i for i, tag in enumerate(record.tags) if tag[0] == "Match"), -1) + 1
        tag = ("Score", f"{due[0]}-{due[1]}")
        verdict.record = replace(record, tags=(*record.tags[:place], tag, *record.tags[place:]))

    def _add(self, verdict: Verdict) -> None:
        if self._points is None:
            return
        if verdict.winner is None or verdict.points is None:
            self._points = None
            return
        self._points[verdict.players[SIDE_NAMES.index(verdict.winner)]] += verdict.points
