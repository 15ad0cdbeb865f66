"""UBGI as text: handshakes of both dialects, options, what a host says, what engines answer."""

from random import Random

import pytest

from acey_protocol.ubgi import (
    Dialect,
    EngineOption,
    Handshake,
    UbgiError,
    go_line,
    parse_key,
    parse_option,
    position_lines,
    read_move,
    read_name,
    set_line,
    write_move,
)
from acey_rules import (
    AMERICAN,
    BACKGAMMON,
    DICE_BOARD,
    NAME,
    PRESETS,
    ROLL,
    IllegalAction,
    Name,
    Play,
    Roll,
    RuleSet,
    State,
    WrittenPlay,
)

START_63 = State.parse("--------------------------:15:15:x:63", AMERICAN)
BACKGAMMON_63 = State.parse("-b----E-C---eE---c-e----B-:0:0:x:63", BACKGAMMON)
NAMING = State.parse("--------------------------:13:15:x:N.R", AMERICAN)


def shake(*lines: str) -> Handshake:
    handshake = Handshake()
    ends = [handshake.feed(line) for line in lines]
    assert ends == [False] * (len(lines) - 1) + [True]
    return handshake


def test_a_handshake_of_0_1() -> None:
    handshake = shake(
        "id name Some Engine 3",
        "id author A B",
        "option name Ply type spin default 1 min 0 max 7",
        "option name Eval Mode type combo default cubeless var cubeless var cubeful",
        "option name Deterministic type check default true",
        "option name Weights type string default nn 4.bin",
        "ubgiok",
    )
    assert (handshake.name, handshake.author, handshake.dialect) == (
        "Some Engine 3",
        "A B",
        Dialect.V01,
    )
    assert list(handshake.options.values()) == [
        EngineOption("Ply", "int", "1", 0, 7),
        EngineOption("Eval Mode", "choice", "cubeless", choices=("cubeless", "cubeful")),
        EngineOption("Deterministic", "bool", "true"),
        EngineOption("Weights", "text", "nn 4.bin"),
    ]
    assert handshake.variants == ("backgammon",)


def test_a_handshake_of_0_2() -> None:
    handshake = shake(
        "id name small",
        "proto 0.2",
        "key game.variant enum backgammon|american backgammon",
        "key engine.threads int 1..64 8 ! worker threads",
        "key engine.seed int * 42 ! rng seed",
        "key engine.fast bool true",
        "key engine.slow bool true|false false",
        "key engine.file string * default-value",
        "ubgiok",
    )
    assert handshake.dialect is Dialect.V02
    assert handshake.variants == ("backgammon", "american")
    assert [(option.kind, option.default) for option in handshake.options.values()] == [
        ("choice", "backgammon"),
        ("int", "8"),
        ("int", "42"),
        ("bool", "true"),
        ("bool", "false"),
        ("text", "default-value"),
    ]
    assert handshake.options["engine.threads"].most == 64


@pytest.mark.parametrize(
    "line",
    [
        "option name Ply",
        "option name Ply type dial default 1",
        "option name Ply type spin default 1 min one max 7",
    ],
)
def test_a_bad_option_line_is_refused(line: str) -> None:
    with pytest.raises(UbgiError):
        parse_option(line)


@pytest.mark.parametrize("line", ["key engine.ply", "key engine.ply float 1 1"])
def test_a_bad_key_line_is_refused(line: str) -> None:
    with pytest.raises(UbgiError):
        parse_key(line)


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(UbgiError, match=r"speaks version '0\.9'"):
        Handshake().feed("proto 0.9")


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        (EngineOption("Ply", "int", "1", 0, 7), "7", "8"),
        (EngineOption("Ply", "int", "1", 0, 7), "0", "x"),
        (EngineOption("Fast", "bool", "true"), "false", "no"),
        (EngineOption("Mode", "choice", "a", choices=("a", "b")), "b", "c"),
    ],
)
def test_values_are_checked(option: EngineOption, good: str, bad: str) -> None:
    option.check(good)
    with pytest.raises(UbgiError, match=option.name):
        option.check(bad)


def test_what_a_host_says() -> None:
    assert set_line(Dialect.V01, "Ply", "2") == "setoption name Ply value 2"
    assert set_line(Dialect.V02, "engine.ply", "2") == "set engine.ply 2"
    assert position_lines(BACKGAMMON_63) == ["position gnubgid 4HPwATDgc/ABMA", "dice 6 3"]
    assert position_lines(START_63) == [f"position acey {START_63}"]
    assert go_line(Dialect.V01, START_63, None) == "go role chequer"
    assert go_line(Dialect.V01, NAMING, 1500) == "go role name movetime 1500"
    assert go_line(Dialect.V02, NAMING, 1500) == "go name"


