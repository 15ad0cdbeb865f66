"""What the compiled scanner offers Python; see scan.py."""

from acey_rules.ruleset import Overshoot

def scan(
    body: str, packed: bytes, side: int, agenda: int, rows: bytes, overshoot: Overshoot
) -> tuple[bytes, int, int, int, int, int, int, int] | None:
    """Replay the turns and the result of a game; ``body`` starts behind its tags."""
