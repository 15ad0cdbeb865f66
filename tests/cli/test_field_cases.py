"""Cases from the field about records, notation and what a GUI asks, as the program answers them.

a winner that only the column of `Wins` names     test_the_winner_is_named_by_the_column
games without moves, with odd tags and comments   test_four_odd_games_are_all_read
a newline missing between two games               test_games_run_together_are_both_read
a stop that a play leaves out                     test_a_stop_left_out
ways to write a double                            test_one_double_in_every_spelling
whose points a play counts                        test_each_side_counts_its_own_points
positions that cannot be                          test_a_position_that_cannot_be_names_its_field
where a checker may go next                       test_next_points_follow_from_the_list_alone
the board that a question comes with              tests/viewer/test_play.py
"""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from tests.support import naive
from tests.support.acey import acey
from tests.support.archive import DATA
from tests.support.random_games import random_game
from tests.support.random_positions import random_position
from tests.support.world import World

from acey_daemon.archive.judging import Options, judge_unit
from acey_daemon.archive.units import units
from acey_grammar import write_game
from acey_rules import PRESETS, Side

SAMPLES = DATA / "samples"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.store.close()


# --- records ----------------------------------------------------------------------------------


def test_the_winner_is_named_by_the_column() -> None:
    told = acey("validate", "--json", str(SAMPLES / "mat/jellyfish_gnubg_5pt.mat")).stdout
    games = [json.loads(line) for line in told.splitlines()]
    won = [("XO".index(game["winner"]), game["points"]) for game in games]
    assert won == [(0, 1), (1, 1), (1, 2), (0, 2)]
    told = acey("validate", "--json", str(SAMPLES / "faulty/wins_in_the_wrong_column.mat")).stdout
    (game,) = [json.loads(line) for line in told.splitlines()]
    assert [(fault["kind"], fault["line"]) for fault in game["faults"]] == [("result", 24)]


TAGS: Final = '[X "alpha"]\n[O "beta"]\n[Rules "american"]\n'
TURN: Final = "1. X 63: off/19 off/22"


def test_four_odd_games_are_all_read(tmp_path: Path) -> None:
    path = tmp_path / "odd.acey"
    blank_in_tags = TAGS.replace("\n[O", "\n\n[O")
    comment = f'{TURN} {{see\n[Event "x"]\nX wins 3\n}}'
    texts = [f"{TAGS}*\n", f"{blank_in_tags}*\n", f"{TAGS}\n{comment}\n*\n", f"{TAGS}\n{TURN}\n*\n"]
    path.write_text("\n".join(texts))
    result = acey("validate", "--json", str(path))
    games = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(game["game"], game["line"], game["turns"]) for game in games] == [
        (1, 1, 0),
        (2, 6, 0),
        (3, 12, 1),
        (4, 22, 1),
    ]
    assert [game["faults"] for game in games] == [[]] * 4


def test_games_run_together_are_both_read(tmp_path: Path) -> None:
    path = tmp_path / "bulk.acey"
    path.write_text(f'{TAGS}\n{TURN}\nX wins 7 by resignation[Event "b"]\n{TAGS}\n{TURN}\n*\n')
    lines = acey("validate", str(path)).stdout.splitlines()
    assert lines[:2] == [
        f"{path}:6:24 a game starts on a line of its own, after a blank one",
        f"{path}: 2 games, 2 turns, 1 fault",
    ]


@pytest.mark.parametrize("between", ["", "\n", "\n\n# a file comment\n\n"])
def test_records_one_behind_another_are_as_many_games(between: str) -> None:
    games = [write_game(random_game("american", seed, 40)) for seed in range(12)]
    found = units(BytesIO(between.join(games).encode()))
    verdicts = [verdict for unit in found for verdict in judge_unit(unit, Options())]
    assert [verdict.faults for verdict in verdicts] == [()] * 12


# --- notation ---------------------------------------------------------------------------------


def played(world: World, position: str, play: str) -> str:
    return world.ask(f"apply {position} rules=backgammon play {play}")


def test_a_stop_left_out(world: World) -> None:
    refused = played(world, "----aa-----A-B----------b-:0:0:x:61", "11/4")
    assert refused.startswith("? illegal-play ")
    assert "11/5*/4*" in refused
    assert "11/10/4*" in refused
    for position in ("----a------A-B----------b-:0:0:x:61", "----ab-----A-B----------b-:0:0:x:61"):
        assert not played(world, position, "11/4").startswith("?")
        told = world.ask(f"legal {position} rules=backgammon").splitlines()
        assert "11/4*" in [line.split("\t")[0] for line in told]


DOUBLE: Final = "-b----E-C---eE---c-e----B-:0:0:x:66"


