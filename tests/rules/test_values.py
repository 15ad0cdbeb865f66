"""Rules, positions, plays, states and errors are values: equal, hashed and copied."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from acey_rules import (
    AMERICAN,
    BACKGAMMON,
    BAR,
    DICE_BOARD,
    EUROPEAN,
    NAME,
    OFF,
    ROLL,
    UNENTERED,
    AmbiguousPlay,
    Concede,
    DiceError,
    How,
    IllegalAction,
    Name,
    Outcome,
    Position,
    PositionError,
    Roll,
    Rule,
    RulesError,
    RuleSet,
    Side,
    State,
    StreamDice,
    WrittenMove,
    WrittenPlay,
    rule_set,
)

LINE = "-a--------------a-Aa------:3:9:x:63"
STATE = State.parse(LINE, AMERICAN)
COPIES: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    lambda value: pickle.loads(pickle.dumps(value)),
]


# --- equality, hashes, copies ------------------------------------------------------------------


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize(
    "value",
    [
        STATE,
        STATE.apply(Concede()),
        STATE.position,
        STATE.legal_plays()[0],
        AMERICAN,
        rule_set(AMERICAN.fields_text()),
        WrittenPlay((WrittenMove(BAR, (19, 16), (19,)),)),
    ],
    ids=["state", "over", "position", "play", "preset", "custom", "written"],
)
def test_a_copy_is_equal_and_hashed_alike(copied: Callable[[Any], Any], value: object) -> None:
    assert copied(value) == value
    assert hash(copied(value)) == hash(value)
    assert repr(copied(value)) == repr(value)


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_a_copied_state_goes_on_like_the_first(copied: Callable[[Any], Any]) -> None:
    other = copied(STATE)
    assert [play.text for play in other.legal_plays()] == [p.text for p in STATE.legal_plays()]
    assert all(copied(stage) is stage for stage in (ROLL, NAME, *STATE.agenda))
    assert other.apply(STATE.legal_plays()[0]) == STATE.apply(other.legal_plays()[0])


def errors() -> list[RulesError]:
    blots = State.parse("----aa-----A-B----------b-:0:0:x:61", BACKGAMMON)
    found: list[RulesError] = []
    for wrong in (
        lambda: STATE.apply(Name(1)),
        lambda: STATE.apply(WrittenPlay(())),
        lambda: State.parse("x", AMERICAN),
        lambda: blots.apply(WrittenPlay((WrittenMove(11, (4,)),))),
        lambda: rule_set("x"),
        lambda: State.start(AMERICAN, (7, 1)),
    ):
        with pytest.raises(RulesError) as caught:
            wrong()
        found.append(caught.value)
    return found


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_errors_cross_processes_with_all_they_say(copied: Callable[[Any], Any]) -> None:
    kinds = ["WrongAction", "IllegalAction", "PositionError", "AmbiguousPlay"]
    found = errors()
    assert [type(error).__name__ for error in found] == [*kinds, "RuleSetError", "DiceError"]
    for error in found:
        twin = copied(error)
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)


def test_states_differ_by_line_rules_and_outcome() -> None:
    twin = State.parse(LINE, AMERICAN)
    assert twin == STATE
    assert hash(twin) == hash(STATE)
    different = [
        State.parse(LINE, DICE_BOARD),
        State.parse(LINE, rule_set(AMERICAN.fields_text())),
        State.parse(LINE.replace("63", "62"), AMERICAN),
        State.parse(LINE.replace(":x:", ":o:"), AMERICAN),
        State.parse(LINE.replace(":3:9", ":4:9"), AMERICAN),
        STATE.apply(Concede()),
        STATE.apply(Concede(points=1)),
        STATE.apply(Concede(Side.O)),
        STATE.apply(Concede(how=How.TIME)),
    ]
    assert len({STATE, *different}) == len(different) + 1
    assert all(state != STATE for state in different)
    for value in (STATE, STATE.position, STATE.legal_plays()[0], AMERICAN):
        assert value != LINE
        assert value != object()


def test_a_play_is_equal_to_any_other_that_leads_to_its_position() -> None:
    european = State.parse(LINE, EUROPEAN)
    assert list(STATE.legal_plays()) == list(european.legal_plays())
    assert STATE.apply(european.legal_plays()[0]) == STATE.apply(STATE.legal_plays()[0])
    other = State.parse(LINE.replace("63", "61"), AMERICAN)
    assert not set(STATE.legal_plays()) & set(other.legal_plays())


def test_what_has_been_done_leaves_the_state_as_it_was() -> None:
    line, plays = STATE.line, [play.text for play in STATE.legal_plays()]
    for play in STATE.legal_plays():
        STATE.apply(play)
    STATE.apply(Concede())
    with pytest.raises(IllegalAction):
        STATE.apply(WrittenPlay(()))
    assert STATE.line == line
    assert [play.text for play in STATE.legal_plays()] == plays


def test_the_list_of_plays_cannot_be_changed() -> None:
    plays: Any = STATE.legal_plays()
    with pytest.raises((TypeError, AttributeError)):
        plays[0] = plays[1]
    with pytest.raises((TypeError, AttributeError)):
        del plays[0]
    assert not hasattr(plays, "append")


# --- what was found elsewhere, or made up --------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        LINE.replace("63", "62"),
        LINE.replace(":x:", ":o:"),
        LINE.replace("-a-", "--a", 1),
        LINE.replace(":3:", ":2:"),
    ],
)
def test_a_play_found_elsewhere_is_refused(line: str) -> None:
    for foreign in State.parse(line, AMERICAN).legal_plays():
        if foreign.after in {play.after for play in STATE.legal_plays()}:
            continue
        with pytest.raises(IllegalAction) as caught:
            STATE.apply(foreign)
        assert caught.value.rule is Rule.NOT_THESE_DICE
        assert caught.value.message.startswith(f"'{foreign}' was found for other dice or another")
        assert caught.value.position == LINE


@pytest.mark.parametrize("action", [None, 1, "roll 63", ("roll",), [], Side.X, Roll, b""])
def test_what_is_no_action_is_not_taken_for_one(action: Any) -> None:
    with pytest.raises(TypeError, match="is no action"):
        STATE.apply(action)


@pytest.mark.parametrize(
    "move",
    [
        WrittenMove(-1, (19,)),
        WrittenMove(OFF, (19,)),
        WrittenMove(27, (19,)),
        WrittenMove(UNENTERED, ()),
        WrittenMove(UNENTERED, (-1,)),
        WrittenMove(UNENTERED, (25,)),
        WrittenMove(UNENTERED, (10**30,)),
        WrittenMove(UNENTERED, (19,), (22,)),
        WrittenMove(6, (OFF,), (OFF,)),
        WrittenMove(UNENTERED, (19,), (), 0),
        WrittenMove(UNENTERED, (19,), (), -1),
        WrittenMove(UNENTERED, (19,), (), 5),
        WrittenMove(UNENTERED, (19,), (), 10**12),
    ],
    ids=str,
)
@pytest.mark.parametrize("beside", [(), (WrittenMove(UNENTERED, (22,)),)], ids=["alone", "beside"])
def test_a_move_that_no_board_has(move: WrittenMove, beside: tuple[WrittenMove, ...]) -> None:
    state = State.parse("--------------------------:15:15:x:63", AMERICAN)
    with pytest.raises(IllegalAction) as caught:
        state.apply(WrittenPlay((move, *beside)))
    assert caught.value.rule is Rule.NOT_THESE_DICE
    assert caught.value.message == "what is written is no move on any board"


def test_any_number_of_moves_is_refused_at_once() -> None:
    state = State.parse("-aBCaBaCaBaAaA--a---------:1:0:x:66", AMERICAN)
    moves = [WrittenMove(source, (target,)) for source in range(1, 26) for target in range(25)]
    with pytest.raises(IllegalAction) as caught:
        state.apply(WrittenPlay(tuple(moves * 100)))
    assert caught.value.message == "62500 moves are written; 6-6 gives 4"


@pytest.mark.parametrize("dice", [(6.5, 3), ("6", "3"), ("", "63"), (None, None), ((6, 3), (6, 3))])
def test_dice_of_the_wrong_type(dice: Any) -> None:
    with pytest.raises((DiceError, TypeError)):
        State.parse(LINE[:-2] + "R", AMERICAN).apply(Roll(*dice))


@pytest.mark.parametrize("points", [1.5, float("nan"), float("inf"), 10**30, -(10**30)])
def test_points_that_are_no_number_of_checkers(points: Any) -> None:
    with pytest.raises(IllegalAction) as caught:
        STATE.apply(Concede(points=points))
    assert caught.value.rule is Rule.BAD_RESIGNATION


@pytest.mark.parametrize("how", [How.BORNE_OFF, "by resignation", None])
def test_a_game_is_not_conceded_by_bearing_off(how: Any) -> None:
    with pytest.raises(TypeError, match="a game is lost by resignation, on time or by forfeit"):
        STATE.apply(Concede(how=how))


@pytest.mark.parametrize("length", [0, 27, 29])
def test_a_packed_position_has_its_length(length: int) -> None:
    with pytest.raises(PositionError) as caught:
        Position(bytes(length))
    assert caught.value.field == "board"


@pytest.mark.parametrize("nonce", ["AB", "0\n", "xyz", " "])
def test_a_nonce_is_hexadecimal(nonce: str) -> None:
    for nonces in ((nonce, ""), ("", nonce)):
        with pytest.raises(DiceError, match="a nonce is digits and letters a-f"):
            StreamDice(b"secret", *nonces)


# --- input of any size --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        lambda long: State.parse(long, AMERICAN),
        lambda long: State.parse(f"{LINE[:26]}:{long}:9:x:R", AMERICAN),
        lambda long: State.parse(f"{LINE[:26]}:3:9:{long}:R", AMERICAN),
        lambda long: State.parse(f"{LINE[:26]}:3:9:x:{long}", AMERICAN),
        lambda long: State.parse(f"{long}:3:9:x:R", AMERICAN),
        rule_set,
        lambda long: rule_set(f"{long}=x"),
        lambda long: rule_set(f"setup={long}"),
    ],
    ids=["line", "count", "turn", "agenda", "board", "preset", "field", "value"],
)
@pytest.mark.parametrize("text", ["9" * 10**6, "R." * 10**6, "é" * 10**6])
def test_a_message_stays_short_however_long_the_input(
    wrong: Callable[[str], object], text: str
) -> None:
    with pytest.raises(RulesError) as caught:
        wrong(text)
    assert len(str(caught.value)) < 250


def test_the_outcome_of_a_conceded_game() -> None:
    over = STATE.apply(Concede(Side.O, how=How.FORFEIT))
    assert over.outcome == Outcome(Side.X, 12, How.FORFEIT)
    assert isinstance(over.rules, RuleSet)
    assert AmbiguousPlay.__mro__[1] is IllegalAction
