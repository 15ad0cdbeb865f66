"""The stateless verbs, in memory and over standard input. spec/protocol.md §5, §1.3."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.support.world import World

from acey_daemon import stdio
from acey_protocol.lines import Limits
from acey_rules import PRESETS, State

START = "--------------------------:15:15:x"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.store.close()


def spoken(text: str | bytes, limits: Limits | None = None) -> list[str]:
    """What ``acey stdio`` replies to a text, reply by reply."""
    sink = io.BytesIO()
    data = text.encode() if isinstance(text, str) else text
    stdio.run(io.BytesIO(data), sink, limits or Limits())
    written = sink.getvalue().decode()
    assert not written or written.endswith("\n\n")
    return written.split("\n\n")[:-1]


def test_the_two_plays_of_the_first_roll(world: World) -> None:
    expected = (
        "=1 2\n"
        "off/19 off/22\t-------------------A--A---:13:15:o:R\n"
        "off/16\t----------------A---------:14:15:o:R"
    )
    assert world.ask(f"1 legal {START}:63") == expected
    assert spoken(f"1 legal {START}:63\n") == [expected]


def test_four_mistakes_have_four_codes(world: World) -> None:
    requests = ["frobnicate", "legal", "legal xyz", 'legal "xyz']
    codes = [world.ask(request).split()[1] for request in requests]
    assert codes == ["unknown-verb", "bad-argument", "bad-position", "syntax"]


def test_what_is_legal_before_a_roll_and_a_name(world: World) -> None:
    rolls = world.ask(f"legal {START}:R").split("\n")
    assert rolls[0] == "= 21"
    assert rolls[1] == f"roll 11\t{START}:11"
    assert rolls[2] == f"roll 21\t{START}:21.N.R"
    assert rolls[21] == f"roll 66\t{START}:66"
    names = world.ask(f"legal {START}:N.R").split("\n")
    assert names == ["= 6", *(f"name {n}\t{START}:{n}{n}.R" for n in range(1, 7))]
    assert world.ask("legal ------------------------a-:0:14:x:-") == "= 0\n"[:-1]


def test_own_numbers_from_either_side(world: World) -> None:
    lines = world.ask("legal --------------------------:15:15:o:63").split("\n")
    assert [line.split("\t")[0] for line in lines[1:]] == ["off/19 off/22", "off/16"]


def test_an_end_on_the_first_die_ends_all(world: World) -> None:
    reply = world.ask("apply aAA---------------------c-:0:3:x:21.N.R play 2/off 1/off")
    assert reply == "= a-----------------------c-:0:3:x:- over x 7"
    named = world.ask("apply ------B-----------------c-:0:0:x:N.R name 6").removeprefix("= ")
    assert named == "------B-----------------c-:0:0:x:66.R"
    assert world.ask(f"apply {named} play 6/off(2)").endswith(":x:- over x 3")


@pytest.mark.parametrize(
    ("request_line", "starts"),
    [
        (f"apply {START}:63 play off/19", "? illegal-play 'off/19' uses one die of 6-3"),
        (f"apply {START}:63 name 6", "? wrong-action X is to play 63"),
        (f"apply {START}:R play off/19", "? wrong-action X is to roll"),
        (f"apply {START}:63 play of/19", "? bad-argument column "),
        (f"apply {START}:63 roll 70", "? bad-argument column "),
        (f"apply {START}:63", "? bad-argument apply needs <action>"),
        (f"apply {START}:63 resign 16", "? illegal-play X can give up 1 to 15 points"),
        (f"apply {START}:12 play -", "? bad-position agenda: "),
        ("apply ------------------------a-:0:14:x:- play -", "? over the game is over"),
        (f"legal {START}:63 rules=chess", "? bad-argument rules: no rule set 'chess'"),
        (f"legal {START}:63 colour=red", "? bad-argument legal takes no argument colour="),
        (f"legal {START}:63 more", "? bad-argument legal takes no argument 'more'"),
        ("ping\npayload", "? bad-argument ping takes no payload"),
        ("help frobnicate", "? bad-argument verb: there is no verb 'frobnicate'"),
        ("validate from=acey\nx", "? bad-argument validate takes no argument from="),
        ("convert from=acey to=stone\n*", "? bad-argument to: there is no format 'stone'"),
        ("convert to=acey\n*", "? bad-argument convert needs from=<format>"),
    ],
)
def test_a_refusal_says_why(world: World, request_line: str, starts: str) -> None:
    assert world.ask(request_line).startswith(starts)


def test_a_custom_rule_set_is_spelled_out(world: World) -> None:
    fields = PRESETS["european"].fields_text()
    expected = world.ask(f"legal {START}:66.11.R rules=european")
    assert expected.startswith("= ")
    assert world.ask(f'legal {START}:66.11.R rules="{fields}"') == expected
    wrong = fields.replace("strict", "never")
    assert world.ask(f'legal {START}:66.11.R rules="{wrong}"') == (
        "? bad-argument rules: forfeit is one of strict, bar-only, first-only, not 'never'"
    )


def test_a_refusal_as_json_carries_what_a_program_needs(world: World) -> None:
    reply = world.ask(f"7 apply {START}:63 play off/19 format=json")
    head, _, text = reply.partition(" {")
    assert head == "?7 illegal-play"
    assert json.loads("{" + text) == {
        "message": "'off/19' uses one die of 6-3; two can be played (spec/rules.md §4)",
        "rule": "more-dice",
        "section": "§4",
        "position": f"{START}:63",
    }
    ways = json.loads(
        world.ask(
            "apply ----aa-----A-B----------b-:0:0:x:61 play 11/4 rules=backgammon format=json"
        ).removeprefix("? illegal-play ")
    )
    assert sorted(ways["ways"]) == ["11/10/4*", "11/5*/4*"]


def test_show_tells_the_pips(world: World) -> None:
    assert world.ask(f"show {START}:R").split("\n")[0] == "= pips x 375 o 375"
    assert world.ask("show --A---------------------b-:0:0:x:R").startswith("= pips x 2 o 2\n")
    assert world.ask("show ------------------------b-:0:0:x:-").startswith("= pips x 0 o 2\n")


RECORD = """[X "alpha"]
[O "beta"]
[Rules "american"]
[Opening "6-3"]

