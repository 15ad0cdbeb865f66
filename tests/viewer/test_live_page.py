"""The live page in a real browser, before a real daemon: watching, and a person's seat."""

import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.support.golden import HOSTILE
from tests.support.servers import Daemon, Web

from acey_arena.bots import RandomBot
from acey_arena.player import play_seat
from acey_grammar import validate
from acey_protocol.client import Client
from acey_protocol.replies import OpenedTable
from acey_rules import AMERICAN, Name, State

NewPage = Callable[..., Page]
STATE = """() => {
  const shown = (id) => !document.getElementById(id).closest("[hidden]");
  const enabled = (id) => shown(id) && !document.getElementById(id).disabled;
  if (document.getElementById("resign").disabled) return "over";
  if (shown("doubles")) return "name";
  if (enabled("forced")) return "forced";
  if (enabled("confirm")) return "confirm";
  if (document.querySelector(".hot.target")) return "target";
  return document.querySelector(".hot.source") ? "source" : "wait";
}"""
"""What the page wants from its player."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("daemon")
    (folder / "acey.txt").write_text("31 21 52 66 43 65\n" + "21 31 " * 40, "utf-8")
    with Daemon(folder, "--dice-dir", str(folder)) as running:
        yield running


@pytest.fixture(scope="module")
def web(daemon: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with Web(daemon, tmp_path_factory.mktemp("web")) as running:
        yield running
    log = running.log.read_text("utf-8")
    assert not log, log


@pytest.fixture
def visit(new_page: NewPage, web: Web) -> NewPage:
    """Open a page of the server."""

    def open_page(path: str = "", **options: Any) -> Page:
        page = new_page(reduced_motion="reduce", **options)
        page.goto(f"{web.url}{path}")
        return page

    return open_page


def sit_down(page: Page, **wishes: str) -> str:
    """Open a table through the form and return its name."""
    for label, text in wishes.items():
        field = page.locator(f"#open [name={label}]")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(text)
        else:
            field.fill(text)
    page.get_by_role("button", name="Open and sit down").click()
    page.wait_for_url("**/table/*")
    return page.url.rpartition("/")[2]


def take_seat(page: Page, table: OpenedTable, side: str) -> None:
    """Take a seat by its code, through the form."""
    token = table.x if side == "x" else table.o
    page.get_by_label("Seat code").fill(f"{table.table}:{side}:{token}")
    page.get_by_role("button", name="Sit down", exact=True).click()
    page.wait_for_url("**/table/*")


def wanted(page: Page, *states: str) -> str:
    """Wait until the page wants one of these of its player."""
    for _ in range(2400):
        state = str(page.evaluate(STATE))
        if state in states:
            return state
        page.wait_for_timeout(25)
    raise AssertionError(f"never came to {states}; it is {page.evaluate(STATE)}")


def decide(page: Page) -> str:
    """Make one decision by clicking; the play as confirmed, or what else was done."""
    while True:
        state = wanted(page, "over", "name", "forced", "confirm", "target", "source")
        if state == "over":
            return "over"
        if state == "name":
            page.locator("#doubles button").last.click()
            return "name"
        if state in ("forced", "confirm"):
            page.locator(f"#{state}").click()
            return state
        page.locator(f".hot.{state}").first.click()


def shown_events(page: Page) -> list[tuple[int, str]]:
    found: list[list[str]] = page.evaluate(
        "[...document.querySelectorAll('#log li')].map(item => [item.dataset.seq, item.innerText])"
    )
    return [(int(seq), text) for seq, text in found]


def told_events(client: Client, table: str) -> list[int]:
    """The numbers of all events that the page tells in words."""
    return [seq for seq, event in client.history(table) if event.text().split()[0] != "clock"]


def reached(page: Page, seq: int) -> None:
    """Wait until the page has shown everything up to an event."""
    for _ in range(1200):
        if int(page.evaluate("document.body.dataset.seq")) >= seq:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came to {seq}")


def play_both(address: str, table: OpenedTable) -> list[threading.Thread]:
    """Two random bots at a table, each in a thread."""

    def play(token: str, seed: int) -> None:
        with Client(address) as client:
            play_seat(client.seat(table.table, token), RandomBot(seed))

    threads = [
        threading.Thread(target=play, args=(token, seed))
        for seed, token in enumerate((table.x, table.o))
    ]
    for thread in threads:
        thread.start()
    return threads


def test_a_whole_game_is_played_against_the_random_bot_by_clicking(
    visit: NewPage, daemon: Daemon, web: Web
) -> None:
    page = visit()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    table = sit_down(page, name="alpha", opponent="random")
    decisions = 0
    while decide(page) != "over":
        decisions += 1
    assert decisions > 15
    with daemon.client() as client:
        record = client.record(table)
        assert [validate(game).faults for game in record.games] == [()]
        result = record.games[0].result
        assert result is not None
        assert (record.x, record.o) == ("alpha", "random")
        reached(page, client.state(table).seq)
        assert [seq for seq, _ in shown_events(page)] == told_events(client, table)
    score = (result.points, 0) if result.winner == "X" else (0, result.points)
    expect(page.locator("#score")).to_have_text(f"X {score[0]} – O {score[1]}")
    expect(page.locator("#prompt")).to_contain_text(f"{result.winner} wins {result.points}")
    page.get_by_role("link", name="Replay").click()
    page.wait_for_url("**/replay*")
    page.keyboard.press("End")
    expect(page.locator("#caption")).to_contain_text(f"{result.winner} wins {result.points}")
    expect(page.locator("#proof")).to_contain_text("verified")
    page.go_back()
    # What opens the seat is in the page's session alone: in no address, title or log.
    seat = json.loads(page.evaluate(f"sessionStorage.getItem('seat {table}')"))
    assert len(asked) > 5
    assert not [url for url in asked if seat["token"] in url]
    assert seat["token"] not in page.content()
    assert seat["token"] not in web.log.read_text("utf-8")


def test_two_spectators_see_the_same_sequence_without_a_gap(visit: NewPage, daemon: Daemon) -> None:
    with daemon.client() as client:
        table = client.open(x="alpha", o="beta", dice="seed:11")
        early = visit(f"table/{table.table}")
        bots = play_both(daemon.address, table)
        reached(early, 40)
        late = visit(f"table/{table.table}", viewport={"width": 320, "height": 700})
        for bot in bots:
            bot.join()
        last = client.state(table.table).seq
        for page in (early, late):
            reached(page, last)
        assert shown_events(early) == shown_events(late)
        assert [seq for seq, _ in shown_events(late)] == told_events(client, table.table)
        result = client.record(table.table).games[0].result
        assert result is not None
    for page in (early, late):
        expect(page.locator("#caption")).to_have_text("The table is closed")
        assert page.locator("#log").get_by_text(f"{result.winner} wins {result.points}").count()


def test_the_page_goes_on_after_the_daemon_was_killed_and_started_again(
    visit: NewPage, daemon: Daemon
) -> None:
    page = visit()
    table = sit_down(page, name="alpha", opponent="pip")
    for _ in range(3):
        decide(page)
    wanted(page, "source", "forced", "name")
    before = shown_events(page)
    daemon.kill()
    daemon.start()
    for _ in range(3):
        decide(page)
    with daemon.client() as client:
        reached(page, before[-1][0] + 3)
        history = told_events(client, table)
        after = shown_events(page)
        assert after[: len(before)] == before
        assert [seq for seq, _ in after] == history[: len(after)]


def test_a_daemon_that_does_not_answer_is_told_on_every_page(
    new_page: NewPage, tmp_path: Path
) -> None:
    away = "The daemon does not answer; trying again."
    with Daemon(tmp_path) as daemon, Web(daemon, tmp_path) as web:
        with daemon.client() as client:
            table = client.open(x="alpha", o="beta")
        tables, watching, none = new_page(), new_page(), new_page()
        tables.goto(web.url)
        watching.goto(f"{web.url}table/{table.table}")
        expect(tables.locator("#tables li")).to_have_count(1)
        reached(watching, 1)
        daemon.kill()
        none.goto(web.url)
        for page in (tables, watching, none):
            expect(page.locator("#link")).to_have_text(away)
        expect(none.locator("#none")).to_be_hidden()  # nobody knows whether somebody plays
        expect(tables.locator("#tables li")).to_have_count(1)
        daemon.start()
        for page in (tables, watching, none):
            expect(page.locator("#link")).to_have_text("")
        expect(none.locator("#tables li")).to_have_count(1)


@pytest.mark.parametrize(
    ("rules", "counts"),
    [
        ("american", "15 unentered · 0 off · 375 pips"),
        ("backgammon", "0 unentered · 0 off · 167 pips"),
    ],
)
def test_a_table_shows_its_own_checkers_before_a_game_begins(
    visit: NewPage, daemon: Daemon, rules: str, counts: str
) -> None:
    with daemon.client() as client:
        table = client.open(x="alpha", o="beta", rules=rules)
    page = visit(f"table/{table.table}")
    reached(page, 1)
    for part, name in (("near", "X alpha"), ("far", "O beta")):
        expect(page.locator(f"[data-part={part}-counts]")).to_have_text(counts)
        expect(page.locator(f"[data-part={part}-name]")).to_have_text(name)  # nobody is to move
    expect(page.locator("[data-layer=men] use")).to_have_count(30)


def test_full_banks_are_shown_before_a_clock_has_run(visit: NewPage, daemon: Daemon) -> None:
    with daemon.client() as client:
        timed = client.open(x="alpha", o="beta", clock="90+5")
        untimed = client.open(x="alpha", o="beta")
    page = visit(f"table/{timed.table}")
    expect(page.locator("#clocks")).to_have_text("Clock: X 1:30, O 1:30")
    page = visit(f"table/{untimed.table}")
    reached(page, 1)
    expect(page.locator("#clocks")).to_be_hidden()


def test_the_page_catches_up_after_its_server_was_started_again(
    new_page: NewPage, daemon: Daemon, tmp_path: Path
) -> None:
    with Web(daemon, tmp_path, published=False) as web, daemon.client() as client:
        table = client.open(x="alpha", o="beta", dice="seed:12")
        page = new_page(reduced_motion="reduce")
        page.goto(f"{web.url}table/{table.table}")
        reached(page, 1)
        web.end()
        expect(page.locator("#link")).to_have_text("The connection is lost; trying again.")
        for bot in play_both(daemon.address, table):
            bot.join()
        web.start()
        last = client.state(table.table).seq
        reached(page, last)
        assert [seq for seq, _ in shown_events(page)] == told_events(client, table.table)
        expect(page.locator("#link")).to_have_text("")


def scripted(client: Client) -> OpenedTable:
    """A table whose dice give X a 2-1 first, then a 5-2; X is another's to play."""
    return client.open(x="alpha", o="beta", dice="file:acey.txt")


