"""Running: tasks become jobs of one engine batch, finished runs become records at once.

Many resolved scenarios run in one batch, so all processors stay busy through a comparison or a sweep. Whatever
ends it early, runs that have finished are in the store, and the same command goes on from there.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Protocol

from multihop import _engine
from multihop.errors import InputError, RunError
from multihop.record import PCAP, Record, Records
from multihop.scenario import Scenario
from multihop.store import Identity, Store
from multihop.tables import tables
from multihop.text import plural

TICK_S = 0.1
"""How often progress is looked at [s]."""
HURRY_S = 3.0
"""After Ctrl-C, time to store what has finished [s]."""
WRITERS = 6
"""Threads that store records."""


@dataclass(frozen=True, slots=True)
class Task:
    """One scenario under one list of techniques, to be run some times."""

    scenario: Scenario
    techniques: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    seed: int | None = None
    runs: tuple[int, ...] = (1,)


class Watcher(Protocol):
    """Who wants to see progress."""

    def begin(self, durations: Sequence[float], stored: int) -> None:
        """Jobs are about to start: the simulated time of each [s]; so many runs came from the store."""

    def update(self, fractions: Sequence[float]) -> None:
        """Fraction of its simulated time that each job has behind it."""


class Interrupted(KeyboardInterrupt):
    """The user stopped a batch; what had finished is in the store."""

    def __init__(self, records: list[Records], missing: int) -> None:
        kept = sum(map(len, records))
        super().__init__(
            f"stopped: {plural(missing, 'run')} not finished, {kept} kept; the same command goes on from there"
        )
        self.records = records
        """What there is, one per task; some may be empty."""
        self.missing = missing
        """How many runs did not finish."""


@dataclass(slots=True)
class _Arm:
    """A task with its scenario resolved, and its runs so far."""

    task: Task
    resolved: _engine.Resolved
    info: dict[str, Any]
    have: list[Record] = field(default_factory=list)
    stored: int = 0

    def identity(self, run: int) -> Identity:
        return Identity(self.resolved.hash, self.task.techniques, run)

    def records(self) -> Records:
        return Records(self.have, name=self.task.scenario.name, techniques=self.task.techniques, stored=self.stored)


@dataclass(frozen=True, slots=True)
class _Job:
    """A run to be made, and who wants it: a sweep may come past the same point twice."""

    identity: Identity
    arms: list[_Arm]
    captures: Path | None = None
    """The staging folder, made before the start if packets are to be captured into it."""


def execute(
    tasks: Sequence[Task],
    *,
    store: Store | None = None,
    fresh: bool = False,
    pcap: bool = False,
    threads: int | None = None,
    watch: Watcher | None = None,
    register: bool = True,
) -> list[Records]:
    """Runs all tasks in one batch and returns their records in order.

    Runs in the store are taken from there unless `fresh`. `register` makes the result the latest. Raises
    ScenarioError before anything runs, StoreError and RunError while running, Interrupted on Ctrl-C.
    """
    store = store or Store.open()
    threads = threads if threads is not None else len(os.sched_getaffinity(0))
    if threads < 1:
        raise InputError(f"the number of threads must be at least 1, not {threads}")
    arms = []
    for task in tasks:
        resolved = task.scenario.resolve(task.techniques, task.sets, task.seed)
        arms.append(_Arm(task, resolved, json.loads(resolved.json())))
    store.prepare()
    jobs = _from_store(arms, store, fresh=fresh, pcap=pcap)
    unfinished = _run(jobs, store, threads, watch, sum(arm.stored for arm in arms)) if jobs else 0
    found = [arm.records() for arm in arms]
    if register and any(len(records) for records in found):
        store.register([records for records in found if len(records)])
    if unfinished:
        raise Interrupted(found, unfinished)
    return found


def _from_store(arms: Sequence[_Arm], store: Store, *, fresh: bool, pcap: bool) -> list[_Job]:
    """Takes what the store has; returns what must be run, by run number first so that pairs finish together."""
    jobs: dict[str, _Job] = {}
    for run in sorted({run for arm in arms for run in arm.task.runs}):
        for arm in arms:
            if run not in arm.task.runs:
                continue
            identity = arm.identity(run)
            key = identity.key
            if key in jobs:
                jobs[key].arms.append(arm)
                continue
            record = None if fresh else store.get(identity, pcap=pcap)
            if record is None:
                jobs[key] = _Job(identity, [arm], store.stage(key) if pcap else None)
            else:
                arm.have.append(record)
                arm.stored += 1
    return list(jobs.values())


def _run(jobs: Sequence[_Job], store: Store, threads: int, watch: Watcher | None, stored: int) -> int:
    """Runs the jobs and stores each as it finishes; returns how many were left when the user stopped it."""
    if watch:
        watch.begin([float(job.arms[0].info["duration_s"]) for job in jobs], stored)
    with _patient() as stop, _cleared(jobs), _Shelf(jobs, store) as shelf:
        batch = _engine.start([(job.arms[0].resolved, job.identity.run, _captures(job)) for job in jobs], threads)
        try:
            while not batch.finished:
                batch.wait(TICK_S)
                for index, run in batch.take():
                    shelf.put(index, run)
                shelf.check()
                if watch:
                    watch.update(batch.progress())
                if stop.is_set():
                    batch.cancel()
        except _engine.EngineError as e:
            raise RunError(f"a run had to be given up: {e}") from None
        finally:
            batch.cancel()
        shelf.close(stop)
        return len(jobs) - shelf.kept


class _Shelf:
    """Stores finished runs on threads: most of it is waiting for the disk, and waiting together is shared."""

    def __init__(self, jobs: Sequence[_Job], store: Store) -> None:
        self._jobs, self._store = jobs, store
        self._writers = ThreadPoolExecutor(WRITERS, "multihop-store")
        self._pending: set[Future[None]] = set()
        self.kept = 0
        """How many runs have become records."""

    def put(self, index: int, run: _engine.Run) -> None:
        """Takes a finished run."""
        self._pending.add(self._writers.submit(self._keep, self._jobs[index], run))

    def check(self) -> None:
        """Raises what went wrong while storing."""
        done = {f for f in self._pending if f.done()}
        self._pending -= done
        self.kept += len(done)
        for f in done:
            f.result()

    def close(self, stop: threading.Event) -> None:
        """Waits for all runs to be stored; once the user is in a hurry, only for those begun within a few seconds."""
        patience = HURRY_S
        while patience > 0 and wait(self._pending, timeout=TICK_S).not_done:
            if stop.is_set():
                patience -= TICK_S
        self._pending = {f for f in self._pending if not f.cancel()}
        wait(self._pending)
        self.check()

    def __enter__(self) -> _Shelf:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        self._writers.shutdown(cancel_futures=True)

    def _keep(self, job: _Job, run: _engine.Run) -> None:
        data: dict[str, Any] = json.loads(run.json)
        arm = job.arms[0]
        content = tables(data, run.series)
        staged = job.captures or self._store.stage(job.identity.key)
        record = self._store.put(staged, job.identity, arm.resolved, arm.task.scenario.name, data, content)
        for arm in job.arms:
            arm.have.append(record)


def _captures(job: _Job) -> str | None:
    if job.captures is None:
        return None
    folder = job.captures / PCAP
    folder.mkdir(exist_ok=True)
    return str(folder)


@contextlib.contextmanager
def _cleared(jobs: Sequence[_Job]) -> Iterator[None]:
    """Removes the captures of runs that did not become records."""
    try:
        yield
    finally:
        for job in jobs:
            if job.captures is not None:
                shutil.rmtree(job.captures, ignore_errors=True)


@contextlib.contextmanager
def _patient() -> Iterator[threading.Event]:
    """Turns the first Ctrl-C into a flag, so that a record being written is finished; the second one interrupts."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # signals reach the main thread only
        return

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
