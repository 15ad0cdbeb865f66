"""Standings, crosstable and the files of a report."""

import math
from html.parser import HTMLParser
from itertools import count

import msgspec
import pytest
from msgspec.structs import replace

from acey_arena.executor import lost
from acey_arena.intervals import estimate
from acey_arena.plan import Plan, Player
from acey_arena.plot import _range
from acey_arena.referee import PairTask
from acey_arena.report import Report, make_report, records_text, report_json
from acey_arena.report_html import report_html
from acey_arena.report_text import report_text, with_margin
from acey_arena.results import FaultNote, GameResult, PairResult
from acey_arena.run import Progress
from acey_arena.schedule import Meeting
from acey_arena.standings import Number, share
from acey_grammar.record import GameRecord

HOSTILE = '<script>alert("x")</script> & \N{RIGHT-TO-LEFT OVERRIDE}'
NAMES = ("alpha", "beta", "gamma", "delta")


def plan(*names: str, **changes: object) -> Plan:
    players = tuple(Player(name=name, bot="pip") for name in names)
    return replace(Plan(players=players, seed=1), **changes)


def pair(number: int, first: int, second: int, points: tuple[int, int]) -> PairResult:
    """A pair in which the first player won so many points in each leg, or lost them."""
    games = tuple(
        GameResult(
            leg,
            1,
            "X" if (won > 0) == (leg == 0) else "O",
            abs(won),
            "play",
            50,
            60 + number,
            (30, 28),
            (1.5, 0.25),
            GameRecord(()),
        )
        for leg, won in enumerate(points)
    )
    return PairResult(number, 1, first, second, games)


def report(names: tuple[str, ...], *pairs: PairResult, **changes: object) -> Report:
    meetings = {(p.first, p.second): 0 for p in pairs}
    rows = tuple((Meeting(1, a, b, 1), margin) for (a, b), margin in meetings.items())
    return make_report(plan(*names, **changes), Progress(pairs, rows, None))


def test_standings_by_hand() -> None:
    made = report(
        NAMES[:3],
        pair(1, 0, 1, (5, -3)),
        pair(2, 0, 1, (7, 7)),
        pair(3, 0, 2, (-15, 1)),
        pair(4, 1, 2, (2, -4)),
    )
    rows = {row.name: row for row in made.standings}
    alpha = rows["alpha"]
    assert (alpha.pairs, alpha.games, alpha.wins, alpha.losses, alpha.points) == (3, 6, 4, 2, 2)
    # Pair means 1, 7, -7: mean 1/3, variance 49.33, t(2) 4.3027.
    assert alpha.per_game.mean == pytest.approx(0.3333, abs=1e-4)
    assert alpha.per_game.margin == pytest.approx(4.302653 * math.sqrt(148 / 3 / 3), abs=1e-3)
    assert alpha.win_rate.mean == pytest.approx((0.5 + 1 + 0.5) / 3, abs=1e-4)
    assert [row.name for row in made.standings] == ["gamma", "alpha", "beta"]
    assert [row.rank for row in made.standings] == [1, 2, 3]
    cell = next(c for c in made.crosstable if (c.player, c.opponent) == (1, 0))
    assert (cell.pairs, cell.wins, cell.losses, cell.points) == (2, 1, 3, -16)
    assert sum(row.points for row in made.standings) == 0
    assert made.lengths.rolls == pytest.approx(62.5)
    assert (made.lengths.shortest, made.lengths.longest) == (61, 64)
    assert made.timing[0].per_decision == pytest.approx(9 / 180)


def test_level_players_are_ordered_by_all_their_mutual_games() -> None:
    # alpha and beta have 2 points a game each; beta won more over all games between the two.
    made = report(
        NAMES[:3],
        pair(1, 0, 1, (3, -1)),
        pair(2, 0, 1, (-4, -2)),
        pair(3, 0, 2, (6, 6)),
        pair(4, 1, 2, (3, 1)),
    )
    means = {row.name: row.per_game.mean for row in made.standings}
    assert means["alpha"] == pytest.approx(means["beta"])
    assert [row.name for row in made.standings] == ["beta", "alpha", "gamma"]
    assert "level by points over all games among themselves" in made.order_rule
    assert made.order_rule in report_text(made, 400)


