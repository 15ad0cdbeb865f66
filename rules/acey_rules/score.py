"""What a lost game costs. spec/rules.md §6."""

from acey_rules.plays import HOME
from acey_rules.position import BAR, CHECKERS, Position, Side
from acey_rules.ruleset import RuleSet


def score(rules: RuleSet, position: Position, loser: Side) -> int:
    """Points the game is worth if ``loser`` loses it in this position."""
    off = position.borne_off(loser)
    match rules.scoring:
        case "per-checker":
            return CHECKERS - off
        case "single":
            return 1
        case "gammon":
            if off:
                return 1
            return 3 if _left_behind(position, loser) else 2


def _left_behind(position: Position, side: Side) -> bool:
    """Whether ``side`` has a checker on the bar or in the other side's home board."""
    theirs = (25 - point for point in range(1, HOME + 1))
    return any(position.count(side, point) for point in (BAR, *theirs))


def dearest(rules: RuleSet, position: Position, loser: Side) -> int:
    """The most points the game can still cost ``loser``, however it goes on."""
    if rules.scoring == "gammon" and not position.borne_off(loser):
        return 3
    return score(rules, position, loser)
