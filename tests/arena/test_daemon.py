"""The daemon as the referee: the same games, faults adjudicated, a daemon that dies."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.arena.runs import BLOCKADE, PIP, run, small_plan, timeless
from tests.arena.test_engines import scripted

from acey_arena.daemon import DaemonPool, ManyTables, RefereeDaemon, daemon_executor
from acey_arena.folder import RunFolder
from acey_arena.plan import Plan
from acey_arena.results import PairResult
from acey_arena.run import Progress, play_run
from acey_arena.table import RefereeError
from acey_grammar.record import Result
from acey_protocol.errors import NoReply


def through_daemon(plan: Plan, path: Path) -> Progress:
    executor = daemon_executor(plan)
    folder = RunFolder.create(path, plan)
    try:
        return play_run(folder, executor, lambda _result: None)
    finally:
        executor.close()
        folder.close()


@pytest.mark.parametrize("rules", ["american", "european", "backgammon"])
def test_the_games_are_those_refereed_here(rules: str, tmp_path: Path) -> None:
    plan = small_plan(players=(PIP, BLOCKADE), rules=rules, pairs=2)
    here = run(plan, tmp_path / "here")
    there = through_daemon(replace(plan, referee="daemon"), tmp_path / "there")
    assert timeless(there.counted) == timeless(here.counted)


def test_a_custom_rule_set_and_odd_names(tmp_path: Path) -> None:
    rules = (
        "setup=empty opening=reroll overshoot=any acey_bonus=true complement=true "
        "doubles_reroll=false forfeit=strict scoring=single"
    )
    players = (replace(PIP, name='a "quoted" name'), replace(PIP, name="ein Größerer"))
    plan = small_plan(players=players, rules=rules, pairs=1, match=2)
    here = run(plan, tmp_path / "here")
    there = through_daemon(replace(plan, referee="daemon"), tmp_path / "there")
    assert timeless(there.counted) == timeless(here.counted)
    assert dict(there.counted[0].games[0].record.tags)["X"] == 'a "quoted" name'


def test_engines_are_seats_like_any_other(tmp_path: Path) -> None:
    plan = small_plan(players=(PIP, scripted(deadline=10)), pairs=1)
    here = run(plan, tmp_path / "here")
    executor = daemon_executor(plan)
    executor.close()
    assert isinstance(executor, DaemonPool)
    there = through_daemon(plan, tmp_path / "there")
    assert timeless(there.counted) == timeless(here.counted)


def test_a_fault_is_a_forfeit_in_the_daemons_record(tmp_path: Path) -> None:
    plan = small_plan(players=(PIP, scripted("crash", 5)), pairs=1)
    (pair,) = through_daemon(plan, tmp_path / "run").counted
    assert [game.how for game in pair.games] == ["forfeit", "forfeit"]
    assert [game.record.result for game in pair.games] == [
        Result("X", 15, "forfeit"),
        Result("O", 15, "forfeit"),
    ]
    assert [(fault.kind, fault.decision) for fault in pair.faults] == [("crash", 5)] * 2


def test_a_fault_before_the_first_answer_is_void_then_lost(tmp_path: Path) -> None:
    plan = small_plan(players=(PIP, scripted("stillborn")), pairs=1)
    (pair,) = through_daemon(plan, tmp_path / "run").counted
    assert [fault.void for fault in pair.faults] == [True, False, True, False]
    assert [game.points_of_first for game in pair.games] == [15, 15]


def test_time_is_the_daemons_to_take(tmp_path: Path) -> None:
    slow = scripted("hang", 3, deadline=30)
    plan = small_plan(players=(PIP, slow), pairs=1, clock="1+0")
    (pair,) = through_daemon(plan, tmp_path / "run").counted
    assert [game.how for game in pair.games] == ["time", "time"]
    assert pair.games[0].record.result == Result("X", 15, "time")


@pytest.mark.parametrize("times", [True, False], ids=["times", "no times"])
@pytest.mark.parametrize("clock", ["100+10", ""], ids=["clock", "no clock"])
def test_records_have_times_where_the_plan_wants_them(
    times: bool, clock: str, tmp_path: Path
) -> None:
    plan = small_plan(pairs=1, times=times, clock=clock)
    for name, counted in (
        ("here", run(plan, tmp_path / "here").counted),
        ("there", through_daemon(plan, tmp_path / "there").counted),
    ):
        turns = [turn for game in counted[0].games for turn in game.record.turns]
        assert {turn.seconds is not None for turn in turns} == {times}, name


def test_a_daemon_that_dies_costs_nothing(tmp_path: Path) -> None:
    plan = small_plan(players=(PIP, BLOCKADE), pairs=6)
    executor = ManyTables(plan, 2)
    folder = RunFolder.create(tmp_path / "there", plan)
    killed: list[int] = []

    def kill(_result: PairResult) -> None:
        if not killed:
            assert executor._daemon is not None
            killed.append(executor._daemon.pid)
            os.kill(killed[0], signal.SIGKILL)

    progress = play_run(folder, executor, kill)
    executor.close()
    folder.close()
    assert killed
    assert timeless(progress.counted) == timeless(run(plan, tmp_path / "here").counted)


def killing(pool: DaemonPool, killed: list[int]) -> Callable[[PairResult], None]:
    """Kill the pool's daemon when the first pair is done."""

    def kill(_result: PairResult) -> None:
        if not killed:
            killed.append(pool._daemon.pid)
            os.kill(killed[0], signal.SIGKILL)

    return kill