def play_of(state: State, text: str) -> Play:
    return next(play for play in state.legal_plays() if play.text == text)


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ("24/18 13/10", "24/18 13/10"),
        ("13/10 24/18", "24/18 13/10"),
        ("24-18 13-10", "24/18 13/10"),
        ("24/15", "24/15"),
        ("24/18 18/15", "24/15"),
        ("24/21 21/15", "24/15"),
        ("13/7* 13/10", None),
    ],
)
def test_moves_are_read(payload: str, text: str | None) -> None:
    move = read_move(payload, BACKGAMMON_63)
    if text is None:
        assert isinstance(move, WrittenPlay)
        with pytest.raises(IllegalAction, match="nothing is hit"):
            BACKGAMMON_63.find(move)
    else:
        found = move if isinstance(move, Play) else BACKGAMMON_63.find(move)
        assert found == play_of(BACKGAMMON_63, text)


def test_25_is_the_bar_or_what_is_not_in_play() -> None:
    assert read_move("25/19 25/22", START_63) == play_of(START_63, "off/19 off/22")
    on_bar = State.parse("-------------------------A:14:15:x:63", AMERICAN)
    assert read_move("25/19 off/22", on_bar) == play_of(on_bar, "bar/19 off/22")


def test_0_is_off() -> None:
    state = State.parse("---A--A-----------------b-:0:0:x:63", AMERICAN)
    assert read_move("6/0 3/0", state) == play_of(state, "6/off 3/off")
    assert read_move("6-0 3-0", state) == play_of(state, "6/off 3/off")


@pytest.mark.parametrize("payload", ["", "pass", "-"])
def test_nothing_can_be_played(payload: str) -> None:
    assert read_move(payload, START_63) == WrittenPlay(())


@pytest.mark.parametrize("payload", ["banana", "24", "24/", "99/3", "6/0/0", "(none)"])
def test_what_is_no_play_is_refused(payload: str) -> None:
    with pytest.raises(UbgiError, match="is no play"):
        read_move(payload, START_63)


def test_moves_are_written_as_single_steps() -> None:
    assert write_move(play_of(START_63, "off/16")) == "off/19 19/16"
    blocked = State.parse("------------------------bA:14:13:x:11", AMERICAN)
    assert write_move(blocked.legal_plays()[0]) == "pass"


def test_written_moves_read_back() -> None:
    for line in ("------------------------a-:15:14:x:11", "-b----E-C---eE---c-e----B-:0:0:x:44"):
        state = State.parse(line, DICE_BOARD)
        for play in state.legal_plays():
            assert read_move(write_move(play), state) == play


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_every_play_of_random_games_reads_back(rules: RuleSet) -> None:
    random, state = Random(5), State.start(rules, (4, 2))
    while state.outcome is None:
        if state.agenda[0] is ROLL:
            state = state.apply(Roll(random.randint(1, 6), random.randint(1, 6)))
        elif state.agenda[0] is NAME:
            state = state.apply(Name(random.randint(1, 6)))
        else:
            plays = state.legal_plays()
            play = random.choice(plays)
            steps = write_move(play).split()
            assert not play.moves or read_move(" ".join(steps), state) == play
            random.shuffle(steps)
            found = read_move(" ".join(steps), state)
            assert (found if isinstance(found, Play) else state.find(found)) == play
            state = state.apply(play)


@pytest.mark.parametrize(
    "payload",
    [
        "24/20 20/15",  # 9 pips, as 6-3 are, but of a 4 and a 5
        "24/18",
        "24/15 13/10",
        "24/21 24/21",
        "8/2 13/12",
        "7/1 13/10",
        "13/7 13/10 13/10",
    ],
)
def test_steps_that_are_not_the_dice_are_left_to_the_rules(payload: str) -> None:
    move = read_move(payload, BACKGAMMON_63)
    assert isinstance(move, WrittenPlay)
    with pytest.raises(IllegalAction):
        BACKGAMMON_63.find(move)


def test_names_are_read() -> None:
    assert read_name(" 6 ") == 6
    for payload in ("0", "7", "six", "", "3 4"):
        with pytest.raises(UbgiError):
            read_name(payload)
