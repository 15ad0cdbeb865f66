"""What the documents of the arena say is so."""

import re
import tomllib
from pathlib import Path

import pytest
from tests.arena.runs import PIP, small_plan
from tests.support.acey import acey

from acey_arena.plan import PlanError, Player, check_plan, plan_of, read_plan
from acey_arena.roster import ROSTER
from acey_arena.seat import FaultKind
from acey_arena.ubgi_engine import CODES, UbgiEngine
from acey_protocol.bei import VARIANTS
from acey_protocol.ubgi import Dialect
from acey_rules import PRESETS

ROOT = Path(__file__).resolve().parents[2]
TOURNAMENTS = (ROOT / "docs" / "tournaments.md").read_text("utf-8")
ENGINES = (ROOT / "spec" / "engines.md").read_text("utf-8")
BOTS = (ROOT / "docs" / "bots.md").read_text("utf-8")


def test_the_plan_that_is_shown_is_one() -> None:
    block = TOURNAMENTS.partition("## 2. The plan\n")[2].partition("`times = true`")[0]
    text = "\n".join(line.removeprefix("    ") for line in block.splitlines())
    plan = plan_of(tomllib.loads(text))
    assert [player.name for player in plan.players] == ["alpha", "beta"]
    assert (plan.pairs, plan.concurrency, plan.clock) == (500, 2, "120+8")


def test_the_bots_plan_has_every_bot() -> None:
    assert [player.bot for player in read_plan(ROOT / "docs" / "bots.toml").players] == list(ROSTER)
    assert re.findall(r"^- \*\*(\S+)\*\*", BOTS, re.MULTILINE) == list(ROSTER)


def test_every_fault_is_explained() -> None:
    table = ENGINES.partition("## 7. Faults")[2]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [kind.value for kind in FaultKind]


def test_every_error_code_is_in_the_table() -> None:
    for codes in CODES.values():
        for code in codes.values():
            assert f"`{code}`" in ENGINES or f"`error {code}`" in ENGINES


def test_the_dialogue_is_one() -> None:
    lines = [line.strip() for line in ENGINES.splitlines() if re.match(r" {4}[<>] ", line)]
    engine = UbgiEngine("blockade", Dialect.V02)
    answers: list[str] = []
    for line in lines:
        if line.startswith("> "):
            assert answers == []
            answers = engine.handle(line[2:])
            assert not any(answer.startswith("error") for answer in answers)
        else:
            expected = line[2:].partition(" ")[0]
            assert answers.pop(0).startswith(f"{expected} ")
    assert len(lines) == 8
    assert answers == []


def test_sections_that_the_code_cites_exist() -> None:
    sections = {
        "docs/tournaments.md": set(re.findall(r"^## (\d+)\.", TOURNAMENTS, re.MULTILINE)),
        "spec/engines.md": set(re.findall(r"^## (\d+)\.", ENGINES, re.MULTILINE)),
    }
    cited = 0
    for folder in ("arena", "protocol"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            for name, number in re.findall(
                r"((?:docs|spec)/(?:tournaments|engines)\.md) §(\d+)", text
            ):
                cited += 1
                assert number in sections[name], f"{path}: {name} §{number}"
    assert cited > 10


def test_the_files_of_a_run_are_those_that_are_listed(tmp_path: Path) -> None:
    done = acey("duel", "pip", "pip", "-n", "2", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0
    words = TOURNAMENTS.partition("**A run is a folder**")[2].partition(" A killed run")[0]
    assert words
    listed = set(re.findall(r"`([a-z.]+)`", words))
    assert {path.name for path in (tmp_path / "run").iterdir()} == listed


def test_two_players_of_one_name_are_refused_except_in_a_duel_of_one_with_itself() -> None:
    assert "`acey duel pip pip` is played by `pip` and `pip (2)`" in TOURNAMENTS
    alike = small_plan(players=(PIP, PIP))
    with pytest.raises(PlanError, match="two are named 'pip'"):
        check_plan(alike)


def test_the_rules_of_bei_are_named() -> None:
    text = TOURNAMENTS.partition("BEI knows")[2].partition("\n\n")[0]
    assert set(re.findall(r"--rules (\w+)", text)) == set(VARIANTS)
    for rules in PRESETS:
        plan = small_plan(players=(PIP, Player(name="alpha", bei="localhost:1")), rules=rules)
        if rules in VARIANTS:
            check_plan(plan)
        else:
            with pytest.raises(PlanError, match=f"not {rules}$"):
                check_plan(plan)
