"""Validation: each fault once, at its place, with what is right. spec/notation.md §7."""

import random
import re
from pathlib import Path

import pytest
from tests.support.recorded import random_game

from acey_grammar import (
    FileComment,
    GameRecord,
    RecordError,
    RollRecord,
    TurnRecord,
    Validation,
    canonical,
    parse_game,
    parse_games,
    read_games,
    validate,
    write_game,
)
from acey_rules import AMERICAN, BACKGAMMON, DICE_BOARD, PRESETS, RuleSet

HAND_BROKEN = Path(__file__).parent.parent / "data" / "acey" / "hand-broken.acey"
HOME = "------B-----------------c-:0:0:x:R"


def test_a_hand_broken_file_gives_one_fault_for_each_break() -> None:
    found: dict[str, list[str]] = {}
    for game in read_games(HAND_BROKEN):
        faults = validate(game).faults
        assert all(fault.file == str(HAND_BROKEN) for fault in game.faults)
        found[game.record.tag("Event") or ""] = [
            f"{fault.line}:{fault.column} {fault.kind}: {fault.message}" for fault in faults
        ]
    assert found == {
        "sound": [],
        "wrong dice": ["17:25 dice: the complement is due: ~66:; found '~65:'"],
        "illegal play": [
            "26:10 illegal-play: '6/3' uses one die of 3-1; two can be played",
        ],
        "missing bonus roll": [
            "37:27 missing-roll: the turn of X ends here, but another roll is due",
        ],
        "play after the end": [
            "48:1 after-end: the game is over, X has won 3; another turn follows",
        ],
        "wrong result": ["58:1 result: the result is 'X wins 3'; found 'X wins 2'"],
        "bad tag": ["61:10 syntax: expected the closing quote: \"; found ']'"],
        "truncated line": [
            "76:12 cut-off: expected a point 1-24 or 'off'; found 'of'; "
            "the text ends in this line, the rest is missing",
        ],
    }


def game(body: str, rules: str = "american", **tags: str) -> GameRecord:
    lines = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return parse_game(f'[X "alpha"]\n[O "beta"]\n[Rules "{rules}"]\n{lines}\n{body}\n')


def judged(body: str, rules: str = "american", **tags: str) -> Validation:
    lines = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    text = f'[X "alpha"]\n[O "beta"]\n[Rules "{rules}"]\n{lines}\n{body}\n'
    (read,) = parse_games(text)
    return validate(read)


def lines_of(validation: Validation) -> list[str]:
    return [f"{f.line}:{f.column} {f.kind}: {f.message}" for f in validation.faults]


BODIES: dict[str, list[str]] = {
    "1. X 21: 6/4 6/5, =66: 5/off 4/off\nX wins 3": [],
    "1. X 31: 6/3 6/5\nO wins 2 by resignation": [],
    "1. X 31: 6/3 6/5\nX wins 3 on time": [],
    "1. X 21: 6/4 6/5\nO wins 1 by forfeit": [],
    "1. X 21: 6/4 6/5\n*": [],
    "*": [],
    "1. X 21: 6/4 6/5, =66: 5/off 4/off\nO wins 3": [
        "7:1 result: the result is 'X wins 3'; found 'O wins 3'"
    ],
    "1. X 21: 6/4 6/5, =66: 5/off 4/off\nX wins 3 on time": [
        "7:1 result: the result is 'X wins 3'; found 'X wins 3 on time'"
    ],
    "1. X 21: 6/4 6/5, =66: 5/off 4/off\n*": ["7:1 result: the result is 'X wins 3'; found '*'"],
    "1. X 31: 6/3 6/5\nX wins 3": [
        "7:1 result: X has not borne off all checkers; an open game ends in '*'; found 'X wins 3'"
    ],
    "1. X 31: 6/3 6/5\nO wins 3 by resignation": [
        "7:1 result: X can give up 1 to 2 points here, not 3; found 'O wins 3 by resignation'"
    ],
    "1. X 21: 6/4 6/5, =66: 5/off 4/off, 31: -\nX wins 3": [
        "6:37 after-end: the game is over, X has won 3; another roll follows"
    ],
    "1. X 21: 6/4 6/5\n1. O 66: 1/off(3)\nO wins 2": [
        "6:17 missing-name: the turn of X ends here, but a double is to be named"
    ],
    "1. X 21: 6/4 6/5, 54: 5/off 4/off\nX wins 3": [
        "6:19 missing-name: a double is to be named before it; found '54:'"
    ],
    "1. X 21: 6/4 6/5, 11: 5/1, 66: 4/off 1/off\nX wins 3": [
        "6:19 roll-kind: the double is named, written =11:; found '11:'"
    ],
    "1. X 21: 6/4 6/5, =62: 5/off 4/off\nX wins 3": [
        "6:19 dice: a double is named, as =66:; found '=62:'"
    ],
    "1. X =21: 6/4 6/5, =66: 5/off 4/off\nX wins 3": [
        "6:6 roll-kind: a roll is due, written 21:; found '=21:'"
    ],
    "1. X 31: 6/3 6/5, =66: 5/off 3/off\nX wins 3": [
        "6:19 extra-roll: the turn of X is over here; 31: earns no other roll"
    ],
    "1. X 31: 6/3 6/5, 11: 5/4, 66: 4/off 3/off\nX wins 3": [
        "6:19 extra-roll: the turn of X is over here; 31: earns no other roll"
    ],
    "1. X 31: 6/3 6/5*\n*": ["6:10 hit-mark: '6/3 6/5*' marks a hit on 5; nothing is hit"],
    "1. X 31: 8/5\n1. O 31: 1/off(2)\nO wins 15": [
        "6:10 illegal-play: '8/5': no checker of the mover is on 8; "
        "the moves cannot be made, the replay stops here"
    ],
    "1. O 31: 1/off(2)\n*": ["6:1 side: it is the turn of X, not of O"],
    "1. X 31: 6/3 6/5\n2. X 66: 5/off 3/off\nX wins 3": ["7:1 side: it is the turn of O, not of X"],
}


