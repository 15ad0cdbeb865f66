"""A bot on asyncio: plays any legal play, names any double, to the end of the match.

It knows no rule; the daemon lists the legal plays. The client sends again what got no reply: every
action carries its ply, so that it cannot be done twice. Any number of such bots may run as tasks
over one client.

    python bot.py ADDRESS TABLE TOKEN [SEED]

Where the daemon encrypts, ACEY_CURVE names the folder with server.public and NAME.secret, and
ACEY_CLIENT is that NAME.
"""

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

from acey_protocol.client_async import AsyncClient, AsyncSeat
from acey_protocol.client_link import CurveKeys
from acey_protocol.errors import (
    AceyError,
    Busy,
    NotYourTurn,
    ProtocolError,
    RateLimited,
    StalePly,
    TableOver,
)

WAIT_SECONDS = 5
PASSING = (StalePly, NotYourTurn, Busy, RateLimited)


async def play(seat: AsyncSeat, chance: Random) -> str:
    rules = ""
    while True:
        try:
            rules = rules or (await seat.client.state(seat.table)).rules
            turn = await seat.wait(WAIT_SECONDS)
            if turn.due == "over":
                return turn.over.text()
            with suppress(TableOver):  # the next await tells how
                if turn.due == "play":
                    legal = await seat.client.legal(turn.position, rules)
                    await seat.play(turn.ply, chance.choice(legal.plays).play)
                elif turn.due == "name":
                    await seat.name(turn.ply, chance.randint(1, 6))
        except PASSING:  # asking on mends it
            await asyncio.sleep(0.1)


def keys() -> CurveKeys | None:
    if "ACEY_CURVE" not in os.environ:
        return None
    folder = Path(os.environ["ACEY_CURVE"])
    client = os.environ.get("ACEY_CLIENT", "NAME")
    return CurveKeys.load(folder / "server.public", folder / f"{client}.secret")


async def main(address: str, table: str, token: str, seed: str = "1") -> None:
    async with AsyncClient(address, timeout=2, attempts=60, curve=keys()) as client:
        print(await play(client.seat(table, token), Random(seed)))


if not 4 <= len(sys.argv) <= 5:
    print("usage: python bot.py ADDRESS TABLE TOKEN [SEED]", file=sys.stderr)
    sys.exit(2)
try:
    asyncio.run(main(*sys.argv[1:]))
except ProtocolError as error:
    sys.exit(f"bot: ? {error}")
except AceyError as error:
    sys.exit(f"bot: {error}")
