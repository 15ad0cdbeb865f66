"""Whether the dice of a record are those its secret, or its seed, makes. spec/dice.md §5."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acey_protocol.records import DiceRecord, GameRecord, MatchRecord
from acey_rules import DiceSource, Draw, RuleSet, Side, StreamDice, commitment, rule_set, seeded

_HEX_TAGS = ("Commitment", "Secret", "XNonce", "ONonce")


class Problem(NamedTuple):
    """One thing that refutes a record's dice, or keeps them from being verified."""

    game: int
    """Number of the game in its match; 0 concerns the match."""
    message: str


class Verdict(NamedTuple):
    """What came of verifying the dice of one match."""

    source: str
    """``fair``, ``seed``, ``manual``, ``file``, or empty when the record does not tell."""
    games: int
    rolls: int
    """Throws compared, those of openings included."""
    problems: tuple[Problem, ...]

    @property
    def proven(self) -> bool:
        """Whether every throw is as the secret or seed makes it."""
        return not self.problems


def verify_match(record: MatchRecord) -> Verdict:
    """Verify the dice of a match record."""
    numbered = [(_number(game, place), game) for place, game in enumerate(record.games, 1)]
    dice = record.dice
    if dice is None:
        return Verdict("", len(numbered), 0, (Problem(0, "the record says nothing of its dice"),))
    return _verify(dice, rule_set(record.rules), numbered)


def verify_games(games: Iterable[GameRecord]) -> list[Verdict]:
    """Verify games by their tags; those with one ``Table`` and ``Commitment`` are one match."""
    matches: dict[tuple[str, str], list[GameRecord]] = {}
    for game in games:
        tags = dict(game.tags)
        matches.setdefault((tags.get("Table", ""), tags.get("Commitment", "")), []).append(game)
    verdicts: list[Verdict] = []
    for match in matches.values():
        dice = _dice_of_tags(match[0])
        if isinstance(dice, str):
            verdicts.append(Verdict("", len(match), 0, (Problem(0, dice),)))
            continue
        tags = dict(match[0].tags)
        rules = rule_set(tags.get("RuleSet") or tags.get("Rules", ""))
        numbered = [(_number(game, place), game) for place, game in enumerate(match, 1)]
        verdicts.append(_verify(dice, rules, numbered))
    return verdicts


def _dice_of_tags(game: GameRecord) -> DiceRecord | str:
    """What the tags say of the dice, or why nothing can be verified."""
    tags = dict(game.tags)
    kind, _, value = str(tags.get("Dice", "")).partition(":")
    for name in _HEX_TAGS:
        text = tags.get(name, "")
        if len(text) % 2 or not set(text) <= set("0123456789abcdef"):
            return f"the tag {name} is not lower-case hexadecimal"
    if kind == "seed" and value.isascii() and value.isdecimal():
        return DiceRecord("seed", seed=int(value))
    if kind == "fair":
        committed, secret, x_nonce, o_nonce = (tags.get(name, "") for name in _HEX_TAGS)
        return DiceRecord("fair", committed, secret, x_nonce, o_nonce)
    if kind in ("manual", "file"):
        return DiceRecord("manual" if kind == "manual" else "file")
    return "the record says nothing of its dice: it has no tag Dice"


def _number(game: GameRecord, place: int) -> int:
    text = dict(game.tags).get("Game", "")
    return int(text) if text.isascii() and text.isdecimal() else place


def _verify(dice: DiceRecord, rules: RuleSet, games: list[tuple[int, GameRecord]]) -> Verdict:
    source = _source(dice)
    if isinstance(source, str):
        return Verdict(dice.source, len(games), 0, (Problem(0, source),))
    rolls = 0
    problems: list[Problem] = []
    for number, game in games:
        for throw in _throws(game, rules):
            rolls += 1
            made = source.draw(Draw(number, throw.side, throw.number, 0))
            expected = f"{made[0]}{made[1]}"
            if throw.side is not None:
                expected = f"{max(made)}{min(made)}"
            if throw.dice != expected:
                problems.append(
                    Problem(number, f"{throw}: the record has {throw.dice}, made was {expected}")
                )
    return Verdict(dice.source, len(games), rolls, tuple(problems))


def _source(dice: DiceRecord) -> DiceSource | str:
    """What made the dice, or why that cannot be said."""
    if dice.source == "seed" and dice.seed is not None:
        return seeded(dice.seed)
    if dice.source != "fair":
        return f"dice={dice.source} cannot be verified: nobody committed to them"
    if not dice.secret:
        return "the secret is not revealed: the match was not over when the record was made"
    secret = bytes.fromhex(dice.secret)
    if commitment(secret) != dice.commitment:
        return "the secret is not the one that was committed to: its SHA-256 is another"
    return StreamDice(secret, dice.x_nonce, dice.o_nonce)


class _Throw(NamedTuple):
    """One throw of a game as the record has it."""

    side: Side | None
    number: int
    dice: str

    def __str__(self) -> str:
        """``roll 3 of X``, ``throw 1 of the opening``."""
        if self.side is None:
            return f"throw {self.number} of the opening"
        return f"roll {self.number} of {self.side.name}"


def _throws(game: GameRecord, rules: RuleSet) -> Iterator[_Throw]:
    """The throws that the source made, in order; named doubles and complements are not thrown."""
    opening = dict(game.tags).get("Opening", "").split()
    for number, throw in enumerate(opening, 1):
        yield _Throw(None, number, throw.replace("-", ""))
    counts = [0, 0]
    # Where the opening dice are played, the first roll of the game is theirs.
    given = rules.opening == "play" and bool(opening)
    for turn in game.turns:
        side = Side[turn.side]
        for roll in turn.rolls:
            if roll.kind != "rolled":
                continue
            if given:
                given = False
                continue
            counts[side] += 1
            yield _Throw(side, counts[side], "".join(sorted(roll.dice, reverse=True)))