def test_a_daemon_that_dies_under_engines_and_clocks_costs_nothing(tmp_path: Path) -> None:
    engine = scripted(deadline=30)
    plan = small_plan(players=(PIP, engine), pairs=6, clock="1000+10", concurrency=2)
    folder = RunFolder.create(tmp_path / "there", plan)
    pool, killed = DaemonPool(plan, folder.log), list[int]()
    progress = play_run(folder, pool, killing(pool, killed))
    assert [pool._daemon.pid] != killed
    pool.close()
    folder.close()
    here = run(replace(plan, concurrency=1), tmp_path / "here")
    assert timeless(progress.counted) == timeless(here.counted)
    log = (tmp_path / "there" / "log.txt").read_text()
    assert log.count("another is started") == 1
    assert " the daemon " in log


def test_a_daemon_that_ends_three_times_under_a_pair_makes_it_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run goes on with the others, and says which pair it was."""
    ends_at_once = "import sys; print('requests', 'events', sep='\\n', flush=True); sys.exit(3)"
    monkeypatch.setattr("acey_arena.daemon.SERVE", (sys.executable, "-c", ends_at_once))
    plan = small_plan(players=(PIP, scripted()), pairs=1)
    folder = RunFolder.create(tmp_path / "run", plan)
    pool = DaemonPool(plan, folder.log)
    progress = play_run(folder, pool, lambda _result: None)
    pool.close()
    folder.close()
    assert progress.counted == ()
    assert "its daemon ended, as it was tried 3 times" in folder.results[1].lost


def test_a_silent_daemon_is_replaced_once() -> None:
    said: list[str] = []
    pool = DaemonPool(small_plan(clock="10+0"), said.append)
    way, silent = pool.way(), pool._daemon.pid
    for _ in range(2):  # each of two workers says that it heard nothing
        pool.failed(way, NoReply("ipc://x: no reply within 60 s"))
    second = pool._daemon.pid
    assert second != silent
    assert pool.way() is not way
    pool.close()
    (line,) = said
    assert line.startswith("the daemon does not answer: ipc://x: no reply within 60 s; its last ")


def test_a_daemon_that_does_not_start_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acey_arena.daemon.SERVE", ("sh", "-c", "echo no luck >&2; exit 1"))
    with pytest.raises(RefereeError, match="the daemon does not start: no luck"):
        RefereeDaemon()


def test_nothing_is_left_behind() -> None:
    daemon = RefereeDaemon()
    folder = Path(daemon.address.removeprefix("ipc://")).parent
    assert folder.exists()
    daemon.close()
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(daemon.pid, 0)
