"""The generator in use against a second, naive one that shares no line with it."""

from hypothesis import event, given
from hypothesis import strategies as st
from tests.support import naive
from tests.support.canonical import listing
from tests.support.positions import boards, dice, turns

from acey_rules import PRESETS, AmbiguousPlay, Play, Roll, RuleSet, State, WrittenMove, WrittenPlay

presets = st.sampled_from(list(PRESETS.values()))


def rolled(board: str, turn: str, roll: tuple[int, int], rules: RuleSet) -> State:
    return State.parse(f"{board}:{turn}:R", rules).apply(Roll(*roll))


@given(boards(), turns, dice, presets)
def test_plays_texts_and_order_are_those_of_the_naive_referee(
    board: str, turn: str, roll: tuple[int, int], rules: RuleSet
) -> None:
    state = rolled(board, turn, roll, rules)
    expected = listing(naive.read(state.line), roll, rules.overshoot)
    event(f"plays: {min(len(expected), 30) // 10 * 10}+")
    plays = [(play.text, str(play.after)) for play in state.legal_plays()]
    assert plays == [(text, naive.write(after, state.line)) for text, after in expected]


@given(boards(), turns, dice, presets, st.data())
def test_every_order_of_single_moves_to_a_position_is_accepted(
    board: str, turn: str, roll: tuple[int, int], rules: RuleSet, data: st.DataObject
) -> None:
    state = rolled(board, turn, roll, rules)
    found = naive.legal(naive.read(state.line), roll, rules.overshoot)
    after = data.draw(st.sampled_from(list(found)))
    steps = data.draw(st.permutations(data.draw(st.sampled_from(found[after]))))
    written = WrittenPlay(tuple(WrittenMove(step.source, (step.target,)) for step in steps))
    assert str(state.find(written).after) == naive.write(after, state.line)


@given(boards(), turns, dice, presets, st.data())
def test_joined_moves_mean_the_play_or_are_refused_as_ambiguous(
    board: str, turn: str, roll: tuple[int, int], rules: RuleSet, data: st.DataObject
) -> None:
    state = rolled(board, turn, roll, rules)
    found = naive.legal(naive.read(state.line), roll, rules.overshoot)
    after = data.draw(st.sampled_from(list(found)))
    written = data.draw(joined(data.draw(st.sampled_from(found[after]))))
    assert naive.write(after, state.line) in meanings(state, written)


def meanings(state: State, written: WrittenPlay) -> list[str]:
    """Return the position the play means, or those of all the ways it could be meant."""
    try:
        return [str(state.find(written).after)]
    except AmbiguousPlay as error:
        event("ambiguous")
        ways = {play.text: str(play.after) for play in state.legal_plays()}
        return [ways[text] for text in error.ways]


@st.composite
def joined(draw: st.DrawFn, steps: naive.Sequence) -> WrittenPlay:
    """Write some moves of one checker as one, with or without the stops between."""
    moves: list[WrittenMove] = []
    for step in steps:
        before = [move for move in moves if move.stops[-1] == step.source]
        hit = (step.target,) if step.hit and draw(st.booleans()) else ()
        if before and draw(st.booleans()):
            last = before[0]
            moves.remove(last)
            stops = last.stops if draw(st.booleans()) or last.hits else ()
            moves.append(WrittenMove(last.source, (*stops, step.target), (*last.hits, *hit)))
        else:
            moves.append(WrittenMove(step.source, (step.target,), hit))
    return WrittenPlay(tuple(moves))


@given(boards(), turns, dice, presets)
def test_canonical_moves_and_text_lead_where_the_play_says(
    board: str, turn: str, roll: tuple[int, int], rules: RuleSet
) -> None:
    state = rolled(board, turn, roll, rules)
    for play in state.legal_plays():
        assert state.find(single_moves(play)) == play
        seen = naive.read(state.line)
        for move in play.moves:
            step = naive.Step(move.source, move.target, move.die, move.hit)
            assert step in list(naive.steps(seen, move.die, rules.overshoot))
            seen = naive.moved(seen, step)
        assert naive.write(seen, state.line) == str(play.after)


def single_moves(play: Play) -> WrittenPlay:
    return WrittenPlay(
        tuple(
            WrittenMove(move.source, (move.target,), (move.target,) if move.hit else ())
            for move in play.moves
        )
    )