@pytest.mark.parametrize("play", ["13/7(2) 8/2(2)", "13/7 13/7 8/2 8/2", "8/2(2) 13/7(2)"])
def test_one_double_in_every_spelling(world: World, play: str) -> None:
    assert played(world, DOUBLE, play) == "= -bB---EBA---eC---c-e----B-:0:0:o:R"


@pytest.mark.parametrize(
    ("play", "column"),
    [
        ("13/7(1)", 5),
        ("13/7(5)", 5),
        ("13/7(0)", 5),
        ("13/7(2)(2)", 8),
        ("13/7 (2)", 6),
    ],
)
def test_counts_that_are_none(world: World, play: str, column: int) -> None:
    said = played(world, DOUBLE, play)
    assert said.startswith(f"? bad-argument column {column + len('play ')}: ")


def test_each_side_counts_its_own_points(world: World) -> None:
    told = world.ask("legal --------------------------:15:15:o:63").splitlines()
    assert told[1].startswith("off/19 off/22\t")
    random = Random(7)
    for _ in range(150):
        position = random_position(random)
        rules = random.choice(list(PRESETS))
        dice = "".join(sorted(random.choices("123456", k=2), reverse=True))
        for side in Side:
            other = position.mirrored()
            texts = [
                [line.split("\t")[0] for line in world.ask(request).splitlines()]
                for request in (
                    f"legal {position}:{side.letter}:{dice} rules={rules}",
                    f"legal {other}:{side.other.letter}:{dice} rules={rules}",
                )
            ]
            assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("position", "rules", "field"),
    [
        ("-------------------------:15:15:x:R", "american", "board"),
        ("---------------------------:15:15:x:R", "american", "board"),
        ("-------------------------a:15:14:x:R", "american", "board"),
        ("A-------------------------:14:15:x:R", "american", "board"),
        ("------O---A---------------:0:15:x:R", "american", "board"),
        ("------P-------------------:0:15:x:R", "american", "board"),
        ("------A-------------------:15:15:x:R", "american", "X unentered"),
        ("--------------------------:01:15:x:R", "american", "X unentered"),
        ("--------------------------:15:-1:x:R", "american", "O unentered"),
        ("--------------------------:15:15:x:21.N.R", "backgammon", "agenda"),
        ("--------------------------:15:15:x:12", "american", "agenda"),
        ("--------------------------:15:15:x:-", "american", "agenda"),
        ("------------------------c-:0:0:x:R", "american", "agenda"),
    ],
)
def test_a_position_that_cannot_be_names_its_field(
    world: World, position: str, rules: str, field: str
) -> None:
    assert world.ask(f"legal {position} rules={rules}").startswith(f"? bad-position {field}: ")


# --- ux ---------------------------------------------------------------------------------------

Points = tuple[str, str]
"""From where to where a checker goes."""
Way = tuple[Points, ...]
NAMES: Final = {naive.HOME: "off", naive.UNENTERED: "off", naive.BAR: "bar"}


def next_points(sequences: list[naive.Sequence]) -> dict[Way, set[Points]]:
    """For each beginning of a legal play, from where to where the next checker may go."""
    found: dict[Way, set[Points]] = {}
    for sequence in sequences:
        points = tuple(
            (NAMES.get(step.source, str(step.source)), NAMES.get(step.target, str(step.target)))
            for step in sequence
        )
        for length in range(len(points) + 1):
            found.setdefault(points[:length], set()).update(points[length : length + 1])
    return found


def test_next_points_follow_from_the_list_alone(world: World) -> None:
    random = Random(11)
    beginnings = 0
    for number in range(1000):
        rules = random.choice(list(PRESETS.values()))
        side = random.choice(list(Side))
        # Most doubles have too many orders for the slow oracle to list for each position.
        double = number % 25 == 0 and not rules.complement
        dice = random.choice(("66", "33") if double else MIXED)
        line = f"{random_position(random)}:{side.letter}:{dice}"
        reply = world.ask(f"legal {line} rules={rules.name} format=json")
        told = json.loads(reply.removeprefix("= "))
        reached = naive.legal(naive.read(line), (int(dice[0]), int(dice[1])), rules.overshoot)
        assert len(told["plays"]) == len(reached)
        steps: list[list[dict[str, Any]]] = told["steps"]
        after = next_points([one for sequences in reached.values() for one in sequences])
        for done, following in after.items():
            here = {0}
            for points in done:
                here = {
                    way["step"]
                    for step in here
                    for way in steps[step]
                    if (way["from"], way["to"]) == points
                }
            shown = {(way["from"], way["to"]) for step in here for way in steps[step]}
            assert shown == following
            beginnings += 1
    assert beginnings > 10_000


MIXED: Final = [f"{high}{low}" for high in range(3, 7) for low in range(1, high)]
"""Of rolls without 2-1, which is more than dice where a double is named after it."""
