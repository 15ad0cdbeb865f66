"""A bot at a seat of a daemon: asks what is to be decided, decides, and says it, to the end.

Every action carries its ply, so that one whose reply was lost can be sent again: the bot survives a
daemon that is restarted, and another process with the same token can take over from it.
"""

import time
from contextlib import suppress
from typing import Final

from acey_arena.bots import Bot
from acey_protocol.client import Seat
from acey_protocol.errors import Busy, NotYourTurn, RateLimited, StalePly, TableOver, Unsupported
from acey_protocol.replies import Awaited, Result
from acey_rules import State, rule_set

WAIT: Final = 5.0
"""Seconds an ``await`` may wait before it is sent again."""
PAUSE: Final = 0.2
"""Seconds before a daemon that is busy is asked again."""


def play_seat(seat: Seat, bot: Bot, wait: float = WAIT) -> Result:
    """Play the seat to the end of its table's match and return how the last game ended.

    Raises ProtocolError for a refusal that playing on cannot mend, such as BadToken, or TableOver
    where the table was stopped; and NoReply when the daemon stays silent for as long as the client
    was told to try.
    """
    rules = rule_set(seat.client.state(seat.table).rules)
    while True:
        try:
            turn = seat.wait(wait)
            if turn.over is not None:
                return turn.over
            if turn.position is not None:
                with suppress(TableOver):  # the next await tells how it has ended
                    _decide(seat, bot, turn, State.parse(turn.position, rules))
        except (Busy, RateLimited):
            time.sleep(PAUSE)
        except (StalePly, NotYourTurn):
            # The decision is not ours any more: time ran out, or another process with our token
            # has taken it. The next await tells what is to be decided instead.
            continue


def _decide(seat: Seat, bot: Bot, turn: Awaited, state: State) -> None:
    """Choose and act once."""
    if turn.due == "name":
        seat.name(turn.ply, bot.choose_double(state))
    elif turn.due == "play":
        seat.play(turn.ply, bot.choose_play(state, state.legal_plays()).text)
    else:
        raise Unsupported(
            Unsupported.default, f"table {seat.table} wants its dice by hand; a bot rolls none"
        )
