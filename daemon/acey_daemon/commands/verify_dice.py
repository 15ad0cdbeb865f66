"""``acey verify-dice``: whether the dice of a record are those its secret makes."""

from pathlib import Path
from typing import Annotated

import typer

from acey_daemon import cli
from acey_daemon.commands.console import JsonOption, cannot_read, counted, note, out, out_json
from acey_daemon.commands.files import STDIN, games_of
from acey_protocol.fairness import Verdict, verify_games, verify_match
from acey_protocol.records import MatchRecord, RecordDecodeError, decode_json


def verify_dice(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Records: .acey files, .json documents, or -."),
    ],
    json: JsonOption = False,
) -> int:
    """Prove or refute the dice of records: fair dice by their revealed secret, or by a seed.

    Every throw is made again as spec/dice.md says, and the secret is held against what was
    committed to before the first throw. Exit status 0: all are proven; 1: some are not.

    For example:

        acey verify-dice demo.json

        acey verify-dice match.acey --json
    """
    good = True
    for path in files:
        try:
            verdicts = _verdicts(path)
        except _FaultError as error:
            note(str(error))
            good = False
            continue
        except (RecordDecodeError, ValueError) as error:
            note(f"{path}: {error}")
            good = False
            continue
        if json:
            out_json({"file": path, "matches": [_document(verdict) for verdict in verdicts]})
        for verdict in verdicts:
            good = good and verdict.proven
            if not json:
                _tell(path, verdict)
        if not verdicts:
            note(f"acey: {path}: there is no game in it")
            good = False
    return cli.GOOD if good else cli.BAD_INPUT


class _FaultError(ValueError):
    """A record that cannot be read; the message starts with the place."""


def _verdicts(path: str) -> list[Verdict]:
    if path != STDIN and path.endswith(".json"):
        try:
            record = decode_json(Path(path).read_bytes())
        except OSError as error:
            cannot_read(Path(path), error)
        return [verify_match(record)] if isinstance(record, MatchRecord) else verify_games([record])
    games = list(games_of(path))
    faults = [fault for game in games for fault in game.faults]
    if faults:
        raise _FaultError(f"{path}:{faults[0].line}:{faults[0].column} {faults[0].message}")
    return verify_games(game.record for game in games)


def _document(verdict: Verdict) -> dict[str, object]:
    return {
        "source": verdict.source,
        "games": verdict.games,
        "rolls": verdict.rolls,
        "proven": verdict.proven,
        "problems": [problem._asdict() for problem in verdict.problems],
    }


def _tell(path: str, verdict: Verdict) -> None:
    if verdict.proven:
        by = "the secret committed to" if verdict.source == "fair" else "the seed"
        throws = f"{counted(verdict.rolls, 'throw')} of {counted(verdict.games, 'game')}"
        out(f"{path}: proven: {throws}, as {by} makes them")
        return
    for problem in verdict.problems:
        where = f"game {problem.game}, " if problem.game else ""
        out(f"{path}: not proven: {where}{problem.message}")
