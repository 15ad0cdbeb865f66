"""Whether a record proves its dice, in words for people. spec/dice.md §4.

A table with fair dice publishes a commitment before the first roll and the secret after the match;
both stand in the record's tags. Whoever has the record can make every roll again, as here.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from acey_grammar import GameRecord, Places
from acey_grammar.tags import read_tags
from acey_rules import Draw, Side, StreamDice, commitment, seeded


class Proof(Struct, frozen=True):
    """What a record says about its dice."""

    status: Literal["verified", "refuted", "open", "none"]
    text: str


def proof_of(record: GameRecord) -> Proof:
    """Check the dice of a game against what its record reveals."""
    tags = read_tags(record, Places())
    if tags.start is None or tags.faults:
        return Proof("none", "The record's tags are faulty; its dice were not checked.")
    promised, secret = record.tag("Commitment"), record.tag("Secret")
    kind, _, seed = (record.tag("Dice") or "").partition(":")
    if promised is not None and secret is not None:
        try:
            key = bytes.fromhex(secret)
        except ValueError:
            return Proof("refuted", "The secret in the record is not hexadecimal.")
        if commitment(key) != promised:
            return Proof("refuted", "The secret is not the one that was committed to.")
        stream = StreamDice(key, record.tag("XNonce") or "", record.tag("ONonce") or "")
        return _compared(record, stream, "follow from the secret committed to before the first")
    if promised is not None:
        return Proof(
            "open", "The dice were committed to; the secret that proves them is not revealed yet."
        )
    if kind == "seed" and seed.isdecimal():
        return _compared(record, seeded(int(seed)), f"follow from the seed {seed}, known to all,")
    if kind in ("manual", "file"):
        return Proof("none", "The dice were given from outside; nothing proves them.")
    return Proof("none", "The record holds nothing that proves its dice.")


def _compared(record: GameRecord, stream: StreamDice, how: str) -> Proof:
    number = record.tag("Game") or "1"
    game = int(number) if number.isdecimal() else 1
    count = 0
    for what, found, draw in _draws(record, game):
        due = stream.draw(draw)
        if sorted(due) != sorted(found):
            return Proof(
                "refuted", f"{what} is recorded as {_text(found)}; it should be {_text(due)}."
            )
        count += 1
    return Proof("verified", f"All {count} rolls {how} roll: verified.")


def _text(dice: tuple[int, int]) -> str:
    return f"{max(dice)}-{min(dice)}"


def _draws(record: GameRecord, game: int) -> Iterator[tuple[str, tuple[int, int], Draw]]:
    """Every throw of the record with the draw it stands for: the opening, then roll by roll."""
    opening = (record.tag("Opening") or "").split()
    for number, pair in enumerate(opening, 1):
        yield f"Opening throw {number}", _dice(pair.replace("-", "")), Draw(game, None, number, 0)
    counts = {Side.X: 0, Side.O: 0}
    first_is_opening = record.rules.opening == "play"
    for index, turn in enumerate(record.turns):
        side = Side[turn.side]
        for place, roll in enumerate(turn.rolls):
            if roll.kind != "rolled" or (first_is_opening and index == place == 0):
                continue
            counts[side] += 1
            what = f"Roll {counts[side]} of {side.name}"
            yield what, _dice(roll.dice), Draw(game, side, counts[side], 0)


def _dice(text: str) -> tuple[int, int]:
    return int(text[0]), int(text[1])
