"""The score over time as SVG: a line a player, its interval as a band around it."""

from html import escape
from math import floor, log10
from typing import Final

from acey_arena.report import Line, Point, Report

WIDTH: Final = 1000
HEIGHT: Final = 380
LEFT: Final = 56
RIGHT: Final = 150
TOP: Final = 18
BOTTOM: Final = 42
COLOURS: Final = 8
STRETCH: Final = 0.35
"""How much higher, at each end, the intervals on the way may make the picture: the first are very
wide, and what is beyond is cut off."""


def score_plot(report: Report) -> str:
    """The picture, or nothing where no player has two pairs."""
    lines = [line for line in report.lines if len(line.points) > 1]
    if not lines:
        return ""
    most = max(line.points[-1].pairs for line in lines)
    low, high = _range(lines)
    scale = _Scale(most, low, high)
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Points a game over {most} pairs, with intervals">',
        *_grid(scale),
    ]
    parts += [_band(line, scale) for line in lines]
    parts += [_curve(line, scale) for line in lines]
    parts += _labels(report, lines, scale)
    return "".join(parts) + "</svg>"


class _Scale:
    """From pairs and points to the picture."""

    def __init__(self, most: int, low: float, high: float) -> None:
        self.most, self.low, self.high = most, low, high

    def x(self, pairs: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * pairs / self.most

    def y(self, points: float) -> float:
        inside = min(max(points, self.low), self.high)
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - inside) / (self.high - self.low)


def _range(lines: list[Line]) -> tuple[float, float]:
    """The lowest and the highest points shown: all means and last intervals, and some room."""
    points = [point for line in lines for point in line.points]
    last = [line.points[-1] for line in lines]
    ends = [0.0, *(point.mean for point in points), *_ends(last)]
    low, high = min(ends), max(ends)
    span = high - low or 1.0
    wide = [*ends, *_ends(points)]
    low, high = max(min(wide), low - STRETCH * span), min(max(wide), high + STRETCH * span)
    return low - 0.06 * span, high + 0.06 * span


def _ends(points: list[Point]) -> list[float]:
    margins = [(point.mean, point.margin) for point in points if point.margin is not None]
    return [mean + sign * margin for mean, margin in margins for sign in (-1, 1)]


def _step(span: float, parts: int) -> float:
    """A round distance that divides a span in about so many parts."""
    raw = span / parts
    unit = 10.0 ** floor(log10(raw))
    return next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw)


def _grid(scale: _Scale) -> list[str]:
    parts: list[str] = []
    step = _step(scale.high - scale.low, 6)
    digits = max(0, -floor(log10(step)))
    value = floor(scale.low / step) * step
    while value <= scale.high:
        if value >= scale.low:
            y = scale.y(value)
            zero = abs(value) < step / 1000
            style = 'stroke="var(--zero)"' if zero else 'stroke="var(--rule)"'
            text = f"{0.0 if zero else value:+.{digits}f}".replace("+0", "0" if zero else "+0")
            parts.append(
                f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" {style}/>'
                f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">'
                f"{text.replace('-', '−')}</text>"
            )
        value += step
    step = max(1.0, _step(scale.most, 8))
    pairs = 0.0
    while pairs <= scale.most:
        parts.append(
            f'<text x="{scale.x(pairs):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">'
            f"{pairs:,.0f}</text>"
        )
        pairs += step
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle:.0f}" y="{HEIGHT - 6}" text-anchor="middle">pairs played</text>'
    )
    return parts


def _colour(player: int) -> str:
    return f"var(--c{player % COLOURS})"


def _band(line: Line, scale: _Scale) -> str:
    points = [(p.pairs, p.mean, p.margin) for p in line.points if p.margin is not None]
    if len(points) < 2:
        return ""
    upper = [f"{scale.x(pairs):.1f},{scale.y(mean + wide):.1f}" for pairs, mean, wide in points]
    lower = [f"{scale.x(pairs):.1f},{scale.y(mean - wide):.1f}" for pairs, mean, wide in points]
    outline = " ".join([*upper, *reversed(lower)])
    return f'<polygon points="{outline}" fill="{_colour(line.player)}" opacity=".16"/>'


def _curve(line: Line, scale: _Scale) -> str:
    points = " ".join(f"{scale.x(p.pairs):.1f},{scale.y(p.mean):.1f}" for p in line.points)
    return (
        f'<polyline points="{points}" fill="none" stroke="{_colour(line.player)}" '
        'stroke-width="2.2" stroke-linejoin="round"/>'
    )


def _labels(report: Report, lines: list[Line], scale: _Scale) -> list[str]:
    """Each player's name at the end of its line, moved apart where they would overlap."""
    parts: list[str] = []
    lowest = -100.0
    for line in sorted(lines, key=lambda line: -line.points[-1].mean):
        y = scale.y(line.points[-1].mean)
        place = max(y, lowest + 16)
        lowest = place
        name = report.players[line.player].name
        short = name if len(name) <= 18 else name[:17] + "…"
        x = scale.x(line.points[-1].pairs)
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{_colour(line.player)}"/>'
            f'<text x="{WIDTH - RIGHT + 12}" y="{place + 4:.1f}" '
            f'style="fill:{_colour(line.player)};font-weight:600">{escape(short)}'
            f"<title>{escape(name)}</title></text>"
        )
    return parts
