"""The points of a study as a table: what was measured at each, under each technique."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .drawing import OF_MEASURES
from .entry import StudyError
from .interval import Interval, of_mean
from .measure import Measure, Point

if TYPE_CHECKING:
    import pandas as pd

    from .outcome import Outcome

ALWAYS = ("goodput", (("flow", "all"),))
"""What is read of an experiment that no figure and no claim reads."""
Reads = dict[str, list[tuple[str, tuple[tuple[str, str], ...]]]]
"""Metrics with their arguments, by experiment."""


@dataclass(frozen=True)
class Row:
    """One figure at one point: the mean of its runs with the 95 % interval."""

    point: Point
    metric: str
    arguments: Mapping[str, str]
    unit: str
    mean: Interval

    def cells(self, axes: list[str]) -> list[Any]:
        """As a row of the table: see `heads`; None for what is not known."""
        at, read_at = dict(self.point.coordinates), ", ".join(f"{k} {v}" for k, v in self.arguments.items())
        place = [self.point.experiment, *(at.get(axis) for axis in axes), self.point.technique]
        figures = [_known(x) for x in (self.mean.value, self.mean.low, self.mean.high)]
        return [*place, self.metric, read_at, self.unit, *figures, self.mean.n]


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def axes_of(outcome: Outcome) -> list[str]:
    """The axes of all experiments that were run, each once."""
    return [*dict.fromkeys(name for cell in outcome.results for name, _ in cell.point.coordinates)]


def heads(axes: list[str]) -> list[str]:
    """The heads of the table."""
    return ["experiment", *axes, "technique", "metric", "at", "unit", "mean", "low", "high", "runs"]


def rows(outcome: Outcome) -> Iterator[Row]:
    """Every figure that the study's figures and claims read, at every point of its experiment, point by point."""
    read = _read(outcome)
    for cell in outcome.results:
        for metric, arguments in read.get(cell.point.experiment, [ALWAYS]):
            where = {**dict(cell.point.coordinates), "technique": cell.point.technique}
            measure = Measure(metric, cell.point.experiment, where, dict(arguments))
            try:
                mean = of_mean(outcome.results.sample(measure))
            except StudyError:
                continue  # no such node or flow at this point
            yield Row(cell.point, metric, dict(arguments), measure.unit, mean)


def table(outcome: Outcome) -> pd.DataFrame:
    """The points as a table: one row for each point, technique and metric."""
    import pandas as pd

    axes = axes_of(outcome)
    return pd.DataFrame([row.cells(axes) for row in rows(outcome)], columns=heads(axes))


def document(outcome: Outcome) -> list[dict[str, Any]]:
    """The points as `points[]` of the public document."""
    return [
        {
            "experiment": row.point.experiment,
            "axes": dict(row.point.coordinates),
            "technique": row.point.technique,
            "metric": row.metric,
            "arguments": dict(row.arguments),
            "unit": row.unit,
            "mean": _known(row.mean.value),
            "ci95": [_known(row.mean.low), _known(row.mean.high)],
            "runs": row.mean.n,
        }
        for row in rows(outcome)
    ]


def _read(outcome: Outcome) -> Reads:
    measures = [one for claim in outcome.selection.claims for m in claim.measures() for one in m.plain()]
    known = outcome.study.experiments
    for figure in outcome.selection.figures:
        for series in figure.series if figure.kind in OF_MEASURES else ():
            measures += [one for _, measure in figure.points(series, known) for one in measure.plain()]
    found: Reads = {}
    for measure in measures:
        entry = (measure.metric, tuple(sorted(measure.arguments.items())))
        if entry not in found.setdefault(measure.experiment, []):
            found[measure.experiment].append(entry)
    return found