def test_a_double_is_chosen_from_six_with_a_preview(
    visit: NewPage, daemon: Daemon, violations: Callable[[Page], list[str]]
) -> None:
    with daemon.client() as client:
        table = scripted(client)
        client.seat(table.table, table.o).wait(0)
        page = visit()
        take_seat(page, table, "x")
        assert decide(page) == "confirm"
        assert wanted(page, "name") == "name"
        buttons = page.locator("#doubles button")
        expect(buttons).to_have_count(6)
        ones = State.parse(client.state(table.table).position or "", AMERICAN).apply(Name(1))
        expect(buttons.nth(0)).to_have_text(f"1-1{len(ones.legal_plays())} plays")
        buttons.nth(5).hover()
        expect(page.locator("#preview")).to_have_text(re.compile(r"^6-6 plays all four: off/"))
        places = page.locator(".hot.hint").evaluate_all(
            "areas => areas.map(area => area.dataset.place)"
        )
        assert "19" in places
        assert violations(page) == []
        page.keyboard.press("Escape")
        buttons.nth(5).focus()
        page.keyboard.press("Enter")
        expect(page.locator("#badge")).to_have_text("Named double 6-6")
        wanted(page, "source")
        state = client.state(table.table)
        assert state.position is not None
        assert state.position.endswith(":x:66.R")
        decide(page)
        wanted(page, "source")
        expect(page.locator("#log")).to_contain_text("X rolls 5-2")


