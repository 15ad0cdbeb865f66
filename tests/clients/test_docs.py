"""What docs/clients.md shows stands in the programs themselves."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "clients.md").read_text("utf-8")
PROGRAMS = {
    "python": ("python/first.py", "python/bot.py"),
    "c": ("c/bot.c",),
    "javascript": ("javascript/bot.js",),
    "java": ("java/Bot.java",),
    "perl": ("perl/match.pl",),
}


@pytest.mark.parametrize("language", PROGRAMS)
def test_the_code_shown_is_that_of_the_programs(language: str) -> None:
    programs = [(ROOT / "clients" / name).read_text("utf-8") for name in PROGRAMS[language]]
    shown = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert [block for block in shown if not any(block in text for text in programs)] == []
    for name, text in zip(PROGRAMS[language], programs, strict=True):
        assert any(block in text for block in shown), name
        assert f"(../clients/{name})" in PAGE


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(\.\./([^)#]+)", PAGE)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
