"""A written play is accepted exactly when a legal play can be written so."""

from hypothesis import assume, event, given
from hypothesis import strategies as st
from tests.support import naive
from tests.support.make_vectors import Spelling, meanings
from tests.support.positions import boards, dice, turns

from acey_rules import (
    PRESETS,
    AmbiguousPlay,
    IllegalAction,
    Roll,
    State,
    WrittenMove,
    WrittenPlay,
)

PLACES = [naive.HOME, *range(1, 25), naive.UNENTERED, naive.BAR]


@given(boards(), turns, dice, st.sampled_from(list(PRESETS)), st.data())
def test_a_written_play_is_read_as_every_legal_play_it_can_spell(
    board: str, turn: str, roll: tuple[int, int], preset: str, data: st.DataObject
) -> None:
    state = State.parse(f"{board}:{turn}:R", PRESETS[preset]).apply(Roll(*roll))
    legal = naive.legal(naive.read(state.line), roll, state.rules.overshoot)
    assume(sum(map(len, legal.values())) <= 60)
    means = meanings(preset, state.line)
    spelling = data.draw(st.sampled_from(sorted(means)))
    if data.draw(st.booleans()):
        spelling = data.draw(changed(spelling))
    found = reading(state, spelling)
    event(f"read in {len(found)} ways, {'a legal spelling' if spelling in means else 'none'}")
    assert found == means.get(spelling, set())


@st.composite
def changed(draw: st.DrawFn, spelling: Spelling) -> Spelling:
    """Change a place of a spelling, leave a way out, or add one."""
    ways = list(spelling)
    index = draw(st.integers(0, len(ways)))
    if index == len(ways):
        ways.append(draw(st.tuples(st.sampled_from(PLACES[1:]), st.sampled_from(PLACES[:25]))))
    elif draw(st.booleans()):
        del ways[index]
    else:
        way = list(ways[index])
        place = draw(st.integers(0, len(way) - 1))
        way[place] = draw(st.sampled_from(PLACES[1:] if place == 0 else PLACES[:25]))
        ways[index] = tuple(way)
    return tuple(sorted(ways, reverse=True))


def reading(state: State, spelling: Spelling) -> set[str]:
    """Return the texts of the plays that a spelling can be read as; none when it is refused."""
    written = WrittenPlay(tuple(WrittenMove(way[0], way[1:]) for way in spelling))
    try:
        return {state.find(written).text}
    except AmbiguousPlay as error:
        return set(error.ways)
    except IllegalAction as error:
        return set() if error.message else {"refused without a word"}