@pytest.mark.parametrize("body", BODIES)
def test_each_fault_is_told_once(body: str) -> None:
    assert lines_of(judged(body, Position=HOME)) == BODIES[body]


def test_a_forfeited_turn_goes_no_further() -> None:
    """Worked example 4: on the bar, only the 1 enters; the naming is lost."""
    body = "1. X 21: bar/24, =66: bar/19\n*"
    position = "-A---------------------b-B:0:0:x:R"
    assert lines_of(judged(body, Position=position)) == [
        "6:18 extra-roll: the turn of X is over here; '21: bar/24' forfeits the rest of it"
    ]
    assert lines_of(judged(body.partition(",")[0] + "\n*", Position=position)) == []


def test_a_complement_is_due_under_european_rules() -> None:
    def european(body: str) -> list[str]:
        return lines_of(judged(body, "european", Position=HOME))

    won = "1. X 11: 6/5(2) 5/4(2), ~66: -"
    assert european(f"{won}\n*") == []
    assert european("1. X 11: 6/5(2) 5/4(2), 66: -\n*") == [
        "6:25 roll-kind: the complement is due, written ~66:; found '66:'"
    ]
    assert european("1. X 11: 6/5(2) 5/4(2), 63: 4/1\n*") == [
        "6:25 missing-complement: the complement ~66: is due before it; found '63:'"
    ]
    assert european("1. X 11: 6/5(2) 5/4(2)\n1. O 61: 1/off\n*") == [
        "6:23 missing-complement: the turn of X ends here, but the complement ~66 is due"
    ]


def test_an_illegal_play_tells_all_that_helps() -> None:
    (fault,) = judged("1. X 31: 6/3\n*", Position=HOME).faults
    assert fault.rule == "spec/rules.md §4"
    assert fault.position == "------B-----------------c-:0:0:x:31"
    assert fault.found == "6/3"
    assert fault.legal == 2
    assert fault.alternatives == ("6/3 6/5", "6/2")
    assert fault.turn == 1


def test_no_more_than_five_alternatives_are_offered() -> None:
    (fault,) = judged("1. X 65: off/5\n*", Opening="6-1").faults
    assert (fault.legal, len(fault.alternatives)) == (2, 2)
    (fault,) = judged("1. X 55: off/1\n*", Opening="6-1").faults
    assert (fault.legal, len(fault.alternatives)) == (5, 5)
    state = judged("1. X 61: 13/5\n*", "backgammon", Opening="6-1")
    assert (state.faults[0].legal, len(state.faults[0].alternatives)) == (10, 5)


