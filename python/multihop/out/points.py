"""The points of a study as `reproduce` prints them: one line for each point, technique and metric."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.text import Text

from multihop.measures.notation import NOTHING, plus_minus
from multihop.measures.stats import Estimate
from multihop.out.claims import heading
from multihop.out.fit import Column, Fitting, Line
from multihop.study.points import axes_of, heads, rows
from multihop.text import setting

if TYPE_CHECKING:
    from rich.console import RenderableType

    from multihop.study.outcome import Outcome
    from multihop.study.points import Row


def point_rows(outcome: Outcome) -> tuple[list[str], list[list[object]]]:
    """The points as rows of a table."""
    axes = axes_of(outcome)
    return heads(axes), [row.cells(axes) for row in rows(outcome)]


def points_view(outcome: Outcome) -> list[RenderableType]:
    """A table for each experiment."""
    parts: list[RenderableType] = [Text(heading(outcome), style="bold")]
    found = [*rows(outcome)]
    for experiment in dict.fromkeys(row.point.experiment for row in found):
        own = [row for row in found if row.point.experiment == experiment]
        summary = outcome.study.experiments[experiment].summary
        parts += [Text(""), Text(f"{experiment}: {summary}" if summary else experiment), _table(own)]
    return [*parts, Text("")]


def _table(found: list[Row]) -> Fitting:
    axes = [*dict.fromkeys(name for row in found for name, _ in row.point.coordinates)]
    columns = [
        *(Column(axis, words=True) for axis in (*axes, "technique", "metric")),
        Column("mean of the runs"),
        Column("runs", rank=1),
    ]
    return Fitting(columns, [Line(_cells(row, axes)) for row in found])


def _cells(row: Row, axes: list[str]) -> list[str]:
    at = dict(row.point.coordinates)
    where = ", ".join(f"{k} {v}" if k != "window" else v for k, v in row.arguments.items() if v != "all")
    metric = " ".join(filter(None, (row.metric, row.unit, f"({where})" if where else "")))
    place = [setting(at[axis]) if axis in at else NOTHING for axis in axes]
    return [*place, row.point.technique, metric, _mean(row), str(row.mean.n)]


def _mean(row: Row) -> str:
    half = row.mean.half if math.isfinite(row.mean.half) else math.nan
    return plus_minus(Estimate(row.mean.value, half, row.mean.n))
