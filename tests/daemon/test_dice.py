"""Dice of tables: vectors, records proven and refuted, statistics. spec/dice.md."""

import json
import secrets
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from tests.support.acey import acey
from tests.support.world import World, play_match, random_action

from acey_protocol.fairness import Verdict, verify_games, verify_match
from acey_protocol.records import MatchRecord, decode_json
from acey_rules import Draw, Side, StreamDice, commitment, seeded

VECTORS = Path(__file__).parents[2] / "spec" / "vectors" / "dice.jsonl"
ROWS = [json.loads(line) for line in VECTORS.read_text().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[f"line {number}" for number in range(1, len(ROWS) + 1)])
def test_a_vector(row: dict[str, str | int]) -> None:
    if "seed" in row:
        stream = seeded(int(row["seed"]))
    else:
        secret = bytes.fromhex(str(row["secret"]))
        stream = StreamDice(secret, str(row["x_nonce"]), str(row["o_nonce"]))
        assert commitment(secret) == row["commitment"]
    side = None if row["who"] == "opening" else Side[str(row["who"])]
    draw = Draw(int(row["game"]), side, int(row["number"]), 0)
    assert list(stream.draw(draw)) == row["dice"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.store.close()


def played(world: World, options: str, rules: str = "american") -> MatchRecord:
    """The record of a match played at random."""
    table, x, o = world.open(f"{options} rules={rules}")
    if "dice=fair" in options:
        assert world.ask(f"nonce {table} {x} 00ff") == "="
        assert world.ask(f"nonce {table} {o} c0ffee") == "="
    play_match(world, table, (x, o), random_action(Random(3)), rules)
    record = decode_json(world.ask(f"record {table} format=json")[2:])
    assert isinstance(record, MatchRecord)
    return record


@pytest.mark.parametrize("rules", ["american", "european", "backgammon"])
@pytest.mark.parametrize("dice", ["dice=fair", "dice=seed:17"])
def test_the_dice_of_a_played_match_are_proven(world: World, rules: str, dice: str) -> None:
    record = played(
        world, f"match=20 {dice}" if rules != "backgammon" else f"match=3 {dice}", rules
    )
    assert len(record.games) >= 2
    verdict = verify_match(record)
    assert verdict.problems == ()
    rolled = sum(
        roll.kind == "rolled" for game in record.games for turn in game.turns for roll in turn.rolls
    )
    throws = sum(len(dict(game.tags)["Opening"].split()) for game in record.games)
    given = len(record.games) if rules == "backgammon" else 0
    assert verdict.rolls == rolled + throws - given
    assert verify_games(record.games) == [verdict]


def refuted(record: MatchRecord) -> str:
    verdict = verify_match(record)
    assert not verdict.proven
    return verdict.problems[0].message


def test_a_record_that_was_changed_is_refuted(world: World) -> None:
    record = played(world, "match=1 dice=fair")
    dice = record.dice
    assert dice is not None
    other = "00" * 32
    assert "SHA-256 is another" in refuted(replace(record, dice=replace(dice, secret=other)))
    assert "SHA-256 is another" in refuted(replace(record, dice=replace(dice, commitment=other)))
    assert "the opening" in refuted(replace(record, dice=replace(dice, x_nonce="00fe")))
    assert "not revealed" in refuted(replace(record, dice=replace(dice, secret="")))
    assert "nothing of its dice" in refuted(replace(record, dice=None))
    game = record.games[0]
    turn = game.turns[2]
    roll = turn.rolls[0]
    changed = "65" if roll.dice != "65" else "64"
    turns = (*game.turns[:2], replace(turn, rolls=(replace(roll, dice=changed),)), *game.turns[3:])
    message = refuted(replace(record, games=(replace(game, turns=turns),)))
    assert message == f"roll 2 of {turn.side}: the record has {changed}, made was {roll.dice}"


def test_dice_by_hand_cannot_be_proven(world: World) -> None:
    table, x, o = world.open("dice=manual")
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    world.ask(f"roll {table} {x} 61")
    world.ask(f"resign {table} {x}")
    record = decode_json(world.ask(f"record {table} format=json")[2:])
    assert isinstance(record, MatchRecord)
    assert "nobody committed" in refuted(record)


def test_nothing_published_before_the_end_has_the_secret(world: World) -> None:
    """The secret is told in the last event and in no reply before it."""
    table, x, o = world.open()
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    stored = world.store.load(table)
    assert stored is not None
    secret = stored.table.secret.hex()
    for request in (f"state {table}", f"history {table}", f"record {table}", "tables", "stats"):
        assert secret not in world.ask(request)
        assert secret not in world.ask(f"{request} format=json")
    world.ask(f"resign {table} {x}")
    assert world.history(table)[-1].endswith(f" secret={secret}")


def test_the_command_proves_and_refutes(world: World, tmp_path: Path) -> None:
    table, x, o = world.open("match=20")
    play_match(world, table, (x, o), random_action(Random(3)))
    text = world.ask(f"record {table}").partition("\n")[2]
    good, bad, document = (tmp_path / name for name in ("good.acey", "bad.acey", "match.json"))
    good.write_text(text + "\n")
    document.write_text(world.ask(f"record {table} format=json")[2:])
    bad.write_text(text.replace('[Secret "', '[Secret "00') + "\n")
    result = acey("verify-dice", str(good), str(document))
    assert (result.returncode, result.stdout.count("proven: ")) == (0, 2)
    result = acey("verify-dice", "--json", str(bad))
    assert result.returncode == 1
    (match,) = json.loads(result.stdout)["matches"]
    assert match["proven"] is False
    assert "SHA-256 is another" in match["problems"][0]["message"]


def test_verdicts_are_by_match(world: World) -> None:
    records = [played(world, "match=1 dice=seed:1"), played(world, "match=1 dice=seed:2")]
    verdicts: list[Verdict] = verify_games(game for record in records for game in record.games)
    assert [verdict.proven for verdict in verdicts] == [True, True]


@pytest.mark.slow
def test_a_million_rolls_look_like_dice() -> None:
    """Chi-square of single dice and of ordered pairs, and a serial test of successive rolls.

    The secret is drawn anew; each limit is passed by chance once in about a thousand million runs.
    """
    stream = StreamDice(secrets.token_bytes(32))
    rolls = [stream.draw(Draw(1, Side.X, number, 0)) for number in range(1, 1_000_001)]
    singles = Counter(die for roll in rolls for die in roll)
    assert chi_square(singles, 6, 2_000_000) < 52  # 5 degrees of freedom
    assert chi_square(Counter(rolls), 36, 1_000_000) < 111  # 35
    # Serial: the second die of a roll and the first of the next, in pairs that do not overlap.
    serial = Counter((rolls[at][1], rolls[at + 1][0]) for at in range(0, 999_999, 2))
    assert chi_square(serial, 36, 500_000) < 111


def chi_square(counts: Counter[int] | Counter[tuple[int, int]], cells: int, total: int) -> float:
    assert counts.total() == total
    assert len(counts) == cells
    expected = total / cells
    return sum((count - expected) ** 2 / expected for count in counts.values())
