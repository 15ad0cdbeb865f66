"""Where dice come from: a stream keyed by a secret, or a script. spec/dice.md.

A source is asked for one draw at a time and answers from the draw alone, never from what was asked
before: a restarted daemon needs to store no place in a stream, and the k-th roll of a side is the
same whatever the other side does. Nothing here draws entropy; a secret is passed in.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import count
from typing import Final, NamedTuple, Protocol

from acey_rules.errors import DiceError
from acey_rules.position import Side
from acey_rules.stage import dice_stage

STREAM: Final = "acey-dice/1"
"""Name of the stream's construction; part of every message, so that no other use collides."""
FAIR_BYTES: Final = 252
"""The first byte value that would favour some numbers: 252 is the last multiple of 6."""
HEXADECIMAL: Final = frozenset("0123456789abcdef")
"""What a nonce is written with."""

_BLOCK: Final = 64
"""Bytes of a block of SHA-256."""


class Draw(NamedTuple):
    """Which two dice of a match are asked for."""

    game: int
    """Number of the game in its match, from 1."""
    side: Side | None
    """Who rolls; None for the opening dice, X's first."""
    number: int
    """Which roll of that side in the game (bonus rolls counted), or which try of the opening,
    from 1."""
    place: int
    """How many draws of the match came before, from 0."""


class DiceSource(Protocol):
    """Anything that answers draws."""

    def draw(self, draw: Draw) -> tuple[int, int]:
        """The two dice of a draw, 1-6 each, as rolled. Raises DiceError when there are none."""
        ...


class StreamDice:
    """Dice from HMAC-SHA256, keyed by a secret, over both seats' nonces. spec/dice.md §2.

    Knowing everything but the secret tells nothing of any roll; knowing the secret, anyone can
    make every roll again.
    """

    def __init__(self, secret: bytes, x_nonce: str = "", o_nonce: str = "") -> None:
        """Key the stream; a nonce is lower-case hexadecimal text, or empty.

        Raises DiceError on another nonce: with other characters, two pairs of nonces could be the
        same stream.
        """
        for nonce in (x_nonce, o_nonce):
            if not set(nonce) <= HEXADECIMAL:
                raise DiceError(f"a nonce is digits and letters a-f, not {nonce!r}")
        # HMAC (RFC 2104) with its two keyed hashes prepared once: the dice of a game are drawn in
        # a third of the time that hmac.digest takes.
        key = secret if len(secret) <= _BLOCK else sha256(secret).digest()
        key = key.ljust(_BLOCK, b"\0")
        self._inner = sha256(bytes(byte ^ 0x36 for byte in key))
        self._outer = sha256(bytes(byte ^ 0x5C for byte in key))
        self._inner.update(f"{STREAM}\n{x_nonce}\n{o_nonce}\n".encode())

    def draw(self, draw: Draw) -> tuple[int, int]:
        """The first two fair bytes of the draw's blocks, each modulo 6 plus 1."""
        who = "opening" if draw.side is None else draw.side.name
        message = f"{draw.game} {who} {draw.number}"
        first = 0
        for block in count():
            for byte in self._hmac(f"{message} {block}".encode()):
                if byte < FAIR_BYTES:
                    if first:
                        return first, byte % 6 + 1
                    first = byte % 6 + 1
        raise AssertionError("blocks never end")

    def _hmac(self, message: bytes) -> bytes:
        """The code of the stream's name, the nonces and a message after them."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()


def commitment(secret: bytes) -> str:
    """What is published before the first roll: the SHA-256 of the secret, in hexadecimal."""
    return sha256(secret).hexdigest()


def seeded(seed: int) -> StreamDice:
    """Reproducible dice: the stream keyed by the SHA-256 of ``seed:<seed>``. spec/dice.md §3."""
    return StreamDice(sha256(f"seed:{seed}".encode()).digest())


class ScriptedDice:
    """Dice from a list, in order, whoever rolls."""

    def __init__(self, rolls: Sequence[tuple[int, int]]) -> None:
        """Take the rolls, opening dice included. Raises DiceError on dice that do not exist."""
        for roll in rolls:
            dice_stage(*roll)
        self._rolls = tuple(rolls)

    @classmethod
    def parse(cls, text: str) -> "ScriptedDice":
        """Read rolls as ``63 31 …``, separated by white space; ``#`` starts a comment.

        Raises DiceError naming the line of a word that is no roll.
        """
        rolls: list[tuple[int, int]] = []
        for number, line in enumerate(text.splitlines(), 1):
            for word in line.partition("#")[0].split():
                if len(word) != 2 or not set(word) <= set("123456"):
                    raise DiceError(f"line {number}: {word!r} is no roll; one is two digits 1-6")
                rolls.append((int(word[0]), int(word[1])))
        return cls(rolls)

    def draw(self, draw: Draw) -> tuple[int, int]:
        """The draw's place in the list. Raises DiceError past its end."""
        if draw.place not in range(len(self._rolls)):
            raise DiceError(f"the script of dice has {len(self._rolls)} rolls, and no other comes")
        return self._rolls[draw.place]
