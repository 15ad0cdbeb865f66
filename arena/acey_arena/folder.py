"""The folder of a run: what was planned, what was played, what went wrong. docs/tournaments.md §5.

    plan.json      the plan, written once
    results.jsonl  a line for each finished pair, its games' records included; only ever added to
    log.txt        what happened when, faults with the end of the engine's standard error
    records.acey   all games, report.json, report.html, report.txt: made from the two above

A line of results is written whole or not at all as far as a killed process goes: a last line
without its end is dropped when the folder is opened again, and its pair is played again.
"""

import fcntl
import os
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Final, final

import msgspec

from acey_arena.plan import Plan
from acey_arena.results import PairResult

PLAN: Final = "plan.json"
RESULTS: Final = "results.jsonl"
LOG: Final = "log.txt"
SYNC_EVERY: Final = 1.0
"""Seconds of results a power cut can cost; a killed process costs none."""


class FolderError(Exception):
    """A folder that cannot be used for the run; says why and what to do."""


@final
class RunFolder:
    """An open run. Only one process at a time has it."""

    def __init__(self, path: Path, plan: Plan, lock: int) -> None:
        """Use ``create`` or ``resume``."""
        self.path = path
        self.plan = plan
        self._lock = lock
        self._encoder = msgspec.json.Encoder()
        self.results = _read_results(path / RESULTS)
        self._file = (path / RESULTS).open("ab", buffering=0)
        self._log = (path / LOG).open("a", encoding="utf-8")
        self._synced = monotonic()

    @classmethod
    def create(cls, path: Path, plan: Plan) -> "RunFolder":
        """Start a run in a folder that is new or empty. Raises FolderError, OSError."""
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            hint = "resume it with --resume, or " if (path / PLAN).exists() else ""
            raise FolderError(f"{path} is not empty; {hint}name another folder with --out")
        path.mkdir(parents=True, exist_ok=True)
        lock = _lock(path)
        data = msgspec.json.format(msgspec.json.encode(plan), indent=2)
        written = path / f"{PLAN}.new"
        written.write_bytes(data + b"\n")
        written.replace(path / PLAN)  # a folder has its whole plan or none
        folder = cls(path, plan, lock)
        folder.log(f"started: {len(plan.players)} players, seed {plan.seed}")
        return folder

    @classmethod
    def resume(cls, path: Path) -> "RunFolder":
        """Open a run to go on with. Raises FolderError, OSError."""
        plan = read_plan_file(path)
        folder = cls(path, plan, _lock(path))
        folder.log(f"resumed: {len(folder.results)} pairs are played")
        return folder

    def add(self, result: PairResult) -> None:
        """Keep a finished pair."""
        self.results[result.number] = result
        self._file.write(self._encoder.encode(result) + b"\n")
        if monotonic() - self._synced >= SYNC_EVERY:
            os.fsync(self._file.fileno())
            self._synced = monotonic()
        for fault in result.faults:
            name = self.plan.players[fault.player].name
            became = "void, played again" if fault.void else "lost"
            self.log(
                f"pair {result.number}, leg {fault.leg + 1}, game {fault.game} {became}: "
                f"{name} after {fault.decision} decisions: {fault.kind}: {fault.reason}"
            )
            for line in fault.last_lines:
                self.log(f"    {name} stderr: {line}")
        if result.lost:
            self.log(f"pair {result.number} void: {result.lost}")

    def log(self, text: str) -> None:
        """Add a line to the log."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        printable = "".join(
            char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text
        )
        self._log.write(f"{now} {printable}\n")
        self._log.flush()

    def write(self, name: str, text: str) -> None:
        """Write a file of the report, whole."""
        written = self.path / f"{name}.new"
        written.write_text(text, encoding="utf-8")
        written.replace(self.path / name)

    def close(self) -> None:
        """Bring everything to the disk and let go of the folder."""
        os.fsync(self._file.fileno())
        self._file.close()
        self._log.close()
        os.close(self._lock)


def read_plan_file(path: Path) -> Plan:
    """The plan of a run's folder. Raises FolderError."""
    try:
        return msgspec.json.decode((path / PLAN).read_bytes(), type=Plan)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FolderError(f"{path} is no run: it has no {PLAN}") from error
    except msgspec.DecodeError as error:
        raise FolderError(f"{path / PLAN} cannot be read: {error}") from error


def _lock(path: Path) -> int:
    descriptor = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise FolderError(f"{path}: another process is playing this run") from error
    return descriptor


def _read_results(path: Path) -> dict[int, PairResult]:
    """The finished pairs by number. A torn last line is cut off; pairs that were lost are missing.

    Raises FolderError naming the line when one in the middle cannot be read.
    """
    if not path.exists():
        return {}
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("r+b") as file:
            file.truncate(whole)
    decoder = msgspec.json.Decoder(PairResult)
    found: dict[int, PairResult] = {}
    for number, line in enumerate(data[:whole].splitlines(), 1):
        try:
            result = decoder.decode(line)
        except msgspec.DecodeError as error:
            raise FolderError(
                f"{path}:{number} cannot be read: {error}; remove the line, and its pair is "
                "played again"
            ) from error
        found[result.number] = result
    return {number: result for number, result in found.items() if not result.lost}
