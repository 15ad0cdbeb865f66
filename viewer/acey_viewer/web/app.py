"""The pages and their WebSockets.

Nothing that opens a seat is ever part of an address: tokens travel in the bodies of requests and in
messages, and live in the page's session. Requests from pages of other origins are refused.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from html import escape
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from anyio import create_task_group, sleep, to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from acey_arena.bots import BOTS
from acey_protocol.client import Client, CurveKeys
from acey_protocol.errors import AceyError, NoReply, ProtocolError
from acey_rules import PRESETS, Position
from acey_viewer.assets import asset, fill
from acey_viewer.botseats import BotSeats
from acey_viewer.jsontext import Json, script_json
from acey_viewer.pageboard import page_board, page_layout, page_position
from acey_viewer.replaypage import replay_page
from acey_viewer.svg import style_sheet
from acey_viewer.web.daemon import Daemon
from acey_viewer.web.rulestext import rules_text
from acey_viewer.web.seating import PERSON, SeatError, Wishes, open_table, take_seat
from acey_viewer.web.seatline import SeatHello, SeatLine

T = TypeVar("T")

LOOPBACK: Final = ("127.0.0.1", "localhost")
"""Names a browser on this machine reaches this machine by."""
TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
SERVED: Final = (
    "page.css",
    "live.css",
    "icon.svg",
    "board.js",
    "link.js",
    "seat.js",
    "index.js",
    "table.js",
)
MAX_BODY: Final = 64 * 1024
"""Bytes of a request's body; a form of ours has some hundred."""
AWAY: Final = b'{"away":true}'
"""What the list of tables is while the daemon does not answer."""
LIST_PERIOD: Final = 1.0
"""Seconds between looks at the list of tables while somebody looks at it."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def create_app(
    address: str, events: str = "", hosts: Sequence[str] = LOOPBACK, curve: CurveKeys | None = None
) -> Starlette:
    """The application in front of a daemon, reached by browsers as one of ``hosts``.

    ``address`` is where the daemon takes requests, ``events`` where it publishes; without that,
    tables are looked at every second; ``curve`` is needed where it encrypts.
    """
    site = Site(Daemon(address, events, curve), BotSeats(address, curve))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        del app
        site.daemon.listen()
        yield
        site.bots.stop()
        site.daemon.close()

    return Starlette(
        routes=[
            Route("/", site.index),
            Route("/table/{table}", site.table),
            Route("/table/{table}/replay", site.replay),
            Route("/assets/board.css", site.board_css),
            Route("/assets/{name}", site.asset),
            Route("/api/open", site.open, methods=["POST"]),
            Route("/api/take", site.take, methods=["POST"]),
            WebSocketRoute("/live/tables", _for_a_page(site.live_tables)),
            WebSocketRoute("/live/table/{table}", _for_a_page(site.live_table)),
            WebSocketRoute("/live/seat", _for_a_page(site.live_seat)),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)),
            Middleware(_Headers),
        ],
        lifespan=lifespan,
    )


class _Headers:
    """Adds the headers that keep a page to itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                added = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] += [pair for pair in added if pair[0] not in given]
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


def own_origin(connection: HTTPConnection) -> bool:
    """Whether a request comes from a page of this server, or from no page at all."""
    origin = connection.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == connection.headers.get("host")


