"""What a study consists of: experiments to run, claims to judge, tables and figures to draw.

Everything here is plain frozen data; `load` makes it from TOML, `execute` runs it, `judge` judges it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from multihop.errors import InputError
from multihop.text import setting

#: A value of a sweep axis, as it stands in the study file.
Coordinate = str | int | float

Tier = Literal["must", "should", "info"]
TIERS: tuple[Tier, ...] = ("must", "should", "info")


class StudyError(InputError):
    """A study file that cannot be used: says which file, which entry, and what was expected."""


@dataclass(frozen=True)
class Paper:
    """The publication that a study regenerates."""

    authors: str
    title: str
    venue: str = ""
    year: int | None = None


@dataclass(frozen=True)
class Axis:
    """One dimension of a sweep: `$name` in the scenario's text takes each of `values` in turn."""

    name: str
    values: tuple[Coordinate, ...]


@dataclass(frozen=True)
class Quick:
    """What `--quick` changes in an experiment: fewer runs, and scenario settings such as a shorter duration."""

    runs: int
    sets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A scenario, a sweep over it, the techniques laid over each point, and the number of runs a point."""

    name: str
    summary: str
    scenario: str
    #: name and first line of the file that `scenario` stands in, so that errors point into the study
    source: str
    axes: tuple[Axis, ...]
    techniques: tuple[str, ...]
    runs: int
    quick: Quick
    #: number of the first run: experiments that must not share random draws start elsewhere
    first_run: int = 1


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
    """A figure to read from records: a metric, its arguments, and the points it is read at.

    `where` fixes axes and the technique; a list there stands for one measure an element.
    """

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


@dataclass(frozen=True)
class Predicate:
    """An acceptance rule: one of the kinds in `predicates`, with its numbers."""

    kind: str
    low: float | None = None
    high: float | None = None
    #: axis that a `monotone` rule follows
    along: str = ""
    #: what an `exact` or `not-judged` rule expects or says
    text: str = ""
    expected: tuple[Coordinate, ...] = ()


@dataclass(frozen=True)
class Check:
    """One thing to test: a predicate over measures (or over a key of the resolved scenario)."""

    accept: Predicate
    values: tuple[Measure, ...] = ()
    against: tuple[Measure, ...] = ()
    parameter: str = ""
    experiment: str = ""


@dataclass(frozen=True)
class Gain:
    """What a gain claim needs besides its figure: cause present, technique acted, placebo idle."""

    cause: tuple[Measure, ...] = ()
    acted: tuple[Measure, ...] = ()
    placebo: tuple[Measure, ...] = ()
    at_least: int = 20


@dataclass(frozen=True)
class Claim:
    """One statement of the paper with the rule by which it is judged."""

    id: str
    tier: Tier
    where: str
    text: str
    paper: str | int | float
    unit: str
    reason: str
    checks: tuple[Check, ...]
    counted: bool = True
    gain: Gain | None = None
    #: why the band is not that of the list of claims, if it is not
    changed: str = ""
    #: what is known about a miss, said only if the claim does not hold
    when_not: str = ""


@dataclass(frozen=True)
class TableRow:
    """One row of a paper's table: the flow, its printed numbers (None for a dash) and the claims on them."""

    name: str
    flow: str
    paper: tuple[float | None, ...]
    claims: tuple[str | None, ...]


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper: rows are flows, columns are named windows of the scenario."""

    name: str
    title: str
    experiment: str
    where: Mapping[str, Coordinate]
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    unit: str = "Mbit/s"


@dataclass(frozen=True)
class PaperMark:
    """A number of the paper drawn into a figure: at `x` (or over window `x`), beside a series or flow."""

    y: float
    x: Coordinate
    series: str = ""
    flow: str = ""
    label: str = ""


@dataclass(frozen=True)
class Series:
    """One line or group of bars of a figure."""

    label: str
    where: Mapping[str, Coordinate]
    panel: str = ""


#: Kinds of figures: lines over an axis, bars over nodes, goodput over time, totals over error rates.
FIGURE_KINDS = ("lines", "nodes", "timeline", "rates")


@dataclass(frozen=True)
class FigureSpec:
    """A figure of the paper: what is drawn, from which experiment, and the paper's own numbers in it."""

    name: str
    kind: str
    title: str
    experiment: str
    caption: str = ""
    metric: str = "goodput"
    arguments: Mapping[str, str] = field(default_factory=dict)
    x: str = ""
    xlabel: str = ""
    ylabel: str = ""
    series: tuple[Series, ...] = ()
    flows: tuple[str, ...] = ()
    windows: tuple[str, ...] = ()
    #: the paper's table whose numbers are drawn in
    table: str = ""
    marks: tuple[PaperMark, ...] = ()


@dataclass(frozen=True)
class Study:
    """A whole study file with its parts."""

    name: str
    title: str
    summary: str
    paper: Paper
    experiments: Mapping[str, Experiment]
    claims: tuple[Claim, ...]
    tables: tuple[PaperTable, ...]
    figures: tuple[FigureSpec, ...]
    notes: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be asked for alone: `fig3`, `table1`, ... in the order of the file."""
        return tuple(dict.fromkeys([*(f.name for f in self.figures), *(t.name for t in self.tables)]))


def show(value: Coordinate) -> str:
    """A coordinate as a person writes it."""
    return setting(value)
