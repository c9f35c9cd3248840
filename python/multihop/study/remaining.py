"""How long the rest of several studies takes, foreseen from the runs that have finished.

One run of each experiment is made first. A run of one experiment may take a hundred times as long as a run of another,
so a share of runs or of simulated time would say little. These runs belong to the studies: nothing is made twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from multihop.record.record import Record
from multihop.running.plan import Arm, Task
from multihop.running.run import execute_arms
from multihop.store.store import Identity, Store


@dataclass(slots=True)
class _Experiment:
    """The runs of an experiment that a study wants."""

    study: int
    sample: Task
    """Its middle point."""
    missing: float
    made: int = 0


class Remaining:
    """Runs of some studies that the store lacks, and the processor time that they take."""

    def __init__(self, studies: Sequence[Sequence[Task]]) -> None:
        self._experiments = []
        self._seconds: dict[str, tuple[int, float]] = {}
        for study, tasks in enumerate(studies):
            of: dict[str, list[Task]] = {}
            for task in tasks:
                of.setdefault(task.scenario.name, []).append(task)
            for own in of.values():
                self._experiments.append(_Experiment(study, own[len(own) // 2], sum(len(task.runs) for task in own)))

    def look(self, store: Store, threads: int | None, *, fresh: bool) -> None:
        """Looks at one point of each experiment: how many of its runs the store has, and what the first one takes.

        Where the store lacks the first one, it is made. Raises what running raises.
        """
        arms = [Arm.of(replace(each.sample, runs=each.sample.runs[:1])) for each in self._experiments]
        for each, arm in zip(self._experiments, arms, strict=True):
            there = [store.get(Identity(arm.resolved.hash, arm.task.techniques, run)) for run in each.sample.runs]
            if not fresh:
                each.missing *= there.count(None) / len(there)
        execute_arms(arms, store=store, threads=threads, register=False, lean=True)
        for each, arm in zip(self._experiments, arms, strict=True):
            each.made = len(arm.have) - len(arm.stored)
            for record in arm.have:
                self.learn(record)

    def made(self, study: int) -> int:
        """Runs of a study that were made to know what they take."""
        return sum(each.made for each in self._experiments if each.study == study)

    def learn(self, record: Record) -> None:
        """Takes the cost of a run that has finished."""
        name = record.manifest.scenario.name
        runs, seconds = self._seconds.get(name, (0, 0.0))
        self._seconds[name] = (runs + 1, seconds + record.manifest.wall_s)

    def seconds(self, left: Sequence[float]) -> float:
        """Processor time that is left [s] if that share of the missing runs of each study is."""
        return sum(
            each.missing * left[each.study] * self._run_s(each.sample.scenario.name) for each in self._experiments
        )

    def _run_s(self, name: str) -> float:
        runs, seconds = self._seconds.get(name, (0, 0.0))
        return seconds / runs if runs else 0.0
