"""A campaign: the points of a sweep, each under some techniques, as tasks that the runner takes.

Points differ in nothing but their keys. Run r of each point and technique has the same random streams, so points and
techniques are compared run by run.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from multihop.errors import InputError, ScenarioError
from multihop.running.plan import Task
from multihop.scenario.scenario import Scenario, label, load, run_numbers
from multihop.text import plural

from .axes import SCENARIO, Axis, described

MOST_CELLS = 20_000
"""Points times techniques that a sweep may have: each is held resolved while it runs."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A point of the sweep under one list of techniques."""

    coordinates: tuple[tuple[str, str], ...]
    """Keys and their values as they were written."""
    techniques: tuple[str, ...]
    scenario: Scenario
    settings: tuple[str, ...]

    @property
    def label(self) -> str:
        """`topology.hops=3, sack`."""
        return ", ".join([*(f"{key}={value}" for key, value in self.coordinates), label(self.techniques)])

    def task(self, seed: int | None, runs: Sequence[int]) -> Task:
        """The runs with these numbers."""
        return Task(self.scenario, self.techniques, self.settings, seed, runs)


@dataclass(frozen=True)
class Campaign:
    """What a sweep runs."""

    scenario: Scenario
    axes: tuple[Axis, ...]
    arms: tuple[tuple[str, ...], ...] = ((),)
    """Lists of techniques, the baseline first."""
    settings: tuple[str, ...] = ()
    """What is set at each point, like `run.duration=60 s`."""
    seed: int | None = None
    runs: int = 5
    """Runs of each point and technique."""
    left_out: tuple[str, ...] = ()
    """Crossed techniques that contradict each other."""
    refused: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    """Scenarios of the sweep, and techniques that they refuse: these points are left out."""
    _scenarios: dict[str, Scenario] = field(default_factory=dict, repr=False, compare=False)

    @property
    def size(self) -> int:
        """Points times techniques."""
        return prod(map(len, self.axes)) * len(self.arms)

    @property
    def keys(self) -> list[str]:
        """All keys that are swept, in order."""
        return [key for axis in self.axes for key in axis.keys]

    @cached_property
    def cells(self) -> list[Cell]:
        """All points under all techniques, in order; raises InputError if they are too many."""
        self._check_size()
        return list(self._cells())

    def _cells(self) -> Iterator[Cell]:
        for steps in itertools.product(*(range(len(axis)) for axis in self.axes)):
            pairs = list(zip(self.axes, steps, strict=True))
            coordinates = tuple(
                (key, value) for axis, i in pairs for key, value in zip(axis.keys, axis.values[i], strict=True)
            )
            here = next((self._load(value) for key, value in coordinates if key == SCENARIO), self.scenario)
            swept = [text for axis, i in pairs for text in axis.settings(i)]
            name = next((value for key, value in coordinates if key == SCENARIO), "")
            for arm in self.arms:
                if (name, arm) not in self.refused:
                    yield Cell(coordinates, arm, here, (*self.settings, *swept))

    def _load(self, name: str) -> Scenario:
        if name not in self._scenarios:
            self._scenarios[name] = load(name)
        return self._scenarios[name]

    def scenarios(self) -> dict[str, Scenario]:
        """The scenarios that the sweep goes over, by name; none if it stays with one."""
        names = [value for axis in self.axes if SCENARIO in axis.keys for value in _column(axis, SCENARIO)]
        return {name: self._load(name) for name in names}

    def check(self) -> None:
        """Raises InputError or ScenarioError for a sweep that cannot run, before anything does."""
        run_numbers(self.runs)
        names = [label(arm) for arm in self.arms]
        if twice := [name for i, name in enumerate(names) if name in names[:i]]:
            raise InputError(f"the technique `{twice[0]}` stands twice in the sweep: give each list of techniques once")
        self._check_size()
        for setting in self.settings:
            if (key := setting.partition("=")[0].strip()) in self.keys:
                raise InputError(f"`{key}` is set by --set and swept by --over: give it once")
        self._check_techniques()

    def _check_size(self) -> None:
        if self.size > MOST_CELLS:
            raise InputError(
                f"the sweep has {self.size:,} points ({described(self.axes)}"
                f"{f', {len(self.arms)} techniques' if len(self.arms) > 1 else ''}); it may have at most "
                f"{MOST_CELLS:,}: take fewer values, or sweep one part after the other"
            )

    def _check_techniques(self) -> None:
        """A technique and an axis that set one key contradict each other: the axis would undo the technique."""
        for arm in self.arms:
            if not arm:
                continue
            try:
                resolved: dict[str, Any] = json.loads(self.scenario.resolve(arm, self.settings, self.seed).json())
            except ScenarioError:
                continue  # it may need a value of the sweep; each point is resolved before the first run
            for key in self.keys:
                value = resolved["values"].get(key)
                kind, _, name = str(value["from"] if value else "").partition(" ")
                if kind == "technique":
                    raise InputError(
                        f"the technique `{name}` sets `{key}`, and the sweep goes over `{key}`: leave out one of them"
                    )

    def __str__(self) -> str:
        points = plural(self.size // len(self.arms), "point")
        techniques = f" under {plural(len(self.arms), 'technique')}" if len(self.arms) > 1 else ""
        return f"{points}{techniques}, {plural(self.runs, 'run')} each"


def _column(axis: Axis, key: str) -> list[str]:
    return [values[axis.keys.index(key)] for values in axis.values]
