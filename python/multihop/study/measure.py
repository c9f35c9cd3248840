"""Experiments, their points, and the figures that are read there.

pydantic reads the tables of a study file into these classes. A measure is held against the experiment that it names,
which is found in the context of validation.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field, PlainValidator, ValidationInfo

from multihop.text import setting as show

from .entry import Entry, Many, refused, suggest
from .metrics import metrics, named
from .predicates import Coordinate

Positive = Annotated[int, Field(ge=1)]


class Quick(Entry):
    """What `--quick` changes in an experiment: fewer runs, and scenario settings such as a shorter duration."""

    runs: Positive = 3
    set: Many[str] = ()


class Experiment(Entry):
    """A scenario, a sweep over it, the techniques laid over each point, and the number of runs a point."""

    name: str
    summary: str = ""
    scenario: str
    #: dimensions of the sweep: `$name` in the scenario's text takes each of the values in turn
    sweep: dict[str, Annotated[Many[Coordinate], Field(min_length=1)]] = Field(default_factory=dict)
    techniques: Many[str] = ("none",)
    runs: Positive = 5
    #: settings over scenario and techniques
    set: Many[str] = ()
    quick: Quick = Quick()
    #: number of the first run: experiments that must not share random draws start elsewhere
    first_run: Positive = 1

    @property
    def axes(self) -> dict[str, tuple[Coordinate, ...]]:
        """Everything that tells its points apart: the sweep, and the technique."""
        return {**self.sweep, "technique": self.techniques}


@dataclass(frozen=True)
class Point:
    """One cell of an experiment's sweep under one technique."""

    experiment: str
    technique: str
    coordinates: tuple[tuple[str, Coordinate], ...]

    @property
    def label(self) -> str:
        """`hops 7, ber 5e-05, drr`."""
        return ", ".join([*(f"{k} {show(v)}" for k, v in self.coordinates), self.technique])


@dataclass(frozen=True)
class Measure:
    """A figure to read from records: a metric, its arguments, and the point (axes and technique) it is read at."""

    metric: str
    experiment: str
    where: Mapping[str, Coordinate]
    arguments: Mapping[str, str]

    @property
    def label(self) -> str:
        """What tells this measure from its siblings: `flow 1, 300-400 s, hops 7`."""
        parts = [f"{k} {v}" if k != "window" else v for k, v in self.arguments.items()]
        parts += [f"{k} {show(v)}" if k != "technique" else str(v) for k, v in self.where.items()]
        return ", ".join(parts)

    def under(self, technique: str, experiment: str = "") -> Measure:
        """The same figure under another technique, perhaps in another experiment."""
        return replace(self, experiment=experiment or self.experiment, where={**self.where, "technique": technique})


def experiments(info: ValidationInfo) -> dict[str, Experiment]:
    """The experiments of the study that is being read; they are read first."""
    context: dict[str, dict[str, Experiment]] = info.context or {}
    return context["experiments"]


def experiment_of(name: object, info: ValidationInfo, key: str = "of") -> Experiment:
    """The experiment of that name, or an error with the nearest name."""
    known = experiments(info)
    if not isinstance(name, str) or name not in known:
        raise refused(f"no experiment `{name}`: {suggest(str(name), known)}", key)
    return known[name]


def _measures(raw: Any, info: ValidationInfo) -> tuple[Measure, ...]:
    """The measures that a table stands for: lists in it are multiplied out, in order."""
    if not isinstance(raw, Mapping):
        raise refused(f"a table like {{ metric = ..., of = ... }} is expected, not {raw!r}")
    for key in ("metric", "of"):
        if key not in raw:
            raise refused(f"`{key}` is missing")
    name = raw["metric"]
    if not isinstance(name, str) or name not in metrics():
        raise refused(f"no metric `{name}`: {suggest(str(name), metrics())}", "metric")
    experiment, metric = experiment_of(raw["of"], info), named(name)
    lists: list[list[tuple[str, Coordinate]]] = []
    for key, value in raw.items():
        if key in ("metric", "of"):
            continue
        known = [*experiment.axes, *metric.arguments]
        if key not in known:
            raise refused(
                f"`{key}` is neither an axis of `{experiment.name}` nor an argument of `{name}`: {suggest(key, known)}",
                key,
            )
        values = value if isinstance(value, list) else [value]
        for one in values:
            if key in experiment.axes and one not in experiment.axes[key]:
                raise refused(
                    f"`{key} = {one!r}` is not run by `{experiment.name}`: it has {list(experiment.axes[key])}", key
                )
        lists.append([(key, one) for one in values])
    missing = [key for key in (*experiment.axes, *metric.required) if key not in raw]
    if missing:
        raise refused(f"`{missing[0]}` is missing")
    made = []
    for combination in itertools.product(*lists):
        where = {k: v for k, v in combination if k in experiment.axes}
        arguments = {k: str(v) for k, v in combination if k not in experiment.axes}
        made.append(Measure(name, experiment.name, where, arguments))
    return tuple(made)


Measures = Annotated[tuple[Measure, ...], PlainValidator(_measures)]
