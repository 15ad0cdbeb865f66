"""The report of a run as one page without anything from elsewhere: report.html."""

from collections.abc import Iterable
from html import escape
from typing import Final

from acey_arena.plot import score_plot
from acey_arena.report import Report
from acey_arena.report_text import CONDUCT, conduct, digits_of, notes, rate_title, trouble
from acey_arena.standings import Number, Row

STYLE: Final = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1d2733; --soft: #5c6b7a; --rule: #e2ded5;
  --bar: #2f6f8f22; --bar-line: #2f6f8f; --zero: #9aa5b1; --bad: #a6321e;
  --c0: #1f6f8b; --c1: #c0562b; --c2: #5b7f3a; --c3: #7b519d; --c4: #a8852a; --c5: #3c5a99;
  --c6: #9b3d62; --c7: #4f8f84;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #12181f; --card: #1a222b; --ink: #e6e9ec; --soft: #9aa8b5; --rule: #2c3742;
    --bar: #6fb7d633; --bar-line: #6fb7d6; --zero: #5b6875; --bad: #f08a74;
    --c0: #6fb7d6; --c1: #ef946b; --c2: #9cc47a; --c3: #bd98dc; --c4: #dcbf6a; --c5: #8fa9e6;
    --c6: #df8bab; --c7: #8fcabf;
  }
}
* { box-sizing: border-box; }
:focus-visible { outline: 3px solid var(--bar-line); outline-offset: 2px; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.4rem 0 .8rem; }
.lead { color: var(--soft); margin: 0 0 1.6rem; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: .4rem 1rem; overflow-x: auto; }
.facts { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
.facts div { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: .7rem 1rem; }
.facts b { display: block; font-size: 1.35rem; font-weight: 600; overflow-wrap: anywhere; }
.facts span { color: var(--soft); font-size: .85rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .5rem .6rem; text-align: right; white-space: nowrap; }
th { font-weight: 600; font-size: .82rem; color: var(--soft);
  border-bottom: 1px solid var(--rule); }
tr + tr td { border-top: 1px solid var(--rule); }
td.name, th.name { text-align: left; white-space: normal; overflow-wrap: anywhere;
  min-width: 9.5rem; }
td.dotted { position: relative; padding-left: 1.85rem; }
td .dot { position: absolute; left: .6rem; top: .95rem; width: .7em; height: .7em;
  border-radius: 50%; }
td small { color: var(--soft); }
td.up small, td.down small { color: var(--ink); }
td.self { color: var(--zero); text-align: center; }
td.up { background: color-mix(in srgb, var(--c2) calc(var(--share) * 1%), transparent); }
td.down { background: color-mix(in srgb, var(--c1) calc(var(--share) * 1%), transparent); }
svg { display: block; width: 100%; height: auto; }
svg.plot { min-width: 48rem; }
svg text { fill: var(--soft); font-size: 12px; }
.spread { width: 11rem; min-width: 11rem; }
ul.plain { padding-left: 1.1rem; color: var(--soft); }
ul.plain li { margin: .25rem 0; overflow-wrap: anywhere; }
ul.bad { color: var(--bad); }
@media print { main { padding: 0; } .card { break-inside: avoid; } }
"""
COLOURS: Final = 8


def report_html(report: Report) -> str:
    """The page."""
    plot = score_plot(report)
    parts = [
        f"<h1>{escape(report.name)}</h1>",
        f'<p class="lead">{escape(_lead(report))}</p>',
        _facts(report),
        _card("Standings", _standings(report)),
    ]
    if plot:
        over = f"Points a game over the run, with the {report.confidence:.0%} interval"
        parts.append(_card(over, plot))
    if len(report.players) > 2:
        parts.append(_card("Crosstable: points a game against", _crosstable(report)))
    parts.append(_card("Time and conduct", _conduct(report)))
    parts.append(f"<h2>How to read this</h2>{_list(map(str, notes(report)), 'plain')}")
    problems = trouble(report)
    if problems:
        parts.append(f"<h2>What went wrong</h2>{_list(map(str, problems), 'plain bad')}")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.name)}</title><style>{STYLE}</style></head>\n"
        f"<body><main>\n{chr(10).join(parts)}\n</main></body></html>\n"
    )


def _card(title: str, content: str) -> str:
    """A table or a picture, wider than a telephone; whoever has only keys can scroll it too."""
    card = f'<div class="card" tabindex="0" role="group" aria-label="{title}">{content}</div>'
    return f"<h2>{title}</h2>{card}"


def colour(player: int) -> str:
    """The CSS colour of a player."""
    return f"var(--c{player % COLOURS})"


def _lead(report: Report) -> str:
    kind = f"matches to {report.match} points" if report.match else "single games for their points"
    clock = f", {report.clock} seconds a seat" if report.clock else ""
    return (
        f"{report.format.capitalize()} under the rules {report.rules}, {kind}{clock}. "
        "Every pair of games has the same dice with swapped seats."
    )


def _facts(report: Report) -> str:
    facts = [
        (str(len(report.players)), "players"),
        (f"{report.pairs:,}", "pairs of games"),
        (f"{report.games:,}", "games"),
        (str(report.seed), "seed"),
    ]
    if report.lengths.rolls is not None:
        facts.append((f"{report.lengths.rolls:.0f}", "rolls a game"))
    if report.sprt is not None:
        words = {"H0": "H0 accepted", "H1": "H1 accepted", "open": "undecided"}
        facts.append((words[report.sprt.verdict], f"after {report.sprt.pairs:,} pairs"))
    cells = "".join(f"<div><b>{escape(a)}</b><span>{escape(b)}</span></div>" for a, b in facts)
    return f'<div class="facts">{cells}</div>'


def _standings(report: Report) -> str:
    ranked = any(row.score is not None for row in report.standings)
    reach = _reach(report)
    head = ["#", "player", *(["score"] if ranked else []), "pairs", "won", "lost"]
    head += ["points a game", "", rate_title(report).removesuffix(" %"), "Elo"]
    rows = [_standing(row, reach, ranked=ranked) for row in report.standings]
    titles = "".join(
        f'<th class="{"name" if title == "player" else ""}" scope="col">{title}</th>'
        if title
        else "<td></td>"
        for title in head
    )
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _standing(row: Row, reach: float, *, ranked: bool) -> str:
    cells = [
        f"<td>{row.rank}</td>",
        _player(row.player, row.name),
        *([f"<td>{row.score:g}</td>"] if ranked and row.score is not None else []),
        f"<td>{row.pairs:,}</td><td>{row.wins:,}</td><td>{row.losses:,}</td>",
        f"<td>{_number(row.per_game, 2, sign=True)}</td>",
        f'<td class="spread">{_spread(row.per_game, reach, colour(row.player))}</td>',
        f"<td>{_number(row.win_rate, 1, scale=100, unit='&thinsp;%')}</td>",
        f"<td>{_number(row.elo, 0, sign=True)}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _player(player: int, name: str) -> str:
    dot = f'<span class="dot" style="background:{colour(player)}"></span>'
    return f'<td class="name dotted">{dot}{escape(name)}</td>'


def _conduct(report: Report) -> str:
    """Time use and forfeits of each player."""
    titles = "".join(f'<th scope="col">{title}</th>' for title in CONDUCT)
    rows = "".join(
        f"<tr>{_player(player, report.players[player].name)}"
        f"{''.join(f'<td>{text}</td>' for text in texts)}</tr>"
        for player, texts in conduct(report)
    )
    return (
        f'<table><thead><tr><th class="name" scope="col">player</th>{titles}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _number(
    value: Number, digits: int, *, sign: bool = False, scale: float = 1.0, unit: str = ""
) -> str:
    if value.mean is None:
        return f"– <small>{escape(value.why)}</small>"
    margin = value.margin and value.margin * scale
    digits = digits_of(margin, digits)
    text = f"{value.mean * scale:{'+' if sign else ''}.{digits}f}".replace("-", "−") + unit
    if margin is None:
        return f"{text} <small>± – {escape(value.why)}</small>"
    return f"{text} <small>± {margin:.{digits}f}</small>"


def _reach(report: Report) -> float:
    ends = [
        abs(row.per_game.mean) + (row.per_game.margin or 0)
        for row in report.standings
        if row.per_game.mean is not None
    ]
    return max([*ends, 0.1])


def _spread(value: Number, reach: float, stroke: str) -> str:
    """A small picture of an interval, 0 in its middle."""
    if value.mean is None:
        return ""
    middle = 80 + 74 * value.mean / reach
    half = 74 * (value.margin or 0) / reach
    return (
        '<svg viewBox="0 0 160 20" aria-hidden="true">'
        '<line x1="80" x2="80" y1="1" y2="19" stroke="var(--zero)" stroke-dasharray="2 3"/>'
        f'<line x1="{middle - half:.1f}" x2="{middle + half:.1f}" y1="10" y2="10" '
        f'stroke="{stroke}" stroke-width="5" stroke-linecap="round" opacity=".35"/>'
        f'<circle cx="{middle:.1f}" cy="10" r="4.2" fill="{stroke}"/></svg>'
    )


def _crosstable(report: Report) -> str:
    order = [row.player for row in report.standings]
    cells = {(cell.player, cell.opponent): cell for cell in report.crosstable}
    most = max([abs(cell.per_game.mean or 0) for cell in report.crosstable] + [0.1])
    head = "".join(
        f'<th scope="col">{escape(report.players[player].name)}</th>' for player in order
    )
    rows: list[str] = []
    for player in order:
        line = [f'<td class="name">{escape(report.players[player].name)}</td>']
        for opponent in order:
            cell = cells.get((player, opponent))
            if cell is None:
                line.append('<td class="self">·</td>')
                continue
            mean = cell.per_game.mean or 0
            line.append(
                f'<td class="{"up" if mean > 0 else "down"}" '
                f'style="--share:{35 * abs(mean) / most:.0f}">'
                f"{_number(cell.per_game, 2, sign=True)}</td>"
            )
        rows.append(f"<tr>{''.join(line)}</tr>")
    return (
        f'<table><thead><tr><td class="name"></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _list(lines: Iterable[str], kind: str) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="{kind}">{items}</ul>'
