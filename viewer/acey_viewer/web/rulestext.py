"""A rule set in words, from its fields: what the panel beside the board says. spec/rules.md."""

from acey_rules import RuleSet

_SETUP = {
    "empty": "All thirty checkers start off the board, in the trays. Each enters with a die of its "
    "own on your points 24 to 19: a 1 enters on 24, a 6 on 19.",
    "backgammon": "The checkers start as in backgammon.",
}
_OPENING = {
    "reroll": "Each side rolls one die; the higher starts and rolls both dice anew.",
    "play": "Each side rolls one die; the higher starts and plays these two dice.",
}
_OVERSHOOT = {
    "highest": "A die larger than needed takes a checker off from your highest point.",
    "any": "A die larger than every checker's point takes any checker off.",
    "exact": "A checker goes off with exactly its number; larger dice take nothing off.",
}
_FORFEIT = {
    "strict": "Whatever of the turn cannot be played in full loses the rest of it: the naming, and "
    "the bonus roll too.",
    "bar-only": "The rest of a turn is lost only while you cannot bring a checker in from the bar.",
    "first-only": "A 2-1 that cannot be played in full loses the naming and the bonus roll.",
}
_SCORING = {
    "per-checker": "Whoever bears all fifteen off first wins a point for each checker the other "
    "side has not borne off.",
    "single": "Whoever bears all fifteen off first wins one point.",
    "gammon": "Whoever bears all fifteen off first wins 1 point, 2 if the other side has borne off "
    "none, 3 if it also has a checker on the bar or in the winner's home board.",
}


def rules_text(rules: RuleSet) -> list[tuple[str, str]]:
    """Title and text of each rule a player at the table wants to look up."""
    found = [
        ("Start", f"{_SETUP[rules.setup]} {_OPENING[rules.opening]}"),
        (
            "Moving",
            "You move from point 24 down to 1; your home board is 6 to 1. A point with two or more "
            "opposing checkers is closed. Landing on one alone sends it to the bar, and a checker "
            "on your bar must come in before anything else moves.",
        ),
        (
            "Dice",
            "Play both dice if you can; if only one, the higher. A double is four moves.",
        ),
    ]
    if rules.acey_bonus:
        found.append(
            (
                "Acey-deucey",
                "After a 2-1 you name any double and play it as four moves, then roll again.",
            )
        )
    if rules.complement:
        found.append(
            (
                "Complements",
                "A double is followed by its complement, four moves of 7 minus the number.",
            )
        )
    if rules.doubles_reroll:
        found.append(("Doubles", "After a rolled double you roll again."))
    if rules.acey_bonus or rules.doubles_reroll:
        found.append(("What is lost", _FORFEIT[rules.forfeit]))
    found += [
        (
            "Bearing off",
            "Once every checker is in your home board, none unentered and none on the bar. "
            + _OVERSHOOT[rules.overshoot],
        ),
        ("Winning", _SCORING[rules.scoring]),
    ]
    return found
