"""Boards as SVG: a diagram drawn at the places of layout.py, in light and dark.

A picture stands alone: its colours are in a style sheet of its own, plain values that every SVG
reader understands, with the dark ones in a media query that browsers follow. Checkers of X are
marked with a cross and those of O with a ring, so that nothing depends on colour.
"""

from html import escape
from typing import Literal

from acey_grammar.diagram import TALLEST, Diagram, Seat, Stack, diagram
from acey_grammar.printable import printable
from acey_rules import AMERICAN, Position, Side, State
from acey_viewer import layout
from acey_viewer.layout import Slots

Theme = Literal["auto", "light", "dark"]
"""``auto`` follows the reader's preference; the others are fixed."""

NAME_COLUMNS = 18
"""Columns of a name that fit beside the counts."""

_PALETTES: dict[Theme, dict[str, str]] = {
    "light": {
        "ab-page": "fill:#faf8f3",
        "ab-frame": "fill:#24405c",
        "ab-field": "fill:#efe9dc",
        "ab-bar": "fill:#2f4f6f",
        "ab-tray": "fill:#e4dccb",
        "ab-even": "fill:#b9c8d4",
        "ab-odd": "fill:#8ea7bb",
        "ab-label": "fill:#ffffff",
        "ab-text": "fill:#1b2733",
        "ab-quiet": "fill:#52606d",
        "ab-x": "fill:#b23a2e;stroke:#6f1d15",
        "ab-x-mark": "fill:none;stroke:#f0b9b1",
        "ab-x-text": "fill:#ffffff",
        "ab-o": "fill:#fffdf7;stroke:#33475b",
        "ab-o-mark": "fill:none;stroke:#9aaab8",
        "ab-o-text": "fill:#1b2733",
        "ab-later": "fill:#24405c",
        "ab-later-text": "fill:#ffffff",
    },
    "dark": {
        "ab-page": "fill:#10171f",
        "ab-frame": "fill:#2d4a66",
        "ab-field": "fill:#1a2632",
        "ab-bar": "fill:#243b52",
        "ab-tray": "fill:#1a2632",
        "ab-even": "fill:#32495d",
        "ab-odd": "fill:#46637c",
        "ab-label": "fill:#ffffff",
        "ab-text": "fill:#eef2f5",
        "ab-quiet": "fill:#aab8c4",
        "ab-x": "fill:#d1493a;stroke:#ffb3a8",
        "ab-x-mark": "fill:none;stroke:#ffd3cc",
        "ab-x-text": "fill:#ffffff",
        "ab-o": "fill:#f4efe3;stroke:#0b1117",
        "ab-o-mark": "fill:none;stroke:#8393a1",
        "ab-o-text": "fill:#1b2733",
        "ab-later": "fill:#dfe7ee",
        "ab-later-text": "fill:#14202b",
    },
}
FONTS = "system-ui,'Segoe UI','Noto Sans','DejaVu Sans','Liberation Sans',Arial,sans-serif"
"""The reader's own font; the names are for readers that do not know ``sans-serif``."""
_SHAPES = (
    f".ab{{font-family:{FONTS};font-size:18px}}"
    ".ab-x,.ab-o{stroke-width:1.5}"
    ".ab-x-mark,.ab-o-mark{stroke-width:2;stroke-linecap:round}"
    ".ab-bold{font-weight:700}"
)
_DOWN = tuple(range(24, 0, -1))
_LATER = {"N": "name", "R": "roll"}
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def svg_board(
    state: State,
    view: Side | None = None,
    *,
    names: tuple[str, str] = ("", ""),
    theme: Theme = "auto",
) -> str:
    """A state as an SVG document.

    ``view`` sits at the bottom and numbers the points: the side to move unless given. ``names`` are
    those of X and O, of any origin; they are made harmless and cut to fit.
    """
    return draw_svg(diagram(state, view), names=names, theme=theme)


