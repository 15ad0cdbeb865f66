"""Opening tables for persons, seats for bots, and the codes that hand a seat on."""

import logging
import re
import secrets
import threading
from typing import Final

from msgspec import Struct

from acey_arena.bots import BOTS, Bot
from acey_arena.player import play_seat
from acey_grammar.printable import printable
from acey_protocol.client import Client
from acey_protocol.errors import AceyError, NoReply, ProtocolError
from acey_rules import PRESETS

log = logging.getLogger(__name__)

PERSON: Final = "person"
"""The opponent that is another person."""
NAME_WIDTH: Final = 40
TIMEOUT: Final = 3.0
"""Seconds for one reply before the daemon counts as away."""
PAUSE: Final = 0.2
"""Seconds before a daemon that was away is asked again."""
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


class BotSeats:
    """Bots that play at tables of this server, a thread each."""

    def __init__(self, address: str) -> None:
        """Nobody sits yet."""
        self._address = address
        self._stopping = threading.Event()

    def seat(self, table: str, token: str, bot: Bot) -> None:
        """Sit a bot down and let it play until the match is over."""
        thread = threading.Thread(
            target=self._play, args=(table, token, bot), name=f"bot at {table}", daemon=True
        )
        thread.start()

    def stop(self) -> None:
        """Let every bot stand up after what it is waiting for."""
        self._stopping.set()

    def _play(self, table: str, token: str, bot: Bot) -> None:
        with Client(self._address, timeout=TIMEOUT, attempts=1) as client:
            while not self._stopping.is_set():
                try:
                    play_seat(client.seat(table, token), bot)
                except NoReply:  # a daemon that is restarted knows the table again
                    self._stopping.wait(PAUSE)
                except AceyError as error:
                    log.warning("the bot at table %s gives up: %s", table, error)
                    return
                else:
                    return