def test_undo_takes_back_within_the_turn_until_confirmed(visit: NewPage, daemon: Daemon) -> None:
    with daemon.client() as client:
        table = scripted(client)
        client.seat(table.table, table.o).wait(0)
        page = visit()
        take_seat(page, table, "x")
        wanted(page, "source")
        counts = page.locator("[data-part=near-counts]")
        assert page.locator("#undo").is_disabled()
        page.get_by_role("button", name="Checker not yet entered").click()
        page.get_by_role("button", name="Move to point 23").click()
        expect(page.locator("[data-layer=dice] .ab-used")).to_have_count(1)
        expect(counts).to_have_text("14 unentered · 0 off · 373 pips")
        assert page.locator("#confirm").is_disabled()
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("[data-layer=dice] .ab-used")).to_have_count(0)
        expect(counts).to_have_text("15 unentered · 0 off · 375 pips")
        # Two dice at once with one checker, then as the play is confirmed.
        page.get_by_role("button", name="Checker not yet entered").click()
        page.get_by_role("button", name="Move to point 22").click()
        page.get_by_role("button", name="Confirm").click()
        expect(page.locator("#log")).to_contain_text("X plays off/22")
        assert client.state(table.table).position == ("----------------------A---:14:15:x:N.R")


def test_checkers_are_dragged(visit: NewPage, daemon: Daemon) -> None:
    with daemon.client() as client:
        table = scripted(client)
        client.seat(table.table, table.o).wait(0)
        page = visit()
        take_seat(page, table, "x")
        wanted(page, "source")
        drag(page, "unentered", "23")
        drag(page, "unentered", "24")
        page.get_by_role("button", name="Confirm").click()
        expect(page.locator("#log")).to_contain_text("X plays off/23 off/24")
        # A checker let go where it may not stand goes back.
        wanted(page, "name")
        page.locator("#doubles button").first.click()
        wanted(page, "source")
        drag(page, "unentered", None)
        expect(page.locator(".hot.target")).to_have_count(0)


