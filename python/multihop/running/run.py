"""Running: tasks become runs of one engine batch, finished runs become records at once.

Many resolved scenarios run in one batch, so all processors stay busy through a comparison or a sweep. Runs are
handed to the engine as it has room for them, and their results are written as they finish. Whatever ends it early,
runs that have finished are in the store, and the same command goes on from there.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from multihop import _engine
from multihop.errors import InputError, MultihopError, RunError, StoreError
from multihop.record.folder import PCAP
from multihop.record.record import Record, Records
from multihop.running import resources
from multihop.running.interrupts import Stop, patient
from multihop.running.plan import Arm, Job, Plan, Task, warnings
from multihop.running.shelf import Shelf
from multihop.scenario.scenario import counted
from multihop.store.store import Store, Writer
from multihop.text import plural

__all__ = ["Interrupted", "State", "Task", "Watcher", "execute"]

TICK_S = 0.1
"""How often progress is looked at [s]."""
MOST_THREADS = 1024
"""Most runs at a time that may be asked for."""


@dataclass(frozen=True, slots=True)
class State:
    """How far a batch is."""

    finished: int
    """Runs that are there, those from the store among them."""
    stored: int
    """Runs that came from the store."""
    simulated_s: float
    """Simulated time that is behind all runs together [s]."""


class Watcher(Protocol):
    """Those that want to see progress."""

    def warn(self, message: str) -> None:
        """Something that the user should know before the runs begin."""

    def begin(self, runs: int, simulated_s: float) -> None:
        """So many runs are about to start, of so much simulated time together [s]."""

    def update(self, state: State) -> None:
        """How far they are."""


class Interrupted(KeyboardInterrupt):
    """The user stopped a batch; what had finished is in the store."""

    def __init__(self, records: list[Records], missing: int, number: int = signal.SIGINT, *, before: int = 0) -> None:
        kept = before + len({record.key for some in records for record in some})  # two tasks may share a run
        super().__init__(
            f"stopped: {plural(missing, 'run')} not finished, {kept} kept; the same command goes on from there"
        )
        self.records = records
        """What there is, one per task; some may be empty."""
        self.missing = missing
        """How many runs did not finish."""
        self.signal = number
        """Number of the signal that stopped it."""


def execute(
    tasks: Sequence[Task],
    *,
    store: Store | None = None,
    fresh: bool = False,
    pcap: bool = False,
    threads: int | None = None,
    watch: Watcher | None = None,
    register: bool = True,
    command: str = "",
    lean: bool = False,
    kept: Callable[[Record], None] | None = None,
) -> list[Records]:
    """Runs all tasks in one batch and returns their records in order.

    Runs in the store are taken from there unless `fresh`. `register` makes the result the latest, made by
    that `command`. Records that are `lean` hold nothing of their content: for thousands of them. `kept` gets each run
    that was made, once it is stored. Raises
    ScenarioError and InputError before anything runs, StoreError and RunError while running, Interrupted on Ctrl-C,
    SIGTERM and SIGHUP.
    """
    return execute_arms(
        [Arm.of(task) for task in tasks],
        store=store,
        fresh=fresh,
        pcap=pcap,
        threads=threads,
        watch=watch,
        register=register,
        command=command,
        lean=lean,
        kept=kept,
    )


def execute_arms(
    arms: Sequence[Arm],
    *,
    store: Store | None = None,
    fresh: bool = False,
    pcap: bool = False,
    threads: int | None = None,
    watch: Watcher | None = None,
    register: bool = True,
    command: str = "",
    lean: bool = False,
    kept: Callable[[Record], None] | None = None,
) -> list[Records]:
    """Like `execute`, for tasks that are resolved already. `kept` gets each run that was made, once it is stored."""
    store = store or Store.open()
    if not isinstance(store, Store):
        raise InputError(f"`store` must be a store, like Store.open({store!r}), not {type(store).__name__}")
    if threads is None:
        threads = processors()
    asked = threads = counted("threads", threads, MOST_THREADS)
    plan = Plan(arms, store, fresh, pcap, resources.capture_limit())
    threads = resources.threads(plan, threads)
    for warning in [*sorted(warnings(arms)), *resources.check(plan, threads, asked)]:
        if watch:
            watch.warn(warning)
    with store.writing() as writer, patient() as stop:
        try:
            missing = _Batch(plan, writer, threads, watch, stop, lean=lean, kept=kept).run()
        except MultihopError:
            with contextlib.suppress(StoreError):  # what went wrong is told; what there is should be found all the same
                _register(arms, writer, command, wanted=register)
            raise
        _register(arms, writer, command, wanted=register)
    found = [arm.records() for arm in arms]
    if missing:
        raise Interrupted(found, missing, stop.signal or signal.SIGINT)
    return found


def processors() -> int:
    """How many processors this process may use."""
    return min(MOST_THREADS, len(os.sched_getaffinity(0)))


def _register(arms: Sequence[Arm], writer: Writer, command: str, *, wanted: bool) -> None:
    found = [arm.records() for arm in arms if arm.have]
    if wanted and found:
        writer.register(found, command)


class _Batch:
    """The runs of a plan under way."""

    def __init__(
        self,
        plan: Plan,
        writer: Writer,
        threads: int,
        watch: Watcher | None,
        stop: Stop,
        *,
        lean: bool,
        kept: Callable[[Record], None] | None,
    ) -> None:
        self._lean, self._kept = lean, kept
        self._plan, self._writer, self._watch, self._stop = plan, writer, watch, stop
        self._engine = _engine.start([], threads, more=True)
        self._jobs: dict[int, Job] = {}
        self._stored, self._simulated_s = 0, 0.0

    def run(self) -> int:
        """Makes all runs, or as many as the user lets it; returns how many are missing."""
        total, waiting = len(self._plan), self._plan.jobs()
        if self._watch:
            self._watch.begin(total, self._plan.simulated_s())
        with Shelf(self._writer, lean=self._lean, heard=self._kept) as shelf:
            try:
                while not self._engine.finished:
                    self._feed(waiting, shelf)
                    self._engine.wait(0.0 if self._engine.wanted and not self._stop else TICK_S)
                    self._take(shelf)
                    if self._stop:
                        self._engine.cancel()
            except _engine.EngineError as e:
                shelf.close(self._stop)
                raise RunError(f"a run had to be given up: {e}") from None
            finally:
                self._engine.cancel()
            shelf.close(self._stop)
            return total - self._stored - shelf.kept

    def _feed(self, waiting: Iterator[Job | None], shelf: Shelf) -> None:
        """Hands the engine as many runs as it wants; looks up again after each that the store had."""
        while self._engine.wanted and not self._stop and not shelf.full:
            try:
                job = next(waiting)
            except StopIteration:
                self._engine.close()
                return
            if job is None:
                self._stored += 1
                self._tell(shelf)
                continue
            folder = self._writer.stage(job.identity.key) / PCAP if job.pcap else None
            if folder is not None:
                folder.mkdir(exist_ok=True)
            resolved = job.arms[0].resolved
            index = self._engine.add(
                resolved, job.identity.run, str(folder) if folder is not None else None, self._plan.limit
            )
            self._jobs[index] = job
            shelf.prepare()

    def _take(self, shelf: Shelf) -> None:
        if shelf.full:
            shelf.wait(TICK_S)
        else:
            for index, run in self._engine.take():
                job = self._jobs.pop(index)
                self._simulated_s += float(job.arms[0].info["duration_s"])
                shelf.put(job, run)
        shelf.check()
        self._tell(shelf)

    def _tell(self, shelf: Shelf) -> None:
        if self._watch:
            under_way = [(self._jobs.get(index), fraction) for index, fraction in self._engine.progress()]
            reached = sum(f * float(job.arms[0].info["duration_s"]) for job, f in under_way if job)
            self._watch.update(State(shelf.kept + self._stored, self._stored, self._simulated_s + reached))
