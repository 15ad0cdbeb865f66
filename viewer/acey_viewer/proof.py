"""Whether a record proves its dice, in words for people."""

from typing import Literal

from msgspec import Struct

from acey_grammar import GameRecord


class Proof(Struct, frozen=True):
    """What a record says about its dice."""

    status: Literal["verified", "refuted", "open", "none"]
    text: str


def proof_of(record: GameRecord) -> Proof:
    """Check the dice of a game against what its record reveals."""
    del record
    return Proof("none", "The dice are as recorded; the record holds nothing that proves them.")