# --- opening ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "expected"),
    [
        ("6-1", []),
        ("3-3 4-2", []),
        ("2-4", ["6:1 opening: the opening dice let O start, not X"]),
        ("4-2 3-3", ["4:1 opening: 4-2 decides who starts; only ties are rolled again"]),
        ("3-3", ["4:1 opening: 3-3 is a tie; nobody starts"]),
        ("7-1", ["4:1 tag: '7-1' are no opening dice; they are X's and O's as 3-3 4-2"]),
    ],
)
def test_the_opening_dice_decide_who_starts(opening: str, expected: list[str]) -> None:
    assert lines_of(judged("1. X 63: off/19 off/22\n*", Opening=opening)) == expected


def test_backgammon_plays_the_opening_dice() -> None:
    def backgammon(body: str, **tags: str) -> list[str]:
        return lines_of(judged(body, "backgammon", **tags))

    assert backgammon("1. X 61: 13/7 8/7\n*", Opening="6-1") == []
    assert backgammon("1. X 61: 13/7 8/7\n*") == []
    assert backgammon("1. O 61: 13/7 8/7\n*", Opening="1-6") == []
    assert backgammon("*") == []
    assert backgammon("1. X 31: 8/5 6/5\n*", Opening="6-1") == [
        "6:6 dice: the opening dice are to be played: 61:; found '31:'"
    ]
    assert backgammon("1. X 66: 13/7(2) 24/18(2)\n*") == [
        "5:6 opening: the opening dice are played first, and 6-6 is a tie"
    ]


def test_a_position_may_have_dice_to_play() -> None:
    position = "------B-----------------c-:0:0:x:66"
    assert lines_of(judged("1. X 66: 6/off(2)\nX wins 3", Position=position)) == []
    assert lines_of(judged("1. X =66: 6/off(2)\nX wins 3", Position=position)) == []
    assert lines_of(judged("1. X 65: 6/off(2)\nX wins 3", Position=position)) == [
        "6:6 dice: the position has dice to play: 66:; found '65:'"
    ]


# --- tags -------------------------------------------------------------------------------------


def test_missing_tags_are_told() -> None:
    validation = validate(parse_game('[Event "x"]\n*\n'))
    assert [fault.message for fault in validation.faults] == [
        'the tag [X "..."] is missing',
        'the tag [O "..."] is missing',
        'the tag [Rules "..."] is missing',
    ]
    assert validation.state is None


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("Rules", "american", ["3:1 tag: the tag Rules is given 2 times"]),
        ("Match", "7", []),
        ("Match", "0", []),
        (
            "Match",
            "seven",
            ["4:1 tag: 'seven' is no match length; it is a number, 0 for money"],
        ),
        ("Score", "3-2", []),
        ("Score", "3:2", ["4:1 tag: '3:2' is no score; it is X's and O's points as 3-2"]),
        (
            "Position",
            "xyz",
            ["4:1 tag: no position: fields: a position line has 5 fields separated by ':', not 1"],
        ),
        ("Match", "", ["4:1 tag: '' is no match length; it is a number, 0 for money"]),
        ("RuleSet", AMERICAN.fields_text(), []),
        (
            "RuleSet",
            DICE_BOARD.fields_text(),
            ["4:1 tag: the rules are american, these are others; rules with fields are custom"],
        ),
        ("RuleSet", "setup", ["4:1 tag: no rule set 'setup'; there are " + ", ".join(PRESETS)]),
        ("Site", "anything", []),
    ],
)
def test_tags_are_checked(name: str, value: str, expected: list[str]) -> None:
    assert lines_of(judged("*", **{name: value})) == expected


def test_a_score_that_ends_the_match_is_a_fault() -> None:
    assert lines_of(judged("*", Match="3", Score="3-2")) == [
        "5:1 score: at 3-2 X has won the match to 3"
    ]


def test_rules_that_do_not_exist() -> None:
    assert lines_of(judged("*", "klingon")) == [
        "3:1 tag: no rule set 'klingon'; there are american, dice-board, european, bgammon, "
        "backgammon"
    ]
    assert lines_of(judged("*", "custom")) == [
        '3:1 tag: the rules are custom; the tag [RuleSet "..."] is missing'
    ]
    assert lines_of(judged("*", "custom", RuleSet="setup=empty")) == [
        "4:1 tag: the rule set lacks opening, overshoot, acey_bonus, complement, doubles_reroll, "
        "forfeit, scoring"
    ]


