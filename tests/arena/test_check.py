"""``acey engine-check``: engines that pass, and the dialogue of those that do not."""

import sys

import pytest
from tests.arena.test_engines import ACEY, SCRIPTED
from tests.support.acey import acey

from acey_arena.check import EngineCheck, Step
from acey_rules import AMERICAN, BACKGAMMON, EUROPEAN, RuleSet

TITLES = [
    "start",
    "handshake",
    "options",
    "ready",
    "rules",
    "legal plays",
    "no legal play",
    "naming",
    "errors",
    "quit",
]


def check(*command: str, rules: RuleSet = AMERICAN, deadline: float = 5) -> list[Step]:
    return list(EngineCheck(command, rules, deadline).run())


def scripted(mode: str, after: int, deadline: float = 5) -> list[Step]:
    return check(sys.executable, str(SCRIPTED), mode, str(after), deadline=deadline)


@pytest.mark.parametrize("rules", [AMERICAN, BACKGAMMON, EUROPEAN], ids=lambda rules: rules.name)
@pytest.mark.parametrize("dialect", ["0.1", "0.2"])
def test_our_bots_pass(rules: RuleSet, dialect: str) -> None:
    steps = check(str(ACEY), "ubgi", "--bot", "pip", "--dialect", dialect, rules=rules, deadline=30)
    assert [(step.number, step.title, step.good) for step in steps] == [
        (number, title, True) for number, title in enumerate(TITLES, 1)
    ]
    assert steps[1].detail == f"pip, dialect {dialect}"
    assert steps[5].detail == "legal in 50 positions"


def test_a_good_engine_of_others_passes() -> None:
    assert [step.good for step in scripted("good", 0)] == [True] * 10


@pytest.mark.parametrize(
    ("mode", "after", "title", "detail", "last"),
    [
        ("illegal", 30, "legal plays", "position 31, ", "< bestmove 24/1"),
        ("garbage", 2, "legal plays", "'banana' is no play", "< bestmove banana"),
        ("crash", 5, "legal plays", "was ended by SIGSEGV", "! about to crash"),
        ("name", 0, "legal plays", "says 'bestname' where bestmove is due", "< bestname 3"),
        ("refuse", 50, "no legal play", "says 'error bad_state tired'", "< error bad_state tired"),
        ("garbage", 51, "naming", "says 'bestmove' where bestname is due", "< bestmove banana"),
    ],
    ids=["illegal", "garbage", "crash", "name", "refuse", "naming"],
)
def test_the_dialogue_is_shown_where_it_fails(
    mode: str, after: int, title: str, detail: str, last: str
) -> None:
    *good, bad = scripted(mode, after)
    assert all(step.good for step in good)
    assert (bad.title, bad.good) == (title, False)
    assert detail in bad.detail
    assert "> go" in bad.dialogue[1]
    assert bad.dialogue[-1] == last


def test_a_hanging_engine_is_not_waited_for() -> None:
    bad = scripted("hang", 0, deadline=1)[-1]
    assert bad.title == "legal plays"
    assert "no answer to 'go chequer' within 1 s" in bad.detail


def test_what_is_not_there_does_not_start() -> None:
    (step,) = check("/no/such/engine")
    assert (step.title, step.good) == ("start", False)
    assert "does not start: No such file" in step.detail


def test_rules_it_does_not_know() -> None:
    steps = check(sys.executable, str(SCRIPTED), "good", "0", rules=EUROPEAN)
    assert (steps[-1].title, steps[-1].good) == ("rules", False)
    assert "does not play european; it plays american, backgammon" in steps[-1].detail


def test_the_command_shows_the_steps() -> None:
    done = acey("engine-check", "--", sys.executable, str(SCRIPTED), "illegal", "3")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[4] == " 5 ok   rules: american"
    assert lines[5].startswith(" 6 FAIL legal plays: position 4, ")
    assert lines[-1] == "        < bestmove 24/1"
