"""Units judged in several processes, in order and in bounded memory."""

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from acey_daemon.archive.judging import Options, judge_unit
from acey_daemon.archive.sources import BAD_DATA, find_files, opened
from acey_daemon.archive.units import Unit, units
from acey_grammar.faults import Fault
from acey_grammar.formats.score import Tally
from acey_grammar.formats.verdict import Notice, Verdict

AHEAD: Final = 4
"""Units that wait or are worked on, for each process."""
ALONE: Final = 1 << 18
"""Characters that are judged here: starting other processes would take longer."""
LEAST: Final = 1 << 10
"""What a unit counts at least, so that many empty files are not all looked at first."""

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(list[Verdict])


class ProcessLostError(Exception):
    """One of the processes was ended from outside, so that the rest cannot be read."""

    def __init__(self, name: str) -> None:
        """Name the file that was being read."""
        super().__init__(f"a process was ended from outside, reading {name}; no more was read")


class _Work(NamedTuple):
    """A unit of a file, or the file's end."""

    name: str
    asked: bool
    unit: Unit | None


def usable_cpus() -> int:
    """How many processes can work at the same time here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_archive(
    paths: list[str], options: Options, jobs: int = 1, form: str = "auto"
) -> Iterator[Verdict]:
    """Every game of the files that the paths stand for, in order.

    Each file yields at least one verdict: what is wrong with a file, or worth knowing, comes as a
    game of number 0.
    """
    name, number, said = "", 0, False
    tally = Tally()
    for work, found in _judged(_work(paths, form), options, jobs):
        if work.name != name:
            name, number, said, tally = work.name, 0, False, Tally()
        for verdict in found:
            verdict.file = work.name
            verdict.faults = tuple(replace(fault, file=work.name) for fault in verdict.faults)
            if verdict.format:
                number += 1
                verdict.game = number
                tally.check(verdict)
            elif not work.asked:
                _not_asked(verdict)
            said = True
            yield verdict
        if work.unit is None:
            if not said:
                yield _empty(work.name)
            name = ""


def _not_asked(verdict: Verdict) -> None:
    """A file come upon in a folder that is of no format is no fault of the folder."""
    kept = tuple(fault for fault in verdict.faults if fault.kind != "format")
    if kept != verdict.faults:
        notice = Notice("format", 1, 1, "not an archive: of none of the formats that are read")
        verdict.notices = (*verdict.notices, notice)
        verdict.faults = kept


def _empty(name: str) -> Verdict:
    notice = Notice("empty", 1, 1, "there is no game in it")
    return Verdict(file=name, format="", rules="", players=("", ""), notices=(notice,))


def _work(paths: list[str], form: str) -> Iterator[_Work]:
    """The units of every file, one after the other."""
    for found in find_files(paths):
        name = found.path
        try:
            with opened(found.path) as members:
                for member in members:
                    name = member.name
                    for unit in units(member.stream, form):
                        yield _Work(name, found.asked, unit)
                    yield _Work(name, found.asked, None)
        except BAD_DATA as error:
            yield _Work(name, found.asked, _unreadable(error))
            yield _Work(name, found.asked, None)


def _unreadable(error: BaseException) -> Unit:
    """What stopped the reading of a file, as its fault."""
    missing = isinstance(error, OSError) and error.errno is not None
    why = (error.strerror if isinstance(error, OSError) else "") or str(error)
    kind = "missing" if missing else "cut-off" if isinstance(error, EOFError) else "file"
    message = f"{why[:1].lower()}{why[1:]}"
    return Unit("", faults=(Fault(kind=kind, line=0, column=0, message=message),))


def _judged(
    work: Iterable[_Work], options: Options, jobs: int
) -> Iterator[tuple[_Work, list[Verdict]]]:
    """The work with its verdicts, in order."""
    rest = iter(work)
    first, more = _start(rest) if jobs > 1 else (rest, False)
    if not more:
        for item in first:
            yield item, [] if item.unit is None else judge_unit(item.unit, options)
        return
    pool = ProcessPoolExecutor(jobs, initializer=_leave_interrupts)
    waiting: deque[tuple[_Work, Future[bytes] | None]] = deque()
    try:
        for item in chain(first, rest):
            future = None
            if item.unit is not None:
                future = pool.submit(_judge_elsewhere, item.unit, options)
            waiting.append((item._replace(unit=item.unit and Unit("")), future))
            while len(waiting) > AHEAD * jobs:
                yield _taken(waiting)
        while waiting:
            yield _taken(waiting)
    finally:
        # A pool that is left to end by itself stumbles where the program ends at that moment.
        pool.shutdown(wait=True, cancel_futures=True)


def _start(work: Iterator[_Work]) -> tuple[list[_Work], bool]:
    """The work up to ``ALONE``, and whether it goes on after that."""
    first: list[_Work] = []
    size = 0
    for item in work:
        first.append(item)
        size += max(item.unit.size, LEAST) if item.unit else 0
        if size > ALONE:
            return first, True
    return first, False


def _taken(
    waiting: "deque[tuple[_Work, Future[bytes] | None]]",
) -> tuple[_Work, list[Verdict]]:
    item, future = waiting.popleft()
    try:
        return item, [] if future is None else _DECODER.decode(future.result())
    except BrokenProcessPool as error:
        raise ProcessLostError(item.name) from error


def _leave_interrupts() -> None:
    """An interrupt from the keyboard reaches every process; the first of them ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _judge_elsewhere(unit: Unit, options: Options) -> bytes:
    """Judge a unit in another process; verdicts travel faster as MessagePack than pickled."""
    return _ENCODER.encode(judge_unit(unit, options))
