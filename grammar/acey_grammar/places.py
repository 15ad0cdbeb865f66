"""Where the items of a game stand in its text, kept beside the record. spec/notation.md §5."""

from typing import NamedTuple

from acey_grammar.faults import Place

NOWHERE = Place(0, 0)
"""The place of what came from no text."""


class TurnPlaces(NamedTuple):
    """Where a turn stands."""

    start: Place
    rolls: tuple[Place, ...]
    """The dice of each roll."""
    plays: tuple[Place, ...]
    """The play of each roll."""
    end: Place
    """Just past its last roll."""


class Places(NamedTuple):
    """Where the parts of a game stand, in the order of the record."""

    tags: tuple[Place, ...] = ()
    turns: tuple[TurnPlaces, ...] = ()
    result: Place = NOWHERE
