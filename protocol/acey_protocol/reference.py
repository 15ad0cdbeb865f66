"""Writes the generated parts of the specification: tables from the tables of the program.

    python -m acey_protocol.reference spec

rewrites what stands between the marks of spec/protocol.md, and the JSON Schemas in spec/schema/. A
test runs the same functions and fails when a file is not what they give.
"""

import re
import sys
from pathlib import Path
from typing import Any, Union

import msgspec

from acey_protocol.errors import MEANINGS, Code
from acey_protocol.records import record_schema
from acey_protocol.verbs import COMMON_CODES, VERBS, Verb

_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def codes_table() -> str:
    """The error codes and what each means."""
    rows = [f"| `{code}` | {MEANINGS[code]} |" for code in Code]
    return "\n".join(["| code | the request was refused because |", "|---|---|", *rows])


def verbs_reference() -> str:
    """Every verb with its arguments, reply and codes."""
    common = ", ".join(f"`{code}`" for code in COMMON_CODES)
    head = f"Any request can be refused with {common}; the codes named here come besides."
    return "\n\n".join([head, *map(_verb, VERBS.values())])


def _verb(verb: Verb) -> str:
    about = verb.about[0].upper() + verb.about[1:]
    lines = [f"**`{verb.usage}`** ({verb.section}, since {verb.since})", "", f"{about}."]
    lines += ["", f"Replies {verb.reply}."]
    if verb.codes:
        lines += ["", f"Codes: {', '.join(f'`{code}`' for code in verb.codes)}."]
    if verb.arguments:
        lines += ["", "| argument | is | default |", "|---|---|---|"]
        for argument in verb.arguments:
            default = f"`{argument.default}`" if argument.default else ""
            if argument.required:
                default = "required"
            lines.append(f"| `{argument.name}` | {argument.about} | {default} |")
    return "\n".join(lines)


BLOCKS = {"codes": codes_table, "verbs": verbs_reference}
"""The generated parts of spec/protocol.md by the name in their mark."""


def refreshed(text: str) -> str:
    """The specification's text with its generated parts current."""
    return _BLOCK.sub(lambda found: f"{found[1]}{BLOCKS[found[2]]()}\n{found[3]}", text)


def reply_schema(verb: Verb) -> dict[str, Any]:
    """The JSON Schema of a verb's reply with ``format=json``."""
    if verb.name == "record":
        return record_schema()
    return msgspec.json.schema(Union[verb.answers])  # noqa: UP007 - the members are data


def schema_files() -> dict[str, str]:
    """The files of spec/schema/ that belong to the protocol, by name."""
    return {f"{verb.name}.json": _pretty(reply_schema(verb)) for verb in VERBS.values()}


def _pretty(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def main(folder: Path) -> None:
    """Rewrite the generated parts under a folder ``spec``."""
    page = folder / "protocol.md"
    page.write_text(refreshed(page.read_text("utf-8")), "utf-8")
    (folder / "schema").mkdir(exist_ok=True)
    for name, text in schema_files().items():
        (folder / "schema" / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
