"""What is told is stored, and what is refused changes nothing. spec/protocol.md §3."""

from pathlib import Path
from random import Random

import pytest
from tests.support.world import World

from acey_rules import AMERICAN, State

SEATS = "xo"


class Table:
    """A table, its tokens, and what anybody is told of it."""

    def __init__(self, world: World, options: str) -> None:
        self.world = world
        self.name, *tokens = world.open(options)
        self.tokens = dict(zip(SEATS, tokens, strict=True))

    def told(self) -> tuple[str, str, str]:
        """Everything anybody may ask of it."""
        return (
            self.world.ask(f"state {self.name}"),
            self.world.ask(f"history {self.name} from=1"),
            self.world.ask(f"record {self.name} format=json"),
        )

    def position(self) -> State | None:
        """The position of its game, if there is one."""
        line = self.told()[0].split()[2]
        return None if line == "-" else State.parse(line, AMERICAN)


def plays(table: Table, random: Random) -> str:
    """A play that is legal now, if any is, or one that may not be."""
    state = table.position()
    if state is not None and state.dice is not None and random.random() < 0.8:
        return random.choice(state.legal_plays()).text
    return random.choice(("-", "off/19", "24/18", "6/off", "bar/22 off/19"))


VERBS = {
    "await": 6, "play": 20, "name": 4, "roll": 8, "resign": 1, "leave": 0.2, "nonce": 2,
}  # fmt: skip
"""What a seat can do, and how often it is tried."""


def request(table: Table, random: Random) -> str:
    """Something that one of the seats asks for, sensible or not."""
    (verb,) = random.choices(list(VERBS), list(VERBS.values()))
    what = {
        "await": "timeout=0",
        "play": plays(table, random),
        "name": str(random.randint(0, 7)),
        "roll": f"{random.randint(1, 7)}{random.randint(1, 6)}",
        "nonce": random.choice(("00", "ff")),
    }.get(verb, "")
    with_ply = ply(table, random) if verb in ("play", "name", "roll", "resign") else ""
    return f"{verb} {table.name} {table.tokens[random.choice(SEATS)]} {what}{with_ply}"


def ply(table: Table, random: Random) -> str:
    """A ply, mostly the next one."""
    if random.random() < 0.4:
        return ""
    following = int(table.told()[0].split(" ply=")[1].split()[0])
    return f" ply={max(1, following - random.choice((0, 0, 0, 1, 2, -1)))}"


@pytest.mark.parametrize("seed", range(4))
def test_a_refusal_changes_nothing_and_what_was_told_survives(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    world = World(tmp_path, seed)
    kinds = ("dice=fair match=3", "dice=manual match=3", "dice=seed:3 clock=2+1", "dice=manual")
    refusals = done = 0
    for kind in kinds * 2:
        table = Table(world, kind)
        before = table.told()
        for _ in range(60):
            asked = request(table, random)
            reply = world.ask(asked)
            told = table.told()
            assert not reply.startswith("? internal"), asked
            if reply.startswith("?"):
                refusals += 1
                assert told == before, (asked, reply)
            else:
                done += 1
            world.restart()
            before = table.told()
            assert before[1:] == told[1:], (asked, reply)
            assert before[0].split(" clock=")[0] == told[0].split(" clock=")[0], (asked, reply)
            if "clock" in kind and random.random() < 0.2:
                world.wait(random.random())
                before = table.told()
    world.store.close()
    assert refusals > 50
    assert done > 50


@pytest.mark.parametrize("verb", ["play", "name", "roll", "resign"])
def test_a_seat_is_not_taken_by_what_is_refused(tmp_path: Path, verb: str) -> None:
    world = World(tmp_path)
    for options in ("clock=60+5", "dice=manual clock=60+5"):
        table = Table(world, options)
        before = table.told()
        word = {"play": " off/19", "name": " 6", "roll": " 61", "resign": ""}[verb]
        for seat in SEATS:
            reply = world.ask(f"{verb} {table.name} {table.tokens[seat]}{word}")
            assert reply.split()[1] in ("not-your-turn", "wrong-action")
            assert table.told() == before
    world.store.close()
