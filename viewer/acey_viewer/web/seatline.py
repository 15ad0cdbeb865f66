"""A person's seat over a WebSocket: what is to be decided goes out, what was decided comes in."""

from typing import Final

import msgspec
from anyio import Event, create_task_group, move_on_after, sleep
from starlette.websockets import WebSocket, WebSocketDisconnect

from acey_protocol.client import Client
from acey_protocol.errors import NoReply, ProtocolError
from acey_protocol.replies import Awaited, LegalPlays, TableState
from acey_rules import rule_set
from acey_viewer.jsontext import Json
from acey_viewer.web.daemon import Daemon, SeatWait
from acey_viewer.web.decision import name_decision, play_decision, roll_decision

RECHECK: Final = 2.0
"""Seconds after which a seat that is thinking is asked whether its decision still stands."""
SEAT_WAIT: Final = 10.0
"""Seconds a seat waits for the daemon before it asks again."""


class SeatHello(msgspec.Struct, frozen=True):
    """Which seat a page sits in."""

    table: str
    token: str


class Act(msgspec.Struct, frozen=True):
    """What a person decides."""

    act: str
    """``play``, ``name``, ``roll`` or ``resign``."""
    ply: int | None = None
    play: str = ""
    number: int = 0
    dice: str = ""


class SeatLine:
    """One person's connection to one seat."""

    def __init__(self, daemon: Daemon, socket: WebSocket, table: str, token: str) -> None:
        """Nothing is sent yet; the first wait takes the seat."""
        self._daemon = daemon
        self._socket = socket
        self._table = table
        self._token = token
        self._sent: object = None
        """What the page was told last, so that it is told once."""
        self._acted = Event()

    async def run(self) -> None:
        """Serve until the page goes away."""
        async with create_task_group() as tasks:
            tasks.start_soon(self._tell)
            try:
                while True:
                    await self._act(
                        msgspec.json.decode(await self._socket.receive_text(), type=Act)
                    )
            except WebSocketDisconnect:
                pass
            except (msgspec.MsgspecError, KeyError):
                await self._socket.close(1003)
            tasks.cancel_scope.cancel()

    async def _tell(self) -> None:
        """Tell the page what is to be decided, whenever that changes."""
        wait = self._daemon.seat_wait(self._table, self._token)
        try:
            over = await self._asked(wait, 0)  # so that a page that must wait is told at once
            while not over:
                over = await self._asked(wait, SEAT_WAIT)
        except ProtocolError as error:
            await self._send({"kind": "over", "text": error.message})
        finally:
            wait.close()

    async def _asked(self, wait: SeatWait, seconds: float) -> bool:
        """Ask once what is to be decided, and tell; whether the match is over."""
        try:
            return await self._told(await wait.wait(seconds))
        except NoReply:
            await sleep(0.5)
            return False

    async def _told(self, awaited: Awaited) -> bool:
        """Tell what was found out, once; whether the match is over."""
        if awaited.due == "over":
            await self._send({"kind": "over", "text": _over_text(awaited)})
            return True
        key = (awaited.due, awaited.ply)
        if key != self._sent:
            message = await self._message(awaited)
            await self._send(message)
            self._sent = key
        if awaited.due != "wait":
            with move_on_after(RECHECK):
                await self._acted.wait()
            self._acted = Event()
        return False

    async def _message(self, awaited: Awaited) -> dict[str, Json]:
        line = awaited.position
        if awaited.due == "wait" or line is None:
            return {"kind": "wait"}
        if awaited.due == "roll":
            return roll_decision(awaited)
        state = await self._daemon.ask(lambda client: client.state(self._table))
        rules = rule_set(state.rules)
        if awaited.due == "play":
            return play_decision(awaited, await self._plays(line, state), rules)
        options: dict[int, LegalPlays] = {}
        for number in range(1, 7):
            named = await self._daemon.ask(
                lambda client, number=number: client.apply(line, f"name {number}", state.rules)
            )
            options[number] = await self._plays(named.position, state)
        return name_decision(awaited, line, options, rules)

    async def _plays(self, line: str, state: TableState) -> LegalPlays:
        legal = await self._daemon.ask(lambda client: client.legal(line, state.rules))
        assert isinstance(legal, LegalPlays)
        return legal

    async def _act(self, act: Act) -> None:
        """Do what the person decided; a refusal is told and the decision offered again."""

        def work(client: Client) -> object:
            seat = client.seat(self._table, self._token)
            match act.act:
                case "play":
                    return seat.play(act.ply, act.play)
                case "name":
                    return seat.name(act.ply, act.number)
                case "roll":
                    return seat.roll(act.ply, act.dice)
                case "resign":
                    return seat.resign(act.ply)
                case _:
                    raise msgspec.ValidationError(act.act)

        error = ""
        try:
            await self._daemon.ask(work)
        except ProtocolError as refusal:
            error = refusal.message
        except NoReply:
            error = "The daemon does not answer; try again."
        if error:
            await self._send({"kind": "error", "error": error})
        self._sent = None
        self._acted.set()

    async def _send(self, message: dict[str, Json]) -> None:
        await self._socket.send_json(message)


def _over_text(awaited: Awaited) -> str:
    if awaited.over is None:
        return "The match is over"
    score = awaited.over.score
    text = f"{awaited.over.winner.upper()} wins {awaited.over.points} {awaited.over.how}".rstrip()
    return f"{text}; the match ends {score[0]}–{score[1]}" if score else text
