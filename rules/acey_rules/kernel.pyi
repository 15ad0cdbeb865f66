"""What the compiled kernel offers Python; see kernel.py."""

from typing_extensions import Buffer

def count(packed: bytes, side: int, high: int, low: int, overshoot: str) -> int:
    """How many legal plays a roll has."""

def results(packed: bytes, side: int, high: int, low: int, overshoot: str) -> bytes:
    """The packed positions after every legal play, in canonical order, 28 bytes each."""

def results_into(
    positions: Buffer, rolls: Buffer, overshoot: str, out: Buffer, ends: Buffer
) -> int:
    """The results of many positions at once; how many of them were answered."""
