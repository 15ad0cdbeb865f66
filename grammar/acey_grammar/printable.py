"""Text of unknown origin made safe to print on one line of a terminal or a table.

A player's name in a record is whatever somebody wrote: control characters that move the cursor,
marks that turn the writing direction round, a megabyte without a space. None of it may disturb
what stands beside it.
"""

import unicodedata

ELLIPSIS = "…"


def columns(text: str) -> int:
    """Columns a terminal gives the text: two for wide characters, none for combining marks."""
    return sum(_columns_of(character) for character in text)


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def printable(text: str, width: int, *, ascii_only: bool = False) -> str:
    """The text on one line, in at most ``width`` columns, with nothing that acts on a terminal.

    Control, format and direction characters and line ends become a space, runs of white space one
    space; what does not fit is replaced by an ellipsis. With ``ascii_only`` every other character
    becomes ``?``.
    """
    clean: list[str] = []
    used = marks = 0
    for character in text:
        category = unicodedata.category(character)
        shown = " " if category[0] in "CZ" else character
        if shown == " " and (not clean or clean[-1] == " "):
            continue
        if ascii_only and not shown.isascii():
            shown = "?"
        # A letter may carry marks, but hundreds of them would run over the lines around it.
        marks = marks + 1 if _columns_of(shown) == 0 else 0
        if marks > 2:
            continue
        clean.append(shown)
        used += _columns_of(shown)
        if used > width + 1:
            break
    line = "".join(clean).strip()
    if columns(line) <= width:
        return line
    mark = "..." if ascii_only else ELLIPSIS
    kept = ""
    for character in line:
        if columns(kept + character) > width - len(mark):
            break
        kept += character
    return (kept.rstrip() + mark)[: max(width, 0)]
