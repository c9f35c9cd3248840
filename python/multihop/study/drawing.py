"""What is drawn with the paper's numbers in it: its tables, whose cells each make a claim, and its figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from msgspec import field, to_builtins

from .claim import Tier
from .entry import Entry, EntryError, Many, keys_of, suggest
from .measure import Known, Measure, experiment_of, read_measures
from .metrics import metrics
from .predicates import Coordinate, Rule


class TableCell(Rule, frozen=True, kw_only=True):
    """A printed number and the band of our mean; without `paper` a dash."""

    paper: float | None = None
    tier: Tier | None = None
    reason: str | None = None
    changed: str = ""
    when_not: str | None = None

    def is_asked(self) -> bool:
        """A dash asks for nothing."""
        return self.paper is not None


class TableRow(Entry, frozen=True, kw_only=True):
    """One row of a paper's table: a flow and its printed numbers."""

    id: str
    name: str
    flow: str
    cells: Many[TableCell]


class PaperTable(Entry, frozen=True, kw_only=True):
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

    def check(self, known: Known) -> None:
        """Raises EntryError for a table of what is not run, or whose rows are not as long as its columns."""
        experiment_of(self.of, known)
        if set(re.findall(r"[{](.*?)[}]", self.claim)) != {"row", "column"}:
            raise EntryError("`claim` must be a pattern with {row} and {column}", "claim")
        for row in self.row:
            if len(row.cells) != len(self.columns):
                raise EntryError(
                    f"row {row.id}: `cells` must have {len(self.columns)} entries, one for each column, "
                    f"not {len(row.cells)}",
                    "row",
                )

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
            kinds = {k: v for k, v in to_builtins(cell).items() if k in RULE_KEYS}
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


RULE_KEYS = frozenset(keys_of(Rule))


class PaperMark(Entry, frozen=True, kw_only=True):
    """A number of the paper drawn into a figure: at `x` (or over window `x`), beside a series or flow."""

    y: float
    x: Coordinate
    series: str = ""
    flow: str = ""
    label: str = ""
    #: of `lines`: a series of the figure; `y` is a multiple of our mean of that series at `x`, as printed gains are
    over: str = ""


class Series(Entry, frozen=True, kw_only=True):
    """One line or group of bars of a figure; further keys fix axes and the technique."""

    label: str
    panel: str = ""
    #: the experiment, if it is not the figure's
    of: str = ""
    #: of `lines`: where its points stand, if the axis `x` has names for values and the series lists them
    at: Many[float] = ()
    #: the axes and the technique that it fixes, and what else a measure may say: the keys that are none of these
    where: dict[str, Any] = field(default_factory=dict)


#: Kinds of figures whose series are measures.
OF_MEASURES = ("lines", "bars", "effects")


class FigureSpec(Entry, frozen=True, kw_only=True):
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
    arguments: dict[str, str] = field(default_factory=dict)
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

    def check(self, known: Known) -> None:
        """Raises EntryError for a figure of what is not run."""
        experiment_of(self.of, known)
        if self.metric not in metrics():
            raise EntryError(f"no metric `{self.metric}`: {suggest(self.metric, metrics())}", "metric")
        for series in self.series:
            self._check(series, known)
        labels = [series.label for series in self.series]
        for mark in self.paper:
            if mark.over and (self.kind != "lines" or mark.over not in labels):
                wanted = suggest(mark.over, labels) if self.kind == "lines" else "only a figure of `lines` has it"
                raise EntryError(f"`over = {mark.over!r}` is no series of the figure: {wanted}", "paper")

    def _check(self, series: Series, known: Known) -> None:
        of = self.source(series)
        axes = experiment_of(of, known, "series").axes
        if self.kind in OF_MEASURES:
            points = self.points(series, known)
            if series.at and len(series.at) != len(points):
                raise EntryError(f"{series.label}: {len(points)} points, but `at` has {len(series.at)}", "series")
            return
        for key, value in series.where.items():
            if value not in axes.get(key, ()):
                raise EntryError(f"`{key} = {value!r}` is not run by `{of}`: {suggest(key, axes)}", "series")

    def points(self, series: Series, known: Known) -> list[tuple[float, Measure]]:
        """Of `lines`, `bars` and `effects`: the figures of a series, and where they stand on the axis `x`."""
        of = self.source(series)
        table = {"metric": self.metric, "of": of, **self.arguments, **series.where}
        if self.kind == "bars":
            measures = read_measures(table, known)
            if len(measures) != 1:
                raise EntryError(f"{series.label}: one figure is expected, not {len(measures)}", "series")
            return [(0.0, measures[0])]
        if self.kind == "effects":
            return [(0.0, measure) for measure in read_measures(table, known)]
        axis = known[of].axes.get(self.x)
        if axis is None:
            raise EntryError(f"`{of}` has no axis `{self.x}`: {suggest(self.x, known[of].axes)}", "x")
        found = read_measures({**table, self.x: series.where.get(self.x, list(axis))}, known)
        places = series.at or [measure.where[self.x] for measure in found]
        return [(float(place), measure) for place, measure in zip(places, found, strict=False)]

    def source(self, series: Series) -> str:
        """The experiment that a series shows."""
        return series.of or self.of
