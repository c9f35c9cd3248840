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

#: Keys of a measure that name a second one: the figure is divided by it, or lessened by it.
SECOND = ("per", "minus")

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
    """A figure to read from records: a metric, its arguments, and the point (axes and technique) it is read at; run by
    run divided by a second figure (`per`) or less it (`minus`)."""

    metric: str
    experiment: str
    where: Mapping[str, Coordinate]
    arguments: Mapping[str, str]
    per: Measure | None = None
    minus: Measure | None = None

    @property
    def label(self) -> str:
        """What tells this measure from its siblings: `flow 1, 300-400 s, hops 7`."""
        parts = [f"{k} {v}" if k != "window" else v for k, v in self.arguments.items()]
        parts += [f"{k} {show(v)}" if k != "technique" else str(v) for k, v in self.where.items()]
        parts += [f"{word} that of {m.label}" for word, m in (("over", self.per), ("less", self.minus)) if m]
        return ", ".join(parts)

    @property
    def parts(self) -> tuple[Measure, ...]:
        """Itself and what it is divided by or lessened by."""
        return (self, *(part for other in (self.per, self.minus) if other for part in other.parts))

    def under(self, technique: str, experiment: str = "") -> Measure:
        """The same figure under another technique, perhaps in another experiment."""
        return self.changed({str(self.where["technique"]): (technique, experiment)})

    def changed(self, change: Mapping[str, tuple[str, str]]) -> Measure:
        """The same figure with other techniques (and experiments) in the places of some."""
        technique = str(self.where["technique"])
        other, experiment = change.get(technique, (technique, ""))
        return replace(
            self,
            experiment=experiment or self.experiment,
            where={**self.where, "technique": other},
            per=self.per and self.per.changed(change),
            minus=self.minus and self.minus.changed(change),
        )


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
        if key in ("metric", "of", *SECOND):
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
        second = {key: _second(key, raw, combination, info) for key in SECOND if key in raw}
        made.append(Measure(name, experiment.name, where, arguments, **second))
    return tuple(made)


def _second(
    key: str, raw: Mapping[str, Any], here: tuple[tuple[str, Coordinate], ...], info: ValidationInfo
) -> Measure:
    """The figure that one is divided by or lessened by: what it does not state is that one's."""
    if not isinstance(raw[key], Mapping):
        raise refused(f"a table is expected, not {raw[key]!r}", key)
    found = _measures({"metric": raw["metric"], "of": raw["of"], **dict(here), **raw[key]}, info)
    if len(found) != 1:
        raise refused("one figure is expected, not a list", key)
    return found[0]


Measures = Annotated[tuple[Measure, ...], PlainValidator(_measures)]
