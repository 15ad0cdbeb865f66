"""Whether the replay page tells true from false dice."""

from msgspec.structs import replace
from tests.support.games import played_game

from acey_grammar import GameRecord, TurnRecord
from acey_rules import AMERICAN, BACKGAMMON, StreamDice, commitment
from acey_viewer.proof import proof_of

SECRET = bytes(range(32))
FAIR = (
    ("X", "alpha"),
    ("O", "beta"),
    ("Dice", "fair"),
    ("Commitment", commitment(SECRET)),
    ("XNonce", "aa"),
    ("ONonce", "bb"),
    ("Secret", SECRET.hex()),
)


def fair_game() -> GameRecord:
    return played_game(4, tags=FAIR, dice=StreamDice(SECRET, "aa", "bb"), turns=30)


def with_tag(record: GameRecord, name: str, value: str | None) -> GameRecord:
    tags = [(tag, value if tag == name else old) for tag, old in record.tags]
    return replace(record, tags=tuple((tag, text) for tag, text in tags if text is not None))


def test_fair_dice_are_verified_from_the_secret() -> None:
    record = fair_game()
    rolled = sum(roll.kind == "rolled" for turn in record.turns for roll in turn.rolls)
    openings = len((record.tag("Opening") or "").split())
    assert proof_of(record).status == "verified"
    assert proof_of(record).text == (
        f"All {rolled + openings} throws of dice follow from the secret that was committed to "
        "before the first of them: verified."
    )


def test_another_secret_is_no_proof() -> None:
    proof = proof_of(with_tag(fair_game(), "Secret", "00" * 32))
    assert proof.status == "refuted"
    assert "the secret is not the one that was committed to" in proof.text


def test_a_changed_roll_is_found() -> None:
    record = fair_game()
    turns = list(record.turns)
    roll = turns[6].rolls[0]
    other = "31" if sorted(roll.dice) != ["1", "3"] else "64"
    turns[6] = TurnRecord(turns[6].side, (replace(roll, dice=other), *turns[6].rolls[1:]))
    proof = proof_of(replace(record, turns=tuple(turns)))
    assert proof.status == "refuted"
    assert f"the record has {other}, made was" in proof.text


def test_a_changed_nonce_is_found() -> None:
    assert proof_of(with_tag(fair_game(), "XNonce", "ab")).status == "refuted"


def test_what_is_not_revealed_is_open() -> None:
    proof = proof_of(with_tag(fair_game(), "Secret", None))
    assert proof.status == "open"
    assert proof.text.startswith("The dice were committed to; the secret is not revealed")


def test_seeded_dice_are_compared_too() -> None:
    for rules in (AMERICAN, BACKGAMMON):
        tags = (("X", "a"), ("O", "b"), ("Dice", "seed:9"))
        record = played_game(9, rules, tags, turns=20)
        assert proof_of(record).status == "verified"
        assert proof_of(with_tag(record, "Dice", "seed:8")).status == "refuted"


def test_other_dice_prove_nothing() -> None:
    record = played_game(3, turns=4)
    assert proof_of(record).text.startswith("Nothing proves the dice: the record says nothing")
    manual = replace(record, tags=(*record.tags, ("Dice", "manual")))
    assert proof_of(manual).text == (
        "Nothing proves the dice: dice=manual cannot be verified: nobody committed to them."
    )
    assert proof_of(with_tag(fair_game(), "Opening", "x")).status == "none"
