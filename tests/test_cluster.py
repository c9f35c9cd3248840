"""Sweeps on a real Dask scheduler and workers, processes on loopback: a fault costs unfinished batches, no more."""

from __future__ import annotations

import importlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop.errors import InputError
from multihop.store.store import Store
from multihop.sweeping.cluster import SELDOM, Cluster, environment

PROGRAM = """
import sys, multihop
address, windows, runs, seconds = sys.argv[1:]
made = multihop.sweep(
    "chain", {"tcp.max-window": f"1..{windows}"}, "none,sack", runs=int(runs), executor=address or None,
    set={"run.duration": f"{seconds} s", "measure.warm-up": "1 s", "flow.1.start": "0 s"},
)
made.table().to_csv("table.csv", index=False)
"""


class Machines:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._port, self._folder, self._stack = port, folder, stack
        self.scheduler = self.schedule()
        self.workers = [self.work(), self.work()]

    def schedule(self) -> subprocess.Popen[bytes]:
        return self._start("dask_scheduler", "--host", "127.0.0.1", "--port", str(self._port), "--no-dashboard")

    def work(self) -> subprocess.Popen[bytes]:
        where = ["--host", "127.0.0.1", "--local-directory", str(self._folder)]
        return self._start("dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", *where)

    def _start(self, module: str, *words: str) -> subprocess.Popen[bytes]:
        log = self._stack.enter_context((self._folder / f"{module}.log").open("ab"))
        process = subprocess.Popen([sys.executable, "-m", f"distributed.cli.{module}", *words], stdout=log, stderr=log)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    with ExitStack() as stack:
        yield Machines(tmp_path, stack)


def start(folder: Path, address: str, sizes: Sequence[int]) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "MULTIHOP_HOME": str(folder / "store")}
    words = [address, *map(str, sizes)]
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *words], cwd=folder, env=environment)


def records(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.glob("store/records/*/manifest.json")}


def wait_for(folder: Path, more_than: int, process: subprocess.Popen[bytes]) -> None:
    stored, since = 0, time.monotonic()
    while (now := len(records(folder))) <= more_than and process.poll() is None:
        if now > stored:
            stored, since = now, time.monotonic()
        assert time.monotonic() < since + 120, "no run was stored for two minutes"
        time.sleep(0.01)


