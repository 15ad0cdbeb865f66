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
    proof = proof_of(record)
    assert proof.status == "verified"
    assert proof.text == (
        f"All {rolled + 1} rolls follow from the secret committed to before the first roll: "
        "verified."
    )


def test_another_secret_is_no_proof() -> None:
    wrong = with_tag(fair_game(), "Secret", "00" * 32)
    assert proof_of(wrong).status == "refuted"
    assert proof_of(wrong).text == "The secret is not the one that was committed to."
    assert proof_of(with_tag(fair_game(), "Secret", "no hex")).status == "refuted"


def test_a_changed_roll_is_found() -> None:
    record = fair_game()
    turns = list(record.turns)
    roll = turns[6].rolls[0]
    other = "31" if sorted(roll.dice) != ["1", "3"] else "64"
    turns[6] = TurnRecord(turns[6].side, (replace(roll, dice=other), *turns[6].rolls[1:]))
    proof = proof_of(replace(record, turns=tuple(turns)))
    assert proof.status == "refuted"
    assert f"is recorded as {other[0]}-{other[1]}; it should be" in proof.text


def test_a_changed_nonce_or_opening_is_found() -> None:
    assert proof_of(with_tag(fair_game(), "XNonce", "ab")).status == "refuted"
    proof = proof_of(with_tag(fair_game(), "Opening", "1-2"))
    assert proof.status == "refuted"
    assert proof.text.startswith("Opening throw 1 is recorded as 2-1;")


def test_what_is_not_revealed_is_open() -> None:
    assert proof_of(with_tag(fair_game(), "Secret", None)).status == "open"


def test_seeded_dice_are_compared_too() -> None:
    for rules in (AMERICAN, BACKGAMMON):
        tags = (("X", "a"), ("O", "b"), ("Dice", "seed:9"))
        record = played_game(9, rules, tags, turns=20)
        assert proof_of(record).status == "verified"
        assert proof_of(with_tag(record, "Dice", "seed:8")).status == "refuted"


def test_other_dice_prove_nothing() -> None:
    record = played_game(3, turns=4)
    assert proof_of(record).text == "The record holds nothing that proves its dice."
    manual = replace(record, tags=(*record.tags, ("Dice", "manual")))
    assert proof_of(manual).text == "The dice were given from outside; nothing proves them."
    faulty = with_tag(fair_game(), "Opening", "x")
    assert proof_of(faulty).status == "none"
