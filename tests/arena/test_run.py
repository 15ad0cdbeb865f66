"""Runs: dice, seeds, concurrency, matches, early stops, interruptions."""

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.arena.runs import (
    BLOCKADE,
    PIP,
    RANDOM,
    report_of,
    resume,
    run,
    small_plan,
    timeless,
)
from tests.arena.test_engines import scripted

from acey_arena.bots import Bot
from acey_arena.executor import InlineExecutor, PoolExecutor, Results, lost
from acey_arena.folder import FolderError, RunFolder
from acey_arena.plan import Plan, Player
from acey_arena.referee import PairTask, dice_seed, play_pair
from acey_arena.report import records_text
from acey_arena.results import GameResult, PairResult
from acey_arena.run import SprtWatch, pair_score, play_run
from acey_arena.seat import BotSeat
from acey_arena.sprt import Sprt, Verdict
from acey_grammar import parse_games, validate
from acey_grammar.record import GameRecord
from acey_rules import Draw, Play, Side, State, seeded


def games_of(pairs: Sequence[PairResult]) -> list[GameRecord]:
    """Read and validate all records as one file."""
    records: list[GameRecord] = []
    for read in parse_games(records_text(pairs)):
        assert read.record is not None
        assert not read.faults
        assert not validate(read.record).faults
        records.append(read.record)
    return records


def rolls_of(record: GameRecord, side: str) -> list[str]:
    """The dice a side threw, in order."""
    return [
        roll.dice
        for turn in record.turns
        if turn.side == side
        for roll in turn.rolls
        if roll.kind == "rolled"
    ]


def test_both_games_of_a_pair_have_the_same_dice(tmp_path: Path) -> None:
    plan = small_plan(pairs=4)
    records = games_of(run(plan, tmp_path / "run").counted)
    assert len(records) == 8
    bonus_differs = False
    for number, (first, second) in enumerate(zip(records[::2], records[1::2], strict=True), 1):
        assert (first.tag("X"), first.tag("O")) == ("pip", "blockade")
        assert (second.tag("X"), second.tag("O")) == ("blockade", "pip")
        assert first.tag("Opening") == second.tag("Opening")
        dice = seeded(dice_seed(7, number, 1))
        for side in "XO":
            thrown = [rolls_of(record, side) for record in (first, second)]
            common = min(map(len, thrown))
            assert common > 10
            assert thrown[0][:common] == thrown[1][:common]
            bonus_differs |= len(thrown[0]) != len(thrown[1])
            for index, text in enumerate(thrown[0], 1):
                high, low = sorted(dice.draw(Draw(1, Side[side], index, 0)), reverse=True)
                assert text == f"{high}{low}"
    assert bonus_differs, "games of different length show that the dice do not depend on length"


def shifted_by_a_bonus(first: GameRecord, second: GameRecord, side: str) -> bool:
    """Whether after as many turns of a side it had thrown more often in one game."""
    counts = [
        [
            sum(roll.kind == "rolled" for roll in turn.rolls)
            for turn in record.turns
            if turn.side == side
        ]
        for record in (first, second)
    ]
    common = min(map(len, counts)) - 1  # the last turn may be cut off by the end of the game
    return sum(counts[0][:common]) != sum(counts[1][:common])


def test_a_bonus_roll_in_one_game_alone_shifts_no_dice() -> None:
    """One game keeps the bonus roll of a 2-1 that the other forfeits: the k-th rolls stay alike."""
    seats = (BotSeat(lambda _seed: First(0)), BotSeat(lambda _seed: Last(0)))
    shifted = 0
    for number in range(1, 11):
        pair = play_pair(small_plan(), PairTask(number, 1, 0, 1), seats)
        first, second = (game.record for game in pair.games)
        for side in "XO":
            shifted += shifted_by_a_bonus(first, second, side)
            thrown = [rolls_of(record, side) for record in (first, second)]
            common = min(map(len, thrown))
            assert thrown[0][:common] == thrown[1][:common]
    assert shifted >= 3


def test_pairs_have_dice_of_their_own() -> None:
    seeds = {dice_seed(7, number, game) for number in range(1, 100) for game in range(1, 10)}
    assert len(seeds) == 99 * 9
    assert dice_seed(7, 1, 1) != dice_seed(8, 1, 1)


class First:
    """Always the first play, after so much work."""

    def __init__(self, work: int) -> None:
        self._work = work

    def choose_play(self, state: State, plays: Sequence[Play]) -> Play:
        del state
        sum(range(self._work))
        return plays[0]

    def choose_double(self, state: State) -> int:
        del state
        return 1


class Last(First):
    """Always the last play."""

    def choose_play(self, state: State, plays: Sequence[Play]) -> Play:
        del state
        return plays[-1]


def first_game(first: Bot, second: Bot) -> GameRecord:
    """The first game of a pair between two bots."""
    seats = (BotSeat(lambda _seed: first), BotSeat(lambda _seed: second))
    pair = play_pair(small_plan(), PairTask(5, 1, 0, 1), seats)
    return pair.games[0].record


