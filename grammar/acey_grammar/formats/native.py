"""Verdicts on games in our own notation or as records, so that one report serves every format."""

from io import StringIO
from typing import Final

from msgspec.structs import replace

from acey_grammar.formats.text import number
from acey_grammar.formats.verdict import Ending, Verdict
from acey_grammar.judge import JudgedGame, judge_acey
from acey_grammar.reading import ReadGame
from acey_grammar.validate import Validation, is_valid, validate
from acey_rules import PRESETS, RuleSet

_ENDINGS: Final[dict[str, Ending]] = {
    "play": "play",
    "resignation": "resign",
    "time": "time",
    "forfeit": "forfeit",
}
_CAN_DIFFER: Final = ("syntax", "cut-off", "separator", "encoding", "tag", "turn-number")
"""Faults that no other rule set heals."""


def judge_text(
    text: str, line: int, rules: RuleSet | None = None, records: bool = True
) -> list[Verdict]:
    """Every game of a text in our notation that starts on that line of its file.

    Without ``records`` a verdict holds no record, which a sound game then need not be made into.
    """
    found: list[Verdict] = []
    for game in judge_acey(StringIO(text), rules=rules):
        if game.validation.faults:
            verdict = _explained(game.read, game.validation)
        else:
            verdict = _verdict(game, game.validation)
            verdict.record = game.read.record if records else None
        found.append(moved(verdict, line - 1))
    return found


def judge_game(read: ReadGame, rules: RuleSet | None = None) -> Verdict:
    """A game of ours, validated. With faults, the rule sets that replay it clean are named."""
    return _explained(read, validate(read, rules))


def _explained(read: ReadGame, judged: Validation) -> Verdict:
    """The verdict on a game that was read in full."""
    verdict = _verdict(JudgedGame(read, judged), judged)
    verdict.format = read.format
    verdict.record = read.record if read.record.tags else None
    if judged.faults and not any(fault.kind in _CAN_DIFFER for fault in judged.faults):
        verdict.clean_under = clean_under(read, judged.rules)
    return verdict


def clean_under(read: ReadGame, besides: RuleSet | None = None) -> tuple[str, ...]:
    """The presets under which the game has no fault, ``besides`` left out."""
    others = (rules for rules in PRESETS.values() if rules != besides)
    return tuple(rules.name for rules in others if is_valid(read, rules))


def moved(verdict: Verdict, by: int) -> Verdict:
    """The verdict with every place that many lines further down."""
    verdict.line += by
    verdict.faults = tuple(
        replace(fault, line=fault.line + by) if fault.line else fault for fault in verdict.faults
    )
    verdict.notices = tuple(
        replace(notice, line=notice.line + by) if notice.line else notice
        for notice in verdict.notices
    )
    return verdict


def _verdict(game: JudgedGame, judged: Validation) -> Verdict:
    outcome = judged.state.outcome if judged.state else None
    result = game.result
    winner, points, how = None, None, "unfinished"
    if outcome is not None:
        winner, points = outcome.winner.name, outcome.points
    elif result is not None:
        winner, points = result.winner, result.points
    if outcome is not None or result is not None:
        how = _ENDINGS[result.how] if result else "play"
    tags = dict(reversed(game.tags))
    return Verdict(
        line=game.line,
        format="acey",
        rules=judged.rules.name if judged.rules else "",
        players=(tags.get("X", ""), tags.get("O", "")),
        match=number(tags.get("Match")),
        score=_score(tags.get("Score")),
        first=game.first,
        winner="X" if winner == "X" else "O" if winner == "O" else None,
        points=points and (number(tags.get("Points")) or points),
        how=how,
        turns=judged.turns,
        final=judged.state.line if judged.state else "",
        faults=judged.faults,
    )


def _score(text: str | None) -> tuple[int, int] | None:
    first, _, second = (text or "").partition("-")
    x, o = number(first), number(second)
    return None if x is None or o is None else (x, o)
