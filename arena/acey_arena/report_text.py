"""The report of a run for a terminal and for report.txt."""

from io import StringIO
from math import floor, log10
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from acey_arena.report import Report
from acey_arena.standings import Number, Row
from acey_daemon.commands.console import counted

NARROW: Final = 100
"""Columns of a console below which a word for a missing number has a line of its own."""


def digits_of(margin: float | None, digits: int) -> int:
    """How many digits to show after the point: more where the margin would be shown as 0."""
    if margin is None or round(margin, digits):
        return digits
    return -floor(log10(margin))


def with_margin(value: Number, digits: int, *, sign: bool = False, scale: float = 1.0) -> str:
    """``+1.25 ± 0.40``; a dash and a word for what the results do not give."""
    if value.mean is None:
        return f"– ({value.why})"
    margin = value.margin and value.margin * scale
    digits = digits_of(margin, digits)
    text = f"{value.mean * scale:{'+' if sign else ''}.{digits}f}"
    if margin is None:
        return f"{text} ± – ({value.why})"
    return f"{text} ± {margin:.{digits}f}"


def heading(report: Report) -> str:
    """What was played, on one line."""
    kind = f"matches to {report.match}" if report.match else "single games"
    clock = f", clock {report.clock}" if report.clock else ""
    return (
        f"{report.name}: {report.format}, {report.rules}, {kind}{clock}, seed {report.seed}; "
        f"{counted(report.pairs, 'pair')}, {counted(report.games, 'game')}"
    )


def standings_table(report: Report, width: int) -> Table:
    """The standings with their intervals, for a console of that width."""
    narrow = width < NARROW
    table = _table(1 if narrow else 2)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("player", overflow="fold", min_width=8)
    ranked = any(row.score is not None for row in report.standings)
    columns = ["score"] if ranked else []
    columns += ["pairs", "won", "lost", "points/game", rate_title(report), "Elo"]
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for row in report.standings:
        cells = _cells(row, ranked=ranked)
        table.add_row(str(row.rank), Text(row.name), *map(_folded, cells) if narrow else cells)
    return table


def _folded(cell: str) -> str:
    """The word that stands for a missing number on a line of its own."""
    return cell.replace(" (", "\n(")


def _cells(row: Row, *, ranked: bool) -> list[str]:
    """What follows the name."""
    score = [f"{row.score:g}"] if ranked and row.score is not None else []
    return [
        *score,
        str(row.pairs),
        str(row.wins),
        str(row.losses),
        with_margin(row.per_game, 2, sign=True),
        with_margin(row.win_rate, 1, scale=100),
        with_margin(row.elo, 0, sign=True),
    ]


def rate_title(report: Report) -> str:
    """What the share is of."""
    return "matches won %" if report.match else "win rate %"


def _table(gap: int = 2) -> Table:
    return Table(box=None, pad_edge=False, header_style="bold", padding=(0, gap, 0, 0))


def crosstable(report: Report, width: int) -> RenderableType:
    """Points a game of the player of each line against that of each column.

    Columns are numbered as the standings order the players. Where the intervals have no room they
    are left away, and where the means have none the table is.
    """
    columns = len(report.players)
    with_margins = 20 + 16 * columns <= width
    if not with_margins and 20 + 8 * columns > width:
        return Text("The crosstable is too wide for this console; report.html has it.")
    table = _table()
    table.add_column("points/game against", overflow="fold", min_width=18)
    order = [row.player for row in report.standings]
    for place in range(1, columns + 1):
        table.add_column(str(place), justify="right", no_wrap=True)
    cells = {(cell.player, cell.opponent): cell.per_game for cell in report.crosstable}
    for place, player in enumerate(order, 1):
        line: list[RenderableType] = [Text(f"{place} {report.players[player].name}")]
        for opponent in order:
            value = cells.get((player, opponent))
            if value is None:
                line.append("·")
            elif with_margins:
                line.append(_folded(with_margin(value, 2, sign=True)))
            else:
                line.append(f"{value.mean:+.2f}" if value.mean is not None else "–")
        table.add_row(*line)
    return table


