"""A real Chromium for the tests of the pages, and axe-core to judge them by.

Chromium is the system's (``ACEY_CHROMIUM`` names another); axe-core comes from npm into
tests/viewer/node_modules (``make test`` installs it). Where one is missing the tests that need it
are skipped with the reason, except under CI, where that is a failure.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 30_000
"""Milliseconds before a wait is given up: a net for what never comes, no assertion about time."""


def missing(what: str) -> None:
    """Skip for want of something; fail under CI."""
    if "CI" in os.environ:
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = os.environ.get("ACEY_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        missing("there is no Chromium; Debian's package is chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield running
        running.close()


NewPage = Callable[..., Page]
"""Opens a page in a context of its own; arguments are those of ``Browser.new_context``."""


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Open pages that must not log an error, raise one, or ask the network for anything."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_page(**options: Any) -> Page:
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"raised: {error}"))
        page.on(
            "console",
            lambda message: (
                complaints.append(f"{message.type}: {message.text}")
                if message.type in ("error", "warning") and not _expected(message.text)
                else None
            ),
        )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def _expected(text: str) -> bool:
    """A page says itself that it lost its server or was refused; the browser logs it besides."""
    logged = ("WebSocket connection to", "ERR_CONNECTION_REFUSED", "400 (Bad Request)")
    return any(words in text for words in logged)


Violations = Callable[[Page], list[str]]


@pytest.fixture(scope="session")
def violations() -> Violations:
    """What axe-core finds wrong with a page as it is now."""
    if not AXE.exists():
        missing("axe-core is not installed; `make test` installs it with npm")
    source = AXE.read_text("utf-8")

    def judge(page: Page) -> list[str]:
        page.evaluate(source)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{each['id']}: {node['target']} {node['failureSummary']}"
            for each in found["violations"]
            for node in each["nodes"]
        ]

    return judge
