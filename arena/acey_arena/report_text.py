"""The report of a run for a terminal and for report.txt."""

from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from acey_arena.report import Report
from acey_arena.standings import Number, Row


def with_margin(value: Number, digits: int, *, sign: bool = False, scale: float = 1.0) -> str:
    """``+1.25 ± 0.40``; a dash and a word for what the results do not give."""
    if value.mean is None:
        return f"– ({value.why})"
    text = f"{value.mean * scale:{'+' if sign else ''}.{digits}f}"
    if value.margin is None:
        return f"{text} ± – ({value.why})"
    return f"{text} ± {value.margin * scale:.{digits}f}"


def heading(report: Report) -> str:
    """What was played, on one line."""
    kind = f"matches to {report.match}" if report.match else "single games"
    clock = f", clock {report.clock}" if report.clock else ""
    return (
        f"{report.name}: {report.format}, {report.rules}, {kind}{clock}, seed {report.seed}; "
        f"{report.pairs} pairs, {report.games} games"
    )


def standings_table(report: Report) -> Table:
    """The standings with their intervals."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("player", overflow="fold")
    ranked = any(row.score is not None for row in report.standings)
    columns = ["score"] if ranked else []
    columns += ["pairs", "won", "lost", "points/game", "win rate %", "Elo"]
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for row in report.standings:
        table.add_row(*_cells(row, ranked=ranked))
    return table


def _cells(row: Row, *, ranked: bool) -> list[RenderableType]:
    score = [f"{row.score:g}"] if ranked and row.score is not None else []
    return [
        str(row.rank),
        Text(row.name),
        *score,
        str(row.pairs),
        str(row.wins),
        str(row.losses),
        with_margin(row.per_game, 2, sign=True),
        with_margin(row.win_rate, 1, scale=100),
        with_margin(row.elo, 0, sign=True),
    ]


def crosstable(report: Report) -> Table:
    """Points a game of the player of each line against that of each column."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("points/game against", overflow="fold")
    order = [row.player for row in report.standings]
    for player in order:
        table.add_column(Text(report.players[player].name), justify="right", overflow="fold")
    cells = {(cell.player, cell.opponent): cell for cell in report.crosstable}
    for player in order:
        line: list[RenderableType] = [Text(report.players[player].name)]
        for opponent in order:
            cell = cells.get((player, opponent))
            line.append(with_margin(cell.per_game, 2, sign=True) if cell else "·")
        table.add_row(*line)
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


def timing_line(report: Report) -> Text:
    """Who thought how long."""
    used = ", ".join(
        f"{report.players[use.player].name} {use.seconds:.1f} s"
        + (f" ({1000 * use.per_decision:.2f} ms a decision)" if use.per_decision else "")
        for use in report.timing
    )
    return Text(f"Thinking time: {used}.")


def rendered(report: Report) -> Group:
    """The whole report for a console."""
    parts: list[RenderableType] = [Text(heading(report), style="bold"), "", standings_table(report)]
    if len(report.players) > 2:
        parts += ["", crosstable(report)]
    parts += ["", *notes(report), timing_line(report)]
    problems = trouble(report)
    if problems:
        parts += ["", *problems]
    return Group(*parts)


def report_text(report: Report, width: int) -> str:
    """The report as plain text of that width."""
    file = StringIO()
    Console(file=file, width=width, color_system=None, legacy_windows=False).print(
        rendered(report), highlight=False
    )
    lines = (line.rstrip() for line in file.getvalue().splitlines())
    return "\n".join(lines) + "\n"
