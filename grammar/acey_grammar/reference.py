"""Writes the generated parts of spec/notation.md: tables from what the program knows.

    python -m acey_grammar.reference spec

rewrites what stands between the marks of the page. A test runs the same functions and fails when
the page is not what they give.
"""

import re
import sys
from itertools import groupby
from pathlib import Path
from typing import Final

from msgspec import Struct, json

from acey_grammar.faults import KINDS

_BLOCK: Final = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


class MistakeRow(Struct, frozen=True, forbid_unknown_fields=True, rename={"where": "in"}):
    """A row of spec/mistakes.jsonl: something people write, and what they are told."""

    where: str
    """What the text is meant as, one of ``WHERE``."""
    text: str
    line: int
    """Line of the text at which the mistake is, from 1."""
    column: int
    message: str


WHERE: Final = {
    "play": "A play",
    "action": "An action",
    "turn": "A turn, as the first of a game",
    "tag": "A tag, as the first of a game",
    "result": "A result, right behind the tags",
    "file": "A file",
    "game": "A game of american, validated",
}
"""What the rows of spec/mistakes.jsonl are read as."""


def mistakes(folder: Path) -> list[MistakeRow]:
    """The rows of mistakes.jsonl in the folder ``spec``."""
    lines = (folder / "mistakes.jsonl").read_text("utf-8").splitlines()
    return [json.decode(line, type=MistakeRow) for line in lines]


def kinds_table() -> str:
    """The kinds of faults and what each means."""
    rows = [f"| `{kind}` | {meaning} |" for kind, meaning in KINDS.items()]
    return "\n".join(["| kind | what is wrong |", "|---|---|", *rows])


def mistakes_tables(rows: list[MistakeRow]) -> str:
    """The mistakes, a table for each thing they are made in."""
    tables: list[str] = []
    for where, group in groupby(rows, lambda row: row.where):
        lines = [f"**{WHERE[where]}**", "", "| written | place | message |", "|---|---|---|"]
        lines += [
            f"| {_code(row.text)} | {row.line}:{row.column} | {_code(row.message)} |"
            for row in group
        ]
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


def _code(text: str) -> str:
    """The text as code in a cell of a table; line feeds show as ``⏎``."""
    if not text:
        return "(nothing)"
    shown = text.replace("\n", "⏎").replace("|", "\\|")
    fence = "``" if "`" in shown else "`"
    return f"{fence}{shown}{fence}"


def refreshed(text: str, folder: Path) -> str:
    """The text of spec/notation.md with its generated parts current."""
    blocks = {"kinds": kinds_table(), "mistakes": mistakes_tables(mistakes(folder))}
    return _BLOCK.sub(lambda found: f"{found[1]}{blocks[found[2]]}\n{found[3]}", text)


def main(folder: Path) -> None:
    """Rewrite the generated parts under a folder ``spec``."""
    page = folder / "notation.md"
    page.write_text(refreshed(page.read_text("utf-8"), folder), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