def draw_svg(board: Diagram, *, names: tuple[str, str] = ("", ""), theme: Theme = "auto") -> str:
    """A diagram as ``svg_board`` draws it."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.WIDTH} {layout.HEIGHT}"'
        f' class="ab" role="img" aria-label="{escape(f"{board.due}. {describe(board)}")}">',
        f"<title>{escape(board.due)}</title>",
        f"<desc>{escape(describe(board))}</desc>",
        f"<style>{style_sheet(theme)}</style>",
        _rect("ab-page", 0, 0, layout.WIDTH, layout.HEIGHT, 10),
        *background(),
        *header(board, board.far, names, near=False),
        *header(board, board.near, names, near=True),
        *_checkers(board),
        *_dice(board),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def style_sheet(theme: Theme) -> str:
    """The colours of a board, by the classes its parts have."""
    if theme != "auto":
        return _SHAPES + _colours(theme)
    dark = f"@media (prefers-color-scheme:dark){{{_colours('dark')}}}"
    # Paper is white whatever the screen was.
    return f"{_SHAPES}{_colours('light')}{dark}@media print{{{_colours('light')}}}"


def _colours(theme: Theme) -> str:
    return "".join(f".{name}{{{value}}}" for name, value in _PALETTES[theme].items())


def describe(board: Diagram) -> str:
    """The whole diagram in words, for readers who do not see it."""
    return " ".join(
        _describe(seat, [board.stack(p if seat.side is board.view else 25 - p) for p in _DOWN])
        for seat in (board.near, board.far)
    )


def describe_position(position: Position) -> str:
    """A position in words: X, then O, each in its own numbers."""
    return describe(diagram(State(AMERICAN, position, Side.X, ()), Side.X))


def _describe(seat: Seat, stacks: list[Stack]) -> str:
    places = [
        (seat.bar, "on the bar"),
        (seat.unentered, "unentered"),
        *((s.height, f"on {p}") for p, s in zip(_DOWN, stacks, strict=True) if s.side is seat.side),
        (seat.off, "borne off"),
    ]
    words = ", ".join(f"{count} {place}" for count, place in places if count)
    return f"{seat.side.name}: {words}; {seat.pips} pips."


# --- the parts --------------------------------------------------------------------------------


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _rect(role: str, x: float, y: float, width: float, height: float, corner: float = 0) -> str:
    round_corner = f' rx="{_number(corner)}"' if corner else ""
    return (
        f'<rect class="{role}" x="{_number(x)}" y="{_number(y)}" width="{_number(width)}"'
        f' height="{_number(height)}"{round_corner}/>'
    )


def _text(role: str, x: float, y: float, text: str, anchor: str = "middle") -> str:
    """Text whose capitals and digits are centred on ``y``."""
    return (
        f'<text class="{role}" x="{_number(x)}" y="{_number(y + 6.5)}"'
        f' text-anchor="{anchor}">{escape(text)}</text>'
    )


def background() -> list[str]:
    """The empty board: frame, field, points with their numbers, bar and trays."""
    board_height = layout.BOARD_BOTTOM - layout.BOARD_TOP
    parts = [
        _rect("ab-frame", 0, layout.BOARD_TOP, layout.WIDTH, board_height, 8),
        _rect(
            "ab-field",
            layout.FIELD_LEFT,
            layout.FIELD_TOP,
            layout.FIELD_RIGHT - layout.FIELD_LEFT,
            layout.FIELD_HEIGHT,
        ),
        _rect("ab-bar", layout.BAR_LEFT, layout.FIELD_TOP, layout.BAR_WIDTH, layout.FIELD_HEIGHT),
    ]
    for point in range(1, 25):
        x, top = layout.column(point), point > 12
        base = layout.FIELD_TOP if top else layout.FIELD_BOTTOM
        tip = base + (layout.HALF - 4) * (1 if top else -1)
        half = layout.COLUMN / 2 - 1
        parts.append(
            f'<path class="{"ab-odd" if point % 2 else "ab-even"}"'
            f' d="M{_number(x - half)} {base}H{_number(x + half)}L{_number(x)} {tip}Z"/>'
        )
        label = layout.LABELS / 2
        middle = base - label if top else base + label
        parts.append(_text("ab-label", x, middle, str(point)))
    for near in (False, True):
        top = layout.tray_top(near=near)
        right = layout.UNENTERED_WIDTH + layout.GAP
        parts += [
            _rect("ab-tray", layout.MARGIN, top, layout.UNENTERED_WIDTH, layout.TRAY, 6),
            _rect(
                "ab-tray",
                layout.MARGIN + right,
                top,
                layout.FIELD_RIGHT - layout.MARGIN - right,
                layout.TRAY,
                6,
            ),
        ]
    return parts


def header(board: Diagram, seat: Seat, names: tuple[str, str], *, near: bool) -> list[str]:
    """The line that names a side and counts what the trays hold."""
    middle = layout.HEIGHT - layout.HEADER / 2 if near else layout.HEADER / 2
    name = printable(names[seat.side], NAME_COLUMNS)
    mover = "▸ " if board.turn is seat.side else ""
    counts = f"{seat.unentered} unentered · {seat.off} off · {seat.pips} pips"
    return [
        _text(
            "ab-text ab-bold",
            layout.MARGIN,
            middle,
            f"{mover}{seat.side.name} {name}".rstrip(),
            "start",
        ),
        _text("ab-quiet", layout.FIELD_RIGHT, middle, counts, "end"),
    ]


def _checkers(board: Diagram) -> list[str]:
    parts: list[str] = []
    for point, stack in enumerate(board.points, 1):
        if stack.side is not None:
            parts += _stack(stack.side, stack.height, layout.point_slots(point))
    for seat, near in ((board.far, False), (board.near, True)):
        parts += _stack(seat.side, seat.bar, layout.bar_slots(near=near))
        parts += _stack(seat.side, seat.unentered, layout.unentered_slots(near=near))
        for level in range(seat.off):
            parts.append(edge_on(seat.side, *layout.off_slots(near=near).at(level)))
    return parts


def _stack(side: Side, height: int, places: Slots) -> list[str]:
    """A stack; where more stand than are drawn, the last one drawn carries the count."""
    drawn = min(height, places.most)
    parts = [checker(side, *places.at(level)) for level in range(drawn)]
    if height > places.most:
        parts[-1] = checker(side, *places.at(TALLEST - 1), str(height))
    return parts


def checker(side: Side, x: float, y: float, count: str = "") -> str:
    """A checker lying flat, with its side's mark or a count on it."""
    letter = side.letter
    disc = f'<circle class="ab-{letter}" r="{_number(layout.RADIUS)}"/>'
    if count:
        mark = _text(f"ab-{letter}-text ab-bold", 0, 0, count)
    elif side is Side.X:
        mark = '<path class="ab-x-mark" d="M-5 -5L5 5M5 -5L-5 5"/>'
    else:
        mark = '<circle class="ab-o-mark" r="6.5"/>'
    return f'<g transform="translate({_number(x)} {_number(y)})">{disc}{mark}</g>'


