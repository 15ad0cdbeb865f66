"""Opening tables for persons, and the codes that hand a seat on."""

import re
import secrets
from typing import Final

from msgspec import Struct

from acey_arena.bots import BOTS
from acey_grammar.printable import printable
from acey_protocol.client import Client
from acey_protocol.errors import ProtocolError
from acey_rules import PRESETS
from acey_viewer.botseats import BotSeats

PERSON: Final = "person"
"""The opponent that is another person."""
NAME_WIDTH: Final = 40
_CODE = re.compile(r"([A-Za-z0-9_-]{1,64}):([xo]):([A-Za-z0-9_-]{1,128})")


class Wishes(Struct, frozen=True):
    """What somebody who opens a table asks for; every field is text of a form."""

    name: str = ""
    opponent: str = "random"
    rules: str = "american"
    match: str = "0"
    clock: str = ""
    side: str = "x"


class Given(Struct, frozen=True, omit_defaults=True):
    """A seat that was given."""

    table: str
    side: str
    """``X`` or ``O``."""
    token: str
    other: str = ""
    """The code of the other seat, when it is for another person."""


class SeatError(ValueError):
    """A seat cannot be had; the message is for the person who asked."""


def open_table(client: Client, wishes: Wishes, bots: "BotSeats") -> Given:
    """Open a table and seat a bot if one is wished for. Raises SeatError and AceyError."""
    if wishes.opponent not in (*BOTS, PERSON):
        raise SeatError(f"there is no opponent called {wishes.opponent!r}")
    if wishes.rules not in PRESETS:
        raise SeatError(f"there are no rules called {wishes.rules!r}")
    if not re.fullmatch(r"[0-9]{1,2}", wishes.match):
        raise SeatError("a match is to 1 to 99 points, or 0 for a single game")
    if wishes.side not in ("x", "o"):
        raise SeatError("you play X or O")
    mine = printable(wishes.name, NAME_WIDTH) or "visitor"
    theirs = "" if wishes.opponent == PERSON else wishes.opponent
    opened = client.open(
        rules=wishes.rules,
        x=mine if wishes.side == "x" else theirs,
        o=theirs if wishes.side == "x" else mine,
        match=int(wishes.match),
        clock=wishes.clock.strip(),
    )
    token, other = (opened.x, opened.o) if wishes.side == "x" else (opened.o, opened.x)
    if theirs:
        bots.seat(opened.table, other, BOTS[theirs](secrets.randbits(32)))
        return Given(opened.table, wishes.side.upper(), token)
    across = "o" if wishes.side == "x" else "x"
    return Given(opened.table, wishes.side.upper(), token, f"{opened.table}:{across}:{other}")


def take_seat(client: Client, code: str) -> Given:
    """The seat of a code. Raises SeatError for one that opens none, and AceyError."""
    found = _CODE.fullmatch(code.strip())
    if found is None:
        raise SeatError("this is no seat code; it reads table:x:token")
    table, side, token = found.groups()
    try:
        client.seat(table, token).wait(timeout=0)
    except ProtocolError as error:
        raise SeatError(f"this code opens no seat: {error.message}") from error
    return Given(table, side.upper(), token)
