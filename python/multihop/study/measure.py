"""Experiments, their points, and the figures that are read there.

msgspec reads the tables of a study file into these classes. A measure is held against the experiment that it names: the
experiments are read first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from msgspec import Meta, field

from multihop.text import setting as show

from .entry import Entry, EntryError, Hook, Many, suggest
from .metrics import Metric, metrics, named
from .predicates import Coordinate

Positive = Annotated[int, Meta(ge=1)]


class Quick(Entry, frozen=True, kw_only=True):
    """What `--quick` changes in an experiment: fewer runs, and scenario settings such as a shorter duration."""

    runs: Positive = 3
    set: Many[str] = ()


class Experiment(Entry, frozen=True, kw_only=True):
    """A scenario, a sweep over it, the techniques laid over each point, and the number of runs a point."""

    name: str
    summary: str = ""
    scenario: str
    #: dimensions of the sweep: `$name` in the scenario's text takes each of the values in turn
    sweep: dict[str, Annotated[Many[Coordinate], Meta(min_length=1)]] = field(default_factory=dict)
    techniques: Many[str] = ("none",)
    runs: Positive = 5
    #: settings over scenario and techniques
    set: Many[str] = ()
    quick: Quick = Quick()
    #: number of the first run: experiments that must not share random draws start elsewhere
    first_run: Positive = 1
    #: `beside.AXIS.VALUE.NAME`: a text for that value of the axis, which takes the place of `$NAME` in the scenario
    beside: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)

    #: names for lists of its techniques
    groups: dict[str, Many[str]] = field(default_factory=dict)

    def listed(self, axis: str, value: Any) -> list[Any]:
        """What a value of an axis in a measure stands for: itself, each of a list, those of a group, or `all`."""
        if isinstance(value, list):
            return value
        if axis == "technique" and isinstance(value, str) and value in self.groups:
            return list(self.groups[value])
        every = self.axes.get(axis, ())
        return list(every) if every and value == "all" and value not in every else [value]

    def __post_init__(self) -> None:
        for axis, texts in self.beside.items():
            if axis not in self.sweep:
                raise EntryError(f"no axis `{axis}`: {suggest(axis, self.sweep)}", "beside")
            for value in map(show, self.sweep[axis]):
                if value not in texts:
                    raise EntryError(f"`beside.{axis}.{value}` is missing: what stands there?", "beside")
                if set(texts[value]) != set(texts[show(self.sweep[axis][0])]):
                    raise EntryError(f"`beside.{axis}.{value}` has not the same names as the others", "beside")

    def texts(self, coordinates: Mapping[str, Coordinate]) -> dict[str, str]:
        """The texts that stand beside the values at a point."""
        return {
            name: text for axis, texts in self.beside.items() for name, text in texts[show(coordinates[axis])].items()
        }

    @property
    def places(self) -> frozenset[str]:
        """Names whose places in the scenario's text are filled in."""
        beside = [self.texts({axis: values[0] for axis, values in self.sweep.items()})] if self.beside else []
        return frozenset(self.sweep).union(*beside)

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
    """A figure to read from records: a metric, its arguments, and the point (axes and technique) it is read at.

    It may stand for several points along an axis, put together as `how` says (`multihop.study.together`); it may be
    divided by a second figure (`per`), or lessened by it (`minus`).
    """

    metric: str
    experiment: str
    where: Mapping[str, Coordinate]
    arguments: Mapping[str, str]
    how: str = ""
    members: tuple[Measure, ...] = ()
    per: Measure | None = None
    minus: Measure | None = None

    @property
    def label(self) -> str:
        """What tells this measure from its siblings: `flow 1, 300-400 s, hops 7`."""
        parts = [f"{k} {v}" if k != "window" else v for k, v in self.arguments.items()]
        parts += [f"{k} {show(v)}" if k != "technique" else str(v) for k, v in self.where.items()]
        second = (("over", self.per), ("less", self.minus))
        parts += [f"{word} that of {self.difference(other)}" for word, other in second if other]
        return ", ".join(parts)

    def difference(self, other: Measure) -> str:
        """What is different in another: `drr`, `hops 3`."""
        parts = [
            str(v) if k == "technique" else f"{k} {show(v)}" for k, v in other.where.items() if self.where.get(k) != v
        ]
        parts += [v if k == "window" else f"{k} {v}" for k, v in other.arguments.items() if self.arguments.get(k) != v]
        parts += [other.metric] if self.metric != other.metric else []
        return ", ".join(parts) or other.label

    @property
    def unit(self) -> str:
        """The unit of the figure."""
        return "ratio" if self.per is not None else named(self.metric).unit

    @property
    def techniques(self) -> tuple[str, ...]:
        """The techniques that it is a figure of; not those of a second figure."""
        return tuple(dict.fromkeys(str(measure.where["technique"]) for measure in self.members or (self,)))

    def plain(self) -> Iterator[Measure]:
        """The figures of single points that it is made of."""
        yield from self.members or (replace(self, per=None, minus=None),)
        for second in (self.per, self.minus):
            if second is not None:
                yield from second.plain()

    def changed(self, change: Mapping[str, tuple[str, str]]) -> Measure:
        """The same figure with other techniques (and experiments) in the places of some."""
        own = str(self.where["technique"])
        technique, experiment = change.get(own, (own, ""))
        moved = [change[name][1] for name in self.techniques if name in change]
        return replace(
            self,
            experiment=experiment or next(filter(None, moved), "") or self.experiment,
            where={**self.where, "technique": technique},
            members=tuple(measure.changed(change) for measure in self.members),
            per=self.per and self.per.changed(change),
            minus=self.minus and self.minus.changed(change),
        )

    def under(self, technique: str) -> Measure:
        """The same figure under another technique."""
        return self.changed(dict.fromkeys(self.techniques, (technique, "")))