def edge_on(side: Side, x: float, y: float) -> str:
    """A borne-off checker, lying on its edge."""
    half = layout.OFF_WIDTH / 2
    return _rect(f"ab-{side.letter}", x - half, y - 17, layout.OFF_WIDTH, 34, 2.5)


def _dice(board: Diagram) -> list[str]:
    """The dice, to the right of the side that plays them, then what the turn still holds."""
    near = board.turn is board.view
    middle, other = layout.dice_centre(near=near), layout.dice_centre(near=not near)
    start = middle - (len(board.dice) - 1) * layout.DICE_PITCH / 2
    parts = [
        die(board.turn, number, start + place * layout.DICE_PITCH, layout.MIDDLE)
        for place, number in enumerate(board.dice)
    ]
    widths = [114 if stage in _LATER else 92 for stage in board.later]
    x = other - (sum(widths) + 8 * (len(widths) - 1)) / 2
    for stage, width in zip(board.later, widths, strict=True):
        text = f"then {_LATER.get(stage, '-'.join(stage))}"
        parts += [
            _rect("ab-later", x, layout.MIDDLE - 15, width, 30, 15),
            _text("ab-later-text", x + width / 2, layout.MIDDLE, text),
        ]
        x += width + 8
    return parts


def die(side: Side, number: int, x: float, y: float) -> str:
    """A die in the colour of its side, centred."""
    letter = side.letter
    spots = "".join(
        f'<circle class="ab-{letter}-text" cx="{dx * 10}" cy="{dy * 10}" r="3.6"/>'
        for dx, dy in _PIPS[number]
    )
    return (
        f'<g transform="translate({_number(x)} {_number(y)})">'
        f"{_rect(f'ab-{letter}', -20, -20, 40, 40, 8)}{spots}</g>"
    )