@pytest.mark.parametrize(
    "sizes",
    [pytest.param((6, 6, 60), id="72 runs"), pytest.param((10, 100, 40), id="2000 runs", marks=pytest.mark.long)],
)
def test_a_killed_worker_client_and_scheduler_cost_nothing_that_was_finished(
    sizes: tuple[int, int, int], tmp_path: Path, machines: Machines
) -> None:
    total = 2 * sizes[0] * sizes[1]
    calm, far = tmp_path / "calm", tmp_path / "far"
    calm.mkdir()
    far.mkdir()
    assert start(calm, "", sizes).wait() == 0
    client = start(far, machines.address, sizes)
    wait_for(far, total // 14, client)
    machines.workers[0].kill()  # its batches go to the other one
    wait_for(far, total * 2 // 7, client)
    client.send_signal(signal.SIGKILL)
    client.wait()
    before = records(far)
    assert total * 2 // 7 < len(before) < total
    machines.work()
    client = start(far, machines.address, sizes)
    wait_for(far, len(before) + total // 14, client)
    machines.scheduler.kill()
    machines.scheduler.wait()
    assert len(records(far)) < total * 6 // 7  # there is work left
    time.sleep(1.0)
    machines.schedule()
    machines.work()
    assert client.wait(timeout=900) == 0
    after = records(far)
    assert len(after) == total
    assert {path: after[path] for path in before} == before  # not one was made twice
    assert (far / "table.csv").read_text() == (calm / "table.csv").read_text()


def test_until_adds_the_same_runs_on_a_cluster(tmp_path: Path, machines: Machines) -> None:
    brief = {"run.duration": "8 s", "measure.warm-up": "1 s", "flow.1.start": "0 s"}
    tables = []
    for name, executor in (("here", None), ("far", machines.address)):
        store = Store.open(tmp_path / name)
        windows = {"tcp.max-window": [1, 16]}
        found = multihop.sweep("chain", windows, until="goodput:4%", most=30, set=brief, store=store, executor=executor)
        tables.append(found.table())
        assert len(found.records[0]) < len(found.records[1])
    assert tables[0].equals(tables[1])


def test_a_worker_with_another_engine_is_refused_by_name(
    here: Path, cli: Cli, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("multihop._engine.BUILD", "f" * 64)
    found = cli("sweep", "chain", "--over", "tcp.max-window=2,4", "-n", "1", "--on", machines.address)
    assert found.code == 2
    assert "has engine build" in found.err
    assert "tcp://127.0.0.1" in found.err


def test_a_worker_that_joins_later_with_another_engine_is_refused_by_name(
    here: Path, cli: Cli, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("multihop._engine.BUILD", "f" * 64)
    monkeypatch.setattr("multihop.sweeping.cluster.Cluster._greet", lambda *_: None)
    found = cli("sweep", "chain", "--over", "tcp.max-window=2,4", "-n", "1", "--on", machines.address)
    assert found.code == 2
    assert re.search(r"worker tcp://127\.0\.0\.1:\d+, which has joined, has engine build", found.err)


@pytest.mark.parametrize(
    ("on", "words"),
    [
        ("tcp://127.0.0.1:1", "does not answer"),
        ("ssh:", "hosts separated by commas"),
        ("here", "a scheduler"),
        ("none-such.toml", "there is no cluster file"),
        ("bad.toml", "one table is expected"),
        ("jobs.toml", "whole number"),
        ("good.toml", "no `sbatch` here"),
        ("ssh:none-such.invalid", "does not start"),
    ],
)
def test_a_cluster_that_is_not_there_is_said_before_anything_runs(
    on: str, words: str, here: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("multihop.sweeping.cluster.CONNECT_S", 1.0)
    (here / "bad.toml").write_text("[cloud]\njobs = 3\n")
    (here / "jobs.toml").write_text("[slurm]\njobs = 0\n")
    (here / "good.toml").write_text('[slurm]\nqueue = "short"\ncores = 4\nmemory = "8 GB"\n')
    monkeypatch.setenv("PATH", "")
    found = cli("sweep", "chain", "--over", "tcp.max-window=2,4", "-n", "1", "--on", on)
    assert (found.code, words in found.err) == (2, True), found.err
    assert not (here / ".multihop" / "records").exists() or not any((here / ".multihop" / "records").iterdir())


def test_the_job_script_of_a_batch_system_asks_for_what_the_file_says() -> None:
    """No batch system is here: the script that would be handed to it is what can be seen."""
    slurm: Any = importlib.import_module("dask_jobqueue").SLURMCluster
    options = {"queue": "short", "cores": 4, "memory": "8 GB", "walltime": "01:00:00"}
    with slurm(**options, scheduler_options={"dashboard": False, "host": "127.0.0.1"}) as cluster:
        script = cluster.job_script()
    assert "#SBATCH -p short" in script
    assert "#SBATCH -t 01:00:00" in script
    assert "distributed.cli.dask_worker" in script or "dask worker" in script


def test_dask_seldom_looks_at_itself(here: Path) -> None:
    config: Any = importlib.import_module("dask.config")
    Cluster("tcp://127.0.0.1:1")
    assert {key: config.get(key) for key in SELDOM} == SELDOM
    page = (Path(__file__).parents[1] / "docs" / "guide" / "sweep.md").read_text(encoding="utf-8")
    for name, value in environment().items():
        assert f"export {name}={value}\n" in page
    read = config.collect_env(environment())
    assert read["distributed"]["admin"]["tick"]["interval"] == "2s"


def test_a_file_for_a_batch_system_is_read(here: Path) -> None:
    (here / "slurm.toml").write_text('[slurm]\nqueue = "short"\ncores = 4\nmemory = "8 GB"\njobs = 2\n')
    Cluster("slurm.toml")  # reached when the first run is sent
    (here / "slurm.toml").write_text("[slurm\n")
    with pytest.raises(InputError, match="not valid TOML"):
        Cluster("slurm.toml")
