"""What State says of its plays as text, against what it does with each. spec/notation.md §3."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from tests.support.positions import boards, turns

from acey_rules import State, rule_set
from acey_rules.ruleset import FIELDS
from acey_rules.stage import possible_agendas

RULE_SETS = [
    rule_set(" ".join(f"{field}={value}" for field, value in zip(FIELDS, values, strict=True)))
    for values in product(*FIELDS.values())
]


@st.composite
def playing(draw: st.DrawFn) -> State:
    """Draw a state with dice to play, under any rule set and with any agenda it can have."""
    rules = draw(st.sampled_from(RULE_SETS))
    agendas = [text for text, agenda in possible_agendas(rules).items() if agenda[0].dice]
    line = f"{draw(boards())}:{draw(turns)}:{draw(st.sampled_from(agendas))}"
    return State.parse(line, rules)


@given(playing())
def test_the_listing_as_text_says_where_each_play_leads(state: State) -> None:
    lines = [f"{play.text}\t{state.apply(play).line}" for play in state.legal_plays()]
    assert state.legal_text() == "\n".join(lines)


@given(playing())
def test_a_play_is_found_by_its_text(state: State) -> None:
    for play in state.legal_plays():
        assert state.find_text(play.text) == play
        assert state.find_result(play.after.packed) == play
    assert state.find_result(state.position.mirrored().packed + b" ") is None
    for other in ("7/8", "", "é", "\udce9"):
        assert state.find_text(other) is None


@given(playing())
def test_each_play_leads_elsewhere_and_says_whether_it_wins(state: State) -> None:
    plays = state.legal_plays()
    assert len({play.after for play in plays}) == len(plays)
    assert len({play.text for play in plays}) == len(plays)
    for play in plays:
        assert play.wins == (play.after.borne_off(state.turn) == 15)
        assert play.wins == (state.apply(play).outcome is not None)