class Site:
    """What the routes share."""

    def __init__(self, daemon: Daemon, bots: BotSeats) -> None:
        """In front of a daemon, with bots to play against."""
        self.daemon = daemon
        self.bots = bots

    # --- pages ------------------------------------------------------------------------------------

    async def index(self, request: Request) -> Response:
        """The list of tables."""
        del request
        bots = [f'<option value="{name}">the bot {name}</option>' for name in BOTS]
        person = f'<option value="{PERSON}">another person</option>'
        rules = [f'<option value="{name}">{name}</option>' for name in PRESETS]
        page = fill("index.html", opponents="".join([*bots, person]), rules="".join(rules))
        return HTMLResponse(page)

    async def table(self, request: Request) -> Response:
        """One table."""
        table = request.path_params["table"]
        try:
            await self.daemon.ask(lambda client: client.state(table))
        except ProtocolError:
            return PlainTextResponse("There is no such table.", 404)
        except NoReply:
            return PlainTextResponse("The daemon does not answer; try again.", 503)
        data: Json = {"layout": page_layout(), "empty": page_position(Position.start("empty"))}
        return HTMLResponse(
            fill(
                "table.html",
                table=escape(table),
                board=page_board(interactive=True),
                data=script_json(data),
            )
        )

    async def replay(self, request: Request) -> Response:
        """The games of a table so far, as a replay page. Its policy is the page's own."""
        table = request.path_params["table"]
        try:
            record = await self.daemon.ask(lambda client: client.record(table))
        except ProtocolError:
            return PlainTextResponse("There is no such table.", 404)
        except NoReply:
            return PlainTextResponse("The daemon does not answer; try again.", 503)
        if not record.games:
            return PlainTextResponse("No game has begun at this table.", 404)
        page = await to_thread.run_sync(replay_page, record.games)
        policy = "frame-ancestors 'none'"
        return HTMLResponse(page, headers={"Content-Security-Policy": policy})

    async def board_css(self, request: Request) -> Response:
        """The colours of the board."""
        del request
        return Response(style_sheet("auto"), media_type="text/css")

    async def asset(self, request: Request) -> Response:
        """A script, a style or the icon."""
        name = request.path_params["name"]
        if name not in SERVED:
            return PlainTextResponse("There is no such file.", 404)
        return Response(asset(name), media_type=TYPES[name.rpartition(".")[2]])

    # --- seats are given --------------------------------------------------------------------------

    async def open(self, request: Request) -> Response:
        """Open a table as somebody wishes."""
        return await self._give(
            request, Wishes, lambda client, wishes: open_table(client, wishes, self.bots)
        )

    async def take(self, request: Request) -> Response:
        """Take the seat of a code."""
        return await self._give(request, Code, lambda client, asked: take_seat(client, asked.code))

    async def _give(
        self, request: Request, kind: type[T], give: Callable[[Client, T], object]
    ) -> Response:
        if not own_origin(request):
            return JSONResponse({"error": "this page may not ask for a seat"}, 403)
        if int(request.headers.get("content-length") or MAX_BODY + 1) > MAX_BODY:
            return JSONResponse({"error": "this is too much"}, 413)
        try:
            wishes = msgspec.json.decode(await request.body(), type=kind)
            given = await self.daemon.ask(lambda client: give(client, wishes))
        except msgspec.MsgspecError:
            return JSONResponse({"error": "this is no form of ours"}, 400)
        except SeatError as error:
            return JSONResponse({"error": str(error)}, 400)
        except ProtocolError as error:
            return JSONResponse({"error": error.message}, 400)
        except NoReply:
            return JSONResponse({"error": "the daemon does not answer; try again"}, 503)
        return Response(msgspec.json.encode(given), media_type="application/json")

    # --- what happens -----------------------------------------------------------------------------

    async def live_tables(self, socket: WebSocket) -> None:
        """The list of tables, again whenever it changes."""
        if not await _accepted(socket):
            return
        shown = b""
        async with _until_gone(socket):
            while True:
                try:
                    listed = (await self.daemon.ask(lambda client: client.tables())).tables
                    alive = [each for each in listed if each.status != "over"]
                    found = msgspec.json.encode({"tables": alive})
                except AceyError:
                    found = AWAY
                if found != shown:
                    shown = found
                    await socket.send_text(found.decode())
                await sleep(LIST_PERIOD)

    async def live_table(self, socket: WebSocket) -> None:
        """Every event of a table from a number on, as it comes."""
        table = socket.path_params["table"]
        if not await _accepted(socket):
            return
        hello = await _hello(socket, From)
        if hello is None:
            return
        try:
            await self.daemon.ask(lambda client: client.state(table))
        except ProtocolError as error:
            await socket.send_json({"error": error.message})
            await socket.close()
            return
        except NoReply:
            await socket.close(1012)  # the page comes again
            return
        sent = hello.start - 1
        async with self.daemon.room(table) as room, _until_gone(socket):
            rules_told = away = False
            while True:
                events = await room.after(sent, away=away)
                away = room.away
                message: dict[str, Json] = {"events": events, "away": away}
                if not rules_told:
                    message["rules"] = [list(pair) for pair in rules_text(room.film.rules)]
                    rules_told = True
                await socket.send_json(message)
                sent += len(events)

    async def live_seat(self, socket: WebSocket) -> None:
        """A person's seat: what is to be decided, and what the person decides."""
        if not await _accepted(socket):
            return
        hello = await _hello(socket, SeatHello)
        if hello is not None:
            await SeatLine(self.daemon, socket, hello.table, hello.token).run()


class Code(msgspec.Struct, frozen=True):
    """A seat code that somebody typed."""

    code: str


class From(msgspec.Struct, frozen=True, rename={"start": "from"}):
    """From which event on a page wants a table's events."""

    start: int


Handler = Callable[[WebSocket], Awaitable[None]]


def _for_a_page(handler: Handler) -> Handler:
    """A handler that ends when its page goes away, whatever it was sending then."""

    async def serve(socket: WebSocket) -> None:
        try:
            await handler(socket)
        except* WebSocketDisconnect:
            pass

    return serve


async def _accepted(socket: WebSocket) -> bool:
    """Accept a WebSocket of a page of ours; refuse any other."""
    if own_origin(socket):
        await socket.accept()
        return True
    await socket.close()
    return False


async def _hello(socket: WebSocket, kind: type[T]) -> T | None:
    """The first message, or None when it is none of ours."""
    try:
        return msgspec.json.decode(await socket.receive_text(), type=kind)
    except (msgspec.MsgspecError, KeyError):
        await socket.close(1003)
    except WebSocketDisconnect:
        pass
    return None


@asynccontextmanager
async def _until_gone(socket: WebSocket) -> AsyncGenerator[None]:
    """Run the body until the page goes away; what the page says meanwhile is ignored."""
    async with create_task_group() as tasks:

        async def listen() -> None:
            while (await socket.receive())["type"] != "websocket.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(listen)
        yield
        tasks.cancel_scope.cancel()
