"""``acey duel`` and ``acey tournament`` as processes; a tournament killed and resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from tests.arena.test_engines import SCRIPTED
from tests.support.acey import ACEY, DEADLINE, acey, refused

from acey_arena.plan import PlanError, plan_of, read_plan

PLAN = """
name = "Three"
seed = 5
pairs = 4

[[player]]
name = "pip"
bot = "pip"

[[player]]
name = "blockade"
bot = "blockade"

[[player]]
name = "narrow"
bot = "expectimax-1"
options = { candidates = 1, replies = 1 }
"""


def write_plan(folder: Path, text: str = PLAN) -> Path:
    path = folder / "plan.toml"
    path.write_text(text)
    return path


def test_a_duel_with_its_folder(tmp_path: Path) -> None:
    done = acey(
        *("duel", "blockade", "pip", "--games", "6", "--seed", "3", "--out", "run"), cwd=tmp_path
    )
    assert done.returncode == 0
    assert done.stdout.startswith("blockade – pip: round-robin, american, single games, seed 3; ")
    assert "decisions  thinking time  a decision  forfeits" in done.stdout
    assert "acey: report: run/report.html" in done.stderr
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {
        *("plan.json", "results.jsonl", "log.txt", "lock"),
        *("records.acey", "report.json", "report.txt", "report.html"),
    }
    valid = acey("validate", "run/records.acey", cwd=tmp_path)
    assert valid.returncode == 0
    assert json.loads((tmp_path / "run" / "report.json").read_text())["games"] == 6


def test_json_goes_to_standard_output(tmp_path: Path) -> None:
    done = acey("duel", "pip", "pip", "-n", "2", "--seed", "3", "--json", cwd=tmp_path)
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert [row["name"] for row in report["standings"]] == ["pip", "pip (2)"]
    assert (tmp_path / "acey-runs" / "duel-pip-pip2-3").is_dir()


def test_one_program_with_different_options_is_two_players(tmp_path: Path) -> None:
    """In the table and in the records; the same twice is told apart by a number."""
    narrow, wide = "expectimax-1,candidates=1,replies=1", "expectimax-1,candidates=2,replies=1"
    done = acey("duel", narrow, wide, "-n", "2", "--seed", "3", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0
    table = done.stdout.partition("\n\n")[2].partition("\n\n")[0]
    assert (table.count("candidates=1"), table.count("candidates=2")) == (1, 1)
    records = (tmp_path / "run" / "records.acey").read_text()
    for chair in "XO":
        assert records.count(f'[{chair} "{narrow}"]') == 1
        assert records.count(f'[{chair} "{wide}"]') == 1
    engine = f"ubgi:{sys.executable} {SCRIPTED}"
    same = acey("duel", f"{engine} good 0", f"{engine} good 1", cwd=tmp_path)
    assert same.returncode == 2
    assert "give one another name" in same.stderr


def test_an_sprt_accepts_in_the_expected_direction(tmp_path: Path) -> None:
    for first, second, accepted in (("blockade", "pip", "H1"), ("pip", "blockade", "H0")):
        words = ("duel", first, second, "-n", "200", "--seed", "1", "--sprt", "0,200")
        done = acey(*words, cwd=tmp_path)
        assert done.returncode == 0
        assert f"{accepted} is accepted after " in done.stdout
        assert "SPRT of H0: Elo = 0 against H1: Elo = 200" in done.stdout


def test_a_failing_engine_is_told_by_the_exit_status(tmp_path: Path) -> None:
    engine = f"bad=ubgi:{sys.executable} {SCRIPTED} crash 3"
    done = acey("duel", "pip", engine, "-n", "2", "--seed", "1", "--out", "run", cwd=tmp_path)
    assert done.returncode == 1
    assert "bad: crash ×2 (2 games lost by it); first: was ended by SIGSEGV" in done.stdout
    assert "acey: not all went well" in done.stderr
    assert "bad stderr: about to crash" in (tmp_path / "run" / "log.txt").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("duel", "pip", "nobody"), "there is no bot 'nobody'"),
        (("duel", "pip", "pip,level=3"), "pip has no option 'level'; it has none"),
        (("duel", "pip", "expectimax-1,candidates=0"), "candidates is a number from 1 to 1000"),
        (("duel", "pip", "random", "-n", "3"), "games come in pairs with the same dice: 3 is odd"),
        (("duel", "pip", "random", "--rules", "chess"), "rules: no rule set 'chess'"),
        (("duel", "pip", "random", "--clock", "5"), "clock: a clock is <bank>+<delay>"),
        (("duel", "pip", "random", "--sprt", "5"), "--sprt is two Elo differences"),
        (("duel", "pip", "random", "--sprt", "5,0"), "elo0 is less than elo1"),
        (("duel", "a=pip", "a=random"), "two are named 'a'"),
        (("duel", "pip", "ubgi:"), "names no command"),
        (("duel", "pip", "ubgi:cat '"), "no closing quotation"),
        (("duel", "pip", "bei:"), "'bei:' names no address; an engine is bei:HOST:PORT"),
        (("duel", "pip", "bei:localhost"), "'localhost' is no HOST:PORT"),
        (("duel", "pip", "bei:localhost:0"), "'localhost:0' is no HOST:PORT"),
        (("duel", "pip", "bei:localhost:1"), "knows backgammon and bgammon, not american"),
        (("duel", "bei:a:1", "pip", "--rules", "european"), "bgammon, not european"),
        (("engine", "--bei", "a:1", "--seek", "me"), "knows backgammon and bgammon, not american"),
        (("duel", "pip", "random", "--deadline", "0"), "'--deadline'"),
        (("duel", "pip", "random", "--deadline", "1e9"), "deadline: a number <= 86400.0 is"),
        (("duel", "pip", "a\nb=random"), "name: text without control characters and braces is"),
        (("duel", "pip", "random", "--referee", "me"), "--referee is local or daemon"),
        (("duel", "pip", "random", "--cluster", "x"), "a cluster is dask://host:port, not 'x'"),
        (("tournament", "/no/such.toml"), "/no/such.toml: no such file"),
        (("tournament", "--resume", "/no/such"), "/no/such is no run: it has no plan.json"),
        (("ubgi", "--bot", "nobody"), "there is no bot 'nobody'"),
        (("ubgi", "--dialect", "3"), "--dialect is 0.1 or 0.2, not '3'"),
        (("engine",), "name a command after --, or an address with --bei"),
        (("engine", "--bei", "x:1"), "name a seat with --table and --token"),
        (("engine", "--bei", "x:1", "--seek", "me", "--table", "7"), "name a seat with --table"),
        (("engine", "--bei", "x", "--seek", "me"), "'x' is no HOST:PORT"),
        (("engine", "--seek", "me", "--option", "x", "--", "cat"), "--option is NAME=VALUE, not"),
        (("engine", "--seek", "me", "--", "/none"), "there is no command '/none' that can be"),
        (("engine", "--seek", "me", "--", "/etc"), "there is no command '/etc' that can be"),
        (("tournament", "."), ".: is a directory"),
        (("tournament", "/dev/null"), "/dev/null: player: a list of length >= 2"),
        (("tournament", "--resume", "/dev/null"), "/dev/null is no run: it has no plan.json"),
        (("tournament", ACEY.with_name("python").as_posix()), "is no UTF-8 text"),
    ],
    ids=range(37),
)
def test_usage_errors_are_one_line(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refused(*words, status=2)


def test_a_run_that_bei_does_not_know_the_rules_of_is_not_begun(tmp_path: Path) -> None:
    assert acey("duel", "pip", "bei:localhost:1", cwd=tmp_path).returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed = 1", "player: a list of length >= 2 is expected"),
        (PLAN + "\n[[player]]\nname = 'pip'\nbot = 'random'", "two are named 'pip'"),
        (PLAN.replace("pairs", "pears"), "there is no field 'pears'; there are player, seed, "),
        (PLAN.replace('bot = "pip"', ""), "has one of bot, engine, bei; this one has none"),
        (PLAN.replace('bot = "pip"', 'bot = "pip"\nbei = "a:1"'), "this one has bot and bei"),
        (PLAN.replace("candidates = 1", "candidates = 0"), "candidates is a number from 1"),
        ("format = 'swiss'\nrounds = 3\n" + PLAN.replace("Three", "x"), None),
        ("format = 'swiss'\nrounds = 4\n" + PLAN, "can meet new opponents in 3 rounds, not 4"),
        ("sprt = {}\n" + PLAN, "stops a duel of two players"),
        ("rules = 'chess'\n" + PLAN, "no rule set 'chess'"),
        ("clock = '1'\n" + PLAN, "clock: a clock is"),
        ("version = 9\n" + PLAN, "version: this is 9; 1 can be played"),
        ("seed = = 1", "Invalid value"),
        ("format = 'cup'\n" + PLAN, "format: there is no 'cup'; there are round-robin, gauntlet"),
        ("referee = 'me'\n" + PLAN, "referee: there is no 'me'; there are local, daemon"),
        ("match = -1\n" + PLAN, "match: a whole number >= 0 is expected"),
        ("sprt = 3\n" + PLAN, "sprt: a table or nothing is expected, not a whole number"),
        ("times = 1\n" + PLAN, "times: true or false is expected, not a whole number"),
        ("player = 3\nseed = 1", "player: a list is expected, not a whole number"),
        ("player = [3, 4]\nseed = 1", "player 1: a table is expected, not a whole number"),
        (PLAN.replace("seed", "# seed"), "the field 'seed' is missing"),
        (PLAN.replace('bot = "pip"', 'engine = "cat"'), "engine: a list is expected, not text"),
        (PLAN.replace('bot = "pip"', 'bot = "pip"\nply = 2'), "there is no field 'ply'; there are"),
        (PLAN.replace('bot = "pip"', 'bei = "pip"'), "'pip' is no HOST:PORT"),
        (
            PLAN.replace('bot = "pip"', 'bei = "a:1"'),
            "player 'pip': the Backgammon Engine",
        ),
        (PLAN.replace("Three", "a{"), "name: text without control characters and braces"),
    ],
    ids=range(26),
)
def test_plans_are_checked(text: str, message: str | None, tmp_path: Path) -> None:
    path = write_plan(tmp_path, text)
    if message is None:
        assert read_plan(path).rounds == 3
        return
    with pytest.raises(PlanError) as caught:
        read_plan(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_players_name_is_its_bots_unless_it_has_one() -> None:
    plan = plan_of({"seed": 1, "player": [{"bot": "pip"}, {"bot": "pip", "name": "other"}]})
    assert [player.name for player in plan.players] == ["pip", "other"]


def without_times(path: Path) -> dict[str, object]:
    report = json.loads((path / "report.json").read_text())
    del report["timing"]
    return report


def lines_of(results: Path) -> int:
    return results.read_bytes().count(b"\n") if results.exists() else 0


def test_a_tournament_killed_at_random_moments_is_the_uninterrupted_one(tmp_path: Path) -> None:
    plan = write_plan(tmp_path)
    whole = acey("tournament", str(plan), "--out", str(tmp_path / "whole"), "-c", "2")
    assert whole.returncode == 0
    run, random = tmp_path / "run", Random(8)
    words = ["tournament", str(plan), "--out", str(run), "-c", "2"]
    kills, status = 0, -1
    for _ in range(30):
        before = lines_of(run / "results.jsonl")
        process = subprocess.Popen([ACEY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        target = before + random.randint(1, 3)
        until = time.monotonic() + DEADLINE
        while process.poll() is None and time.monotonic() < until:
            if lines_of(run / "results.jsonl") >= target:
                time.sleep(random.random() / 20)
                process.kill()
                break
            time.sleep(0.005)
        # The workers hold the pipes too: this returns when they have ended after the one killed.
        out, _ = process.communicate(timeout=DEADLINE)
        status = process.returncode
        if (run / "plan.json").exists():
            words = ["tournament", "--resume", str(run), "-c", "2"]
        if status == 0:
            assert out.decode() != ""
            break
        kills += status == -signal.SIGKILL
    assert status == 0
    assert kills >= 2
    assert without_times(run) == without_times(tmp_path / "whole")
    assert (run / "records.acey").read_text() == (tmp_path / "whole" / "records.acey").read_text()
    assert lines_of(run / "results.jsonl") == 12


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("words", [(), ("-c", "2"), ("--clock", "9+9", "--referee", "daemon")])
def test_an_interrupted_run_says_how_to_go_on(words: tuple[str, ...], tmp_path: Path) -> None:
    """Interrupted as a terminal does it: every process of the command is."""
    process = subprocess.Popen(
        [ACEY, "duel", "pip", "random", "-n", "2000", "--seed", "1", "--out", "run", *words],
        cwd=tmp_path,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + DEADLINE
    while not lines_of(tmp_path / "run" / "results.jsonl") and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=DEADLINE)
    assert (process.returncode, out) == (130, "")
    assert "acey: stopped; go on with: acey tournament --resume run" in err
    assert "Traceback" not in err


def test_a_bot_says_at_once_that_nobody_answers_and_goes_on_trying() -> None:
    address = "tcp://127.0.0.1:1"
    words = ("bot", "--address", address, "--table", "t", "--token", "x", "--seed", "1")
    silent = f"acey: {address}: no reply to 'ping': nobody listens there, or it cannot be reached"
    with subprocess.Popen([ACEY, *words], stderr=subprocess.PIPE, text=True) as bot:
        assert bot.stderr is not None
        assert bot.stderr.readline() == f"bot random, seed 1, table t at {address}\n"
        assert bot.stderr.readline() == f"{silent}; trying for 120 s\n"
        assert bot.poll() is None
        bot.kill()
    assert acey(*words, "--patience", "0").stderr.splitlines()[1:] == [
        silent.replace("ping", "state")
    ]
