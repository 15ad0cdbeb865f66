"""The referee's own record is what a GameRecorder makes of the same actions."""

import pytest

from acey_arena.bots import RandomBot
from acey_arena.game import Game, GameSetup
from acey_arena.seat import BotSeat, Seat
from acey_grammar import parse_play
from acey_grammar.recorder import GameRecorder
from acey_grammar.validate import validate
from acey_rules import PRESETS, Action, Name, Roll, RuleSet, Side, State


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_the_record_is_a_recorders(rules: RuleSet) -> None:
    tags = (("X", "a"), ("O", "b"), ("Rules", rules.name))
    seats: dict[Side, Seat] = {side: BotSeat(RandomBot) for side in Side}
    setup = GameSetup(rules, 9, tags, {Side.X: 1, Side.O: 2}, times=False)
    with pytest.raises(StopIteration) as end:
        next(Game(setup, seats, None, None).script(forgiving=False))
    played = end.value.value
    record = played.record
    assert not validate(record).faults

    x_die, o_die = map(int, (record.tag("Opening") or "").split()[-1].split("-"))
    state = State.start(rules, (x_die, o_die))
    recorder = GameRecorder(record.tags)

    def add(action: Action) -> None:
        nonlocal state
        after = state.apply(action)
        recorder.add(state, action, after)
        state = after

    opening = rules.opening == "play"
    for turn in record.turns:
        for roll in turn.rolls:
            if roll.kind == "rolled" and not opening:
                add(Roll(int(roll.dice[0]), int(roll.dice[1])))
            elif roll.kind == "named":
                add(Name(int(roll.dice[0])))
            opening = False
            add(parse_play(roll.play))
    assert recorder.record == record
    assert state.outcome is not None
    rolls = sum(len(turn.rolls) for turn in record.turns)
    passes = sum(roll.play == "-" for turn in record.turns for roll in turn.rolls)
    names = sum(roll.kind == "named" for turn in record.turns for roll in turn.rolls)
    assert sum(played.decisions.values()) == rolls - passes + names