def drag(page: Page, source: str, target: str | None) -> None:
    page.locator(f".hot.source[data-place='{source}']").hover()
    page.mouse.down()
    page.mouse.move(40, 400, steps=4)
    if target is not None:
        box = page.locator(f".hot.target[data-place='{target}']").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()


def test_a_turn_is_played_by_keyboard_alone(visit: NewPage, daemon: Daemon) -> None:
    with daemon.client() as client:
        table = scripted(client)
        client.seat(table.table, table.o).wait(0)
        page = visit()
        take_seat(page, table, "x")
        wanted(page, "source")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.id"
        assert page.evaluate(focused) == "Checker not yet entered"
        page.keyboard.press("Enter")
        assert str(page.evaluate(focused)).startswith("Move to point")
        page.keyboard.press("Enter")
        assert page.evaluate(focused) == "Checker not yet entered"
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        assert page.evaluate(focused) == "confirm"
        page.keyboard.press("Enter")
        expect(page.locator("#log")).to_contain_text("X plays")


def test_two_persons_share_a_table_by_a_seat_code(visit: NewPage) -> None:
    alpha, beta = visit(), visit()
    table = sit_down(alpha, name="alpha", opponent="person", match="3")
    code = alpha.locator("#invite-code").inner_text()
    assert code.startswith(f"{table}:o:")
    expect(alpha.locator("#prompt")).to_have_text("Waiting for the other player")
    alpha.evaluate("delete Navigator.prototype.clipboard")  # as on a page from elsewhere
    alpha.locator("#invite-copy").click()
    expect(alpha.locator("#invite-copied")).to_have_text("Selected; copy it")
    assert alpha.evaluate("getSelection().toString()") == code
    beta.get_by_label("Seat code").fill("nonsense")
    beta.get_by_role("button", name="Sit down", exact=True).click()
    expect(beta.locator("#take-error")).to_have_text("this is no seat code; it reads table:x:token")
    beta.get_by_label("Seat code").fill(code)
    beta.get_by_role("button", name="Sit down", exact=True).click()
    beta.wait_for_url("**/table/*")
    expect(beta.locator("#title")).to_have_text("alpha – O")
    expect(beta.locator("#subtitle")).to_have_text("american · match to 3")
    mover = next(page for page in [alpha, beta, alpha, beta] * 20 if moves(page))
    decide(mover)
    mover.locator("#resign").click()
    mover.get_by_role("button", name="Play on").click()
    expect(mover.locator("#resign")).to_be_visible()
    mover.locator("#resign").click()
    mover.get_by_role("button", name="Give the game up").click()
    for page in (alpha, beta):
        expect(page.locator("#log")).to_contain_text("wins 15 points by resignation")
        expect(page.locator("#prompt")).to_contain_text("the match ends")


def moves(page: Page) -> bool:
    page.wait_for_timeout(100)
    return page.evaluate(STATE) in ("source", "forced")


def test_dice_rolled_by_hand_are_given_on_the_page(visit: NewPage, daemon: Daemon) -> None:
    with daemon.client() as client:
        table = client.open(x="alpha", o="beta", dice="manual")
        client.seat(table.table, table.o).wait(0)
        page = visit()
        take_seat(page, table, "x")
        for dice in ("31", "64"):
            page.get_by_label("Dice").fill(dice)
            page.get_by_role("button", name="Give").click()
        expect(page.locator("#caption")).to_have_text("X rolls 6-4")
        assert decide(page) == "confirm"
        expect(page.locator("#log")).to_contain_text("X plays off/")
        expect(page.locator("#prompt")).to_have_text("Waiting for the other player")


