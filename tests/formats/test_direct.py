"""Moves told from the positions before and after them. acey_grammar.formats.direct."""

from random import Random

import pytest

from acey_grammar.formats.direct import carry_out, moves_between
from acey_rules import BACKGAMMON, ROLL, Position, Roll, Side, State


@pytest.mark.parametrize("seed", range(20))
def test_every_legal_play_is_found_from_where_it_leads(seed: int) -> None:
    random = Random(seed)
    state = State(BACKGAMMON, Position.start("backgammon"), Side.X, (ROLL,))
    while state.outcome is None:
        state = state.apply(Roll(random.randint(1, 6), random.randint(1, 6)))
        play = random.choice(state.legal_plays())
        moves = moves_between(state.position, play.after, state.turn)
        assert moves is not None
        carried = carry_out(state.position, state.turn, moves)
        assert carried is not None
        assert carried.position == play.after
        assert {hit for move in moves for hit in move.hits} == carried.hits
        state = state.apply(play)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("-----A------------------a-", "------A-----------------a-"),  # backward
        ("-----A------------------a-", "----A------------------a--"),  # the other side moved too
        ("-----A------------------a-", "----AA------------------a-"),  # one more
    ],
)
def test_what_no_moves_of_the_side_lead_to(before: str, after: str) -> None:
    was, now = Position.parse(f"{before}:0:0"), Position.parse(f"{after}:0:0")
    assert moves_between(was, now, Side.X) is None
