"""Dice sources. spec/dice.md."""

import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acey_rules import DiceError, Draw, ScriptedDice, Side, StreamDice, commitment, seeded

SECRET = bytes(range(32))


# Each made with openssl and a shell, the digest's first bytes below 252 modulo 6 plus 1:
#   printf 'acey-dice/1\n<X nonce>\n<O nonce>\n1 X 1 0' |
#       openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f
@pytest.mark.parametrize(
    ("draw", "x_nonce", "o_nonce", "dice"),
    [
        (Draw(1, None, 1, 0), "", "", (4, 2)),  # 33 6d
        (Draw(1, Side.X, 1, 1), "", "", (1, 3)),  # c0 f8
        (Draw(1, Side.O, 1, 2), "", "", (6, 1)),  # f5 cc
        (Draw(1, Side.X, 2, 3), "", "", (2, 4)),  # 79 33
        (Draw(2, Side.X, 1, 4), "", "", (6, 2)),  # b9 01
        (Draw(1, Side.X, 1, 1), "00ff", "c0ffee", (1, 5)),  # e4 1c
        (Draw(1, Side.X, 1, 1), "c0ffee", "00ff", (5, 1)),  # e2 96
        (Draw(12, Side.O, 345, 0), "", "", (2, 1)),  # 4f 5a
        (Draw(1, Side.X, 84, 0), "", "", (2, 1)),  # fc d3 d8: 252 is left out
    ],
)
def test_known_answers_of_the_stream(
    draw: Draw, x_nonce: str, o_nonce: str, dice: tuple[int, int]
) -> None:
    assert StreamDice(SECRET, x_nonce, o_nonce).draw(draw) == dice


def test_known_answers_of_a_seed() -> None:
    stream = seeded(42)  # keyed by `printf seed:42 | sha256sum`
    assert stream.draw(Draw(1, None, 1, 0)) == (5, 2)
    assert stream.draw(Draw(1, Side.X, 1, 1)) == (1, 4)
    assert stream.draw(Draw(1, Side.O, 1, 2)) == (5, 4)
    assert stream.draw(Draw(1, Side.O, 2, 3)) == (6, 4)


def test_the_commitment_is_the_sha256_of_the_secret() -> None:
    expected = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert commitment(SECRET) == expected


def test_a_block_without_two_fair_bytes_is_followed_by_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks = {b"0": bytes([255] * 31 + [1]), b"1": bytes([252] * 32), b"2": bytes([5] * 32)}

    def digest(_stream: StreamDice, message: bytes) -> bytes:
        return blocks[message.rpartition(b" ")[2]]

    monkeypatch.setattr(StreamDice, "_hmac", digest)
    assert StreamDice(SECRET).draw(Draw(1, Side.X, 1, 0)) == (2, 6)


nonces = st.text("0123456789abcdef", max_size=64)


@given(st.binary(max_size=200), nonces, nonces, st.binary(max_size=200))
def test_the_keyed_hash_is_hmac(secret: bytes, x_nonce: str, o_nonce: str, message: bytes) -> None:
    whole = f"acey-dice/1\n{x_nonce}\n{o_nonce}\n".encode() + message
    stream = StreamDice(secret, x_nonce, o_nonce)
    assert stream._hmac(message) == hmac.digest(secret, whole, "sha256")


draws = st.builds(
    Draw,
    st.integers(1, 100),
    st.sampled_from([None, Side.X, Side.O]),
    st.integers(1, 1000),
    st.integers(0, 10**6),
)


@given(st.binary(min_size=32, max_size=32), draws, st.integers(0, 10**6))
def test_a_draw_depends_on_game_side_and_number_alone(
    secret: bytes, draw: Draw, place: int
) -> None:
    dice = StreamDice(secret).draw(draw)
    assert set(dice) <= set(range(1, 7))
    assert StreamDice(secret).draw(draw._replace(place=place)) == dice


def test_every_number_comes_about_as_often() -> None:
    stream = seeded(1)
    rolls = [stream.draw(Draw(1, Side.X, number, 0)) for number in range(1, 6001)]
    counts = [sum(roll.count(number) for roll in rolls) for number in range(1, 7)]
    assert sum(counts) == 12000
    # Chi-square with 5 degrees of freedom; the seed is fixed, so this cannot fail by chance.
    assert sum((count - 2000) ** 2 / 2000 for count in counts) < 15.1
    assert len(set(rolls)) == 36


def test_streams_differ_by_seed_side_game_and_number() -> None:
    def rolls(seed: int, game: int, side: Side | None) -> list[tuple[int, int]]:
        return [seeded(seed).draw(Draw(game, side, number, 0)) for number in range(1, 21)]

    streams = [
        rolls(7, 1, Side.X),
        rolls(7, 1, Side.O),
        rolls(7, 1, None),
        rolls(7, 2, Side.X),
        rolls(8, 1, Side.X),
        rolls(-7, 1, Side.X),
    ]
    assert len({tuple(stream) for stream in streams}) == len(streams)


def test_scripted_dice_come_in_order_whoever_rolls() -> None:
    script = ScriptedDice.parse("63 11\n# a comment 66\n\n  42\t55# 77 is none\r\n")
    assert script.draw(Draw(1, None, 1, 0)) == (6, 3)
    assert script.draw(Draw(1, Side.X, 1, 1)) == (1, 1)
    assert script.draw(Draw(1, Side.O, 9, 2)) == (4, 2)
    assert script.draw(Draw(3, Side.O, 1, 3)) == (5, 5)
    assert script.draw(Draw(1, Side.O, 1, 0)) == (6, 3)


def test_a_script_that_has_ended_says_so() -> None:
    script = ScriptedDice([(3, 6), (1, 1)])
    assert script.draw(Draw(1, Side.X, 1, 0)) == (3, 6)
    for place in (2, 3, -1):
        with pytest.raises(DiceError, match="has 2 rolls"):
            script.draw(Draw(1, Side.X, 2, place))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("63 7", "line 1: '7' is no roll"),
        ("63\n\n70", "line 3: '70' is no roll"),
        ("63\n631", "line 2: '631' is no roll"),
        ("6-3", "line 1: '6-3' is no roll"),
        ("\u0666\u0663", "line 1: '\u0666\u0663' is no roll"),
    ],
)
def test_what_is_no_roll_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(DiceError, match=message):
        ScriptedDice.parse(text)


@pytest.mark.parametrize("roll", [(0, 1), (1, 7), (-1, 2)])
def test_a_script_of_dice_that_do_not_exist(roll: tuple[int, int]) -> None:
    with pytest.raises(DiceError):
        ScriptedDice([(6, 3), roll])


def test_a_script_keeps_its_rolls() -> None:
    rolls = [(6, 3)]
    script = ScriptedDice(rolls)
    rolls[0] = (1, 1)
    assert script.draw(Draw(1, Side.X, 1, 0)) == (6, 3)
