"""Runs a campaign: what the store lacks is run, point by point, and what has finished is never lost.

The result is a list of addresses in the store, so a sweep that was stopped goes on where it was.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from multihop.errors import InputError, ScenarioError
from multihop.record.record import Record, Records
from multihop.running.plan import Arm
from multihop.running.run import Interrupted, State, execute_arms, processors
from multihop.scenario.scenario import label, run_numbers
from multihop.store.store import Identity, Store

from .campaign import Campaign
from .cluster import Cluster
from .forecast import Forecast
from .keep import remember
from .result import Sweep
from .until import LEAST_RUNS, Until

AT_ONCE = 400
"""Cells that one batch of the engine takes: more would be held resolved in memory."""
PILOTS = 3
"""Runs that are made first where nothing is known of the cost."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What is left to do."""

    cells: int
    runs: int
    """Runs of the sweep; with `--until` those that are made at first."""
    missing: int
    """Of these, runs that the store lacks."""
    seconds: float
    """Processor time that they take [s]."""
    disk: float
    """Disk that they take [bytes]."""
    from_runs: int
    """Finished runs from which this is foreseen."""
    processors: int
    """Runs that go on at once."""


class Audience(Protocol):
    """What shows the progress of a sweep."""

    def warn(self, message: str) -> None:
        """Something that the user should know before the runs begin."""

    def cost(self, cost: Cost) -> None:
        """What the sweep will cost, before it begins."""

    def update(self, finished: int, runs: int, stored: int, left_s: float, workers: int) -> None:
        """So many of the runs are there, so many of them were before; the rest takes about so long [s].

        `workers` are those of a cluster; 0 on this machine.
        """


def run_sweep(
    campaign: Campaign,
    *,
    store: Store | None = None,
    fresh: bool = False,
    threads: int | None = None,
    watch: Audience | None = None,
    until: Until | None = None,
    cluster: Cluster | None = None,
) -> Sweep:
    """Runs what the store lacks of a campaign, on this machine or on a cluster.

    Raises ScenarioError and InputError before anything runs, StoreError and RunError while running, Interrupted where
    the user stops it: what has finished is in the store.
    """
    campaign.check()
    store = store or Store.open()
    return _Course(campaign, store, fresh, threads or processors(), watch, until, cluster).run()


