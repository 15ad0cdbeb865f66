"""The replay page in a real browser: stepping, links, animation, looks, and hostile records."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect
from tests.support.games import played_game
from tests.support.golden import HOSTILE

from acey_grammar import (
    GameRecord,
    ReadGame,
    Result,
    RollRecord,
    TurnRecord,
    parse_games,
)
from acey_rules import EUROPEAN, PRESETS, Side, State
from acey_viewer.film import Film, film
from acey_viewer.replaypage import PageError, replay_page
from acey_viewer.svg import svg_board

GAME = played_game(182)
FILM = film(GAME)
NAMED = next(index for index, frame in enumerate(FILM.frames) if frame.kind == "named")
SHORT = """\
[Event "Fleet Championship"]
[Date "2026-11-30"]
[X "alpha"]
[O "beta"]
[Rules "american"]
[Match "7"]
[Score "3-2"]
[Opening "3-3 4-2"]

{Before the first turn.}
1. X 63: off/19 off/22 {%t 1.5}
1. O 54: off/20 off/21 {a comment} {%t 62}
2. X 21: off/24 off/23, =66: off/19(4), 52: 19/14 off/23 !? {%t 2}
O wins 15 by resignation
"""
Open = Callable[..., Page]


@pytest.fixture
def show(new_page: Callable[..., Page], tmp_path: Path) -> Open:
    """Open the replay page of some games, at a hash."""

    def open_page(
        *games: ReadGame | GameRecord, at: str = "", motion: str = "reduce", **options: Any
    ) -> Page:
        file = tmp_path / "replay.html"
        file.write_text(replay_page(games), "utf-8")
        page = new_page(reduced_motion=motion, **options)
        page.on("request", lambda request: _only_files(request.url))
        page.goto(f"{file.as_uri()}{at}")
        return page

    return open_page


def _only_files(url: str) -> None:
    assert url.startswith("file:"), url


def short_game() -> ReadGame:
    return next(parse_games(SHORT))


def line_shown(page: Page) -> str:
    return page.get_attribute("#copy", "data-line") or ""


def eventually(page: Page, condition: str) -> None:
    """Wait for a JavaScript expression; the page's policy forbids Playwright's own way."""
    for _ in range(600):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {condition}")


def test_a_game_is_stepped_through_by_keyboard(show: Open) -> None:
    page = show(GAME)
    for frame in FILM.frames[1:8]:
        page.keyboard.press("ArrowRight")
        assert line_shown(page) == frame.line
        expect(page.locator("#caption")).to_have_text(frame.caption)
    page.keyboard.press("ArrowLeft")
    assert line_shown(page) == FILM.frames[6].line
    page.keyboard.press("End")
    assert line_shown(page) == FILM.frames[-1].line
    expect(page.locator("#caption")).to_contain_text("X wins 15")
    page.keyboard.press("ArrowRight")
    assert line_shown(page) == FILM.frames[-1].line
    page.keyboard.press("Home")
    assert line_shown(page) == FILM.frames[0].line


def test_a_game_is_stepped_through_by_buttons(show: Open) -> None:
    page = show(GAME)
    assert page.locator("#back").is_disabled()
    for name, index in [
        ("On one roll", 1),
        ("On one roll", 2),
        ("Back one roll", 1),
        ("To the end", len(FILM.frames) - 1),
        ("To the start", 0),
    ]:
        page.get_by_role("button", name=name).click()
        assert line_shown(page) == FILM.frames[index].line
    page.locator("#seek").fill("5")
    assert line_shown(page) == FILM.frames[5].line
    page.locator(".roll").nth(2).click()
    assert line_shown(page) == FILM.frames[3].line


def test_a_turn_is_reached_by_its_link_and_by_the_hash(show: Open) -> None:
    page = show(GAME, at="#12o")
    turn = next(turn for turn in FILM.turns if turn.anchor == "12o")
    assert line_shown(page) == FILM.frames[turn.first].line
    assert page.locator(".roll[aria-current]").inner_text() == turn.rolls[0]
    page.get_by_role("link", name="Turn 3. X").click()
    third = next(turn for turn in FILM.turns if turn.anchor == "3x")
    expect(page.locator("#seek")).to_have_value(str(third.first))
    page.keyboard.press("End")
    assert page.url.endswith(f"#{FILM.turns[-1].anchor}")


def test_several_games_are_picked(show: Open) -> None:
    second = played_game(5, EUROPEAN, turns=12)
    other = film(second)
    page = show(GAME, second, at="#2/3x")
    third = next(turn for turn in other.turns if turn.anchor == "3x")
    assert line_shown(page) == other.frames[third.first].line
    page.get_by_label("Game", exact=True).select_option("0")
    assert line_shown(page) == FILM.frames[0].line
    expect(page.locator("#turns li")).to_have_count(len(FILM.turns))
    page.keyboard.press("ArrowRight")
    page.get_by_label("Game", exact=True).select_option("1")
    expect(page.locator("#turns li")).to_have_count(12)
    assert line_shown(page) == other.frames[0].line


def test_a_named_double_is_called_out_roll_by_roll(show: Open) -> None:
    page = show(short_game(), at="#2x")
    badge = page.locator("#badge")
    expect(badge).to_have_text("Acey-deucey")
    expect(page.locator("#caption")).to_have_text("X rolls 2-1: off/24 off/23")
    expect(page.locator("#due")).to_have_text("X to name a double, then roll")
    page.keyboard.press("ArrowRight")
    expect(badge).to_have_text("Named double 6-6")
    expect(page.locator("#caption")).to_have_text("X names 6-6: off/19(4)")
    assert page.locator("[data-layer=dice] use").count() == 4
    page.keyboard.press("ArrowRight")
    expect(badge).to_be_hidden()
    expect(page.locator("#caption")).to_have_text("X rolls 5-2: 19/14 off/23")


def test_the_record_is_shown_beside_the_board(show: Open) -> None:
    page = show(short_game())
    expect(page.locator("h1")).to_have_text("alpha – beta")
    expect(page.locator("#subtitle")).to_have_text(
        "Fleet Championship · 2026-11-30 · american · match to 7 · 3-2 before the game"
    )
    expect(page.locator("#comments")).to_have_text("Before the first turn.")
    turns = page.locator("#turns li")
    expect(turns.nth(1)).to_contain_text("54: off/20 off/21")
    expect(turns.nth(1)).to_contain_text("a comment")
    expect(turns.nth(2)).to_contain_text("!?")
    expect(page.locator("#result")).to_have_text("O wins 15 by resignation")
    expect(page.locator("#tags dd").nth(1)).to_have_text("2026-11-30")
    page.keyboard.press("End")
    expect(page.locator("#caption")).to_have_text("O wins 15 by resignation")
    expect(page.locator("#clocks")).to_have_text("Time used: X 0:03, O 1:02")
    expect(page.locator("#graph")).to_have_attribute(
        "aria-label", "Pips to go over the game; now X 332, O 366"
    )


def test_the_board_of_the_page_is_the_picture_of_the_position(show: Open) -> None:
    page = show(GAME)
    for view in Side:
        for index in range(0, len(FILM.frames), 9):
            page.locator("#seek").fill(str(index))
            frame = FILM.frames[index]
            state = State.parse(frame.line, PRESETS["american"])
            assert men_shown(page) == men_drawn(svg_board(state, view)), frame.line
        page.get_by_role("button", name="Turn the board").click()


def men_shown(page: Page) -> list[tuple[str, float, float]]:
    found: list[list[str]] = page.evaluate(
        "[...document.querySelectorAll('[data-layer=men] use')].map(use =>"
        " ['href', 'x', 'y'].map(name => use.getAttribute(name)))"
    )
    return sorted((href[-1], round(float(x), 1), round(float(y), 1)) for href, x, y in found)


def men_drawn(svg: str) -> list[tuple[str, float, float]]:
    name = "{http://www.w3.org/2000/svg}"
    found: list[tuple[str, float, float]] = []
    for group in ElementTree.fromstring(svg).findall(f"./{name}g"):
        disc = group.find(f"{name}circle")
        x, y = re.findall(r"[\d.]+", group.attrib["transform"])
        if disc is not None and disc.attrib["class"] in ("ab-x", "ab-o"):
            found.append((disc.attrib["class"][-1], round(float(x), 1), round(float(y), 1)))
    for letter in "xo":
        for rect in ElementTree.fromstring(svg).findall(f"./{name}rect[@class='ab-{letter}']"):
            x, y = float(rect.attrib["x"]) + 4.5, float(rect.attrib["y"]) + 17
            found.append((letter, round(x, 1), round(y, 1)))
    return sorted(found)


def test_checkers_fly_one_after_another_and_land_where_they_belong(show: Open) -> None:
    page = show(GAME, motion="no-preference")
    page.evaluate(
        "window.flights = 0; new MutationObserver(changes => changes.forEach(change =>"
        " window.flights += change.addedNodes.length)).observe("
        "document.querySelector('[data-layer=flying]'), {childList: true})"
    )
    page.locator("#speed").select_option("2.5")
    flown = 0
    for frame in FILM.frames[1:6]:
        page.keyboard.press("ArrowRight")
        flown += len(frame.moves) + sum(hit for _, _, hit in frame.moves)
        eventually(page, f"window.flights === {flown}")
    last = State.parse(FILM.frames[5].line, PRESETS["american"])
    expect(page.locator("[data-layer=flying] > *")).to_have_count(0)
    assert men_shown(page) == men_drawn(svg_board(last, Side.X))


def test_less_motion_means_none(show: Open) -> None:
    page = show(GAME, motion="reduce")
    page.evaluate(
        "window.flights = 0; Element.prototype.animate = () => { window.flights += 1; }; 0"
    )
    page.keyboard.press("ArrowRight")
    first = State.parse(FILM.frames[1].line, PRESETS["american"])
    assert men_shown(page) == men_drawn(svg_board(first, Side.X))
    assert page.evaluate("window.flights") == 0


def test_the_space_bar_plays_and_stops(show: Open) -> None:
    page = show(GAME)
    page.locator("#speed").select_option("2.5")
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    eventually(page, "Number(document.getElementById('seek').value) >= 3")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_the_position_line_is_copied(show: Open) -> None:
    page = show(GAME, permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("End")
    page.get_by_role("button", name="Copy position line").click()
    expect(page.locator("#copied")).to_have_text(
        re.compile("copied|" + re.escape(FILM.frames[-1].line))
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_is_accessible_and_fits(
    show: Open, violations: Callable[[Page], list[str]], scheme: str, width: int
) -> None:
    page = show(
        GAME,
        short_game(),
        at="#2/2x",
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
    )
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    board = page.locator("svg.ab").bounding_box()
    assert board is not None
    assert board["width"] >= min(width - 20, 340)


def test_dark_and_light_pages_differ(show: Open) -> None:
    colours = {
        scheme: show(GAME, color_scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    }
    assert colours == {"light": "rgb(250, 248, 243)", "dark": "rgb(16, 23, 31)"}


def test_the_controls_are_reached_by_keyboard_alone(show: Open) -> None:
    page = show(GAME)
    reached: list[str] = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    assert reached == ["play", "next", "last", "seek", "speed", "flip", "copy", "turns-box"]
    page.locator("#next").focus()
    page.keyboard.press("Enter")
    assert line_shown(page) == FILM.frames[1].line
    assert page.locator("svg.ab").get_attribute("aria-label") == (
        f"{FILM.frames[1].caption}. {FILM.frames[1].words}"
    )


def test_on_paper_there_are_turns_and_a_board_but_no_controls(show: Open) -> None:
    page = show(GAME)
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator(".controls")).to_be_hidden()
    expect(page.locator(".actions")).to_be_hidden()
    expect(page.locator("svg.ab")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    box = page.locator("#turns-box")
    assert box.evaluate("box => box.scrollHeight <= box.clientHeight + 1")
    colours = """() => [".line.x", ".line.o", ".grid"].map(
      (part) => getComputedStyle(document.querySelector(part)).stroke)"""
    on_paper = page.evaluate(colours)
    page.emulate_media(media="screen", color_scheme="light")
    assert on_paper == page.evaluate(colours)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_record_harms_nothing(
    show: Open, violations: Callable[[Page], list[str]], name: str
) -> None:
    bait = f"{name}</script><script>window.harmed = true</script><img src=x onerror=harm()>"
    record = GameRecord(
        tags=(("X", name), ("O", bait), ("Rules", "american"), ("Event", bait)),
        turns=(TurnRecord("X", (RollRecord("63", "off/19 off/22"),), comments=(bait,)),),
        comments=(bait, "</pre></noscript><script>window.harmed = true</script>"),
    )
    page = show(record, viewport={"width": 320, "height": 800})
    page.keyboard.press("End")
    assert page.evaluate("window.harmed") is None
    assert page.locator("img, iframe, object, script[src], link").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert not set(page.title()) & set("\u202e\u2066\u200f\x1b\x00")
    assert violations(page) == []


def test_what_is_wrong_with_a_record_is_shown_where_it_is(show: Open) -> None:
    broken = replace(
        GAME,
        turns=(replace(GAME.turns[0], rolls=(RollRecord("63", "off/18"),)), *GAME.turns[1:2]),
        result=Result("X", 15),
    )
    page = show(broken)
    expect(page.locator("#turns li").first.locator(".bad")).to_contain_text("off/18")
    expect(page.locator("#faults")).to_be_visible()


def test_a_game_that_cannot_be_replayed_is_still_shown(show: Open) -> None:
    page = show(GameRecord(tags=(("X", "a"), ("O", "b"), ("Rules", "no such rules"))))
    expect(page.locator("#caption")).to_have_text("This game cannot be replayed")
    expect(page.locator("#faults li")).to_contain_text("no such rules")


def test_a_page_of_nothing_is_refused() -> None:
    with pytest.raises(PageError, match="no game"):
        replay_page([])


def test_without_scripts_the_record_can_be_read(show: Open) -> None:
    page = show(short_game(), java_script_enabled=False)
    expect(page.locator("noscript pre")).to_contain_text("2. X 21: off/24 off/23, =66: off/19(4)")
    expect(page.locator("main")).to_be_hidden()  # an empty board would say what is not so


def test_every_turn_of_the_record_is_in_the_film() -> None:
    shown: Film = FILM
    assert [turn.first for turn in shown.turns] == [
        next(index for index, frame in enumerate(shown.frames) if frame.turn == turn)
        for turn in range(len(GAME.turns))
    ]
    assert sum(len(turn.rolls) for turn in GAME.turns) == len(shown.frames) - 1


def test_turns_are_numbered_as_notation_numbers_them() -> None:
    text = SHORT.replace("1. X 63: off/19 off/22 {%t 1.5}\n", "").replace("4-2", "2-4")
    text = text.replace("2. X", "1. X")
    shown = film(next(parse_games(text)))
    assert [turn.anchor for turn in shown.turns] == ["1o", "1x"]
    twice = replace(GAME, turns=(GAME.turns[0], GAME.turns[0], *GAME.turns[1:3]))
    assert [turn.label for turn in film(twice).turns] == ["1.", "2.", "2.", "3."]