def test_who_is_level_in_everything_shares_a_rank() -> None:
    made = report(NAMES[:2], pair(1, 0, 1, (4, -4)))
    assert [row.rank for row in made.standings] == [1, 1]


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([], ("no games", "no games")),
        ([(5, 3)], ("one pair", "won all")),
        ([(5, 3), (5, 3)], ("no spread", "won all")),
        ([(4, -4)], ("one pair", "few pairs")),
        ([(4, -4), (4, -4)], ("no spread", "no spread")),
    ],
    ids=["none", "one won", "two won", "one level", "all level"],
)
def test_few_or_one_sided_results_have_words(
    points: list[tuple[int, int]], words: tuple[str, str]
) -> None:
    numbers = count(1)
    made = report(NAMES[:2], *(pair(next(numbers), 0, 1, won) for won in points))
    row = next(row for row in made.standings if row.player == 0)
    assert (row.per_game.why, row.elo.why) == words
    for text in (report_json(made), report_text(made, 200), report_html(made)):
        lowered = text.lower()
        assert "nan" not in lowered.replace("governance", "")
        assert "inf" not in lowered.replace("info", "")
        assert "± 0.0" not in text
    assert msgspec.json.decode(report_json(made), type=Report) == made
    assert f"({words[1]})" in report_text(made, 200)


def test_a_small_margin_is_not_shown_as_none() -> None:
    """One game in thousands that was not won is no certainty either."""
    pairs = [pair(number, 0, 1, (15, 15)) for number in range(1, 1000)]
    made = report(NAMES[:2], *pairs, pair(1000, 0, 1, (15, 13)))
    row = next(row for row in made.standings if row.player == 0)
    assert row.per_game.margin == pytest.approx(0.00196, abs=1e-4)
    assert (row.win_rate.mean, row.win_rate.why) == (1.0, "no spread")
    assert "+14.999 ± 0.002" in report_text(made, 200)
    assert "+14.999 <small>± 0.002</small>" in report_html(made)
    close = Number(0.0, 0.3, "")
    assert with_margin(close, 0, sign=True) == "+0.0 ± 0.3"
    assert share(estimate([1.0] * 9_999_999 + [0.5])).margin == pytest.approx(1e-7, rel=0.1)


def test_equal_values_have_no_spread_however_they_are_rounded() -> None:
    third = estimate([1 / 3] * 7)
    assert (third.mean, third.margin, third.why) == (1 / 3, None, "no spread")


def test_half_an_interval_of_more_than_everything_is_not_shown() -> None:
    made = report(NAMES[:2], pair(1, 0, 1, (5, -5)), pair(2, 0, 1, (5, 5)))
    row = next(row for row in made.standings if row.player == 0)
    assert (row.win_rate.mean, row.win_rate.margin, row.win_rate.why) == (0.75, None, "few pairs")


@pytest.mark.parametrize("width", [76, 80, 110])
def test_nothing_is_cut_off_on_a_narrow_console(width: int) -> None:
    pairs = [pair(number, 0, 1 + number % 3, (15, -number)) for number in range(1, 13)]
    pairs += [pair(13, 1, 2, (15, 15))]
    made = report(("alpha", "beta", "gamma", "x" * 30), *pairs, format="swiss", rounds=3)
    text = report_text(made, width)
    assert all(len(line) <= width for line in text.splitlines())
    for row in made.standings:
        line = next(line for line in text.splitlines() if line.startswith(f"{row.rank} "))
        words = line.split()
        assert row.name.startswith(words[1])
        assert [f"{row.score:g}", str(row.pairs), str(row.wins), str(row.losses)] == words[2:6]
        assert with_margin(row.per_game, 2, sign=True).partition(" (")[0] in line
        assert with_margin(row.elo, 0, sign=True).partition(" (")[0] in line
    assert text.count("x") - text.count("matrix") >= 90, "the long name, in each of three tables"
    assert "lost on time" in " ".join(text.split()) or width < 110


def test_a_crosstable_for_many_players_says_what_there_is_room_for() -> None:
    names = tuple(f"player {number}" for number in range(1, 13))
    pairs = [pair(n, n % 12, (n + 1) % 12, (n, 2)) for n in range(1, 25)]
    made = report(names, *pairs)
    wide, middle, narrow = (report_text(made, width) for width in (240, 120, 80))
    cell = next(c for c in made.crosstable if c.player == 0)
    assert with_margin(cell.per_game, 2, sign=True) in wide
    assert f"{cell.per_game.mean:+.2f}" in middle.partition("points/game against")[2].split()
    assert "The crosstable is too wide for this console; report.html has it." in narrow


def test_time_use_and_forfeits_are_told_of_each_player() -> None:
    games = replace(pair(1, 0, 1, (15, 15)))
    lost_games = tuple(
        replace(game, how=how) for game, how in zip(games.games, ("forfeit", "time"), strict=True)
    )
    made = report(NAMES[:2], replace(games, games=lost_games))
    text = report_text(made, 110)
    (alpha,) = (line.split() for line in text.splitlines() if line.startswith("alpha "))
    (beta,) = (line.split() for line in text.splitlines() if line.startswith("beta "))
    assert alpha == ["alpha", "60", "3.0", "s", "50.00", "ms", "0", "0", "0"]
    assert beta == ["beta", "56", "0.5", "s", "8.93", "ms", "1", "1", "0"]
    page = Page()
    page.feed(report_html(made))
    assert "Time and conduct" in page.text
    assert "8.93 ms110" in page.text


