"""Random positions that can occur, crowded or nearly empty, for property tests."""

from hypothesis import strategies as st

LETTERS = "-ABCDEFGHIJKLMNO"
SIDES = (("x", 1, 25, range(1, 7)), ("o", -1, 0, range(19, 25)))


@st.composite
def boards(draw: st.DrawFn) -> str:
    """Draw the first three fields of a position line, ``<26 characters>:<X>:<O>``."""
    owner = draw(st.text("xxxooo-", min_size=24, max_size=24))
    cells = [0] * 26  # X's checkers positive, O's negative
    unentered = [0, 0]
    for side, (letter, sign, bar, home) in enumerate(SIDES):
        everywhere = [point for point in range(1, 25) if owner[point - 1] == letter]
        at_home = [point for point in everywhere if point in home]
        points = draw(st.sampled_from([everywhere, at_home]))
        on_points: list[int] = []
        if points:
            spread = points if draw(st.booleans()) else []  # one checker on each: many blots
            stacks = st.lists(st.sampled_from(points), max_size=15)
            on_points = [*spread, *draw(stacks)][:15]
        for point in on_points:
            cells[point] += sign
        left = 15 - len(on_points)
        on_bar = draw(st.sampled_from([0, 0, 0, 1, 2, 3])) if points is everywhere else 0
        cells[bar] = sign * min(on_bar, left)
        left -= abs(cells[bar])
        if points is everywhere or not on_points:
            unentered[side] = min(left, draw(st.sampled_from([0, 0, 1, 2, 15])))
            left -= unentered[side]
        if left == 15:
            unentered[side] = 1
    board = "".join(LETTERS[cell] if cell > 0 else LETTERS[-cell].lower() for cell in cells)
    return f"{board}:{unentered[0]}:{unentered[1]}"


turns = st.sampled_from("xo")
dice = st.tuples(st.integers(1, 6), st.integers(1, 6)).map(lambda two: (max(two), min(two)))
