"""BEI as text: states as integers, events, refusals."""

import pytest

from acey_protocol.bei import (
    ENTERED,
    INTEGERS,
    BeiError,
    OkBei,
    OkChoose,
    OkMove,
    command,
    read_event,
    read_state,
    state_integers,
    write_okmove,
)
from acey_rules import (
    AMERICAN,
    BACKGAMMON,
    BGAMMON,
    Draw,
    Name,
    Roll,
    Side,
    State,
    WrittenMove,
    WrittenPlay,
    seeded,
)


def test_the_start_of_acey_deucey() -> None:
    integers = state_integers(State.parse("--------------------------:15:15:x:63", BGAMMON))
    assert len(integers) == INTEGERS
    assert (integers[0], integers[25], integers[28:30], integers[42]) == (15, -15, [6, 3], 1)
    assert [integers[index] for index in ENTERED] == [0, 0]


def test_a_position_of_backgammon_from_both_sides() -> None:
    x = state_integers(State.parse("ab----E-C---eC---c-d----BA:0:0:x:63", BACKGAMMON))
    assert (x[1], x[6], x[13], x[24]) == (-2, 5, 3, 2)
    assert (x[26], x[27], x[0], x[25]) == (1, -1, 1, 0)
    o = state_integers(State.parse("ab----E-C---eC---c-d----BA:0:0:o:63", BACKGAMMON))
    assert (o[24], o[19], o[12], o[1]) == (2, -5, -3, -2)
    assert (o[26], o[27], o[0], o[25]) == (1, -1, 0, -1)
    assert o[42] == 0


def test_states_read_back() -> None:
    dice = seeded(3)
    state = State.start(BGAMMON, (4, 2))
    number = 0
    while state.outcome is None and number < 400:
        number += 1
        if state.agenda[0].text == "R":
            state = state.apply(Roll(*dice.draw(Draw(1, Side.X, number, number))))
            continue
        again = read_state(state_integers(state), BGAMMON)
        expected = state.position if state.turn is Side.X else state.position.mirrored()
        assert (again.position, again.turn) == (expected, Side.X)
        assert again.dice == state.dice
        state = state.apply(Name(6) if state.dice is None else state.legal_plays()[-1])
    assert number > 20


def test_rules_bei_does_not_know_are_refused() -> None:
    with pytest.raises(BeiError, match="knows backgammon and bgammon, not american"):
        command("move", State.parse("--------------------------:15:15:x:63", AMERICAN))


def test_an_engine_introduces_itself() -> None:
    assert read_event('{"Type":"okbei","Version":1,"ID":{"name":"some"}}', OkBei).name == "some"


def test_a_move_is_read() -> None:
    event = read_event(
        '{"Type":"okmove","Moves":[{"Play":[{"From":26,"To":19},{"From":0,"To":22}]},{}]}', OkMove
    )
    assert event.best == WrittenPlay((WrittenMove(26, (19,)), WrittenMove(25, (22,))))
    off = read_event('{"type":"okmove","moves":[{"play":[{"from":6,"to":0}]}]}', OkMove)
    assert off.best == WrittenPlay((WrittenMove(6, (0,)),))
    for nothing in ("[]", "null", "[{}]"):
        event = read_event(f'{{"type":"okmove","moves":{nothing}}}', OkMove)
        assert event.best == WrittenPlay(())


def test_a_written_move_reads_back() -> None:
    state = State.parse("-------------------------A:13:15:x:31", BGAMMON)
    for play in state.legal_plays():
        assert state.find(read_event(write_okmove(play), OkMove).best) == play


def test_a_choice_is_read() -> None:
    assert read_event('{"Type":"okchoose","Rolls":[{"Roll":5},{"Roll":2}]}', OkChoose).best == 5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("banana", "is no okmove event"),
        ("[1]", "is no okmove event"),
        ("[" * 200_000, "is no okmove event"),
        ('{"type":"okbei"}', "answered 'okbei', not 'okmove'"),
        ('{"type":"failmove","reason":"no such board"}', "'failmove', not 'okmove': no such board"),
        ('{"type":"okmove","moves":[{"play":[{"from":28,"to":3}]}]}', "<= 27"),
        ('{"type":"okmove","moves":[{"play":[{"from":3}]}]}', "to"),
    ],
    ids=["word", "list", "deep", "other", "failed", "space", "half"],
)
def test_what_is_no_move_is_refused(line: str, message: str) -> None:
    with pytest.raises(BeiError, match=message):
        read_event(line, OkMove)


def test_the_opponents_spaces_are_no_source() -> None:
    event = read_event('{"type":"okmove","moves":[{"play":[{"from":27,"to":3}]}]}', OkMove)
    with pytest.raises(BeiError, match="27 to 3 is no move of player 1"):
        _ = event.best


@pytest.mark.parametrize("rolls", ["[]", "[{}]", '[{"roll":7}]', '[{"roll":true}]', "null"])
def test_what_is_no_choice_is_refused(rolls: str) -> None:
    with pytest.raises(BeiError, match="is no okchoose event"):
        read_event(f'{{"type":"okchoose","rolls":{rolls}}}', OkChoose)


def test_a_state_needs_all_its_integers() -> None:
    with pytest.raises(BeiError, match="45 integers, not 3"):
        read_state([1, 2, 3], BGAMMON)