def test_the_first_intervals_do_not_flatten_the_plot() -> None:
    points = [(15, 15), (-15, -14), *[(2, 3), (3, 2)] * 50]
    made = report(NAMES[:2], *(pair(number, 0, 1, won) for number, won in enumerate(points, 1)))
    widest = max(point.margin or 0 for point in made.lines[0].points)
    low, high = _range(list(made.lines))
    assert widest > 100
    assert high - low < 60
    assert high > 15
    assert low < -15


def test_faults_and_void_pairs_are_told() -> None:
    faulty = replace(
        pair(1, 0, 1, (15, 15)),
        faults=(
            FaultNote(1, "hang", "no answer to 'go' within 1 s", 0, 1, 0, True),
            FaultNote(1, "hang", "no answer to 'go' within 1 s", 0, 1, 0),
            FaultNote(1, "crash", "was ended by SIGSEGV", 1, 1, 7),
        ),
    )
    games = tuple(replace(game, how="forfeit") for game in faulty.games)
    progress = Progress((replace(faulty, games=games),), ((Meeting(1, 0, 1, 1), 30),), None)
    made = make_report(plan(*NAMES[:2]), progress, [lost(PairTask(2, 1, 0, 1), "a worker died")])
    row = next(row for row in made.standings if row.player == 1)
    assert (row.forfeits, row.on_time, row.voided) == (2, 0, 1)
    assert [(f.kind, f.count, f.voided) for f in made.faults] == [("crash", 1, 0), ("hang", 2, 1)]
    for text in (report_text(made, 400), report_html(made)):
        assert "hang ×2 (1 games lost by it, 1 void and played again); first: no answer" in (
            text.replace("&#x27;", "'")
        )
        assert "void: pair 2: a worker died" in text
    assert made.lengths.rolls is None


class Page(HTMLParser):
    """What a page holds."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for key, value in attrs if key in ("src", "href")]
        if tag not in ("meta", "line", "circle", "polyline", "polygon"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for key, value in attrs if key in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_stands_alone_and_hostile_names_harm_nothing() -> None:
    pairs = [pair(number, 0, 1, (5, -number)) for number in range(1, 30)]
    pairs += [pair(30 + number, 1, 2, (number, 2)) for number in range(1, 10)]
    made = report((HOSTILE, "beta", "x" * 80), *pairs)
    text = report_html(made)
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.links == []
    assert "script" not in page.tags
    assert "url(" not in text
    assert "http" not in text
    assert page.tags.count("polyline") == 3
    assert page.tags.count("polygon") == 3
    assert HOSTILE in page.text
    assert "Crosstable" in page.text


def test_the_score_over_time_ends_at_the_score() -> None:
    made = report(NAMES[:2], *(pair(number, 0, 1, (5, -number)) for number in range(1, 1001)))
    line = made.lines[0]
    assert len(line.points) == 160
    assert line.points[-1].pairs == 1000
    row = next(row for row in made.standings if row.player == 0)
    assert (line.points[-1].mean, line.points[-1].margin) == (
        row.per_game.mean,
        row.per_game.margin,
    )
    assert line.points[0].pairs == 6


def test_swiss_and_knockout_rank_by_what_they_are_about() -> None:
    rows = ((Meeting(1, 0, 1, 1), 4), (Meeting(1, 2, 3, 1), -2), (Meeting(2, 0, 3, 1), -8))
    pairs = (pair(1, 0, 1, (2, 2)), pair(2, 2, 3, (-1, -1)), pair(3, 0, 3, (-4, -4)))
    swiss = make_report(plan(*NAMES, format="swiss", rounds=2), Progress(pairs, rows, None))
    assert [(row.name, row.score) for row in swiss.standings] == [
        ("delta", 2),
        ("alpha", 1),
        ("gamma", 0),
        ("beta", 0),
    ]
    cup = make_report(plan(*NAMES, format="knockout"), Progress(pairs, rows, None))
    assert [(row.name, row.score, row.rank) for row in cup.standings[:2]] == [
        ("delta", 3, 1),
        ("alpha", 2, 2),
    ]
    assert "the round reached" in cup.order_rule
    assert "score" in report_text(cup, 120)


def test_records_are_one_file_in_the_order_of_the_pairs() -> None:
    one, two = pair(1, 0, 1, (1, 1)), pair(2, 0, 1, (1, 1))
    named = [
        replace(
            p,
            games=tuple(
                replace(g, record=GameRecord((("X", f"{p.number}{g.leg}"),))) for g in p.games
            ),
        )
        for p in (one, two)
    ]
    text = records_text(named)
    assert [line for line in text.splitlines() if line.startswith("[X")] == [
        '[X "10"]',
        '[X "11"]',
        '[X "20"]',
        '[X "21"]',
    ]
