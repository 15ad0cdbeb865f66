"""``acey conform``: recorded dialogues played against a server."""

from pathlib import Path
from typing import Annotated

import typer

from acey_daemon import cli
from acey_daemon.commands.connecting import ClientOption, CurveOption, curve_keys
from acey_daemon.commands.console import CommandError, JsonOption, out, out_json
from acey_daemon.conform import FOLDER, Dialogue, DialogueError, Speaker, dialogues
from acey_protocol.errors import AceyError


def conform(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="The server's address.")],
    folder: Annotated[
        Path,
        typer.Option("--dialogues", metavar="DIR", help="Other dialogues than those that come."),
    ] = FOLDER,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Play just these.")
    ] = None,
    set_up: Annotated[
        bool,
        typer.Option("--set-up", help="Play also those that need a server as they say it."),
    ] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, metavar="SECONDS", help="For each reply.")
    ] = 10.0,
    curve: CurveOption = None,
    client: ClientOption = None,
    json: JsonOption = False,
) -> int:
    """Play recorded dialogues against a server that claims acey/1, and compare its replies.

    They cover every verb and every error code. Those that need a server with low limits, or with a
    fault, are left out unless they are asked for. Tables they open are left behind. Exit status 1
    when a reply differs.

    For example:

        acey conform tcp://127.0.0.1:5858
    """
    good = True
    results: list[dict[str, object]] = []
    speaker = Speaker(address, timeout, curve_keys(curve, client))
    try:
        for dialogue in _chosen(folder, only or []):
            if dialogue.needs and not (set_up or only):
                outcome, why = "left out", f"needs {dialogue.needs}"
            else:
                mismatch = speaker.play(dialogue)
                good = good and mismatch is None
                outcome, why = ("same", "") if mismatch is None else ("differs", str(mismatch))
            results.append({"dialogue": dialogue.name, "outcome": outcome, "why": why})
            if not json:
                out(f"{dialogue.name}: {outcome}{f': {why}' if why else ''}")
    except (DialogueError, OSError, AceyError) as error:
        raise CommandError(str(error)) from error
    finally:
        speaker.close()
    if json:
        out_json(results)
    return cli.GOOD if good else cli.BAD_INPUT


def _chosen(folder: Path, only: list[str]) -> list[Dialogue]:
    """The dialogues of a folder that were asked for. Raises CommandError where there is none."""
    found = list(dialogues(folder))
    if not found:
        raise CommandError(f"{folder}: there is no dialogue in it (a folder of .txt files)")
    names = [dialogue.name for dialogue in found]
    unknown = next((name for name in only if name not in names), None)
    if unknown is not None:
        raise CommandError(f"there is no dialogue {unknown!r}; there are {', '.join(names)}")
    return [dialogue for dialogue in found if not only or dialogue.name in only]
