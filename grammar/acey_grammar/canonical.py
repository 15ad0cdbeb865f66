"""A record with its plays in canonical form. spec/notation.md §3."""

from msgspec.structs import replace

from acey_grammar.places import Places
from acey_grammar.record import GameRecord
from acey_grammar.replay import Replay
from acey_grammar.tags import read_tags
from acey_rules import Play, RuleSet


def canonical(record: GameRecord, rules: RuleSet | None = None) -> GameRecord:
    """The record with every legal play written canonically and the higher die of a roll first.

    ``rules`` override those the record names. What the rules forbid, and what cannot be replayed,
    is left as it is written; ``validate`` reports it.
    """
    start = read_tags(record, Places(), rules).start
    if start is None:
        return record
    rolls = [list(turn.rolls) for turn in record.turns]
    for step in Replay(record, Places(), start).steps():
        if isinstance(step.action, Play):
            roll = rolls[step.turn][step.roll]
            dice = "".join(sorted(roll.dice, reverse=True))
            rolls[step.turn][step.roll] = replace(roll, dice=dice, play=step.action.text)
    turns = zip(record.turns, rolls, strict=True)
    return replace(record, turns=tuple(replace(turn, rolls=tuple(new)) for turn, new in turns))
