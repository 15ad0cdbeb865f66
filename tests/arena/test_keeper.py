"""Nothing that a run started outlives it."""

import subprocess
import sys
import time
from pathlib import Path

from tests.support.acey import DEADLINE

STARTED = """
import sys, time
from acey_arena.daemon import RefereeDaemon
from acey_arena.process import LineProcess

ended = LineProcess(["sleep", "1000"])
ended.end()
engine = LineProcess(["sh", "-c", "sleep 1000 & echo $!; wait"])
child = engine.read_line(time.monotonic() + 60)
daemon = RefereeDaemon()
print(engine._process.pid, child, daemon.pid, daemon.address.removeprefix("ipc://"), flush=True)
sys.stdin.read()
"""


def lives(pid: int) -> bool:
    """Whether there is such a process that has not ended; one nobody waits for is a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def test_a_process_killed_by_force_leaves_nothing_behind() -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", STARTED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    engine, child, daemon, address = started.stdout.readline().split()
    pids = [int(engine), int(child), int(daemon)]
    folder = Path(address).parent
    assert all(map(lives, pids))
    assert folder.is_dir()
    started.kill()
    started.communicate(timeout=DEADLINE)
    until = time.monotonic() + DEADLINE
    while (any(map(lives, pids)) or folder.exists()) and time.monotonic() < until:
        time.sleep(0.01)
    assert [pid for pid in pids if lives(pid)] == []
    assert not folder.exists()
