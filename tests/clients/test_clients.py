"""The bots of clients/: each plays a whole match, also when the daemon is killed meanwhile."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.acey import ACEY, DEADLINE, acey
from tests.support.daemon import Daemon
from tests.support.tools import need

from acey_grammar import parse_games, validate
from acey_protocol.client import Client, CurveKeys
from acey_protocol.records import MatchRecord
from acey_protocol.replies import OpenedTable

CLIENTS = Path(__file__).resolve().parent.parent.parent / "clients"
JEROMQ = Path("/usr/share/java/jeromq.jar")
"""Where Debian's libjeromq-java puts it."""

Command = Sequence[str | Path]


def compiled(source: str, folder: Path) -> Command:
    """A C program of the clients' folder, without a warning."""
    need("libzmq with its headers", ["pkg-config", "--exists", "libzmq"])
    program = folder / Path(source).stem
    flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    subprocess.run(
        ["cc", *flags, "-o", program, CLIENTS / source, "-lzmq"], check=True, timeout=DEADLINE
    )
    return [program]


def c_bot(folder: Path) -> Command:
    return compiled("c/bot.c", folder)


def javascript_bot(folder: Path) -> Command:
    del folder
    at = CLIENTS / "javascript"
    need("the npm package zeromq", ["node", "-e", "import('zeromq')"], cwd=at)
    return ["node", at / "bot.js"]


def java_bot(folder: Path) -> Command:
    need("a Java compiler", ["javac", "-version"])
    need("jeromq (Debian: libjeromq-java)", ["test", "-e", str(JEROMQ)])
    subprocess.run(
        ["javac", "-Xlint:all", "-Werror", "-cp", JEROMQ, "-d", folder, CLIENTS / "java/Bot.java"],
        check=True,
        timeout=DEADLINE,
    )
    return ["java", "-cp", f"{JEROMQ}:{folder}", "Bot"]


def python_bot(folder: Path) -> Command:
    del folder
    return [sys.executable, CLIENTS / "python/bot.py"]


BOTS = {"c": c_bot, "javascript": javascript_bot, "java": java_bot, "python": python_bot}


@pytest.fixture(params=BOTS)
def bot(request: pytest.FixtureRequest, tmp_path: Path) -> Command:
    """How the bot of one language is started."""
    return BOTS[request.param](tmp_path)


def encrypted(keys: Path | None, client: str) -> dict[str, str]:
    """The environment that tells a program its keys."""
    return {} if keys is None else {"ACEY_CURVE": str(keys), "ACEY_CLIENT": client}


def connected(daemon: Daemon, keys: Path | None) -> Client:
    """A client of ours."""
    curve = keys and CurveKeys.load(keys / "server.public", keys / "alpha.secret")
    return Client(daemon.requests, timeout=10.0, attempts=3, curve=curve)


def play(
    daemon: Daemon, bot: Command, table: OpenedTable, *, kill: bool, keys: Path | None = None
) -> MatchRecord:
    """Let the bot play O against ours; both must tell the same end. The record of the match."""
    with ExitStack() as stack:
        ours, theirs = (
            stack.enter_context(
                subprocess.Popen(
                    words,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=os.environ | {"ACEY_TOKEN": table.x} | encrypted(keys, "alpha"),
                )
            )
            for words in (
                [ACEY, "bot", "--table", table.table, "--address", daemon.requests],
                [*bot, daemon.requests, table.table, table.o, "7"],
            )
        )
        with connected(daemon, keys) as client:
            if kill:
                while client.state(table.table).ply < 20:
                    assert theirs.poll() is None, theirs.communicate()
                daemon.kill()
                daemon.start()
            said = [process.communicate(timeout=DEADLINE) for process in (ours, theirs)]
            assert said[1][1] == ""
            assert said[0][0] == said[1][0]
            assert (ours.returncode, theirs.returncode) == (0, 0)
            over = client.state(table.table).over
            assert over is not None
            assert said[0][0] == f"{over.text()}\n"
            return client.record(table.table)


def test_it_plays_a_match_although_the_daemon_is_killed(bot: Command, tmp_path: Path) -> None:
    with Daemon(tmp_path, "--durability", "process") as daemon:
        with daemon.client() as client:
            table = client.open(x="ours", o="theirs", match=2, rules="european", dice="seed:4")
        record = play(daemon, bot, table, kill=True)
    assert max(record.score) >= 2
    assert [validate(game).faults for game in record.games] == [()] * len(record.games)


def made_keys(folder: Path) -> Path:
    """Keys of a daemon and its client alpha, and a secret key of beta, who is not admitted."""
    assert acey("keygen", str(folder)).returncode == 0
    for name in ("alpha", "beta"):
        assert acey("keygen", str(folder), "--client", name).returncode == 0
    (folder / "clients" / "beta.public").unlink()
    return folder