def test_a_bot_that_thinks_longer_changes_nothing() -> None:
    assert first_game(First(0), First(0)) == first_game(First(20_000), First(0))


def test_a_bot_that_plays_otherwise_changes_no_dice() -> None:
    one, other = first_game(First(0), First(0)), first_game(First(0), Last(0))
    assert one.turns != other.turns
    for side in "XO":
        mine, theirs = rolls_of(one, side), rolls_of(other, side)
        common = min(len(mine), len(theirs))
        assert mine[:common] == theirs[:common]


def test_concurrency_changes_nothing(tmp_path: Path) -> None:
    plan = small_plan(players=(PIP, BLOCKADE, Player(name="dice", bot="random")), pairs=1)
    one = run(plan, tmp_path / "one")
    eight = run(replace(plan, concurrency=8), tmp_path / "eight")
    assert timeless(one.counted) == timeless(eight.counted)
    assert report_of(plan, one) == report_of(plan, eight)


def test_the_same_seed_is_the_same_run_and_another_is_not(tmp_path: Path) -> None:
    plan = small_plan(pairs=1)
    first, second = run(plan, tmp_path / "1"), run(plan, tmp_path / "2")
    assert timeless(first.counted) == timeless(second.counted)
    other = run(replace(plan, seed=8), tmp_path / "3")
    assert timeless(other.counted) != timeless(first.counted)


def test_a_random_bot_plays_alike_for_the_same_seed(tmp_path: Path) -> None:
    plan = small_plan(players=(RANDOM, replace(RANDOM, name="other")), pairs=1)
    pairs = [run(plan, tmp_path / name).counted for name in "ab"]
    assert timeless(pairs[0]) == timeless(pairs[1])
    legs = pairs[0][0].games
    assert legs[0].record.turns != legs[1].record.turns


def test_matches_carry_their_score(tmp_path: Path) -> None:
    plan = small_plan(match=20, pairs=1, players=(BLOCKADE, replace(BLOCKADE, name="twin")))
    (pair,) = run(plan, tmp_path / "run").counted
    records = games_of([pair])
    for leg in (0, 1):
        games = pair.leg(leg)
        mine = [
            record for record in records if (record.tag("Round") or "").startswith(f"1.{leg + 1}.")
        ]
        assert len(mine) == len(games) >= 2
        score = {"X": 0, "O": 0}
        for record, game in zip(mine, games, strict=True):
            assert record.tag("Match") == "20"
            assert record.tag("Score") == f"{score['X']}-{score['O']}"
            assert max(score.values()) < 20
            score[game.winner] += game.points
        assert max(score.values()) >= 20
    first = [
        record.tag("Opening") for record in records if record.tag("Round") in ("1.1.2", "1.2.2")
    ]
    assert first[0] == first[1]


@pytest.mark.parametrize("rules", ["dice-board", "european", "bgammon", "backgammon"])
def test_every_rule_set_is_played(rules: str, tmp_path: Path) -> None:
    counted = run(small_plan(rules=rules, pairs=1), tmp_path / "run").counted
    assert [record.tag("Rules") for record in games_of(counted)] == [rules, rules]


# --- SPRT ---------------------------------------------------------------------------------------


def test_an_sprt_stops_where_it_accepts(tmp_path: Path) -> None:
    plan = small_plan(players=(BLOCKADE, PIP), pairs=60, sprt=Sprt(0, 300))
    progress = run(plan, tmp_path / "run")
    assert progress.verdict is Verdict.H1
    assert len(progress.counted) < 20
    assert [pair.number for pair in progress.counted] == list(range(1, len(progress.counted) + 1))
    report = report_of(plan, progress)
    assert report.sprt is not None
    assert (report.sprt.verdict, report.sprt.pairs) == ("H1", len(progress.counted))
    assert report.sprt.log_ratio >= report.sprt.upper
    swapped = run(replace(plan, players=(PIP, BLOCKADE)), tmp_path / "other")
    assert swapped.verdict is Verdict.H0


def scored(number: int, legs_won: int) -> PairResult:
    """A pair of which the first player won so many legs."""
    task = PairTask(number, 1, 0, 1)
    games = [won_game(leg, won=leg < legs_won) for leg in (0, 1)]
    return replace(lost(task, ""), games=tuple(games))


def won_game(leg: int, *, won: bool) -> GameResult:
    winner = "X" if won == (leg == 0) else "O"
    return GameResult(leg, 1, winner, 3, "play", 30, 40, (20, 20), (0.0, 0.0), GameRecord(()))


def test_where_it_stops_does_not_depend_on_the_order_of_results() -> None:
    results = {number: scored(number, 2) for number in range(1, 40)}
    assert {pair_score(pair) for pair in results.values()} == {1.0}
    watch = SprtWatch(Sprt(0, 100), range(1, 40))
    late = {number: result for number, result in results.items() if number != 2}
    assert watch.look(late) is Verdict.OPEN
    assert watch.looked_at == 1
    assert watch.look(results) is Verdict.H1
    again = SprtWatch(Sprt(0, 100), range(1, 40))
    for number in range(1, 40):
        if again.look({n: results[n] for n in range(1, number + 1)}) is Verdict.H1:
            break
    assert again.looked_at == watch.looked_at < 39


