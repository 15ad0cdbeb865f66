"""The agendas of a rule set as a table of numbers, for the compiled scanner. spec/rules.md §5.

The table says what a roll, a name or a play makes of each agenda. It is worked out by the functions
of acey_rules that State itself asks, so that no rule is written twice.
"""

import struct
from functools import lru_cache
from typing import Final, NamedTuple

from acey_rules import NAME, ROLL, Agenda, RuleSet
from acey_rules.stage import earned_by_name, earned_by_roll, left_after, possible_agendas

ROW: Final = 40
"""Numbers in a row: what is due, the two dice, one unused, then up to 36 that follow."""
END: Final = 0
"""The number of the empty agenda: the turn passes."""
DUE_NOTHING: Final = 0
DUE_ROLL: Final = 1
"""Followed by the agenda for each first and second die."""
DUE_NAME: Final = 2
"""Followed by the agenda for each number."""
DUE_PLAY: Final = 3
"""Followed by the agendas for a complete play, for another, and for another with one on the bar."""


class AgendaTable(NamedTuple):
    """The agendas of a rule set and what follows each."""

    agendas: tuple[Agenda, ...]
    """Every agenda by its number; 0 is the empty one, 1 a roll alone."""
    numbers: dict[Agenda, int]
    rows: bytes
    """``ROW`` signed 16-bit numbers for each, in the byte order of the machine."""


@lru_cache(64)
def agenda_table(rules: RuleSet) -> AgendaTable:
    """The table of a rule set."""
    others = [agenda for agenda in possible_agendas(rules).values() if agenda != (ROLL,)]
    agendas: tuple[Agenda, ...] = ((), (ROLL,), *others)
    numbers = {agenda: number for number, agenda in enumerate(agendas)}
    rows = [_row(rules, agenda, numbers) for agenda in agendas]
    return AgendaTable(agendas, numbers, b"".join(rows))


def _row(rules: RuleSet, agenda: Agenda, numbers: dict[Agenda, int]) -> bytes:
    due, high, low = DUE_NOTHING, 0, 0
    follow: list[Agenda] = []
    if agenda:
        first, rest = agenda[0], agenda[1:]
        if first is ROLL:
            due = DUE_ROLL
            dice = ((one, two) for one in range(1, 7) for two in range(1, 7))
            follow = [earned_by_roll(rules, *pair) + rest for pair in dice]
        elif first is NAME:
            due = DUE_NAME
            follow = [earned_by_name(rules, number) + rest for number in range(1, 7)]
        else:
            assert first.dice is not None
            due, (high, low) = DUE_PLAY, first.dice
            follow = [
                left_after(rules, agenda, complete, on_bar)
                for complete, on_bar in ((True, False), (False, False), (False, True))
            ]
    row = [due, high, low, 0, *(numbers[after] for after in follow)]
    return struct.pack(f"={ROW}h", *row, *[0] * (ROW - len(row)))
