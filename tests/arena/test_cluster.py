"""A run on a Dask cluster of two processes, one of which is killed in its middle."""

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.arena.runs import report_of, resume, run, small_plan, timeless

from acey_arena import cluster
from acey_arena.cluster import ClusterError, ClusterExecutor, cluster_executor
from acey_arena.folder import RunFolder
from acey_arena.results import PairResult
from acey_arena.run import play_run
from acey_arena.table import RefereeError

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # what the cluster's own threads say when they end
]


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    """A scheduler and two worker processes."""
    cluster_class: Any = import_module("distributed").LocalCluster  # slow to import

    with cluster_class(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=50,
    ) as local:
        yield local


def test_a_worker_killed_in_mid_run_changes_nothing(workers: Any, tmp_path: Path) -> None:
    plan = small_plan(pairs=8)
    expected = run(plan, tmp_path / "here")
    address = workers.scheduler_address.replace("tcp://", "dask://")
    executor = cluster_executor(plan, address)
    pids = executor._client.run(os.getpid)
    assert len(set(pids.values())) == 2
    killed: list[int] = []

    def kill_one(_result: PairResult) -> None:
        if not killed:
            killed.append(next(iter(pids.values())))
            os.kill(killed[0], signal.SIGKILL)

    folder = RunFolder.create(tmp_path / "there", plan)
    progress = play_run(folder, executor, kill_one)
    executor.close()
    folder.close()
    assert killed
    assert timeless(progress.counted) == timeless(expected.counted)
    assert report_of(plan, progress) == report_of(plan, expected)
    names = {path.name for path in (tmp_path / "there").iterdir()}
    assert names == {path.name for path in (tmp_path / "here").iterdir()}


def test_what_cannot_be_played_is_lost_with_its_reason(workers: Any, tmp_path: Path) -> None:
    plan = small_plan(pairs=1)
    executor = cluster_executor(plan, workers.scheduler_address.replace("tcp://", "dask://"))
    executor._encoded = b"{}"
    folder = RunFolder.create(tmp_path / "run", plan)
    progress = play_run(folder, executor, lambda _result: None)
    executor.close()
    folder.close()
    assert progress.counted == ()
    assert "the cluster could not play it" in folder.results[1].lost


@pytest.mark.parametrize("error", [ConnectionResetError("reset"), CancelledError("gone\naway")])
def test_a_scheduler_that_is_gone_is_said_and_nothing_is_lost(
    error: Exception, workers: Any, tmp_path: Path
) -> None:
    plan = small_plan(pairs=8)
    executor = cluster_executor(plan, workers.scheduler_address.replace("tcp://", "dask://"))
    folder = RunFolder.create(tmp_path / "run", plan)

    def lose(_result: PairResult) -> None:
        executor._client.nthreads = reset

    def reset() -> dict[str, int]:
        raise error

    with pytest.raises(RefereeError, match=r"the cluster's scheduler is gone: (reset|gone away)"):
        play_run(folder, executor, lose)
    executor.close()
    folder.close()
    assert len(folder.results) == 1
    assert report_of(plan, resume(tmp_path / "run")) == report_of(plan, run(plan, tmp_path / "o"))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "dask://", "127.0.0.1"])
def test_a_bad_address_is_refused(address: str) -> None:
    with pytest.raises(ClusterError, match="a cluster is dask://host:port, not"):
        cluster_executor(small_plan(), address)


def test_nobody_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
    with pytest.raises(ClusterError, match=r"dask://127\.0\.0\.1:1: "):
        cluster_executor(small_plan(), "dask://127.0.0.1:1")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'aceydeucey\[cluster\]'"):
        cluster_executor(small_plan(), "dask://127.0.0.1:1")


def test_a_cluster_referees_for_itself() -> None:
    with pytest.raises(ClusterError, match="leave --referee away"):
        cluster_executor(small_plan(referee="daemon"), "dask://127.0.0.1:1")
    assert ClusterExecutor.__doc__
