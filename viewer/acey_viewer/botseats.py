"""Bots that play against persons: a thread for each, for as long as this process lives."""

import logging
import threading
from typing import Final

from acey_arena.bots import Bot
from acey_arena.player import play_seat
from acey_protocol.client import Client, CurveKeys
from acey_protocol.errors import AceyError, NoReply

log = logging.getLogger(__name__)

TIMEOUT: Final = 3.0
"""Seconds for one reply before the daemon counts as away."""
PAUSE: Final = 0.2
"""Seconds before a daemon that was away is asked again."""


class BotSeats:
    """Bots at tables of one daemon."""

    def __init__(self, address: str, curve: CurveKeys | None = None) -> None:
        """Nobody sits yet. ``curve`` is needed where the daemon encrypts."""
        self._address = address
        self._curve = curve
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
        with Client(self._address, timeout=TIMEOUT, attempts=1, curve=self._curve) as client:
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
