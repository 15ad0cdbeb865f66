"""Draw the pictures of docs/img anew: ``python -m tests.support.make_screenshots``."""

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from tests.support.games import played_game
from tests.support.servers import Daemon, Web
from tests.viewer.conftest import FLAGS

from acey_rules import AMERICAN, StreamDice, commitment
from acey_viewer.replaypage import replay_page

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "img"
SECRET = bytes(range(32))
TAGS = (
    ("Event", "Fleet Championship"),
    ("Date", "2026-11-30"),
    ("X", "alpha"),
    ("O", "beta"),
    ("Match", "21"),
    ("Score", "6-0"),
    ("Dice", "fair"),
    ("Commitment", commitment(SECRET)),
    ("Secret", SECRET.hex()),
)


def main() -> None:
    """Take every picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        take_replay(browser, folder)
        (folder / "acey.txt").write_text("31 54 64 21 52 66 43 65\n" + "21 31 " * 40, "utf-8")
        with Daemon(folder, "--dice-dir", str(folder)) as daemon, Web(daemon, folder) as web:
            take_seat(browser, daemon, web)
        browser.close()


def open_page(browser: Browser, width: int, height: int, scheme: str = "light") -> Page:
    """A page without motion, so that what is shown is at rest."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    return context.new_page()


def take_replay(browser: Browser, folder: Path) -> None:
    """The replay page, wide and light, narrow and dark."""
    game = played_game(182, AMERICAN, TAGS, dice=StreamDice(SECRET))
    page_file = folder / "replay.html"
    page_file.write_text(replay_page([game]), "utf-8")
    named = next(
        f"{index // 2 + 1}{turn.side.lower()}"
        for index, turn in enumerate(game.turns)
        if index > 12 and any(roll.kind == "named" for roll in turn.rolls)
    )
    for name, width, height, scheme in [
        ("replay.png", 1180, 860, "light"),
        ("replay-narrow-dark.png", 320, 760, "dark"),
    ]:
        page = open_page(browser, width, height, scheme)
        page.goto(f"{page_file.as_uri()}#{named}")
        page.keyboard.press("ArrowRight")
        page.screenshot(path=FOLDER / name)


def take_seat(browser: Browser, daemon: Daemon, web: Web) -> None:
    """The list of tables, a play being chosen, a double being named."""
    with daemon.client() as client:
        client.open(x="gamma", o="delta", match=15)
        table = client.open(x="alpha", o="beta", dice="file:acey.txt", match=21)
        page = open_page(browser, 1180, 860)
        page.goto(web.url)
        page.locator("#tables li").nth(1).wait_for()
        page.screenshot(path=FOLDER / "tables.png")
        page.get_by_label("Seat code").fill(f"{table.table}:x:{table.x}")
        page.get_by_role("button", name="Sit down", exact=True).click()
        other = client.seat(table.table, table.o)
        other.wait(0)
        page.locator(".hot.source").first.wait_for()
        for _ in range(2):
            page.locator(".hot.source[data-place=unentered]").first.click()
            page.locator(".hot.target").first.click()
        page.locator("#confirm").click()
        due = other.wait(30)
        other.play(due.ply, "off/21 off/19")
        page.locator(".hot.source[data-place=unentered]").first.click()
        page.screenshot(path=FOLDER / "seat.png")
        page.locator(".hot.target").first.click()
        page.locator(".hot.source[data-place=unentered]").first.click()
        page.locator(".hot.target").first.click()
        page.locator("#confirm").click()
        page.locator("#doubles button").nth(5).hover()
        page.screenshot(path=FOLDER / "naming.png")


if __name__ == "__main__":
    main()
