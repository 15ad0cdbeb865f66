"""A table of a daemon, as a game's script asks it. spec/protocol.md."""

from collections.abc import Generator
from typing import TypeVar, final

import msgspec
from msgspec.structs import replace

from acey_arena.clock import TimeControl
from acey_grammar.record import GameRecord
from acey_protocol.errors import Code
from acey_protocol.lines import Reply, quote
from acey_protocol.records import MatchRecord
from acey_protocol.replies import OpenedTable
from acey_rules import How, RuleSet, Side, State

Answer = TypeVar("Answer")
Script = Generator[str, Reply, Answer]
"""Yields requests, is sent their replies, returns an answer."""
FLAG_SECONDS = 5
"""How long a daemon is given to find that a seat has no time left."""


class RefereeError(Exception):
    """The daemon did not do what the arena relies on: no player's fault."""


@final
class Table:
    """One game at a daemon. The script of the game runs those of the table."""

    def __init__(
        self, rules: RuleSet, dice_seed: int, names: dict[Side, str], clock: TimeControl | None
    ) -> None:
        """Nothing is asked before ``open``."""
        spelled = rules.name if rules.name != "custom" else rules.fields_text()
        words = [f"rules={quote(spelled)}", f"dice=seed:{dice_seed}"]
        words += [f"{side.letter}={quote(names[side])}" for side in Side]
        if clock is not None:
            words.append(f"clock={clock.bank:g}+{clock.delay:g}")
        self._opening = " ".join(words)
        self._name = ""
        self._seats: dict[Side, str] = {}

    def open(self) -> Script[None]:
        """Open the table and take both seats."""
        opened = self._checked((yield f"open {self._opening} format=json"))
        table = msgspec.json.decode(opened.text, type=OpenedTable)
        self._name = table.table
        self._seats = {
            Side.X: f"{table.table} {table.x}",
            Side.O: f"{table.table} {table.o}",
        }
        for seat in self._seats.values():
            self._checked((yield f"await {seat} timeout=0"))

    def act(self, side: Side, action: str, after: State) -> Script[bool]:
        """Send an action that the rules allow; False when the daemon says the time is up.

        Raises RefereeError unless the daemon says that it leads to ``after``.
        """
        verb, _, rest = action.partition(" ")
        reply = yield f"{verb} {self._seats[side]} {rest}"
        if reply.code is Code.OVER:
            return False
        position = self._checked(reply).text.partition(" ")[2]
        wanted = after.line
        if after.outcome is not None:
            winner, points, _ = after.outcome
            wanted = f"{wanted} over {winner.letter} {points}"
        if position != wanted:
            raise RefereeError(
                f"table {self._name}: after '{action}' it says '{position}', not '{wanted}'"
            )
        return True

    def end(self, side: Side, how: How) -> Script[None]:
        """Let the game be over for ``side``."""
        if not self._name:
            yield from self.open()
        if how is How.TIME:
            reply = self._checked((yield f"await {self._seats[side]} timeout={FLAG_SECONDS}"))
            if reply.text.startswith("over"):
                return
        reply = yield f"leave {self._seats[side]}"
        if reply.code is not Code.OVER:
            self._checked(reply)

    def record(self, tags: tuple[tuple[str, str], ...]) -> Script[GameRecord]:
        """The game as the daemon wrote it down, under our tags."""
        reply = self._checked((yield f"record {self._name} format=json"))
        match = msgspec.json.decode(reply.text, type=MatchRecord)
        if len(match.games) != 1 or match.games[0].result is None:
            raise RefereeError(f"table {self._name} has no finished game to show")
        return replace(match.games[0], tags=tags)

    def _checked(self, reply: Reply) -> Reply:
        if not reply.ok:
            code = reply.code.value if reply.code else "?"
            raise RefereeError(f"table {self._name or 'to be opened'}: {code}: {reply.text}")
        return reply
