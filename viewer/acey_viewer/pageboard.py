"""The board of the pages: an empty one with its parts ready, which board.js fills.

The background, the checkers and the dice are those of svg.py and the places those of layout.py, so
that a page shows the same picture as ``acey show --svg``; the script only puts parts at places.
"""

from acey_grammar.diagram import Diagram, Seat, Stack
from acey_rules import BAR, Position, Side
from acey_viewer import layout, svg
from acey_viewer.jsontext import Json


def page_board(*, interactive: bool = False) -> str:
    """The SVG element: background, parts to copy, and empty layers that the script fills.

    A picture is one thing to a screen reader; an interactive board is a group of buttons.
    """
    role = "group" if interactive else "img"
    parts = [
        f'<svg viewBox="0 0 {layout.WIDTH} {layout.HEIGHT}" class="ab" role="{role}"'
        ' aria-label="Board">',
        f"<defs>{''.join(_parts())}</defs>",
        *svg.background(),
        *(_seat_line(near=near) for near in (False, True)),
        *(f'<g data-layer="{name}"></g>' for name in ("targets", "men", "dice", "flying")),
        "</svg>",
    ]
    return "\n".join(parts)


def _parts() -> list[str]:
    found: list[str] = []
    for side in Side:
        letter = side.letter
        found += [
            f'<g id="ab-man-{letter}">{svg.checker(side, 0, 0)}</g>',
            f'<g id="ab-disc-{letter}">{svg.checker(side, 0, 0, " ")}</g>',
            f'<g id="ab-edge-{letter}">{svg.edge_on(side, 0, 0)}</g>',
        ]
        found += [
            f'<g id="ab-die-{letter}-{number}">{svg.die(side, number, 0, 0)}</g>'
            for number in range(1, 7)
        ]
    return found


def _seat_line(*, near: bool) -> str:
    empty = Seat(Side.X if near else Side.O, 0, 0, 0, 0)
    blank = Diagram(Side.X, (Stack(None, 0),) * 24, empty, empty, Side.X, (), (), "")
    name, counts = svg.header(blank, empty, ("", ""), near=near)
    seat = "near" if near else "far"
    return name.replace("<text", f'<text data-part="{seat}-name"', 1) + counts.replace(
        "<text", f'<text data-part="{seat}-counts"', 1
    )


def page_layout() -> Json:
    """The coordinates that board.js needs, as JSON: every place, and where dice lie."""
    return {
        "slots": {name: list(place) for name, place in layout.slots().items()},
        "dice": {
            "near": [layout.dice_centre(near=True), layout.MIDDLE],
            "far": [layout.dice_centre(near=False), layout.MIDDLE],
            "pitch": layout.DICE_PITCH,
        },
        "field": {
            "top": layout.FIELD_TOP,
            "bottom": layout.FIELD_BOTTOM,
            "half": layout.HALF,
            "column": layout.COLUMN,
            "bar": layout.BAR_WIDTH,
            "tray": layout.TRAY,
            "unentered": layout.UNENTERED_WIDTH,
            "left": layout.FIELD_LEFT,
            "right": layout.FIELD_RIGHT,
        },
    }


def page_position(position: Position) -> Json:
    """A position as board.js takes it: for each side its counts, in its own numbers."""
    return {
        side.name: {
            "points": [position.count(side, point) for point in range(1, 25)],
            "bar": position.count(side, BAR),
            "unentered": position.unentered(side),
            "off": position.borne_off(side),
            "pips": position.pips(side),
        }
        for side in Side
    }
