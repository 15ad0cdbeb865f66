"""What ``acey validate`` writes: a line a fault, a line a file, a summary; or JSON Lines."""

import sys
import time
from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Protocol, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as Bar

from acey_daemon.commands.console import counted, note, out, out_json
from acey_grammar.faults import Fault
from acey_grammar.formats.verdict import Verdict
from acey_rules import PRESETS

PLAIN_EVERY: Final = 10.0
"""Seconds between two lines of progress where there is no terminal."""
BAR_EVERY: Final = 0.1
"""Seconds between two changes of the bar."""


class Report(Protocol):
    """Takes the verdicts of an archive, in order."""

    def add(self, verdict: Verdict) -> None:
        """Report a game, or what is wrong with a file."""
        ...

    def finish(self) -> None:
        """Report what all of it came to."""
        ...


class JsonReport:
    """JSON Lines: an object a game, one of number 0 for what concerns a file as a whole."""

    def add(self, verdict: Verdict) -> None:
        """Write the object of a verdict."""
        out_json(verdict.report)

    def finish(self) -> None:
        """Nothing follows the last game."""


class Counts:
    """What some games came to."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self.files = self.games = self.turns = 0
        self.formats: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.notices: Counter[str] = Counter()
        self.clean_under: Counter[str] = Counter()

    def add(self, turns: int, faults: Sequence[Fault]) -> None:
        """Count one game more."""
        self.games += 1
        self.turns += turns
        self.faults.update(fault.kind for fault in faults)

    def add_verdict(self, verdict: Verdict) -> None:
        """Count one game more, or what concerns a file as a whole."""
        if verdict.game:
            self.add(verdict.turns, verdict.faults)
        else:
            self.faults.update(fault.kind for fault in verdict.faults)
        self.notices.update(notice.kind for notice in verdict.notices)
        self.clean_under.update(verdict.clean_under)

    def __str__(self) -> str:
        """``1 game, 62 turns, no fault``."""
        parts = ((self.games, "game"), (self.turns, "turn"), (self.faults.total(), "fault"))
        return ", ".join(counted(count, thing) for count, thing in parts)

    @property
    def inferred(self) -> str:
        """The presets by how many games replay without a fault under each."""
        pairs = sorted(self.clean_under.items(), key=lambda pair: (-pair[1], _order(pair[0])))
        said = [f"{name} {count} of {self.games}" for name, count in pairs]
        return ", ".join(said) if said else "no rule set replays any of them without a fault"


def _order(name: str) -> int:
    return list(PRESETS).index(name)


class TextReport:
    """Lines for people."""

    def __init__(self, max_faults: int, infer: bool, quiet: bool) -> None:
        """``max_faults`` is how many faults of each file are listed."""
        self.max_faults = max_faults
        self.infer = infer
        self.quiet = quiet
        self.file = ""
        self.counts = Counts()
        self.total = Counts()
        self.names: set[str] = set()
        self.hinted = False

    def add(self, verdict: Verdict) -> None:
        """List the faults and notices of a game."""
        if verdict.file != self.file:
            self._close()
            self.file = verdict.file
        listed = self.counts.faults.total()
        for fault in verdict.faults[: max(self.max_faults - listed, 0)]:
            out(fault_text(fault, verdict.file))
        if verdict.clean_under and verdict.faults and not self.infer:
            names = " and ".join(verdict.clean_under)
            out(f"{verdict.file}:{verdict.line}: game {verdict.game} has no fault under {names}")
        for notice in verdict.notices:
            out(f"{verdict.file}:{notice.line}:{notice.column} note: {notice.message}")
        self.counts.add_verdict(verdict)
        self.total.add_verdict(verdict)

    def _close(self) -> None:
        """Say what the file came to."""
        if not self.file:
            return
        counts = self.counts
        self.total.files += 1
        hidden = counts.faults.total() - self.max_faults
        if hidden > 0:
            out(f"{self.file}: {counted(hidden, 'more fault')} not listed (--max-faults)")
        if (counts.games or counts.faults) and not (self.quiet and not counts.faults):
            out(f"{self.file}: {counts}")
        if self.infer and counts.games:
            out(f"{self.file}: {counts.inferred}")
        self.counts = Counts()

    def finish(self) -> None:
        """Close the last file and sum up, unless its line has said all there is."""
        self._close()
        total = self.total
        if total.files > 1 or total.faults or total.notices:
            out("")
            for line in self.summary():
                out(line)

    def summary(self) -> list[str]:
        """The table of what all files came to."""
        total = self.total
        rows = [("files", total.files, ""), ("games", total.games, ""), ("turns", total.turns, "")]
        rows.append(("faults", total.faults.total(), _by_kind(total.faults)))
        if total.notices:
            rows.append(("notes", total.notices.total(), _by_kind(total.notices)))
        width = max(len(f"{count:,}") for _, count, _ in rows)
        lines = [f"{name:<7} {count:>{width},}  {kinds}".rstrip() for name, count, kinds in rows]
        if self.infer:
            lines.append(f"rules   {total.inferred}")
        return lines


def _by_kind(counts: Counter[str]) -> str:
    return ", ".join(f"{kind} {count:,}" for kind, count in counts.most_common())


def fault_text(fault: Fault, file: str) -> str:
    """A fault as a line with its place, and lines that help to understand it."""
    place = fault.where if fault.line else f"{file}: "
    rule = f" ({fault.rule})" if fault.rule and fault.rule not in fault.message else ""
    lines = [f"{place}{fault.message}{rule}"]
    if fault.position:
        lines.append(f"    position before  {fault.position}")
    if fault.legal is not None:
        more = ", …" if fault.legal > len(fault.alternatives) else ""
        plays = counted(fault.legal, "legal play")
        lines.append(f"    {plays:<15}  {', '.join(fault.alternatives)}{more}")
    return "\n".join(lines)


class Progress:
    """Games so far and games a second: a bar on a terminal, now and then a line elsewhere."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self.games = 0
        self.started = self.told = time.monotonic()
        self.bar: Bar | None = None
        self.task = None

    def __enter__(self) -> Self:
        """Start the bar."""
        if sys.stderr.isatty():
            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.completed:,.0f} games, {task.fields[rate]:,.0f} games/s"),
                TimeElapsedColumn(),
            )
            # Results that go to the same terminal are put above the bar; elsewhere they go past it.
            self.bar = Bar(
                *columns,
                console=Console(stderr=True),
                transient=True,
                redirect_stdout=sys.stdout.isatty(),
            )
            self.task = self.bar.add_task("reading", total=None, rate=0.0)
            self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()

    def step(self, verdict: Verdict) -> None:
        """Count a game."""
        self.games += verdict.game > 0
        now = time.monotonic()
        every = PLAIN_EVERY if self.bar is None else BAR_EVERY
        if now - self.told < every:
            return
        self.told = now
        rate = self.games / max(now - self.started, 0.001)
        if self.bar is not None and self.task is not None:
            name = verdict.file[-40:]
            self.bar.update(self.task, completed=self.games, description=name, rate=rate)
        else:
            note(f"{self.games:,} games read, {rate:,.0f} games/s, in {verdict.file}")
