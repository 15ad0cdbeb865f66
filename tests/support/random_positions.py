"""Random positions of every kind, for tests that compare two implementations."""

from random import Random

from acey_rules import CHECKERS, Position, Side

OFF, UNENTERED, BAR = 0, 25, 26
STYLES = {
    "anywhere": (*range(1, 25), UNENTERED, BAR, OFF),
    "entering": (*range(13, 25), *[UNENTERED] * 12, BAR),
    "on the bar": (*range(1, 25), *[BAR] * 8, UNENTERED),
    "coming home": (*range(1, 7), *range(1, 7), *range(1, 7), 7, 8, 9, 20, BAR, UNENTERED, OFF),
    "bearing off": (*range(1, 7), *[OFF] * 3),
    "nearly off": (*range(1, 7), *[OFF] * 60),
}
"""Where the checkers of a side may be, the likelier the more often a place is named."""


def random_position(rng: Random) -> Position:
    """A position in which neither side has borne off everything; all else that can be said."""
    while True:
        styles = [rng.choice(sorted(STYLES)) for _ in Side]
        owner = [rng.choice(tuple(Side)) for _ in range(25)]
        packed = bytearray(28)
        for side in Side:
            sign = 1 if side is Side.X else -1
            places = [
                place
                for place in STYLES[styles[side]]
                if not 1 <= place <= 24 or owner[place if side is Side.X else 25 - place] is side
            ]
            for _ in range(CHECKERS):
                place = rng.choice(places)
                if place == UNENTERED:
                    packed[26 + side] += 1
                elif place != OFF:
                    index = 25 if place == BAR else place
                    index = index if side is Side.X else 25 - index
                    packed[index] = (packed[index] + sign) & 0xFF
        position = Position(bytes(packed))
        if all(position.borne_off(side) < CHECKERS for side in Side):
            return position
