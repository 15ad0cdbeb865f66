"""Where everything of a picture stands: one set of coordinates for the SVG and for the pages.

Units are those of the SVG's view box, from the top left. The page scripts get the same numbers as
data (``slots``), so that a checker moved by a script stands where a drawn one would.
"""

from typing import Final, NamedTuple

from acey_grammar.diagram import BOTTOM, TALLEST, TOP

COLUMN: Final = 40
"""Width of a point."""
BAR_WIDTH: Final = 48
RADIUS: Final = 17.5
"""Of a checker."""
PITCH: Final = 36
"""From the middle of one checker of a stack to the next."""
MARGIN: Final = 8
HEADER: Final = 34
"""Height of the line that names a side and counts its checkers and pips."""
TRAY: Final = 48
"""Height of the trays beside the board."""
LABELS: Final = 26
"""Height of the band of the frame that holds the point numbers."""
HALF: Final = 192
"""Height of a point's half of the board."""
STRIP: Final = 56
"""Height of the middle, where the dice lie."""
GAP: Final = 8

WIDTH: Final = 12 * COLUMN + BAR_WIDTH + 2 * MARGIN
BOARD_TOP: Final = HEADER + TRAY + GAP
FIELD_TOP: Final = BOARD_TOP + LABELS
FIELD_HEIGHT: Final = 2 * HALF + STRIP
FIELD_BOTTOM: Final = FIELD_TOP + FIELD_HEIGHT
BOARD_BOTTOM: Final = FIELD_BOTTOM + LABELS
HEIGHT: Final = BOARD_BOTTOM + GAP + TRAY + HEADER
MIDDLE: Final = FIELD_TOP + FIELD_HEIGHT / 2
CENTRE: Final = WIDTH / 2
FIELD_LEFT: Final = MARGIN
BAR_LEFT: Final = MARGIN + 6 * COLUMN
FIELD_RIGHT: Final = WIDTH - MARGIN

UNENTERED_WIDTH: Final = 348
"""Width of the tray of unentered checkers; the rest of the line holds those borne off."""
UNENTERED_PITCH: Final = (UNENTERED_WIDTH - 2 * RADIUS - 8) / 14
OFF_PITCH: Final = 11
OFF_WIDTH: Final = 9
"""A borne-off checker lies on its edge."""
DICE_PITCH: Final = 50
"""From the middle of one die to the next."""


class Slots(NamedTuple):
    """Where the checkers of one place stand: the k-th at ``x + k * dx``, ``y + k * dy``."""

    x: float
    y: float
    dx: float
    dy: float
    most: int
    """Checkers drawn one by one; the last of them carries the count when there are more."""

    def at(self, level: int) -> tuple[float, float]:
        """The middle of the checker at a level from 0; those above ``most`` share its place."""
        level = min(level, self.most - 1)
        return self.x + level * self.dx, self.y + level * self.dy


def column(point: int) -> float:
    """The middle of a point's column."""
    for left, right in (TOP, BOTTOM):
        for start, half in ((FIELD_LEFT, left), (BAR_LEFT + BAR_WIDTH, right)):
            if point in half:
                return start + (half.index(point) + 0.5) * COLUMN
    raise ValueError(f"{point} is no point from 1 to 24")


def point_slots(point: int) -> Slots:
    """The stack on a point, 1-24, in the viewing side's numbers."""
    edge = RADIUS + 2
    if point > 12:
        return Slots(column(point), FIELD_TOP + edge, 0, PITCH, TALLEST)
    return Slots(column(point), FIELD_BOTTOM - edge, 0, -PITCH, TALLEST)


def bar_slots(*, near: bool) -> Slots:
    """The bar of the viewing side, which grows up from the middle, or of the other, down."""
    sign = -1 if near else 1
    start = MIDDLE + sign * (STRIP / 2 + RADIUS)
    return Slots(CENTRE, start, 0, sign * PITCH, TALLEST)


def tray_top(*, near: bool) -> float:
    """The upper edge of a side's trays."""
    return BOARD_BOTTOM + GAP if near else HEADER


def unentered_slots(*, near: bool) -> Slots:
    """A side's unentered checkers, overlapping from the left."""
    y = tray_top(near=near) + TRAY / 2
    return Slots(MARGIN + 4 + RADIUS, y, UNENTERED_PITCH, 0, 15)


def off_slots(*, near: bool) -> Slots:
    """A side's borne-off checkers, on their edges from the right."""
    y = tray_top(near=near) + TRAY / 2
    return Slots(FIELD_RIGHT - 6 - OFF_WIDTH / 2, y, -OFF_PITCH, 0, 15)


def dice_centre(*, near: bool) -> float:
    """The middle of the half of the board where a side throws its dice: to its right."""
    half = 3 * COLUMN
    return BAR_LEFT + BAR_WIDTH + half if near else FIELD_LEFT + half


def slots() -> dict[str, Slots]:
    """Every place by its name: ``1`` to ``24``, ``near-bar``, ``far-off`` and so on."""
    found = {str(point): point_slots(point) for point in range(1, 25)}
    for name, near in (("near", True), ("far", False)):
        found[f"{name}-bar"] = bar_slots(near=near)
        found[f"{name}-unentered"] = unentered_slots(near=near)
        found[f"{name}-off"] = off_slots(near=near)
    return found
