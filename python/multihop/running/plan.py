"""From tasks to runs: every run once, however many records want it, from the store where it is there, one at a time.

The number of runs may be any: nothing here holds more than the records that were found or made.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from multihop import _engine
from multihop.record.record import Record, Records
from multihop.scenario import places
from multihop.scenario.scenario import Scenario, check_ready
from multihop.store.store import Identity, Store


@dataclass(frozen=True, slots=True)
class Task:
    """One scenario under one list of techniques, to be run some times."""

    scenario: Scenario
    techniques: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    seed: int | None = None
    runs: Sequence[int] = (1,)
    """Run numbers; a `range` may be as long as it likes."""
    variant: str = ""
    """Names the tasks that make a variant of a study together: a key may change something in some of them alone."""


@dataclass(slots=True)
class Arm:
    """A task with its scenario resolved, and its runs so far."""

    task: Task
    resolved: _engine.Resolved
    info: dict[str, Any]
    have: list[Record] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    """Keys of those that the store had."""

    @classmethod
    def of(cls, task: Task) -> Arm:
        """Resolves the scenario; raises ScenarioError."""
        resolved = task.scenario.resolve(task.techniques, task.sets, task.seed)
        check_ready(resolved)
        return cls(task, resolved, json.loads(resolved.json()))

    def records(self) -> Records:
        """The runs that there are."""
        return Records(self.have, name=self.task.scenario.name, techniques=self.task.techniques, stored=self.stored)


IGNORED = "` is ignored: it is used only with "
"""What the engine says of a key that means nothing beside the others."""


def warnings(arms: Sequence[Arm]) -> set[str]:
    """What is remarkable about the scenarios.

    Of a variant, only what it sets itself and all of its tasks remark on: keys of the scenario may mean nothing under
    other models, and its settings nothing to some techniques. That a key is ignored is likewise said only if all ignore
    it: parameters of one technique mean nothing to the others that it is compared with.
    """
    plain = [{*places.warnings(arm.info)} for arm in arms if not arm.task.variant]
    some, every = set[str]().union(*plain), set[str].intersection(*plain) if plain else set[str]()
    found = {said for said in some if said in every or IGNORED not in said}
    variants: dict[str, list[set[str]]] = {}
    for arm in arms:
        if arm.task.variant:
            own = {said for said in places.warnings(arm.info) if said.startswith("--set ")}
            variants.setdefault(arm.task.variant, []).append(own)
    return found.union(*(set.intersection(*said) for said in variants.values()))


@dataclass(frozen=True, slots=True)
class Job:
    """A run to be made, and the records that want it: a sweep may come past the same point twice."""

    identity: Identity
    arms: list[Arm]
    pcap: bool
    """Whether packets are to be captured."""


@dataclass(slots=True)
class Plan:
    """All runs of some arms."""

    arms: Sequence[Arm]
    store: Store
    fresh: bool
    pcap: bool
    limit: int = 10**9
    """Bytes that the captures of a run may take."""

    def groups(self) -> list[tuple[list[Arm], Sequence[int]]]:
        """Arms that want the same runs, together, and the numbers of those runs in order."""
        groups: dict[tuple[str, tuple[str, ...]], list[Arm]] = {}
        for arm in self.arms:
            groups.setdefault((arm.resolved.hash, arm.task.techniques), []).append(arm)
        return [(arms, _union([arm.task.runs for arm in arms])) for arms in groups.values()]

    def __len__(self) -> int:
        return sum(len(runs) for _, runs in self.groups())

    def simulated_s(self) -> float:
        """Simulated time of all runs together [s]."""
        return sum(len(runs) * float(arms[0].info["duration_s"]) for arms, runs in self.groups())

    def to_make(self, enough: Callable[[Arm, int], bool]) -> list[tuple[Arm, int]]:
        """The first arm of each group, and how many of its runs the store has not.

        A store with few records cannot have many of the runs: they are looked up only until `enough` says that the
        number counted so far answers the question.
        """
        known = set() if self.fresh else set(self.store.keys())
        found = []
        for arms, runs in self.groups():
            arm, count = arms[0], max(0, len(runs) - len(known))
            if known and not enough(arm, count):
                count = 0
                for run in runs:
                    count += not self._has(self._identity(arm, run), known)
                    if enough(arm, count):
                        break
            found.append((arm, count))
        return found

    def _has(self, identity: Identity, known: Container[str]) -> bool:
        return identity.key in known and (not self.pcap or self.store.captured(identity))

    @staticmethod
    def _identity(arm: Arm, run: int) -> Identity:
        return Identity(arm.resolved.hash, arm.task.techniques, run)

    def jobs(self) -> Iterator[Job | None]:
        """What must be run, by run number first so that pairs finish together; None for what the store had."""
        streams = [map(partial(_wanted, arms), runs) for arms, runs in self.groups()]
        for run, _, arms in heapq.merge(*streams, key=lambda wanted: wanted[0]):
            yield self._job(run, arms)

    def _job(self, run: int, arms: list[Arm]) -> Job | None:
        identity = self._identity(arms[0], run)
        mine = [arm for arm in arms if run in arm.task.runs] if len(arms) > 1 else arms
        record = None if self.fresh else self.store.get(identity, captured=self.limit if self.pcap else 0)
        if record is None:
            return Job(identity, mine, self.pcap or self.store.captured(identity))
        for arm in mine:
            arm.have.append(record)
            arm.stored.append(record.key)
        return None


def _wanted(arms: list[Arm], run: int) -> tuple[int, int, list[Arm]]:
    return run, id(arms), arms


def _union(runs: Sequence[Sequence[int]]) -> Sequence[int]:
    """All numbers, each once, in order; ranges that begin alike are not written out."""
    longest = max(runs, key=len)
    if isinstance(longest, range) and all(isinstance(r, range) and r == longest[: len(r)] for r in runs):
        return longest
    return sorted({run for some in runs for run in some})
