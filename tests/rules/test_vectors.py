"""Every row of spec/vectors/ against the library; a failure names the rows."""

from collections import defaultdict

import pytest
from tests.support import make_vectors
from tests.support.vectors import (
    VECTORS,
    GameVector,
    IllegalVector,
    Over,
    PlayVector,
    PositionVector,
    Row,
    ScoreVector,
    TurnVector,
    action_of,
    ambiguous_vectors,
    game_vectors,
    illegal_vectors,
    play_vectors,
    position_vectors,
    score_vectors,
    spelling_vectors,
    text_vectors,
    turn_vectors,
)

from acey_rules import (
    PRESETS,
    AmbiguousPlay,
    Concede,
    DiceError,
    How,
    IllegalAction,
    Outcome,
    PositionError,
    Rule,
    RulesError,
    Side,
    State,
    WrittenPlay,
    WrongAction,
)


def state_of(row: Row, line: str) -> State:
    return State.parse(line, PRESETS[row.rules])


def groups(rows: list[PlayVector]) -> dict[str, list[PlayVector]]:
    found: defaultdict[str, list[PlayVector]] = defaultdict(list)
    for row in rows:
        found[f"{row.rules}-{row.family}"].append(row)
    return found


PLAY_GROUPS = groups(play_vectors())


@pytest.mark.parametrize("group", PLAY_GROUPS)
def test_the_legal_plays_of_a_roll(group: str) -> None:
    wrong: list[str] = []
    for row in PLAY_GROUPS[group]:
        state = state_of(row, row.position)
        lines = [state.apply(play).line for play in state.legal_plays()]
        if not row.agrees(lines):
            wrong.append(f"{row.place} {row.position}: {sorted(lines)}")
    assert wrong == []


@pytest.mark.parametrize("rules", PRESETS)
def test_one_action(rules: str) -> None:
    rows = [row for row in turn_vectors() if row.rules == rules]
    assert len(rows) > 50
    assert [row.place for row in rows if not holds(row)] == []


def holds(row: TurnVector) -> bool:
    after = state_of(row, row.position).apply(action_of(row.action))
    if isinstance(row.result, Over):
        ended = Outcome(Side("xo".index(row.result.over)), row.result.points, How.BORNE_OFF)
        return after.outcome == ended and after.line.endswith(f":{row.result.over}:-")
    return after.line == row.result and after.outcome is None


@pytest.mark.parametrize("row", game_vectors(), ids=lambda row: row.place)
def test_a_whole_game(row: GameVector) -> None:
    state = state_of(row, row.start)
    lines: list[str] = []
    for action in row.actions:
        assert state.outcome is None
        state = state.apply(action_of(action))
        lines.append(state.line)
    assert tuple(lines) == row.positions
    winner = Side("xo".index(row.final.winner))
    assert state.outcome == Outcome(winner, row.final.points, How.BORNE_OFF)


# The reason a row gives is for people; these are the rules it may break, most telling first. Where
# a play breaks two rules, which one is named depends on where one begins to look.
CODES = {
    "a name where a play is due": "play-due",
    "a name where a roll is due": "roll-due",
    "a play where a name is due": "name-due",
    "a play where a roll is due": "roll-due",
    "a roll where a name is due": "name-due",
    "a roll where a play is due": "play-due",
    "bears off too early": "not-home",
    "bears off with a die that is too high": "overshoot",
    "bears off with a die that is too low": "not-these-dice",
    "bears off with a higher die while a checker stands on it or above": "overshoot",
    "bears off with a higher die, but not from the highest point": "overshoot not-these-dice",
    "enters an unentered checker while one is on the bar": "bar-first",
    "enters an unentered checker, but there is none": "no-checker",
    "enters from the bar on a blocked point": "point-held",
    "enters from the bar, but nothing is there": "no-checker",
    "enters on a blocked point": "point-held",
    "forfeits a roll that can be played": "must-play",
    "gets stuck with dice that another play would use": "more-dice",
    "moves a checker from an empty point": "no-checker bar-first",
    "moves a distance that is on neither die": "not-these-dice",
    "moves another checker while one is on the bar": "bar-first",
    "moves backwards": "not-these-dice",
    "moves the opponent's checker": "no-checker bar-first",
    "moves to a blocked point": "point-held",
    "no such number to name": "bad-number",
    "nothing can be played: the roll is forfeited": "nothing-playable bar-first",
    "plays the lower die where the higher can be played": "higher-die more-dice",
    "the game is over": "game-over",
    "the point between two moves of one checker is blocked": "point-held",
    "uses more dice than were rolled": "too-many-moves",
    "uses one die twice": "not-these-dice",
    "uses too few dice": "more-dice",
}


