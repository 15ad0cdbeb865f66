"""What a run shows while it goes on: a live table on a terminal, now and then a line elsewhere."""

import sys
from time import monotonic
from types import TracebackType
from typing import Final, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from acey_arena.folder import RunFolder
from acey_arena.plan import Plan
from acey_arena.results import PairResult
from acey_daemon.commands.console import counted

LINE_EVERY: Final = 10.0
"""Seconds between lines where there is no terminal."""
SHOWN_PLAYERS: Final = 20


class Display:
    """Shows a run on standard error, which holds no results."""

    def __init__(self, plan: Plan, folder: RunFolder) -> None:
        """Count what is played already."""
        self._plan = plan
        self._console = Console(stderr=True)
        self._total = expected_pairs(plan)
        self._done = 0
        self._games = [0] * len(plan.players)
        self._wins = [0] * len(plan.players)
        self._points = [0] * len(plan.players)
        self._faults = 0
        self._live: Live | None = None
        for result in folder.results.values():
            self._count(result)
        self._before = self._done
        self._began = self._said = monotonic()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._task = self._progress.add_task(
            "pairs", total=self._total, completed=self._done, rate=""
        )

    def __enter__(self) -> Self:
        """Start showing."""
        if self._console.is_terminal:
            self._live = Live(self._view(), console=self._console, refresh_per_second=4)
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop showing; the last state stays."""
        if self._live is not None:
            self._live.update(self._view())
            self._live.stop()
        elif self._done > self._before:
            self._say()

    def add(self, result: PairResult) -> None:
        """Show one more finished pair."""
        self._count(result)
        now = monotonic()
        if self._live is not None:
            rate = (self._done - self._before) / max(now - self._began, 1e-9)
            self._progress.update(self._task, completed=self._done, rate=f"{rate:.1f}/s")
            self._live.update(self._view())
        elif now - self._said >= LINE_EVERY:
            self._said = now
            self._say()

    def _count(self, result: PairResult) -> None:
        self._done += 1
        self._faults += len(result.faults)
        for game in result.games:
            points = game.points_of_first
            for player, won in ((result.first, points), (result.second, -points)):
                self._games[player] += 1
                self._wins[player] += won > 0
                self._points[player] += won

    def _say(self) -> None:
        rate = (self._done - self._before) / max(monotonic() - self._began, 1e-9)
        left = f", about {(self._total - self._done) / rate:.0f} s left" if rate else ""
        faults = f", {counted(self._faults, 'fault')}" if self._faults else ""
        done = f"{self._done} of {counted(self._total, 'pair')}"
        sys.stderr.write(f"acey: {done}, {rate:.1f}/s{left}{faults}\n")
        sys.stderr.flush()

    def _view(self) -> RenderableType:
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
        table.add_column("player", overflow="fold")
        for column in ("games", "won", "points", "points/game"):
            table.add_column(column, justify="right")
        order = sorted(
            range(len(self._plan.players)),
            key=lambda player: -self._points[player] / max(self._games[player], 1),
        )
        for player in order[:SHOWN_PLAYERS]:
            games, points = self._games[player], self._points[player]
            table.add_row(
                Text(self._plan.players[player].name),
                str(games),
                str(self._wins[player]),
                f"{points:+d}",
                f"{points / games:+.2f}" if games else "–",
            )
        faults = [Text(f"{self._faults} faults, see log.txt", style="red")] if self._faults else []
        return Group(table, *faults, self._progress)


def expected_pairs(plan: Plan) -> int:
    """How many pairs the plan has at most, extra pairs of level knockout meetings apart."""
    players = len(plan.players)
    match plan.format:
        case "round-robin":
            meetings = plan.rounds * players * (players - 1) // 2
        case "gauntlet":
            meetings = plan.rounds * (players - 1)
        case "swiss":
            meetings = plan.rounds * (players // 2)
        case "knockout":
            meetings = players - 1
    return meetings * plan.pairs
