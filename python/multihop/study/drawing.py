"""What is drawn with the paper's numbers in it: its tables, each cell of which makes a claim, and its figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, ValidationInfo, model_validator

from .claim import Tier
from .entry import Entry, Many, kebab, refused, suggest
from .measure import Experiment, Measure, experiment_of, experiments, read_measures
from .metrics import metrics
from .predicates import Coordinate, Rule


class TableCell(Rule):
    """A printed number and the band of our mean; without `paper` a dash."""

    paper: float | None = None
    tier: Tier | None = None
    reason: str | None = None
    changed: str = ""
    when_not: str | None = None

    def is_asked(self) -> bool:
        """A dash asks for nothing."""
        return self.paper is not None


class TableRow(Entry):
    """One row of a paper's table: a flow and its printed numbers."""

    id: str
    name: str
    flow: str
    cells: Many[TableCell]


class PaperTable(Entry):
    """A table of the paper: rows are flows, columns are named windows of the scenario."""

    name: str
    title: str
    of: str
    at: dict[str, Coordinate]
    columns: Many[str]
    #: pattern of the ids of the claims on its cells, with `{row}` and `{column}`
    claim: str
    text: str
    where: str
    reason: str = ""
    tier: Tier = "should"
    when_not: str = ""
    row: Many[TableRow]
    unit: str = "Mbit/s"

    @model_validator(mode="after")
    def _rectangular(self, info: ValidationInfo) -> Self:
        experiment_of(self.of, info)
        if set(re.findall(r"[{](.*?)[}]", self.claim)) != {"row", "column"}:
            raise refused("`claim` must be a pattern with {row} and {column}", "claim")
        for row in self.row:
            if len(row.cells) != len(self.columns):
                raise refused(
                    f"row {row.id}: `cells` must have {len(self.columns)} entries, one for each column, "
                    f"not {len(row.cells)}",
                    "row",
                )
        return self

    def id_of(self, row: TableRow, column: str) -> str:
        """The id of the claim on a cell."""
        return self.claim.replace("{row}", row.id).replace("{column}", column.removesuffix(" s"))

    def cells(self) -> Iterator[tuple[TableRow, str, float, str]]:
        """Row, column, printed number and id of the claim of every cell that has a number."""
        for row in self.row:
            for column, cell in zip(self.columns, row.cells, strict=True):
                if cell.paper is not None:
                    yield row, column, cell.paper, self.id_of(row, column)

    def claims(self) -> Iterator[dict[str, Any]]:
        """The claims on its cells, as tables of a study file."""
        printed = {
            (row.id, column): cell for row in self.row for column, cell in zip(self.columns, row.cells, strict=True)
        }
        for row, column, paper, claim in self.cells():
            cell = printed[row.id, column]
            kinds = {k: v for k, v in cell.model_dump(exclude_none=True, by_alias=True).items() if k in RULE_KEYS}
            yield {
                "id": claim,
                "tier": cell.tier or self.tier,
                "where": self.where,
                "text": f"{self.text}: {row.name}, {column}.",
                "paper": paper,
                "unit": self.unit,
                "reason": self.reason if cell.reason is None else cell.reason,
                "changed": cell.changed,
                "when-not": self.when_not if cell.when_not is None else cell.when_not,
                "value": {"metric": "goodput", "of": self.of, "flow": row.flow, "window": column, **self.at},
                "accept": kinds,
            }


RULE_KEYS = frozenset(kebab(name) for name in Rule.model_fields)


class PaperMark(Entry):
    """A number of the paper drawn into a figure: at `x` (or over window `x`), beside a series or flow."""

    y: float
    x: Coordinate
    series: str = ""
    flow: str = ""
    label: str = ""


class Series(Entry):
    """One line or group of bars of a figure; further keys fix axes and the technique."""

    model_config = ConfigDict(extra="allow")
    label: str
    panel: str = ""
    #: the experiment, if it is not the figure's
    of: str = ""
    #: of `lines`: where its points stand, if the axis `x` has names for values and the series lists them
    at: Many[float] = ()

    @property
    def where(self) -> dict[str, Any]:
        """The axes and the technique that it fixes, and what else a measure may say."""
        return self.model_extra or {}


#: Kinds of figures whose series are measures.
OF_MEASURES = ("lines", "bars", "effects")


class FigureSpec(Entry):
    """A figure of the paper: what is drawn, from which experiment, and the paper's own numbers in it."""

    name: str
    #: lines over an axis, bars over nodes, goodput over time, totals over error rates, one bar a series, and the window
    #: or the sequence numbers of one run over time; `throughput`: what arrives in a part of one run; `effects`: every
    #: value of every axis against all others
    kind: Literal["lines", "nodes", "timeline", "rates", "bars", "cwnd", "sequence", "throughput", "effects"]
    title: str
    #: what the names in the picture mean, below its title
    note: str = ""
    of: str
    caption: str = ""
    metric: str = "goodput"
    arguments: dict[str, str] = Field(default_factory=dict)
    x: str = ""
    #: of `lines`: how a value of the axis is written under it, like `3-{x}`
    tick: str = "{x}"
    xlabel: str = ""
    ylabel: str = ""
    #: of `lines`: whether the scale begins at zero, and whether the panels share it
    zero: bool = True
    sharey: bool = True
    #: of `lines` and `bars`: a value at which a line is drawn across, as 1 where 1 means no gain
    level: float | None = None
    series: Many[Series]
    flows: Many[str] = ()
    windows: Many[str] = ()
    #: the paper's table whose numbers are drawn in
    table: str = ""
    paper: Many[PaperMark] = ()

    @model_validator(mode="after")
    def _of_what_is_run(self, info: ValidationInfo) -> Self:
        experiment_of(self.of, info)
        if self.metric not in metrics():
            raise refused(f"no metric `{self.metric}`: {suggest(self.metric, metrics())}", "metric")
        for series in self.series:
            self._check(series, info)
        return self

    def _check(self, series: Series, info: ValidationInfo) -> None:
        of = self.source(series)
        axes = experiment_of(of, info, "series").axes
        if self.kind in OF_MEASURES:
            points = self.points(series, experiments(info))
            if series.at and len(series.at) != len(points):
                raise refused(f"{series.label}: {len(points)} points, but `at` has {len(series.at)}", "series")
            return
        for key, value in series.where.items():
            if value not in axes.get(key, ()):
                raise refused(f"`{key} = {value!r}` is not run by `{of}`: {suggest(key, axes)}", "series")

    def points(self, series: Series, known: Mapping[str, Experiment]) -> list[tuple[float, Measure]]:
        """Of `lines`, `bars` and `effects`: the figures of a series, and where they stand on the axis `x`."""
        of = self.source(series)
        table = {"metric": self.metric, "of": of, **self.arguments, **series.where}
        if self.kind == "bars":
            measures = read_measures(table, known)
            if len(measures) != 1:
                raise refused(f"{series.label}: one figure is expected, not {len(measures)}", "series")
            return [(0.0, measures[0])]
        if self.kind == "effects":
            return [(0.0, measure) for measure in read_measures(table, known)]
        axis = known[of].axes.get(self.x)
        if axis is None:
            raise refused(f"`{of}` has no axis `{self.x}`: {suggest(self.x, known[of].axes)}", "x")
        found = read_measures({**table, self.x: series.where.get(self.x, list(axis))}, known)
        places = series.at or [measure.where[self.x] for measure in found]
        return [(float(place), measure) for place, measure in zip(places, found, strict=False)]

    def source(self, series: Series) -> str:
        """The experiment that a series shows."""
        return series.of or self.of
