"""The pages of spec/formats/ against the code they describe."""

import re
from pathlib import Path
from typing import get_args

import pytest
from tests.support.archive import text_verdicts

from acey_grammar.formats import verdict
from acey_grammar.formats.registry import FORMATS
from acey_grammar.formats.sgf import TAGS

ROOT = Path(__file__).parents[2]
PAGES = {path.stem: path.read_text("utf-8") for path in (ROOT / "spec/formats").glob("*.md")}
SOURCES = ROOT / "grammar/acey_grammar/formats"


def test_every_format_has_its_page_and_stands_in_the_list() -> None:
    assert set(PAGES) == {"README", *FORMATS}
    listed = re.findall(r"^\| `(\w+)` \| .* \| \[(\w+)\.md\]", PAGES["README"], re.M)
    assert sorted(listed) == sorted((name, name) for name in FORMATS)


def test_every_section_cited_is_there() -> None:
    cited = [
        found
        for path in (*SOURCES.glob("*.py"), *SOURCES.glob("*.lark"))
        for found in re.findall(r"spec/formats/(\w+)\.md §(\d+)", path.read_text("utf-8"))
    ]
    assert len(cited) > 15
    for page, section in cited:
        assert re.search(rf"^## {section}\. ", PAGES[page], re.M), (page, section)


def test_the_table_of_sgf_tags() -> None:
    row = next(line for line in PAGES["sgf"].splitlines() if line.startswith("| `EV`"))
    properties = re.findall(r"`(\w+)`", row)
    tags = row.split("the tags ")[1].strip(" |").split(", ")
    assert dict(zip(properties, tags, strict=True)) == TAGS


def test_the_table_of_endings() -> None:
    section = PAGES["README"].split("## 5. ")[1].split("## 6. ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")][1:]
    listed = [name for row in rows for name in re.findall(r"`([\w-]+)`", row.split("|")[1])]
    assert listed == list(get_args(verdict.Ending))


@pytest.mark.parametrize(("name", "turns"), [("mat", 4), ("bgammon", 1), ("fibs", 2), ("plain", 2)])
def test_the_example_of_a_page_is_read(tmp_path: Path, name: str, turns: int) -> None:
    block = re.search(r"^    .*\n(?:(?:    .*)?\n)*", PAGES[name], re.M)
    assert block is not None
    text = "\n".join(line[4:] for line in block[0].splitlines()).strip("\n") + "\n"
    found = text_verdicts(tmp_path, "example", text)
    assert [one.format for one in found] == [name]
    assert found[0].turns == turns
    assert found[0].faults == ()