class _Course:
    """A campaign under way."""

    def __init__(
        self,
        campaign: Campaign,
        store: Store,
        fresh: bool,
        threads: int,
        watch: Audience | None,
        until: Until | None,
        cluster: Cluster | None,
    ) -> None:
        self._campaign, self._store, self._fresh, self._threads = campaign, store, fresh, threads
        self._watch, self._until, self._cluster = watch, until, cluster
        self._cells = campaign.cells
        first = max(LEAST_RUNS, min(campaign.runs, until.most)) if until else campaign.runs
        self._wanted = [first] * len(self._cells)
        self._have: list[Records] = [
            Records((), name=cell.scenario.name, techniques=cell.techniques) for cell in self._cells
        ]
        self._forecast = Forecast(len(campaign.arms))
        self._made = 0

    def run(self) -> Sweep:
        """Makes all runs; raises Interrupted."""
        if left_out := self._campaign.left_out:
            self.warn(f"left out, as these techniques contradict each other: {', '.join(left_out)}")
        for name, arms in itertools.groupby(sorted(self._campaign.refused), lambda pair: pair[0]):
            self.warn(f"left out, as {name} refuses them: {', '.join(label(arm) for _, arm in arms)}")
        for cells in self._chunks():
            self._resolve(cells)  # a point that cannot run is known before the first run
        self._say_cost()
        fresh = self._fresh
        while pending := [i for i, n in enumerate(self._wanted) if len(self._have[i]) < n]:
            for cells in self._chunks(pending):
                self._execute(cells, fresh=fresh)
            fresh = False  # runs of the first round are in the store now
            if self._until is None:
                break
            for i, records in enumerate(self._have):
                values = records.values(self._until.figure).tolist()
                self._wanted[i] = self._until.next(values, len(records))
        return remember(self._store, self._campaign, self._have)

    def _chunks(self, cells: Sequence[int] | None = None) -> Iterator[Sequence[int]]:
        chosen = cells if cells is not None else range(len(self._cells))
        for begin in range(0, len(chosen), AT_ONCE):
            yield chosen[begin : begin + AT_ONCE]

    def _resolve(self, cells: Sequence[int]) -> list[Arm]:
        found = []
        for i in cells:
            cell = self._cells[i]
            try:
                arm = Arm.of(cell.task(self._campaign.seed, run_numbers(self._wanted[i])))
            except ScenarioError as e:
                raise InputError(f"the point {cell.label} cannot run: {e}") from None
            self._forecast.place(i, arm)
            found.append(arm)
        return found

    def _execute(self, cells: Sequence[int], *, fresh: bool) -> None:
        arms = self._resolve(cells)
        watch = _Hearing(self, cells)
        try:
            if self._cluster is not None:
                found = self._cluster.run(
                    arms,
                    store=self._store,
                    fresh=fresh,
                    watch=watch,
                    kept=self._learn,
                    run_s=lambda i: self._forecast.run_s(cells[i]),
                )
            else:
                found = execute_arms(
                    arms,
                    store=self._store,
                    fresh=fresh,
                    threads=self._threads,
                    watch=watch,
                    register=False,
                    lean=True,
                    kept=self._learn,
                )
        except Interrupted as stop:
            self._take(cells, stop.records)
            remember(self._store, self._campaign, self._have)
            missing = sum(max(0, n - len(r)) for n, r in zip(self._wanted, self._have, strict=True))
            raise Interrupted(self._have, missing, stop.signal) from None
        self._take(cells, found)

    def _take(self, cells: Sequence[int], found: Sequence[Records]) -> None:
        for i, records in zip(cells, found, strict=True):
            self._have[i] = records

    def _learn(self, record: Record) -> None:
        self._made += 1
        self._forecast.learn(record)

    # -- cost -----------------------------------------------------------------------------------------------------

    def _say_cost(self) -> None:
        """Looks at some cells for runs in the store; where there are none, makes a few runs first."""
        sample = _spread(len(self._cells), 60)
        share = 0
        for arm in self._resolve(sample):
            runs = arm.task.runs
            some = [runs[j] for j in _spread(len(runs), 5)]
            found = [self._store.get(Identity(arm.resolved.hash, arm.task.techniques, run)) for run in some]
            stored = [record for record in found if record is not None]
            for record in stored:
                self._forecast.learn(record)
            share += len(runs) * len(stored) // len(some)
        if not self._forecast.known and self._cluster is None:
            pilots = [sample[j] for j in _spread(len(sample), PILOTS)]
            arms = [Arm.of(self._cells[i].task(self._campaign.seed, run_numbers(1))) for i in pilots]
            execute_arms(arms, store=self._store, threads=self._threads, register=False, lean=True, kept=self._learn)
        if self._watch:
            total = sum(self._wanted)
            done = 0 if self._fresh else min(total, share * len(self._cells) // len(sample))
            missing = [n * (total - done) / total for n in self._wanted]
            self._watch.cost(
                Cost(
                    cells=len(self._cells),
                    runs=total,
                    missing=total - done,
                    seconds=self._forecast.seconds(missing),
                    disk=self._forecast.disk(total - done),
                    from_runs=self._forecast.known,
                    processors=self._at_once,
                )
            )

    @property
    def _at_once(self) -> int:
        return max(1, self._cluster.threads) if self._cluster else self._threads

    @property
    def _workers(self) -> int:
        return self._cluster.workers if self._cluster else 0

    def progress(self, cells: Sequence[int], state: State) -> None:
        """How far the sweep is while some cells run."""
        if self._watch is None:
            return
        total = sum(self._wanted)
        now = set(cells)
        finished = state.finished + sum(len(records) for i, records in enumerate(self._have) if i not in now)
        here = sum(self._wanted[i] for i in cells)
        left = (here - state.finished) / max(1, here)
        rest = [
            n * left if i in now else max(0.0, n - len(records))
            for i, (n, records) in enumerate(zip(self._wanted, self._have, strict=True))
        ]
        stored = max(0, finished - self._made)  # the first runs, from which the cost was learned, may not count yet
        self._watch.update(finished, total, stored, self._forecast.seconds(rest) / self._at_once, self._workers)

    def warn(self, message: str) -> None:
        """A warning of the engine."""
        if self._watch:
            self._watch.warn(message)


class _Hearing:
    """Hears of a batch and tells of the sweep."""

    def __init__(self, course: _Course, cells: Sequence[int]) -> None:
        self._course, self._cells = course, cells

    def warn(self, message: str) -> None:
        self._course.warn(message)

    def begin(self, runs: int, simulated_s: float) -> None:
        pass

    def update(self, state: State) -> None:
        self._course.progress(self._cells, state)


def _spread(n: int, most: int) -> list[int]:
    """At most so many numbers from 0 to n - 1, the ends among them, evenly spread."""
    if n <= most:
        return list(range(n))
    return sorted({round(i * (n - 1) / (most - 1)) for i in range(most)}) if most > 1 else [0]
