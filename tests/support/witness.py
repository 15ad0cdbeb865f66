"""A random bot that writes down, before its next step, every action acknowledged to it.

ACEY_TOKEN=… python -m tests.support.witness ADDRESS TABLE SEED FILE
"""

import os
import sys
from pathlib import Path

from acey_arena.bots import RandomBot
from acey_arena.player import play_seat
from acey_protocol.client import Client, Seat
from acey_protocol.replies import Acted


class Witness(Seat):
    """A seat that keeps a log: a line ``<ply> <action> <position>`` for each acknowledgement."""

    path: Path

    def play(self, ply: int | None, play: str) -> Acted:
        return self._note(super().play(ply, play), f"played {play}")

    def name(self, ply: int | None, number: int) -> Acted:
        return self._note(super().name(ply, number), f"named {number}")

    def _note(self, answer: Acted, action: str) -> Acted:
        with self.path.open("a") as file:
            file.write(f"{answer.ply}\t{action}\t{answer.position}\n")
        return answer


def main() -> None:
    address, table, seed, path = sys.argv[1:]
    with Client(address, timeout=1.0, attempts=60) as client:
        seat = Witness(client, table, os.environ["ACEY_TOKEN"])
        seat.path = Path(path)
        play_seat(seat, RandomBot(int(seed)), wait=2.0)


if __name__ == "__main__":
    main()
