"""Engine processes: playing well, and failing in every way there is."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.arena.runs import BLOCKADE, PIP, run, small_plan, timeless

from acey_arena.plan import Player
from acey_arena.process import LONGEST_LINE
from acey_arena.results import PairResult
from acey_arena.seat import Fault, FaultKind, GameStart
from acey_arena.ubgi_seat import UbgiSeat
from acey_grammar.record import Result
from acey_protocol.ubgi import Dialect, position_lines
from acey_rules import AMERICAN, BACKGAMMON, EUROPEAN, RuleSet, Side, State

SCRIPTED = Path(__file__).with_name("scripted_engine.py")
ACEY = Path(sys.executable).with_name("acey")


def scripted(mode: str = "good", after: int = 0, deadline: float = 0.4) -> Player:
    command = (sys.executable, str(SCRIPTED), mode, str(after))
    return Player(name=f"bad {mode}", engine=command, deadline=deadline)


def play(player: Player, path: Path, pairs: int = 1, **changes: object) -> list[PairResult]:
    """Let an engine meet pip."""
    plan = small_plan(players=(PIP, player), pairs=pairs, **changes)
    return list(run(plan, path).counted)


# Mode, how the fault is called, whether it comes before the first answer, and what is said of it.
FAILING = [
    ("hang", 10, "hang", "no answer to 'go chequer' within 0.4 s; its last line is 'bestmove"),
    ("late", 10, "hang", "no answer to 'go chequer' within 0.4 s"),
    ("chatter", 10, "hang", "within 0.4 s; its last line is 'info nodes 1'"),
    ("crash", 10, "crash", "was ended by SIGSEGV after 'go chequer'"),
    ("exit", 10, "crash", "ended with exit status 7 after 'go chequer'"),
    ("close", 10, "closed", "closed its output and goes on after 'go chequer'"),
    ("babble", 10, "babble", f"wrote more than {LONGEST_LINE} bytes without the end of a line"),
    ("illegal", 10, "illegal", "'24/1' at "),
    ("garbage", 10, "garbage", "'banana' is no play"),
    ("name", 10, "garbage", "answered 'bestname 3' to 'go chequer', which asks for bestmove"),
    ("refuse", 10, "refused", "says 'error bad_state tired'"),
]


@pytest.mark.parametrize(
    ("mode", "after", "kind", "reason"), FAILING, ids=[row[0] for row in FAILING]
)
def test_a_failing_engine_loses_by_forfeit(
    mode: str, after: int, kind: str, reason: str, tmp_path: Path
) -> None:
    (pair,) = play(scripted(mode, after), tmp_path / "run")
    assert [game.how for game in pair.games] == ["forfeit", "forfeit"]
    assert [game.points_of_first for game in pair.games] == [15, 15]
    assert [(fault.player, fault.kind) for fault in pair.faults] == [(1, kind)] * 2
    for leg, fault in enumerate(pair.faults):
        assert reason in fault.reason
        assert (fault.leg, fault.decision, fault.void) == (leg, after, False)
        assert fault.last_lines[-1] == f"about to {mode}"
    log = (tmp_path / "run" / "log.txt").read_text()
    assert f"bad {mode} after {after} decisions: {kind}: " in log
    assert f"stderr: about to {mode}" in log
    assert [game.record.result for game in pair.games] == [
        Result("X", 15, "forfeit"),
        Result("O", 15, "forfeit"),
    ]


@pytest.mark.parametrize(("mode", "said"), [("extra", "bestname 3"), ("twice", "bestmove pass")])
def test_an_answer_nobody_asked_for_is_not_taken_for_the_next(
    mode: str, said: str, tmp_path: Path
) -> None:
    (pair,) = play(scripted(mode, 5, deadline=10), tmp_path / "run")
    assert [game.how for game in pair.games] == ["forfeit", "forfeit"]
    assert [(fault.kind, fault.reason) for fault in pair.faults] == [
        ("garbage", f"said '{said}' without being asked")
    ] * 2


@pytest.mark.parametrize("mode", ["hang", "crash", "close", "babble"])
def test_an_engine_that_never_answers_spoils_a_game_once(mode: str, tmp_path: Path) -> None:
    (pair,) = play(scripted(mode, 0), tmp_path / "run")
    voids = [(fault.leg, fault.decision, fault.void) for fault in pair.faults]
    assert voids == [(0, 0, True), (0, 0, False), (1, 0, True), (1, 0, False)]
    assert [game.how for game in pair.games] == ["forfeit", "forfeit"]


def test_an_illegal_first_play_is_no_void_game(tmp_path: Path) -> None:
    (pair,) = play(scripted("illegal", 0), tmp_path / "run")
    assert [(fault.kind, fault.void) for fault in pair.faults] == [("illegal", False)] * 2


def test_one_bad_start_costs_nothing(tmp_path: Path) -> None:
    """The game is the one that would have been played."""
    marker = tmp_path / "started"
    flaky = tmp_path / "flaky"
    flaky.write_text(f'#!/bin/sh\ntest -e {marker} || {{ touch {marker}; exit 1; }}\nexec "$@"\n')
    flaky.chmod(0o755)
    good = scripted()
    (expected,) = play(good, tmp_path / "good")
    (pair,) = play(replace(good, engine=(str(flaky), *good.engine)), tmp_path / "flaky run")
    assert [(f.kind, f.void) for f in pair.faults] == [("start", True)]
    assert timeless((pair,))[0].games == timeless((expected,))[0].games


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["hang", "crash", "close", "babble"])
def test_twenty_games_of_a_bad_bot(mode: str, tmp_path: Path) -> None:
    pairs = play(scripted(mode, 10), tmp_path / "run", pairs=10)
    games = [game for pair in pairs for game in pair.games]
    faults = [fault for pair in pairs for fault in pair.faults]
    assert [game.how for game in games] == ["forfeit"] * 20
    assert all(game.points_of_first == 15 for game in games)
    assert len({(fault.kind, fault.reason.partition(";")[0]) for fault in faults}) == 1
    assert len(faults) == 20
    log = (tmp_path / "run" / "log.txt").read_text()
    assert log.count(f"bad {mode} after 10 decisions: {faults[0].kind}: ") == 20
    assert log.count(f"stderr: about to {mode}") == 20


# --- starting -----------------------------------------------------------------------------------


def failed_start(player: Player, rules: RuleSet = AMERICAN) -> Fault:
    seat = UbgiSeat(player)
    with pytest.raises(Fault) as caught:
        seat.new_game(GameStart(rules, Side.X, 0))
    seat.close()
    return caught.value


@pytest.mark.parametrize(
    ("player", "reason"),
    [
        (
            Player(name="x", engine=("/no/such/engine",)),
            "'/no/such/engine' does not start: No such",
        ),
        (Player(name="x", engine=(str(SCRIPTED.parent),)), "does not start: Permission denied"),
        (replace(scripted("deaf"), start=0.4), "no answer to 'ubgi' within 0.4 s; it said nothing"),
        (scripted("stillborn"), "ended with exit status 3 after 'ubgi'"),
        (
            replace(scripted(), options={"engine.depth": "3"}),
            "has no option 'engine.depth'; it has game.variant, engine.level",
        ),
        (
            replace(scripted(), options={"engine.level": "10"}),
            "option engine.level is from 1 to 9, not 10",
        ),
        (
            replace(scripted(), options={"engine.level": "9"}),
            "says 'error bad_value engine.level 9 costs extra'",
        ),
    ],
    ids=["missing", "folder", "deaf", "stillborn", "unknown", "range", "refused"],
)
def test_an_engine_that_does_not_get_ready(player: Player, reason: str) -> None:
    fault = failed_start(player)
    assert fault.kind is FaultKind.START
    assert reason in fault.reason
    if "status 3" in reason:
        assert fault.last_lines == ("no licence found",)


def test_rules_an_engine_does_not_know() -> None:
    fault = failed_start(scripted(), EUROPEAN)
    assert "does not play european; it plays american, backgammon" in fault.reason


def test_options_reach_the_engine() -> None:
    seat = UbgiSeat(replace(scripted(), options={"engine.level": "3"}))
    seat.new_game(GameStart(AMERICAN, Side.X, 0))
    assert seat.handshake.dialect is Dialect.V02
    seat.abandon()
    told = UbgiSeat(replace(scripted("hang"), options={"engine.level": "3"}))
    told.new_game(GameStart(AMERICAN, Side.X, 0))
    state = State.parse("--------------------------:15:15:x:63", AMERICAN)
    with pytest.raises(Fault) as caught:
        told.choose_play(state, state.legal_plays(), None)
    told.abandon()
    assert caught.value.last_lines[:2] == ("told game.variant american", "told engine.level 3")


# --- clocks -------------------------------------------------------------------------------------


def test_a_hanging_engine_with_a_clock_loses_on_time(tmp_path: Path) -> None:
    (pair,) = play(scripted("hang", 3, deadline=30), tmp_path / "run", clock="1+0")
    assert [game.how for game in pair.games] == ["time", "time"]
    assert pair.games[0].record.result == Result("X", 15, "time")
    assert pair.faults[0].kind == "hang"


def test_the_deadline_holds_with_a_clock_too(tmp_path: Path) -> None:
    (pair,) = play(scripted("hang", 3, deadline=0.3), tmp_path / "run", clock="100+10")
    assert [game.how for game in pair.games] == ["forfeit", "forfeit"]


# --- our bots as engines --------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["0.1", "0.2"])
@pytest.mark.parametrize("rules", ["american", "backgammon"])
def test_a_bot_as_an_engine_plays_the_same_games(dialect: str, rules: str, tmp_path: Path) -> None:
    engine = Player(
        name="blockade", engine=(str(ACEY), "ubgi", "--bot", "blockade", "--dialect", dialect)
    )
    inside = small_plan(players=(PIP, BLOCKADE), pairs=1, rules=rules)
    outside = replace(inside, players=(PIP, engine))
    expected = run(inside, tmp_path / "inside").counted
    assert timeless(run(outside, tmp_path / "outside").counted) == timeless(expected)


def test_plain_ubgi_is_spoken_on_backgammon() -> None:
    state = State.start(BACKGAMMON, (6, 3))
    assert position_lines(state) == ["position gnubgid 4HPwATDgc/ABMA", "dice 6 3"]
