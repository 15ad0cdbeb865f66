"""What the compiled kernel offers Python for whole trees and games; see kernel_walk.py."""

from acey_rules.playout import Playout, Policy
from acey_rules.turn import State

def perft(state: State, plies: int, made: bool) -> int:
    """As perft.reference; with ``made`` every last position is made, not only counted."""

def playout(state: State, seed: int, policy: Policy | None, longest: int) -> Playout | None:
    """As playout.reference; None for a game of more rolls than ``longest``."""
