"""Every citation of the specification leads to a section that exists."""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "spec"
TEXT = {
    ".py",
    ".pyi",
    ".pxd",
    ".md",
    ".lark",
    ".c",
    ".h",
    ".js",
    ".html",
    ".java",
    ".toml",
    ".jsonl",
}

HEADING = re.compile(r"^#{2,4} (\d+(?:\.\d+)*)[. ]", re.MULTILINE)
# `spec/rules.md §5.2`, `spec/rules.md §3, §4 and §9`, [rules](rules.md) §3; the name may be quoted.
NAMED = re.compile(r"spec/([a-z0-9_-]+\.md)[`)]*((?:,?\s+(?:and\s+|or\s+|to\s+)?§\d+(?:\.\d+)*)*)")
SECTION = re.compile(r"§(\d+(?:\.\d+)*)")


class Citation(NamedTuple):
    place: str
    document: str
    section: str  # empty: the whole document


def tracked() -> list[Path]:
    """Return the project's text files: what git knows, or all of it outside a repository."""
    found = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        paths = [path for path in ROOT.rglob("*") if ".venv" not in path.parts]
    else:
        paths = [ROOT / name for name in found.stdout.split("\0") if name]
    this = Path(__file__).resolve()  # which has examples
    return [path for path in paths if path.suffix in TEXT and path.is_file() and path != this]


def sections(document: Path) -> list[str]:
    return HEADING.findall(document.read_text("utf-8"))


def citations(path: Path) -> list[Citation]:
    """Return what a file cites: named documents, and in a document its own bare sections."""
    text = path.read_text("utf-8")
    place = path.relative_to(ROOT).as_posix()
    found: list[Citation] = []
    for match in NAMED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        found += [
            Citation(f"{place}:{line}", match[1], section)
            for section in SECTION.findall(match[2]) or [""]
        ]
    if path.parent == SPEC:
        rest = NAMED.sub(" ", text)
        found += [Citation(place, path.name, section) for section in SECTION.findall(rest)]
    return found


ALL = [citation for path in tracked() for citation in citations(path)]


def test_there_are_citations_to_resolve() -> None:
    assert len(ALL) > 60
    places = {citation.place.split("/")[0] for citation in ALL}
    assert {"rules", "spec", "tests"} <= places


@pytest.mark.parametrize("document", sorted({citation.document for citation in ALL}))
def test_every_citation_leads_to_a_section(document: str) -> None:
    path = SPEC / document
    cited = [citation for citation in ALL if citation.document == document]
    assert path.exists(), f"{cited[0].place} cites spec/{document}, which is not there"
    known = {"", *sections(path)}
    assert [citation for citation in cited if citation.section not in known] == []


@pytest.mark.parametrize("document", sorted(SPEC.glob("*.md")), ids=lambda path: path.name)
def test_sections_are_numbered_in_order(document: Path) -> None:
    numbers = [tuple(map(int, section.split("."))) for section in sections(document)]
    assert len(set(numbers)) == len(numbers)
    assert numbers == sorted(numbers)
    tops = [number[0] for number in numbers if len(number) == 1]
    assert tops == list(range(1, len(tops) + 1))


def test_the_reader_of_citations_reads_them(tmp_path: Path) -> None:
    text = "See `spec/rules.md` §3, §4 and §9.1, spec/notation.md §2. And spec/dice.md; §7 is not."
    found = [(match[1], SECTION.findall(match[2])) for match in NAMED.finditer(text)]
    assert found == [("rules.md", ["3", "4", "9.1"]), ("notation.md", ["2"]), ("dice.md", [])]
    document = tmp_path / "a.md"
    document.write_text("# 0. Title\n## 1. One\ntext ## 7.\n### 1.2 Two\n## 2 Three\n", "utf-8")
    assert sections(document) == ["1", "1.2", "2"]


@pytest.mark.parametrize(
    "document", sorted(SPEC.rglob("*.md")), ids=lambda path: path.relative_to(SPEC).as_posix()
)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text("utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_the_index_lists_every_document() -> None:
    index = (SPEC / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| \[([a-z-]+\.md)\]\(\1\) \|", index, re.MULTILINE)
    assert sorted(listed) == sorted({path.name for path in SPEC.glob("*.md")} - {"README.md"})


def test_the_index_of_vectors_lists_every_file() -> None:
    index = (SPEC / "vectors" / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| `([a-z]+\.jsonl)` \|", index, re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in (SPEC / "vectors").glob("*.jsonl"))