CONDUCT: Final = (
    "decisions",
    "thinking time",
    "a decision",
    "forfeits",
    "lost on time",
    "void games",
)
"""The columns of what is said of a player's conduct, its name apart."""


def conduct(report: Report) -> list[tuple[int, tuple[str, ...]]]:
    """Each player with its time use and its forfeits, as texts in the order of ``CONDUCT``."""
    used = {use.player: use for use in report.timing}
    lines: list[tuple[int, tuple[str, ...]]] = []
    for row in report.standings:
        use = used.get(row.player)
        each = use.per_decision if use else None
        texts = (
            f"{row.decisions:,}",
            f"{use.seconds:,.1f} s" if use else "–",
            f"{1000 * each:,.2f} ms" if each is not None else "–",
            f"{row.forfeits:,}",
            f"{row.on_time:,}",
            f"{row.voided:,}",
        )
        lines.append((row.player, texts))
    return lines


def conduct_table(report: Report) -> Table:
    """Time use and forfeits of each player."""
    table = _table()
    table.add_column("player", overflow="fold", min_width=8)
    for column in CONDUCT:
        table.add_column(column, justify="right", min_width=8)
    for player, texts in conduct(report):
        table.add_row(Text(report.players[player].name), *texts)
    return table


def notes(report: Report) -> list[Text]:
    """The lines beside the tables."""
    lines = [
        f"Intervals: {report.confidence:.0%}, pairs of games being the unit; Elo: 0 is the mean of "
        "all players, errors robust, clustered by pair.",
        report.order_rule,
    ]
    lengths = report.lengths
    if lengths.rolls is not None and lengths.turns is not None:
        lines.append(
            f"Games played out: {lengths.turns:.1f} turns and {lengths.rolls:.1f} rolls on "
            f"average, {lengths.shortest} to {lengths.longest} rolls."
        )
    if report.sprt is not None:
        test = report.sprt
        lines.append(f"{test.hypotheses}.")
        verdict = {
            "H1": "H1 is accepted",
            "H0": "H0 is accepted",
            "open": "neither hypothesis is accepted",
        }
        counts = ", ".join(f"{score}: {count}" for score, count in test.scores.items())
        lines.append(
            f"{verdict[test.verdict]} after {test.pairs} pairs, log likelihood ratio "
            f"{test.log_ratio:.2f}; pair scores of {report.players[0].name}: {counts}."
        )
    for name, rounds in report.byes.items():
        lines.append(f"{name} had a bye in round {', '.join(map(str, rounds))}.")
    return [Text(line) for line in lines]


def trouble(report: Report) -> list[Text]:
    """What went wrong, a line each."""
    lines: list[str] = []
    for fault in report.faults:
        name = report.players[fault.player].name
        lost = fault.count - fault.voided
        became = f"{lost} games lost by it"
        if fault.voided:
            became += f", {fault.voided} void and played again"
        lines.append(f"{name}: {fault.kind} ×{fault.count} ({became}); first: {fault.first}")
    lines += [f"void: {reason}" for reason in report.void_pairs]
    return [Text(line, style="red") for line in lines]


def rendered(report: Report, width: int) -> Group:
    """The whole report for a console of that width."""
    parts: list[RenderableType] = [
        Text(heading(report), style="bold"),
        "",
        standings_table(report, width),
    ]
    if len(report.players) > 2:
        parts += ["", crosstable(report, width)]
    parts += ["", conduct_table(report), "", *notes(report)]
    problems = trouble(report)
    if problems:
        parts += ["", Text("What went wrong", style="bold"), *problems]
    return Group(*parts)


def report_text(report: Report, width: int) -> str:
    """The report as plain text of that width."""
    file = StringIO()
    Console(file=file, width=width, color_system=None, legacy_windows=False).print(
        rendered(report, width), highlight=False
    )
    lines = (line.rstrip() for line in file.getvalue().splitlines())
    return "\n".join(lines) + "\n"
