"""The report of a run (report.html) in a real browser: what a reader sees and can reach."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.support.acey import acey

PLAN = """
name = "Four who meet"
seed = 4
pairs = 3
[[player]]
bot = "random"
[[player]]
bot = "pip"
[[player]]
name = "another name, longer than most"
bot = "blockade"
[[player]]
name = "broken"
engine = ["/none"]
"""
READABLE = 8
"""Pixels of a line of text that can still be read."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "plan.toml").write_text(PLAN)
    result = acey("tournament", "plan.toml", "--out", "run", cwd=folder)
    assert result.returncode == 1, result.stderr  # one cannot start, and is told of
    return folder / "run" / "report.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_the_report_is_accessible_and_fits(
    new_page: Callable[..., Page],
    violations: Callable[[Page], list[str]],
    report: Path,
    width: int,
    scheme: str,
) -> None:
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(report.as_uri())
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    heights: list[float] = page.evaluate(
        "[...document.querySelectorAll('svg.plot text')]"
        ".map(text => text.getBoundingClientRect().height)"
    )
    assert len(heights) > 5
    assert min(heights) >= READABLE
    # Each player's dot stands beside the first line of the name.
    beside: list[bool] = page.evaluate(
        """[...document.querySelectorAll("td.name:has(.dot)")].map((cell) => {
          const dot = cell.querySelector(".dot").getBoundingClientRect();
          const range = document.createRange();
          range.selectNodeContents(cell.lastChild);
          const [line] = range.getClientRects();
          return dot.right <= line.left && dot.top >= line.top && dot.bottom <= line.bottom;
        })"""
    )
    assert beside == [True] * 8