# --- interruptions ------------------------------------------------------------------------------


class Stopping:
    """An executor that stops in the middle, as a killed process would."""

    def __init__(self, plan: Plan, after: int) -> None:
        self._inner = InlineExecutor(plan)
        self._after = after

    def play(self, tasks: Iterator[PairTask]) -> Results:
        for result in self._inner.play(tasks):
            if not self._after:
                raise KeyboardInterrupt
            self._after -= 1
            yield result

    def close(self) -> None:
        self._inner.close()


@pytest.mark.parametrize("after", [0, 1, 2])
@pytest.mark.parametrize("torn", [False, True], ids=["whole", "torn"])
def test_a_resumed_run_is_the_uninterrupted_one(after: int, torn: bool, tmp_path: Path) -> None:
    plan = small_plan()
    expected = run(plan, tmp_path / "whole")
    path = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        run(plan, path, Stopping(plan, after))
    results = path / "results.jsonl"
    kept = results.read_bytes()
    assert kept.count(b"\n") == after
    if torn:
        results.write_bytes(kept + b'{"number":3,"round":1,"fir')
    progress = resume(path)
    assert results.read_bytes().startswith(kept)
    assert results.read_bytes().count(b"\n") == 3
    assert timeless(progress.counted) == timeless(expected.counted)
    assert report_of(plan, progress) == report_of(plan, expected)


def test_only_what_is_missing_is_played(tmp_path: Path) -> None:
    plan = small_plan()
    run(plan, tmp_path / "run")
    asked: list[int] = []

    class Noting(InlineExecutor):
        def play(self, tasks: Iterator[PairTask]) -> Results:
            asked.extend(task.number for task in tasks)
            yield from ()

    resume(tmp_path / "run", Noting(plan))
    assert asked == []


def test_a_damaged_middle_is_refused(tmp_path: Path) -> None:
    run(small_plan(pairs=2), tmp_path / "run")
    results = tmp_path / "run" / "results.jsonl"
    first, second = results.read_bytes().splitlines(keepends=True)
    results.write_bytes(first[:50] + b"\n" + second)
    with pytest.raises(FolderError, match=r"results\.jsonl:1 cannot be read.*remove the line"):
        RunFolder.resume(tmp_path / "run")


def test_a_folder_has_one_run_at_a_time(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", small_plan())
    with pytest.raises(FolderError, match="another process is playing this run"):
        RunFolder.resume(tmp_path / "run")
    folder.close()
    with pytest.raises(FolderError, match="is not empty; resume it with --resume"):
        RunFolder.create(tmp_path / "run", small_plan())
    with pytest.raises(FolderError, match=r"is no run: it has no plan\.json"):
        RunFolder.resume(tmp_path)


def test_a_lost_pair_is_void_and_played_again_when_resumed(tmp_path: Path) -> None:
    plan = small_plan()

    class Losing(InlineExecutor):
        def play(self, tasks: Iterator[PairTask]) -> Results:
            for task in tasks:
                if task.number == 2:
                    yield lost(task, "the process playing it died 3 times")
                else:
                    yield from super().play(iter([task]))

    progress = run(plan, tmp_path / "run", Losing(plan))
    assert [pair.number for pair in progress.counted] == [1, 3]
    assert "pair 2 void: the process playing it died" in (tmp_path / "run" / "log.txt").read_text()
    assert [pair.number for pair in resume(tmp_path / "run").counted] == [1, 2, 3]


def test_pairs_that_are_given_up_are_not_waited_for() -> None:
    """An engine that hangs, with a long deadline, does not hold up who stops the run."""
    engine = scripted("hang", 200, deadline=1000)
    plan = small_plan(players=(PIP, engine), pairs=3)
    executor = PoolExecutor(plan, 1)
    results = executor.play(iter([PairTask(number, 1, 0, 1) for number in (1, 2, 3)]))
    assert next(results).number == 1
    workers = multiprocessing.active_children()
    results.close()
    executor.close()
    assert [worker.exitcode for worker in workers] == [1]


def test_a_worker_that_dies_costs_nothing(tmp_path: Path) -> None:
    plan = small_plan(concurrency=2)
    told: list[str] = []
    executor = PoolExecutor(plan, 2, tell=told.append)
    folder = RunFolder.create(tmp_path / "run", plan)
    killed = False

    def kill_one(_result: PairResult) -> None:
        nonlocal killed
        if not killed:
            killed = True
            pool = executor._pool
            assert pool is not None
            next(iter(pool._processes.values())).kill()
            while not pool._broken:  # so that the next pair is handed to a broken pool
                time.sleep(0.01)

    progress = play_run(folder, executor, kill_one)
    executor.close()
    folder.close()
    assert killed
    assert told == ["a process that plays pairs died; others are started"]
    expected = run(replace(plan, concurrency=1), tmp_path / "other")
    assert timeless(progress.counted) == timeless(expected.counted)