Known = Mapping[str, Experiment]
"""The experiments of the study that is being read."""


def experiment_of(name: object, known: Known, key: str = "of") -> Experiment:
    """The experiment of that name, or an error with the nearest name."""
    if not isinstance(name, str) or name not in known:
        raise EntryError(f"no experiment `{name}`: {suggest(str(name), known)}", key)
    return known[name]


#: Keys that put the points along an axis together: see `multihop.study.together`.
TOGETHER = ("best", "luckiest", "mean", "each")
#: Keys of a measure that name a second one: the figure is divided by it, or lessened by it.
SECOND = ("per", "minus")


def read_measures(raw: Any, known: Known) -> tuple[Measure, ...]:
    """The measures that a table stands for: lists are multiplied out, in order, but for one that is put together."""
    if not isinstance(raw, Mapping):
        raise EntryError(f"a table like {{ metric = ..., of = ... }} is expected, not {raw!r}")
    experiment, metric = _named(raw, known)
    how, axis = _put_together(raw, experiment)
    lists: list[list[tuple[str, Coordinate]]] = []
    for key, value in raw.items():
        if key in ("metric", "of", *SECOND, *TOGETHER):
            continue
        allowed = [*experiment.axes, *metric.arguments]
        if key not in allowed:
            raise EntryError(
                f"`{key}` is neither an axis of `{experiment.name}` nor an argument of `{raw['metric']}`: "
                f"{suggest(key, allowed)}",
                key,
            )
        values = experiment.listed(key, value)
        for one in values:
            if key in experiment.axes and one not in experiment.axes[key]:
                raise EntryError(
                    f"`{key} = {one!r}` is not run by `{experiment.name}`: it has {list(experiment.axes[key])}", key
                )
        if key != axis:
            lists.append([(key, one) for one in values])
    missing = [key for key in (*experiment.axes, *metric.required) if key not in raw]
    if missing:
        raise EntryError(f"`{missing[0]}` is missing")
    made = []
    for combination in itertools.product(*lists):
        here = {**{key: raw[key] for key in raw if key not in SECOND}, **dict(combination)}
        places = [{**here, axis: value} for value in experiment.listed(axis, raw[axis])] if how else [here]
        members = tuple(_plain(place, experiment) for place in places)
        own = members[0]
        if how:
            word = f"{how} of {len(members)}" if len(members) > 1 else own.where[axis]
            own = replace(own, where={**own.where, axis: word}, how=how, members=members)
        per, minus = (_second(key, raw[key], here, known) if key in raw else None for key in SECOND)
        made.append(replace(own, per=per, minus=minus))
    return tuple(made)


def _named(raw: Mapping[str, Any], known: Known) -> tuple[Experiment, Metric]:
    for key in ("metric", "of"):
        if key not in raw:
            raise EntryError(f"`{key}` is missing")
    name, of = raw["metric"], raw["of"]
    if not isinstance(name, str) or name not in metrics():
        raise EntryError(f"no metric `{name}`: {suggest(str(name), metrics())}", "metric")
    if not isinstance(of, str) or of not in known:
        raise EntryError(f"no experiment `{of}`: {suggest(str(of), known)}", "of")
    return known[of], named(name)


def _put_together(raw: Mapping[str, Any], experiment: Experiment) -> tuple[str, str]:
    """Which key puts points together, and along which axis; empty if none does."""
    how = [key for key in TOGETHER if key in raw]
    if not how:
        return "", ""
    if len(how) > 1:
        raise EntryError(f"one of {', '.join(TOGETHER)} is expected, not {' and '.join(how)}", how[1])
    axis = raw[how[0]]
    if not isinstance(axis, str) or axis not in experiment.axes or axis not in raw:
        raise EntryError(
            f"`{how[0]}` must name an axis of `{experiment.name}` that this table has, not {axis!r}", how[0]
        )
    return how[0], axis


def _plain(here: Mapping[str, Any], experiment: Experiment) -> Measure:
    where = {key: value for key, value in here.items() if key in experiment.axes}
    arguments = {
        key: str(value) for key, value in here.items() if key not in ("metric", "of", *TOGETHER, *experiment.axes)
    }
    return Measure(here["metric"], experiment.name, where, arguments)


def _second(key: str, raw: Any, here: Mapping[str, Any], known: Known) -> Measure:
    """The figure that one is divided by or lessened by: what it does not state is that one's."""
    if not isinstance(raw, Mapping):
        raise EntryError(f"a table is expected, not {raw!r}", key)
    found = read_measures({k: v for k, v in {**here, **raw}.items() if v != ""}, known)
    if len(found) != 1:
        raise EntryError("one figure is expected, not a list", key)
    return found[0]


class Measures(tuple[Measure, ...]):
    """The figures that a table stands for."""


def measuring(known: Known) -> Hook:
    """Reads measures of these experiments, for msgspec."""

    def read(kind: type, raw: Any) -> Any:
        if kind is not Measures:
            raise NotImplementedError(kind)
        return Measures(read_measures(raw, known))

    return read