def test_custom_rules_are_played_by() -> None:
    fields = AMERICAN.fields_text().replace("scoring=per-checker", "scoring=single")
    body = "1. X 66: 6/off(2)\nX wins 1"
    validation = judged(body, "custom", RuleSet=fields, Position=HOME)
    assert validation.faults == ()
    assert validation.rules is not None
    assert (validation.rules.name, validation.rules.scoring) == ("custom", "single")


def test_rules_can_be_overridden() -> None:
    record = game("1. X 66: 6/off(2)\nX wins 1", "klingon", Position=HOME)
    assert validate(record, DICE_BOARD).faults == ()
    assert [fault.kind for fault in validate(record, AMERICAN).faults] == ["result"]


# --- records without a text -------------------------------------------------------------------


def test_faults_of_a_record_name_the_turn() -> None:
    (fault,) = validate(game("1. X 31: 6/3\n*", Position=HOME)).faults
    assert (fault.line, fault.column, fault.turn) == (0, 0, 1)
    told = "'6/3' uses one die of 3-1; two can be played - at `$.turns[0].rolls[0]`"
    assert str(fault) == f"turn 1 {told}"
    (fault,) = validate(game("1. X 31: 6/3 6/5\nX wins 1", Position=HOME)).faults
    assert fault.message.endswith("found 'X wins 1' - at `$.result`")


# --- canonical records ------------------------------------------------------------------------


def test_a_canonical_record_has_canonical_plays() -> None:
    record = game(
        "1. X 16: 8/7 13/7\n1. O 33: 8/5 8/5 6/3 6/3\n2. X 31: 24/23 24/21 !\n*",
        "backgammon",
        Opening="6-1",
    )
    assert [roll.play for turn in canonical(record).turns for roll in turn.rolls] == [
        "13/7 8/7",
        "8/5(2) 6/3(2)",
        "24/21 24/23",
    ]
    assert canonical(record).turns[0].rolls[0].dice == "61"
    assert canonical(record).turns[2].glyph == "!"
    assert canonical(canonical(record)) == canonical(record)
    assert validate(canonical(record), BACKGAMMON).faults == ()


def test_what_is_not_legal_stays_as_it_is_in_a_canonical_record() -> None:
    record = game("1. X 31: 6/3\n1. O 13: 1/off 1/off\n*", Position=HOME)
    assert [turn.rolls[0].play for turn in canonical(record).turns] == ["6/3", "1/off(2)"]
    assert canonical(game("*", "klingon")) == game("*", "klingon")


# --- broken by chance -------------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_a_sound_game_broken_in_one_place_has_its_fault_there(rules: RuleSet) -> None:
    rng = random.Random(4)
    record, end = random_game(rules, rng)
    assert end.outcome is not None
    lines = write_game(record).splitlines()
    last = len(lines) - 1
    # the last turn is missing: the winner has not borne off
    (read,) = parse_games("\n".join([*lines[:-2], lines[-1]]))
    assert [(f.kind, f.line) for f in validate(read).faults] == [("result", last)]
    # one turn is missing in the middle: the other side moves twice
    gone = last // 2
    (read,) = parse_games("\n".join([*lines[:gone], *lines[gone + 1 :]]))
    faults = validate(read).faults
    assert (faults[0].kind, faults[0].line) == ("side", gone + 1)


# --- records that were not read from text --------------------------------------------------------


@pytest.mark.parametrize(
    ("play", "after", "message"),
    [
        ("off/19 off/22", (5, 5), None),
        (
            "off/19  off/22",
            (),
            "the moves of 'off/19  off/22' are not parted by single blanks"
            " - at `$.turns[0].rolls[0].play`",
        ),
        (
            "off/19 off/22",
            (0, 6),
            "6 is behind the end, which is 5 - at `$.file_comments[1].after`",
        ),
        (
            "off/19 off/22",
            (2, 1),
            "file comments are in the order they stand in - at `$.file_comments`",
        ),
    ],
)
def test_a_record_that_no_text_says_is_a_fault(
    play: str, after: tuple[int, ...], message: str | None
) -> None:
    record = GameRecord(
        (("X", "alpha"), ("O", "beta"), ("Rules", "american")),
        (TurnRecord("X", (RollRecord("63", play),)),),
        file_comments=tuple(FileComment("", place) for place in after),
    )
    assert [fault.message for fault in validate(record).faults] == ([message] if message else [])
    if message is None:
        assert parse_game(write_game(record)) == record
        return
    with pytest.raises(RecordError, match=re.escape(message)):
        write_game(record)
