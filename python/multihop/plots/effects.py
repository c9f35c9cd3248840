"""Factors of an experiment, all against all: what each value of each does to a figure."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from multihop.study.interval import Interval, of_mean
from multihop.text import setting as show

from .style import COLOURS, FAINT, INK, canvas, legend_below, paper_mark, paper_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multihop.study.drawing import FigureSpec, Series
    from multihop.study.model import Study
    from multihop.study.results import Results


@dataclass(frozen=True)
class Level:
    """One value of a factor, and the figure at all points that have it."""

    name: str
    found: tuple[Interval, ...]

    @property
    def above(self) -> str:
        """At how many points the figure is surely above 1."""
        return f"{sum(it.low > 1 for it in self.found)}/{len(self.found)}"

    @property
    def middle(self) -> float:
        """The median of all points."""
        return median(it.value for it in self.found)


def effects(spec: FigureSpec, study: Study, results: Results) -> Figure:
    """One panel a series; in it one line for each value of each factor, with a dot for every point that has it."""
    panels = [levels(spec, series, study, results) for series in spec.series]
    lines = max(map(len, panels))
    figure, grid = canvas(2.0 + 2.5 * len(panels), 1.0 + 0.24 * lines, 1, len(panels), sharey=True)
    for axes, series, found in zip(grid[0], spec.series, panels, strict=True):
        for line, level in enumerate(found):
            spread = [line + 0.5 * (i / max(1, len(level.found) - 1) - 0.5) for i in range(len(level.found))]
            axes.plot([it.value for it in level.found], spread, ".", color=COLOURS[1], markersize=2.5, alpha=0.45)
            axes.plot([level.middle] * 2, [line - 0.35, line + 0.35], color=COLOURS[0], linewidth=2)
            axes.text(1.0, line, level.above, transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=7)
        for mark in spec.paper:
            if mark.series == series.label:
                axes.plot(mark.y, -0.75, **paper_style())
        axes.axvline(1, color=INK, linewidth=0.8)
        axes.set(title=series.label, xlabel=spec.xlabel, ylim=(lines - 0.4, -1.1))
        low, high = axes.get_xlim()
        axes.set_xlim(low, high + 0.16 * (high - low))  # room for the counts
        axes.grid(visible=False, axis="y")
    grid[0][0].set_yticks(range(lines), [level.name for level in panels[0]], fontsize=8)
    for axes in grid[0]:
        for line in _borders(panels[0]):
            axes.axhline(line - 0.5, color=FAINT, linewidth=0.8)
    if spec.paper:
        legend_below(figure, grid[0][0], extra=[paper_mark()])
    return figure


def _borders(found: list[Level]) -> list[int]:
    """Where the next factor begins."""
    return [i for i in range(1, len(found)) if found[i].name.split(" ")[0] != found[i - 1].name.split(" ")[0]]


def levels(spec: FigureSpec, series: Series, study: Study, results: Results) -> list[Level]:
    """The values of all factors that vary in a series."""
    measures = [measure for _, measure in spec.points(series, study.experiments)]
    found = [(measure.where, of_mean(results.sample(measure))) for measure in measures]
    made = []
    for axis in measures[0].where:
        values = list(dict.fromkeys(where[axis] for where, _ in found))
        for value in values if len(values) > 1 else []:
            here = tuple(interval for where, interval in found if where[axis] == value)
            made.append(Level(f"{axis} {show(value)}" if axis != "technique" else f"technique {value}", here))
    return made


def numbers(spec: FigureSpec, study: Study, results: Results) -> tuple[list[str], list[list[str]]]:
    """What the figure shows, as heads and rows of a table."""
    panels = [levels(spec, series, study, results) for series in spec.series]
    rows = [
        [line[0].name, *(f"{level.middle:.3f}, above 1: {level.above}" for level in line)]
        for line in zip(*panels, strict=True)
    ]
    return ["median", *(series.label for series in spec.series)], rows
