"""``acey bench archive``: how fast archives are read and validated, beside python-chess on PGN."""

import random
from collections.abc import Callable
from importlib import import_module
from io import StringIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Annotated, Any, Final

import typer

from acey_daemon.archive.judging import Options
from acey_daemon.archive.pool import read_archive
from acey_daemon.commands.console import JsonOption, note, out, out_json
from acey_grammar import GameRecorder, judge_games, read_games, rule_tags, write_game
from acey_rules import PRESETS, ROLL, Roll, State

ROUNDS: Final = 5
"""Each thing is timed so often; the median counts."""
COPIES: Final = 8
"""The archive that several processes judge is so many times as long, since starting takes time."""
CHESS_SHARE: Final = 4
"""python-chess reads one game for so many of ours, since its games are many times as slow."""
CHESS_PLIES: Final = 200
"""A random game of chess that is not over by then is left unfinished."""


def archive(
    games: Annotated[
        int, typer.Option("--games", min=1, metavar="N", help="How many games to generate.")
    ] = 2000,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=2, metavar="N", help="Processes to compare with one.")
    ] = 2,
    json: JsonOption = False,
) -> None:
    """Measure reading and validating on generated games of every rule set.

    Rates are rolls played a second of processor time, so that other work on the machine does not
    count; what several processes bring is measured in real time. Where python-chess is installed
    (the extra `bench`) it reads and checks a quarter as many random games of chess in the same
    run, with a visitor that keeps nothing; one of its plies stands against one of our rolls.

    For example:

        acey bench archive

        acey bench archive --games 200 --json
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "games.acey"
        note(f"generating {games} games")
        rolls = _generate(file, games)
        parse = _rate(lambda: sum(len(game.record.turns) > 0 for game in read_games(file)), rolls)
        check = _rate(lambda: sum(game.validation.valid for game in judge_games(file)), rolls)
        rows: dict[str, object] = {
            "games": games,
            "rolls": rolls,
            "parse_rolls_per_second": round(parse),
            "validate_rolls_per_second": round(check),
            "parse_games_per_second": round(parse * games / rolls),
            "validate_games_per_second": round(check * games / rolls),
            "jobs": jobs,
            "jobs_speedup": round(_speedup(file, jobs), 2),
        }
    rows |= _chess(max(games // CHESS_SHARE, 1), check)
    if json:
        out_json(rows)
        return
    for name, value in rows.items():
        out(f"{name}\t{value}")


def _generate(file: Path, games: int) -> int:
    """Write random games of every rule set, the same each time; how many rolls they have."""
    rng = random.Random(2026)
    presets = list(PRESETS.values())
    rolls = 0
    with file.open("w", encoding="utf-8", newline="\n") as out_file:
        for number in range(games):
            rules = presets[number % len(presets)]
            x_die = rng.randint(1, 6)
            o_die = rng.choice([die for die in range(1, 7) if die != x_die])
            state = State.start(rules, (x_die, o_die))
            tags = [("X", "alpha"), ("O", "beta"), *rule_tags(rules)]
            recorder = GameRecorder([*tags, ("Opening", f"{x_die}-{o_die}")])
            while state.outcome is None:
                if state.agenda[0] is ROLL:
                    action = Roll(rng.randint(1, 6), rng.randint(1, 6))
                else:
                    action = rng.choice(state.legal_actions())
                after = state.apply(action)
                recorder.add(state, action, after)
                state = after
            record = recorder.record
            rolls += sum(len(turn.rolls) for turn in record.turns)
            out_file.write(("\n" if number else "") + write_game(record))
    return rolls


def _rate(work: Callable[[], object], units: int) -> float:
    """Units a second of processor time, the median of some rounds."""
    seconds: list[float] = []
    for _ in range(ROUNDS):
        begun = process_time()
        work()
        seconds.append(process_time() - begun)
    return units / median(seconds)


def _speedup(file: Path, jobs: int) -> float:
    """How many times as fast so many processes are as one, on a longer archive."""
    text = file.read_text("utf-8")
    long = file.with_name("long.acey")
    long.write_text("\n".join([text] * COPIES), "utf-8", newline="\n")
    times: dict[int, list[float]] = {1: [], jobs: []}
    for _ in range(3):
        for count, seconds in times.items():
            begun = perf_counter()
            for _verdict in read_archive([str(long)], Options(), count):
                pass
            seconds.append(perf_counter() - begun)
    return min(times[1]) / min(times[jobs])


def _chess(games: int, ours: float) -> dict[str, object]:
    """python-chess on its own ground: plies a second, and how many times that ``ours`` are."""
    try:
        chess, pgn = import_module("chess"), import_module("chess.pgn")
    except ImportError:
        return {"python_chess": "not installed; it is in the extra 'bench'"}
    rng = random.Random(2026)
    texts: list[str] = []
    plies = 0
    for _ in range(games):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < CHESS_PLIES:
            board.push(rng.choice(list(board.legal_moves)))
        plies += board.ply()
        texts.append(str(pgn.Game.from_board(board)))
    text = "\n\n".join(texts)
    rate = _rate(lambda: _read_pgn(pgn, text), plies)
    return {
        "python_chess": chess.__version__,
        "python_chess_plies_per_second": round(rate),
        "times_python_chess": round(ours / rate, 1),
    }


def _read_pgn(pgn: Any, text: str) -> int:
    """Read and check every game with a visitor that keeps nothing; how many games."""

    class Nothing(pgn.BaseVisitor):
        def result(self) -> bool:
            return True

    file = StringIO(text)
    games = 0
    while pgn.read_game(file, Visitor=Nothing):
        games += 1
    return games