@pytest.mark.parametrize("language", ["c", "javascript", "python"])
def test_it_plays_a_match_encrypted(language: str, tmp_path: Path) -> None:
    bot = BOTS[language](tmp_path)
    keys = made_keys(tmp_path / "keys")
    with Daemon(tmp_path, "--durability", "process", "--curve", str(keys)) as daemon:
        with connected(daemon, keys) as client:
            table = client.open(x="ours", o="theirs", match=2, rules="european", dice="seed:4")
        record = play(daemon, bot, table, kill=True, keys=keys)
        assert max(record.score) >= 2
        words = [*bot, daemon.requests, table.table, table.o]
        for client_name, said in (
            ("beta", "the (daemon|server) does not admit this key"),
            ("gamma", re.escape(str(keys / "gamma.secret"))),
        ):
            environment = os.environ | encrypted(keys, client_name)
            result = subprocess.run(
                words, check=False, capture_output=True, text=True, timeout=DEADLINE,
                env=environment,
            )  # fmt: skip
            assert (result.returncode in (1, 2), result.stdout) == (True, "")
            assert re.match(rf"bot: .*{said}", result.stderr), result.stderr


def test_java_does_not_send_in_the_clear_where_keys_are_given(tmp_path: Path) -> None:
    words = [*java_bot(tmp_path), "tcp://127.0.0.1:1", "t", "x"]
    result = subprocess.run(
        words, check=False, capture_output=True, text=True, timeout=DEADLINE,
        env=os.environ | encrypted(tmp_path, "alpha"),
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "bot: ACEY_CURVE is set, and this bot does not encrypt\n"


def test_it_plays_by_rules_that_are_spelled_out(bot: Command, tmp_path: Path) -> None:
    rules = (
        "setup=backgammon opening=play overshoot=any acey_bonus=true complement=true "
        "doubles_reroll=false forfeit=bar-only scoring=per-checker"
    )
    with Daemon(tmp_path, "--durability", "process") as daemon:
        with daemon.client() as client:
            table = client.open(rules=rules, dice="seed:3")
        record = play(daemon, bot, table, kill=False)
    assert record.rules == rules
    assert [validate(game).faults for game in record.games] == [()]


def test_it_says_what_is_wrong_and_ends(bot: Command, tmp_path: Path) -> None:
    with Daemon(tmp_path, "--durability", "process") as daemon:
        with daemon.client() as client:
            table = client.open()
        words = [*bot, daemon.requests, table.table, "0" * 32]
        result = subprocess.run(
            words, check=False, capture_output=True, text=True, timeout=DEADLINE
        )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"bot: ? bad-token the token opens no seat of table {table.table}\n"


def test_it_ends_where_the_table_is_stopped(bot: Command, tmp_path: Path) -> None:
    (tmp_path / "short").write_text("42 63 54 31")
    options = ("--durability", "process", "--dice-dir", str(tmp_path))
    with Daemon(tmp_path, *options) as daemon, ExitStack() as stack:
        with daemon.client() as client:
            table = client.open(dice="file:short")
        bots = [
            stack.enter_context(
                subprocess.Popen(
                    [*bot, daemon.requests, table.table, token],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for token in (table.x, table.o)
        ]
        said = [process.communicate(timeout=DEADLINE) for process in bots]
    stopped = "the table has stopped: the script of dice has 4 rolls, and no other comes"
    assert said == [("", f"bot: ? over {stopped}\n")] * 2
    assert [process.returncode for process in bots] == [1, 1]


def test_it_shows_its_usage(bot: Command) -> None:
    result = subprocess.run(
        [*bot, "tcp://127.0.0.1:1"], check=False, capture_output=True, text=True, timeout=DEADLINE
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("usage: ")
    assert result.stderr.endswith("ADDRESS TABLE TOKEN [SEED]\n")


def perl_match(*words: str) -> subprocess.CompletedProcess[str]:
    """The match in Perl, run to its end."""
    need("Perl", ["perl", "-MIPC::Open2", "-e", "1"])
    return subprocess.run(
        ["perl", "-w", CLIENTS / "perl/match.pl", *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        env=os.environ | {"ACEY": str(ACEY)},
    )


@pytest.mark.parametrize(
    "words", ["abc", "1.5", "0", "-3", "15 x", "15 -1", "1 2 american more", "1000"]
)
def test_perl_refuses_what_it_cannot_play(words: str) -> None:
    result = perl_match(*words.split())
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("usage: perl match.pl [POINTS [SEED [RULES]]]")


@pytest.mark.parametrize("rules", ["american", "european"])
def test_perl_plays_a_match_over_stdio(rules: str) -> None:
    result = perl_match("1", "5", rules)
    assert (result.returncode, result.stderr) == (0, "")
    games = list(parse_games(result.stdout))
    assert [validate(game).faults for game in games] == [()] * len(games)
    points = {"X": 0, "O": 0}
    for game in games:
        assert game.record.tag("Score") == f"{points['X']}-{points['O']}"
        assert game.record.result is not None
        points[game.record.result.winner] += game.record.result.points
    assert max(points.values()) > min(points.values())


def test_the_first_c_client_compiles_without_a_warning(tmp_path: Path) -> None:
    # The README's compiles with plain flags too; tests/test_readme.py plays it.
    need("libzmq with its headers", ["pkg-config", "--exists", "libzmq"])
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    words = ["cc", *flags, "-o", tmp_path / "first", CLIENTS / "c/first.c", "-lzmq"]
    subprocess.run(words, check=True, timeout=DEADLINE)
    assert os.access(tmp_path / "first", os.X_OK)
