"""Our bots as UBGI engines, line by line."""

from io import StringIO

import pytest

from acey_arena.ubgi_engine import UbgiEngine, serve
from acey_protocol.ubgi import Dialect, Handshake

START = "position acey --------------------------:15:15:x:63"
NAMING = "position acey --------------------------:13:15:x:N.R"


def talk(engine: UbgiEngine, *lines: str) -> list[str]:
    return [answer for line in lines for answer in engine.handle(line)]


@pytest.fixture(params=list(Dialect), ids=lambda dialect: dialect.value)
def engine(request: pytest.FixtureRequest) -> UbgiEngine:
    return UbgiEngine("pip", request.param)


def test_the_handshake_reads_back() -> None:
    for dialect in Dialect:
        handshake = Handshake()
        lines = UbgiEngine("expectimax-1", dialect).handle("ubgi")
        assert [handshake.feed(line) for line in lines] == [False] * (len(lines) - 1) + [True]
        assert (handshake.name, handshake.author) == ("expectimax-1", "aceydeucey")
        assert handshake.dialect is dialect
        assert handshake.variants == ("american", "dice-board", "european", "bgammon", "backgammon")
        kinds = [option.kind for option in handshake.options.values()]
        assert kinds == ["choice", "int", "int", "int"]


def test_acey_deucey(engine: UbgiEngine) -> None:
    setting = ("set game.variant american", "newgame", START)
    assert talk(engine, *setting, "go role chequer") == ["bestmove off/19 19/16"]
    assert talk(engine, "go chequer", "go") == ["bestmove off/19 19/16"] * 2
    assert talk(engine, NAMING, "go name", "go role name movetime 500") == ["bestname 6"] * 2


def test_plain_backgammon(engine: UbgiEngine) -> None:
    lines = ("newgame", "position gnubgid 4HPwATDgc/ABMA", "dice 3 1", "go role chequer")
    assert talk(engine, *lines) == ["bestmove 8/5 6/5"]
    xgid = "position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    assert talk(engine, xgid, "go") == ["bestmove 8/5 6/5"]


def test_nothing_to_play(engine: UbgiEngine) -> None:
    line = "position acey -------------------bbbbbbB:13:3:x:63"
    assert talk(engine, "set game.variant american", line, "go") == ["bestmove pass"]


def test_keys_are_got_and_set(engine: UbgiEngine) -> None:
    assert talk(engine, "get game.variant", "setoption name Variant value european") == [
        "value game.variant backgammon"
    ]
    assert talk(engine, "get Variant", "set engine.seed 7", "get Seed") == [
        "value Variant european",
        "value Seed 7",
    ]
    assert talk(engine, "keys")[0].startswith("key game.variant enum american|")


def test_a_seed_decides_what_random_plays() -> None:
    def moves(seed: int) -> list[str]:
        engine = UbgiEngine("random", Dialect.V02)
        lines = ["set game.variant american", f"set engine.seed {seed}", "newgame"]
        start = "position acey -AAAA---------------------:11:15:x:66"
        return talk(engine, *lines, *[start, "go"] * 12)

    assert moves(1) == moves(1) != moves(2)


@pytest.mark.parametrize(
    ("lines", "old", "new"),
    [
        (["frobnicate"], "unknown_command", "bad_command"),
        (["set engine.seed"], "unknown_command", "bad_command"),
        (["setoption Seed 3"], "bad_argument", "bad_value"),
        (["set engine.seed x"], "bad_argument", "bad_value"),
        (["set game.variant chess"], "bad_argument", "bad_value"),
        (["set engine.depth 3"], "unsupported_feature", "unsupported"),
        (["get engine.depth"], "unsupported_feature", "unsupported"),
        (["position gnubgid abc"], "bad_argument", "bad_value"),
        (["position acey abc"], "bad_argument", "bad_value"),
        (["position fen abc"], "bad_argument", "bad_value"),
        (["dice 7 1"], "bad_argument", "bad_value"),
        (["dice 61"], "bad_argument", "bad_value"),
        (["go"], "missing_context", "bad_state"),
        (["position gnubgid 4HPwATDgc/ABMA", "go"], "missing_context", "bad_state"),
        (["go cube"], "unsupported_feature", "unsupported"),
        (["go role turn"], "unsupported_feature", "unsupported"),
        (["set game.variant american", START, "go name"], "missing_context", "bad_state"),
        (["set game.variant american", NAMING, "go"], "missing_context", "bad_state"),
    ],
    ids=range(18),
)
def test_errors_are_those_of_the_dialect(lines: list[str], old: str, new: str) -> None:
    for dialect, code in ((Dialect.V01, old), (Dialect.V02, new)):
        answer = talk(UbgiEngine("pip", dialect), *lines)[-1]
        assert answer.startswith(f"error {code} "), answer


def test_it_goes_on_after_errors_until_quit() -> None:
    out = StringIO()
    lines = ["isready\n", "\n", "what\n", "isready\r\n", "quit\n", "isready\n"]
    serve(UbgiEngine("pip", Dialect.V02), lines, out)
    assert out.getvalue() == "readyok\nerror bad_command 'what' is no command\nreadyok\n"