1. X 63: off/19 off/22
1. O 55: off/20(4)
O wins 15 by resignation
"""


def test_a_record_is_judged(world: World) -> None:
    assert world.ask(f"validate\n{RECORD}") == "= games=1 turns=2"
    bad = RECORD.replace("off/19 off/22", "off/18").replace("O wins 15", "O wins 16")
    lines = world.ask(f"validate\n{bad}").split("\n")
    assert lines[0].startswith("? bad-record 6:")
    assert len(lines) > 1
    assert world.ask("validate\n").startswith("? bad-record 1:1 ")
    assert world.ask("validate format=sgf2\n*").startswith("? bad-argument format: ")


def test_a_record_goes_through_json_and_back(world: World) -> None:
    document = world.ask(f"convert from=acey to=json\n{RECORD}").partition("\n")[2]
    assert json.loads(document)["format"] == "acey-game/1"
    assert world.ask(f"validate format=json\n{document}") == '= {"games":1,"turns":2}'
    assert world.ask(f"validate\n{document}") == "= games=1 turns=2"
    assert world.ask(f"convert from=json to=acey\n{document}").partition("\n")[2] + "\n" == (
        world.ask(f"convert from=acey to=acey\n{RECORD}").partition("\n")[2] + "\n"
    )
    assert world.ask(f"validate format=json\n{RECORD}") == '= {"games":1,"turns":2}'


@pytest.mark.parametrize(
    "payload", ["[" * 200_000, '{"format":"acey-game/1","x":' + '{"a":' * 200_000, "{" * 200_000]
)
def test_deep_nesting_ends_nothing(world: World, payload: str) -> None:
    assert world.ask(f"validate format=json\n{payload}").startswith("? bad-record ")
    assert world.ask("ping") == "="


def test_standard_input_has_a_reply_for_every_line() -> None:
    replies = spoken(
        f"1 ping\n\n# no\n3 validate\n{RECORD}.\n\t4  ping \r\nopen\n"
        f"5 convert from=acey to=acey\n{RECORD}.\n6 ping"
    )
    assert [reply.split("\n")[0].split(" ")[0] for reply in replies] == [
        "=1", "?", "?", "=3", "=4", "?", "=5", "=6",
    ]  # fmt: skip
    assert replies[5].startswith("? unsupported open needs a server with tables")
    text = replies[6].partition("\n")[2]
    assert "\n \n" in text
    assert spoken(f"validate\n{text}\n.\n") == ["= games=1 turns=2"]


def test_standard_input_keeps_to_its_limits() -> None:
    limits = Limits(line=40, payload=50)
    replies = spoken(
        "1 ping " + "x" * 100 + "\n2 validate\n" + "y" * 100 + "\nz\n.\n3 ping\n", limits
    )
    assert [reply.split(" ")[:2] for reply in replies] == [
        ["?1", "too-large"],
        ["?2", "too-large"],
        ["=3"],
    ]


def next_moves(
    document: dict[str, object], made: list[tuple[str, str, int]]
) -> set[tuple[str, str, int]]:
    """What a board can highlight after some moves, from the reply alone."""
    step = 0
    steps = document["steps"]
    assert isinstance(steps, list)
    for move in made:
        step = next(
            each["step"] for each in steps[step] if (each["from"], each["to"], each["die"]) == move
        )
    return {(each["from"], each["to"], each["die"]) for each in steps[step]}


def test_a_board_can_be_played_on_from_one_reply(world: World) -> None:
    """Every way through the steps is a legal play of the oracle, and every play is reached."""
    random = Random(8)
    for rules in PRESETS.values():
        state = State.start(rules, (4, 2))
        for _ in range(40):
            if state.outcome is not None:
                break
            if state.dice is not None:
                check_steps(world, state)
            state = state.apply(random.choice(list(state.legal_actions())))


def check_steps(world: World, state: State) -> None:
    name = state.rules.name
    document = json.loads(world.ask(f"legal {state.line} rules={name} format=json")[2:])
    plays = {play["position"] for play in document["plays"]}
    reached: set[str] = set()
    stack: list[tuple[int, list[str]]] = [(0, [])]
    seen = 0
    while stack and seen < 200:
        step, made = stack.pop()
        if not document["steps"][step]:
            seen += 1
            text = " ".join(made) or "-"
            # With its stops written out and in its order the play means just one thing.
            reply = world.ask(f"apply {state.line} play {text} rules={name}")
            if reply.startswith("= "):
                reached.add(reply[2:].split(" ")[0])
            else:
                assert "can be read as" in reply, (state.line, text, reply)
        for each in document["steps"][step]:
            hit = "*" if each["hit"] else ""
            stack.append((each["step"], [*made, f"{each['from']}/{each['to']}{hit}"]))
    assert reached <= plays
    if not stack:
        assert len(reached) == len(plays)
    for play in document["plays"]:
        moves: list[tuple[str, str, int]] = []
        for each in play["moves"]:
            move = (each["from"], each["to"], each["die"])
            assert move in next_moves(document, moves)
            moves.append(move)
        assert next_moves(document, moves) == set()
