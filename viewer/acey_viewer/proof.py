"""Whether a record proves its dice, in words for people. spec/dice.md §5."""

from typing import Literal

from msgspec import Struct

from acey_grammar import GameRecord, Places
from acey_grammar.tags import read_tags
from acey_protocol.fairness import verify_games


class Proof(Struct, frozen=True):
    """What a record says about its dice."""

    status: Literal["verified", "refuted", "open", "none"]
    text: str


def proof_of(record: GameRecord) -> Proof:
    """Check the dice of a game against what its record reveals."""
    tags = read_tags(record, Places())
    if tags.start is None or tags.faults:
        return Proof("none", "The record's tags are faulty; its dice were not checked.")
    (verdict,) = verify_games([record])
    if verdict.proven:
        by = {
            "fair": "the secret that was committed to before the first of them",
            "seed": "the seed, which anybody could know beforehand",
        }[verdict.source]
        return Proof("verified", f"All {verdict.rolls} throws of dice follow from {by}: verified.")
    message = verdict.problems[0].message
    if verdict.source == "fair":
        if record.tag("Secret") is None:
            return Proof("open", f"The dice were committed to; {message}.")
        return Proof("refuted", f"The dice are not those that were committed to: {message}.")
    if verdict.source == "seed":
        return Proof("refuted", f"The dice are not those of the seed: {message}.")
    return Proof("none", f"Nothing proves the dice: {message}.")
