"""Scripted dice: files of rolls from the one directory that the settings name."""

from pathlib import Path

from acey_protocol.errors import Code, refused
from acey_rules import DiceError, ScriptedDice


def read_script(folder: Path | None, name: str) -> str:
    """The text of a script, known to be one. Raises Unsupported or BadArgument.

    ``name`` is a file's bare name (the verb table allows nothing else), so that it cannot lead out
    of the folder; neither can a link, since what it resolves to must lie in the folder too.
    """
    if folder is None:
        raise refused(Code.UNSUPPORTED, "this server has no folder for scripted dice (dice_dir)")
    path = folder / name
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
        text = path.read_text("utf-8") if inside else None
    except (OSError, UnicodeDecodeError):
        text = None
    if text is None:
        raise refused(Code.BAD_ARGUMENT, f"dice: there is no script {name!r}")
    try:
        ScriptedDice.parse(text)
    except DiceError as error:
        raise refused(Code.BAD_ARGUMENT, f"dice: script {name!r}, {error}") from None
    return text
