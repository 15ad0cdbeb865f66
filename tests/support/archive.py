"""Reading files of foreign formats in tests, as the command line does."""

from pathlib import Path

from acey_grammar.formats.lines import TextLines
from acey_grammar.formats.registry import FORMATS, read_foreign, sniff
from acey_grammar.formats.verdict import Verdict
from acey_rules import RuleSet

DATA = Path(__file__).resolve().parent.parent / "data"
"""Files whose bytes are part of what is tested."""


def verdicts(path: Path, rules: RuleSet | None = None) -> list[Verdict]:
    """Every game of a foreign file, judged."""
    with path.open("rb") as stream:
        assert sniff(TextLines(stream))[0] in FORMATS
    with path.open("rb") as stream:
        return list(read_foreign(stream, rules=rules))


def text_verdicts(folder: Path, name: str, text: str | bytes) -> list[Verdict]:
    """Every game of a text, written to a file of that name first."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return verdicts(path)