@pytest.mark.parametrize("why", sorted({row.why for row in illegal_vectors()}))
def test_an_action_is_refused_for_the_rule_it_breaks(why: str) -> None:
    rows = [row for row in illegal_vectors() if row.why == why]
    assert [f"{row.place}: {told}" for row in rows if (told := refusal(row)) != "right"] == []


def refusal(row: IllegalVector) -> str:
    """Say ``right``, or what happened instead of the refusal the row asks for."""
    state = state_of(row, row.position)
    line = state.line
    try:
        action = action_of(row.action)
    except ValueError:
        # `roll 6`, `name x`: no value says this, so there is nothing to refuse but the text.
        return "right" if row.why.startswith("no such") else "no action"
    try:
        state.apply(action)
    except DiceError:
        return "right" if row.why == "no such dice" else "no such dice"
    except IllegalAction as error:
        if error.position != line or state.line != line:
            return "the error does not give the position"
        due = " where a " in row.why or row.why == "the game is over"
        if isinstance(error, WrongAction) != due:
            return f"the wrong kind of error, {type(error).__name__}"
        return "right" if error.rule.code in CODES[row.why].split() else str(error)
    except RulesError as error:
        return f"{type(error).__name__} {error}"
    return "accepted"


@pytest.mark.parametrize("preset", PRESETS)
def test_plays_are_listed_in_canonical_text_and_order(preset: str) -> None:
    rows = [row for row in text_vectors() if row.rules == preset]
    assert len(rows) > 20
    wrong: list[str] = []
    for row in rows:
        texts = tuple(play.text for play in state_of(row, row.position).legal_plays())
        if texts != row.plays:
            wrong.append(f"{row.place} {row.position}: {texts}")
    assert wrong == []


@pytest.mark.parametrize("preset", PRESETS)
def test_every_spelling_means_its_play(preset: str) -> None:
    wrong: list[str] = []
    for row in spelling_vectors():
        if row.rules == preset:
            state = state_of(row, row.position)
            for spelling in row.spellings:
                found = meaning(state, spelling)
                if found != row.play:
                    wrong.append(f"{row.place} {row.position} {spelling}: {found}")
    assert wrong == []


def meaning(state: State, text: str) -> str:
    action = action_of(f"play {text}")
    assert isinstance(action, WrittenPlay)
    try:
        return state.find(action).text
    except IllegalAction as error:
        return str(error)


def test_a_play_with_a_stop_left_out_that_matters_is_refused_with_the_ways() -> None:
    assert len(ambiguous_vectors()) >= 20
    for row in ambiguous_vectors():
        state = state_of(row, row.position)
        with pytest.raises(AmbiguousPlay) as caught:
            state.apply(action_of(f"play {row.play}"))
        assert caught.value.ways == row.ways, row.place
        assert all(way in str(caught.value) for way in row.ways), row.place
        assert caught.value.rule is Rule.AMBIGUOUS
        assert caught.value.position == row.position


@pytest.mark.parametrize("row", position_vectors(), ids=lambda row: row.place)
def test_a_position_that_cannot_be_is_refused_with_the_field(row: PositionVector) -> None:
    with pytest.raises(PositionError) as caught:
        state_of(row, row.position)
    assert caught.value.field == row.field
    assert str(caught.value).startswith(f"{row.field}: ")


@pytest.mark.parametrize("row", score_vectors(), ids=lambda row: row.place)
def test_what_giving_up_costs(row: ScoreVector) -> None:
    state = state_of(row, row.position)
    for loser, points, most in ((Side.X, row.x, row.x_most), (Side.O, row.o, row.o_most)):
        for how in (How.RESIGNATION, How.TIME, How.FORFEIT):
            given_up = state.apply(Concede(loser, how=how))
            assert given_up.outcome == Outcome(loser.other, points, how)
            assert given_up.line == state.line
        for agreed in range(1, most + 1):
            outcome = state.apply(Concede(loser, agreed)).outcome
            assert outcome == Outcome(loser.other, agreed, How.RESIGNATION)
        for wrong in (-1, 0, most + 1):
            with pytest.raises(IllegalAction) as caught:
                state.apply(Concede(loser, wrong))
            assert caught.value.rule is Rule.BAD_RESIGNATION
            assert caught.value.position == state.line


def test_the_files_on_text_are_what_the_naive_referee_says() -> None:
    for name, text in make_vectors.files().items():
        assert (VECTORS / name).read_text("utf-8") == text
