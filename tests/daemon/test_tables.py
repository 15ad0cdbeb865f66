"""Tables: seats, actions sent again, manual and scripted dice, the end. spec/protocol.md §6."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from jsonschema import Draft202012Validator
from tests.support.world import ALPHA, BETA, World, play_match, random_action

from acey_protocol.verbs import VERBS
from acey_rules import AMERICAN, State

SCHEMAS = Path(__file__).parents[2] / "spec" / "schema"
START = "--------------------------:15:15:x"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    folder = tmp_path / "dice"
    folder.mkdir()
    (folder / "short").write_text("42 63 54 # the opening and one roll each\n")
    world = World(tmp_path, dice_dir=str(folder))
    yield world
    world.store.close()


def seated(world: World, options: str = "") -> tuple[str, str, str]:
    """A table whose seats are taken: its name and the tokens of X and of O."""
    table, x, o = world.open(options)
    for token in (x, o):
        world.ask(f"await {table} {token} timeout=0")
    return table, x, o


def manual(world: World, *rolls: str) -> tuple[str, str, str]:
    """A table with dice by hand, after the opening 6-1: X is to roll."""
    table, x, o = seated(world, "dice=manual")
    for roll in ("61", *rolls):
        assert world.ask(f"roll {table} {x} {roll}").startswith("= ")
    return table, x, o


def test_open_hands_out_what_the_seats_need(world: World) -> None:
    reply = world.ask('open x="alpha the first" o=beta match=7 clock=120+8')
    found = re.fullmatch(
        r"= ([0-9a-z]{8}) x=([0-9a-f]{32}) o=([0-9a-f]{32}) commitment=([0-9a-f]{64})", reply
    )
    assert found is not None
    state = json.loads(world.ask(f"state {found[1]} format=json")[2:])
    assert (state["x"], state["o"], state["match"]) == ("alpha the first", "beta", 7)
    assert state["status"] == "waiting"
    listed = world.ask("tables open").split("\n")
    assert listed == [
        "= 1",
        f'{found[1]} waiting rules=american x="alpha the first" o=beta match=7 score=0-0',
    ]
    assert found[2] not in world.ask(f"history {found[1]}")


def test_await_waits_for_the_other_seat_and_then_its_turn(world: World) -> None:
    table, x, o = world.open("dice=seed:1")
    assert world.send(f"1 await {table} {x} timeout=5") == []
    assert world.wait(4.9) == []
    assert world.wait(0.2) == ["=1 wait"]
    world.send(f"2 await {table} {x} timeout=50")
    replies = world.send(f"3 await {table} {o} timeout=50", connection=BETA)
    starter = world.ask(f"state {table}").split()[2].split(":")[3]
    mine = [reply for to, reply in world.replies if to == ALPHA and reply.startswith("=2")]
    if starter == "x":
        assert (mine[0].split()[1], replies) == ("play", [])
    else:
        assert (mine, replies[0].split()[1]) == ([], "play")


def test_an_action_sent_again_has_the_same_reply_and_happens_once(world: World) -> None:
    table, x, _ = manual(world, "63")
    ply = 3
    line = f"play {table} {x} off/22 off/19 ply={ply}"
    first = world.ask(line)
    assert first == "= 3 -------------------A--A---:13:15:o:R"
    assert world.ask(line) == first
    assert world.ask(f"play {table} {x} off/19 off/22 ply={ply}") == first
    other = world.ask(f"play {table} {x} off/16 ply={ply}")
    assert other == "? stale-ply ply 3 is past: X did 'play off/19 off/22'"
    assert world.ask(f"play {table} {x} off/16 ply=9") == (
        "? stale-ply ply 9 has not come; ply 4 is next"
    )
    assert [event for event in world.history(table) if event.startswith("played")] == [
        "played x off/19 off/22 -------------------A--A---:13:15:o:R"
    ]
    world.restart()
    assert world.ask(line) == first
    assert world.ask(f"play {table} {x} off/16 ply={ply}") == other


def test_every_kind_of_action_can_be_sent_again(world: World) -> None:
    table, x, o = world.open("dice=manual")
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    script = [
        (f"roll {table} {x} 33 ply=1", f"= 1 {START}:R"),
        (f"roll {table} {x} 61 ply=2", f"= 2 {START}:R"),
        (f"roll {table} {x} 12 ply=3", f"= 3 {START}:21.N.R"),
        (
            f"play {table} {x} off/23 off/24 ply=4",
            "= 4 -----------------------AA-:13:15:x:N.R",
        ),
        (f"name {table} {x} 6 ply=5", "= 5 -----------------------AA-:13:15:x:66.R"),
        (
            f"resign {table} {o} ply=6",
            "= 6 -----------------------AA-:13:15:x:66.R over x 15 by resignation",
        ),
    ]
    for request, reply in script:
        assert world.ask(request) == reply
        assert world.ask(request) == reply
    world.restart()
    for request, reply in script:
        assert world.ask(request) == reply
    assert world.ask(f"roll {table} {x} 21 ply=3") == script[2][1]
    assert world.ask(f"roll {table} {x} 22 ply=3").startswith("? stale-ply ply 3 is past")
    assert world.ask(f"name {table} {x} 5 ply=5") == "? stale-ply ply 5 is past: X did 'name 6'"
    assert world.ask(f"name {table} {o} 6 ply=5").startswith("? stale-ply")
    assert sum(event.startswith("rolled") for event in world.history(table)) == 1


def test_what_each_seat_may_not_do(world: World) -> None:
    table, x, o = manual(world, "63")
    wrong = "0" * 32
    cases = {
        f"play {table} {o} off/19 off/22": "not-your-turn",
        f"name {table} {x} 6": "wrong-action",
        f"roll {table} {x} 63": "wrong-action",
        f"play {table} {x} off/19": "illegal-play",
        f"play {table} {x} off/nineteen": "bad-argument",
        f"play {table} {wrong} off/19 off/22": "bad-token",
        f"play {table}x {x} off/19 off/22": "no-such-table",
        f"state {wrong}": "no-such-table",
        f"name {table} {x} 7": "bad-argument",
        f"nonce {table} {x} 00": "wrong-action",
        f"record {table} format=mat2": "bad-argument",
    }
    before = world.ask(f"state {table}")
    for request, code in cases.items():
        assert world.ask(request).split()[1] == code, request
    assert world.ask(f"state {table}") == before


def test_nothing_asks_for_new_dice(world: World) -> None:
    """After a bad play, a question, a new connection and a restart the dice are the same."""
    table, x, o = seated(world)
    state = world.ask(f"state {table}")
    line = state.split()[2]
    token = x if line.split(":")[3] == "x" else o
    assert world.ask(f"play {table} {token} 24/23/22/21").startswith("? illegal-play")
    assert world.ask(f"state {table}") == state
    asked = world.ask(f"await {table} {token} timeout=0", BETA)
    assert asked.split()[3] == line
    world.restart()
    assert world.ask(f"state {table}") == state
    assert world.ask(f"await {table} {token} timeout=0") == asked


def test_passing_is_the_tables_own_affair(world: World) -> None:
    """Over many games: whoever awaits is never asked for a roll without a play."""
    for seed in range(3):
        table, x, o = world.open(f"dice=seed:{seed}")
        play_match(world, table, (x, o), random_action(Random(seed)))
        passed = [event for event in world.history(table) if re.match(r"played . - ", event)]
        assert passed
        assert all(event.split()[3].split(":")[4] in ("R",) for event in passed)


def test_after_the_end_everything_is_over(world: World) -> None:
    table, x, o = manual(world, "63")
    over = world.ask(f"resign {table} {o}").split(" over ")[1]
    assert over == "x 15 by resignation"
    for token in (x, o):
        assert world.ask(f"await {table} {token}") == "= over x 15 by resignation"
        assert world.ask(f"await {table} {token} timeout=0") == "= over x 15 by resignation"
        for action in ("play off/19 off/22", "name 6", "roll 63", "resign", "leave"):
            verb, _, rest = action.partition(" ")
            reply = world.ask(f"{verb} {table} {token} {rest}")
            assert reply.startswith("? over the match is over: over x 15 by resignation")
    assert world.history(table)[-1] == "match x 15-0"
    assert world.ask("tables open") == "= 0"
    assert world.ask("tables over").split("\n")[0] == "= 1"


def test_leaving_forfeits_the_match_even_before_it_began(world: World) -> None:
    table, x, o = world.open("match=7")
    reply = world.ask(f"leave {table} {o}")
    assert reply == f"= 1 {START}:R over x 15 by forfeit score=15-0"
    assert world.ask(f"leave {table} {o}") == reply
    assert world.ask(f"await {table} {x} timeout=0") == "= over x 15 by forfeit score=15-0"
    record = world.ask(f"record {table}")
    assert record.endswith("\n\nX wins 15 by forfeit")
    assert world.ask("validate\n" + record.partition("\n")[2]).startswith("= games=1 turns=0")


def test_a_match_goes_on_until_it_is_won(world: World) -> None:
    table, x, o = seated(world, "match=40 dice=seed:7")
    for loser in (o, x, o):
        assert " by resignation score=" in world.ask(f"resign {table} {loser}")
    assert world.ask(f"await {table} {x} timeout=0").split()[1] in ("play", "wait")
    world.ask(f"resign {table} {o}")
    assert world.ask(f"await {table} {x}") == "= over x 15 by resignation score=45-15"
    games = [event for event in world.history(table) if event.startswith("game ")]
    assert [event.split()[1:3] for event in games] == [
        ["1", "0-0"],
        ["2", "15-0"],
        ["3", "15-15"],
        ["4", "30-15"],
    ]
    assert world.history(table)[-1].startswith("match x 45-15")


def test_scripted_dice_come_from_their_folder_alone(world: World) -> None:
    table, _, _ = seated(world, "dice=file:short")
    history = world.history(table)
    assert "opening 42" in history
    assert any(event.startswith("rolled x 63 ") for event in history)
    for name in ("file:../store.sqlite", "file:.hidden", "file:", "file:a/b"):
        assert world.ask(f"open dice={name}").startswith("? bad-argument dice: "), name
    assert (
        world.ask("open dice=file:missing") == "? bad-argument dice: there is no script 'missing'"
    )


def test_a_link_out_of_the_folder_is_no_script(world: World, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("66 66")
    (tmp_path / "dice" / "link").symlink_to(tmp_path / "outside")
    assert world.ask("open dice=file:link") == "? bad-argument dice: there is no script 'link'"


def test_when_the_script_ends_the_table_stops(world: World) -> None:
    table, x, o = seated(world, "dice=file:short")
    for token in (x, o):
        play = world.ask(f"legal {world.ask(f'state {table}').split()[2]}").split("\n")[1]
        reply = world.ask(f"play {table} {token} {play.split(chr(9))[0]}")
        assert reply.startswith("= ")
    stopped = "the table has stopped: the script of dice has 3 rolls, and no other comes"
    assert world.ask(f"await {table} {x}") == f"? over {stopped}"
    assert world.ask(f"play {table} {x} -") == f"? over {stopped}"
    assert (
        world.history(table)[-1] == 'stopped "the script of dice has 3 rolls, and no other comes"'
    )
    world.restart()
    assert world.ask(f"await {table} {x}") == f"? over {stopped}"
    assert world.ask(f"record {table}").rstrip().endswith("*")


def test_without_a_folder_there_are_no_scripts(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.ask("open dice=file:short").startswith("? unsupported ")
    world.store.close()


def test_nonces_come_before_the_seat_and_once(world: World) -> None:
    table, x, o = world.open()
    assert world.ask(f"nonce {table} {x} 00FF") == "="
    assert world.ask(f"nonce {table} {x} 00ff") == "="
    assert world.ask(f"nonce {table} {x} 01").startswith("? wrong-action X has given another")
    world.ask(f"await {table} {o} timeout=0")
    assert world.ask(f"nonce {table} {o} 02").startswith("? wrong-action a nonce comes before")
    assert "nonce x 00ff" in world.history(table)
    seed, token, _ = world.open("dice=seed:1")
    assert world.ask(f"nonce {seed} {token} 00").startswith("? wrong-action dice=seed:1 takes no")


def test_two_seekers_of_the_same_meet(world: World) -> None:
    assert world.send("1 seek name=alpha match=3 timeout=10") == []
    assert world.send("2 seek name=gamma match=5 timeout=10", connection=BETA) == []
    (reply,) = world.send("3 seek name=beta match=3", connection=BETA)
    found = re.fullmatch(r"=3 ([0-9a-z]{8}) ([xo]) ([0-9a-f]{32})", reply)
    assert found is not None
    (first,) = [text for to, text in world.replies if to == ALPHA and text.startswith("=1")]
    other = re.fullmatch(r"=1 ([0-9a-z]{8}) ([xo]) ([0-9a-f]{32})", first)
    assert other is not None
    assert other[1] == found[1]
    assert {other[2], found[2]} == {"x", "o"}
    state = json.loads(world.ask(f"state {found[1]} format=json")[2:])
    assert {state["x"], state["o"]} == {"alpha", "beta"}
    assert state[found[2]] == "beta"
    assert world.ask(f"await {found[1]} {found[3]} timeout=0") == "= wait"
    assert world.wait(11, BETA) == ["=2 wait"]
    assert world.ask("seek name=alpha timeout=0") == "= wait"


def test_the_same_seeds_have_the_same_dice_whoever_plays(world: World) -> None:
    rolls: list[list[str]] = []
    for seed in (1, 2):
        table, x, o = world.open("dice=seed:99")
        play_match(world, table, (x, o), random_action(Random(seed)))
        history = world.history(table)
        rolls.append([event.split()[2] for event in history if event.startswith("rolled x")])
    shortest = min(map(len, rolls))
    assert shortest > 20
    assert rolls[0][:shortest] == rolls[1][:shortest]


def test_history_is_given_from_where_it_is_asked(world: World) -> None:
    table, x, o = world.open("dice=seed:3")
    play_match(world, table, (x, o), random_action(Random(4)))
    lines = world.ask(f"history {table}").split("\n")
    last = len(lines) - 1
    assert lines[0] == f"= {last} next={last + 1}"
    assert world.ask(f"history {table} from={last}").split("\n") == [
        f"= 1 next={last + 1}",
        lines[-1],
    ]
    assert world.ask(f"history {table} from={last + 5}") == f"= 0 next={last + 5}"
    published = [line for topic, line in world.events if topic == f"table.{table}"]
    assert published == lines[1:]


def test_every_json_reply_is_what_its_schema_says(world: World) -> None:
    table, x, o = world.open("dice=seed:5 clock=60+5 match=3")
    moves = play_schema_game(world, table, x, o)
    requests = {
        "hello": ["hello"],
        "ping": ["ping"],
        "help": ["help", "help play"],
        "legal": [f"legal {START}:{stage}" for stage in ("63", "R", "N.R")]
        + ["legal ------------------------a-:0:14:x:-"],
        "apply": [f"apply {START}:63 play off/16", f"apply {START}:63 resign"],
        "show": [f"show {START}:63"],
        "open": ["open", "open dice=manual"],
        "seek": ["seek name=a timeout=0"],
        "nonce": [],
        "await": [f"await {table} {x}"],
        "state": [f"state {table}"],
        "history": [f"history {table}"],
        "record": [f"record {table}"],
        "tables": ["tables", "tables over"],
        "stats": ["stats"],
        **moves,
    }
    record = world.ask(f"record {table}").partition("\n")[2]
    requests["validate"] = []
    for verb, lines in requests.items():
        schema = json.loads((SCHEMAS / f"{verb}.json").read_text())
        for line in lines:
            reply = line if line.startswith("=") else world.ask(f"{line} format=json")
            assert reply.startswith("= {"), reply
            Draft202012Validator(schema).validate(json.loads(reply[2:]))
    for line in (
        f"validate format=json\n{record}",
        f"convert from=acey to=json format=json\n{record}",
    ):
        reply = world.ask(line)
        schema = json.loads((SCHEMAS / f"{line.split()[0]}.json").read_text())
        Draft202012Validator(schema).validate(json.loads(reply[2:]))
    assert set(requests) | {"convert"} == set(VERBS)


def play_schema_game(world: World, table: str, x: str, o: str) -> dict[str, list[str]]:
    """Play the table to its end; the JSON replies to actions by verb."""
    replies: dict[str, list[str]] = {
        verb: [] for verb in ("play", "name", "roll", "resign", "leave")
    }
    choose = random_action(Random(1))
    over = False
    while not over:
        for token in (x, o):
            asked = json.loads(world.ask(f"await {table} {token} timeout=0 format=json")[2:])
            over = over or asked["due"] == "over"
            if asked["due"] in ("play", "name"):
                verb, _, rest = choose(State.parse(asked["position"], AMERICAN)).partition(" ")
                reply = world.ask(f"{verb} {table} {token} {rest} format=json")
                replies[verb].append(reply)
    by_hand, x, o = world.open("dice=manual")
    world.send(f"await {by_hand} {x} timeout=0", f"await {by_hand} {o} timeout=0")
    replies["roll"].append(world.ask(f"roll {by_hand} {x} 61 format=json"))
    replies["resign"].append(world.ask(f"resign {by_hand} {x} format=json"))
    third, x, _ = world.open()
    replies["leave"].append(world.ask(f"leave {third} {x} format=json"))
    return replies


def test_timers_of_those_who_were_answered_are_forgotten(tmp_path: Path) -> None:
    world = World(tmp_path, requests_per_second=0)
    table, x, o = world.open("dice=manual match=999 rules=dice-board")
    world.send(f"await {table} {x} timeout=0", f"await {table} {o} timeout=0")
    world.ask(f"roll {table} {x} 61")
    for _ in range(700):
        # O waits for an hour, and is answered as soon as X has rolled and played.
        assert world.ask(f"resign {table} {x}").startswith("= ")
        for _ in range(2):
            assert world.send(f"await {table} {o} timeout=3600", connection=BETA) == []
        assert world.ask(f"roll {table} {x} 16").startswith("= ")
    assert len(world.service._timers) <= 1000
    assert world.ask(f"await {table} {o} timeout=0").startswith("= roll ")
    world.store.close()