def test_the_list_shows_tables_with_live_scores(visit: NewPage, daemon: Daemon) -> None:
    page = visit()
    with daemon.client() as client:
        table = client.open(x="alpha", o="beta", match=5)
        item = page.locator(f"[data-table='{table.table}']")
        expect(item).to_contain_text("alpha – beta")
        expect(item).to_contain_text("american, match to 5")
        expect(item.locator(".points")).to_have_text("0–0")
        for token in (table.x, table.o):
            client.seat(table.table, token).wait(0)
        loser = client.seat(table.table, table.x)
        loser.resign()
        expect(item).to_have_count(0)  # 15 points end a match to 5, and the table
        other = client.open(x="gamma", o="delta", match=20)
        for token in (other.x, other.o):
            client.seat(other.table, token).wait(0)
        client.seat(other.table, other.o).resign()
        item = page.locator(f"[data-table='{other.table}']")
        expect(item.locator(".points")).to_have_text("15–0")
        item.get_by_role("link").click()
        expect(page.locator("#title")).to_have_text("gamma – delta")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_the_pages_are_accessible_and_fit(
    visit: NewPage,
    daemon: Daemon,
    violations: Callable[[Page], list[str]],
    scheme: str,
    width: int,
) -> None:
    with daemon.client() as client:
        client.open(x="alpha", o="beta")
    options: dict[str, Any] = {
        "viewport": {"width": width, "height": 800},
        "color_scheme": scheme,
    }
    page = visit(**options)
    expect(page.locator("#tables li").first).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sit_down(page, name="alpha", opponent="pip", match="9")
    wanted(page, "source", "forced")
    page.locator("details.rules summary").click()
    expect(page.locator("#rules")).to_contain_text("After a 2-1 you name any double")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_name_harms_nothing(visit: NewPage, web: Web, daemon: Daemon, name: str) -> None:
    bait = f"<img src=x onerror='window.harmed=1'>{name}"
    if name == HOSTILE["surrogate"]:
        with pytest.raises(urllib.error.HTTPError, match="400") as refused:
            post(web, "api/open", {"name": bait, "opponent": "person"})
        refused.value.close()
        return
    opened = post(web, "api/open", {"name": bait, "opponent": "person"})
    page = visit(f"table/{opened['table']}")
    expect(page.locator("#title")).to_contain_text("<img src=x")
    home = visit(viewport={"width": 320, "height": 800})
    expect(home.locator(f"[data-table='{opened['table']}']")).to_contain_text("<img src=x")
    for each in (page, home):
        assert each.evaluate("window.harmed") is None
        assert each.locator("img").count() == 0
        assert not set(each.inner_text("body")) & set("\u202e\u2066\u200f\x1b\x00")
    assert home.evaluate("document.documentElement.scrollWidth") <= 320
    with daemon.client() as client:
        assert len(client.state(opened["table"]).x) <= 40


def post(web: Web, path: str, body: object, **headers: str) -> dict[str, str]:
    request = urllib.request.Request(
        f"{web.url}{path}",
        json.dumps(body).encode(),
        {"content-type": "application/json"} | headers,
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


@pytest.mark.parametrize(
    ("path", "body", "headers", "status", "message"),
    [
        ("api/open", {}, {"Origin": "http://elsewhere.example"}, 403, "this page may not"),
        ("api/open", {"opponent": "nobody"}, {}, 400, "there is no opponent called 'nobody'"),
        ("api/open", {"rules": "chess"}, {}, 400, "there are no rules called 'chess'"),
        ("api/open", {"match": "-1"}, {}, 400, "a match is to 1 to 99 points"),
        ("api/open", {"side": "z"}, {}, 400, "you play X or O"),
        ("api/open", {"clock": "soon"}, {}, 400, "clock"),
        ("api/open", [1], {}, 400, "this is no form of ours"),
        ("api/open", {"name": "x" * 70_000}, {}, 413, "this is too much"),
        ("api/take", {"code": "nowhere:x:00"}, {}, 400, "this code opens no seat"),
        ("api/take", {"code": "../x"}, {}, 400, "this is no seat code"),
    ],
)
def test_what_cannot_be_given_is_refused_in_words(
    web: Web, path: str, body: object, headers: dict[str, str], status: int, message: str
) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        post(web, path, body, **headers)
    with refused.value as answer:
        assert answer.code == status
        assert message in json.load(answer)["error"]


def test_only_names_of_this_server_are_answered(web: Web) -> None:
    request = urllib.request.Request(web.url, headers={"Host": "elsewhere.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    refused.value.close()
    assert refused.value.code == 400


@pytest.mark.parametrize(
    "path",
    ["table/nowhere/replay", "table/nowhere", "table/%3Cscript%3E", "assets/table.html", "x"],
)
def test_what_is_not_there_is_not_found(web: Web, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{web.url}{path}")
    with refused.value as answer:
        assert answer.code == 404
        assert b"<" not in answer.read()


def test_the_pages_keep_to_themselves(web: Web) -> None:
    with urllib.request.urlopen(web.url) as response:
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["referrer-policy"] == "no-referrer"
