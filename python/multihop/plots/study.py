"""The figures of a study: ours with their intervals, the paper's numbers drawn in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from multihop.study.drawing import FigureSpec, PaperMark, PaperTable, Series
from multihop.study.interval import Interval, of_mean
from multihop.study.judge import Verdict
from multihop.study.measure import Measure
from multihop.study.metrics import evaluate, goodput_series, measured
from multihop.study.model import Study
from multihop.study.predicates import Coordinate
from multihop.study.results import Cell, Results
from multihop.text import setting as show

from . import effects, transfers
from .style import COLOURS, FAINT, HATCHES, INK, MARKERS, canvas, crown, legend_below, paper_mark, paper_style, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(spec: FigureSpec, study: Study, results: Results) -> Figure:
    """The figure that a study file describes."""
    kinds = {"lines": _lines, "nodes": _nodes, "timeline": _timeline, "rates": _rates, "effects": effects.effects}
    with styled():
        figure = (kinds | transfers.KINDS)[spec.kind](spec, study, results)
        _titled(figure, spec.title, spec.note)
    return figure


def _titled(figure: Figure, *lines: str) -> None:
    """The title above a figure and what explains it, for which the figure grows."""
    rows = crown(figure, *lines)
    figure.set_figheight(figure.get_figheight() + 0.06 + 0.18 * rows)


def _axis(spec: FigureSpec, study: Study) -> tuple[Coordinate, ...]:
    return study.experiments[spec.of].axes[spec.x]


def _mean(spec: FigureSpec, results: Results, where: Mapping[str, Coordinate], **more: str) -> Interval:
    measure = Measure(spec.metric, spec.of, where, {**spec.arguments, **more})
    return of_mean(results.sample(measure))


def _errors(intervals: Sequence[Interval]) -> list[list[float]]:
    """Lengths of the error bars; none where there is one run. Goodput is never below zero."""
    halves = [(i.value - max(i.low, 0.0), i.high - i.value) if i.n > 1 else (0.0, 0.0) for i in intervals]
    return [[max(h[0], 0.0) for h in halves], [max(h[1], 0.0) for h in halves]]


def _colour(label: str, seen: list[str]) -> str:
    """One colour for a technique, whatever its error rate: the first word of the label decides."""
    word = label.split(",", maxsplit=1)[0]
    if word not in seen:
        seen.append(word)
    return COLOURS[seen.index(word) % len(COLOURS)]


def _lines(spec: FigureSpec, study: Study, results: Results) -> Figure:
    drawn = {
        s.label: [(x, of_mean(results.sample(m))) for x, m in spec.points(s, study.experiments)] for s in spec.series
    }
    x = sorted({place for points in drawn.values() for place, _ in points})
    marks = [_placed(mark, drawn) for mark in spec.paper]
    panels = list(dict.fromkeys(series.panel for series in spec.series))
    columns = min(len(panels), MOST_COLUMNS)
    rows = -(-len(panels) // columns)
    figure, grid = canvas(3.6 * columns + 0.4, 3.2 * rows, rows, columns, sharey=spec.sharey, sharex=True)
    seen: list[str] = []
    for axes, panel in zip(grid.flat, panels, strict=False):
        here = [series for series in spec.series if series.panel == panel]
        for index, series in enumerate(here):
            _line(axes, index, _colour(series.label, seen), drawn[series.label], _in_legend(series, here))
            for mark in marks:
                if mark.series == series.label:
                    axes.plot(float(mark.x), mark.y, **paper_style())
        if spec.level is not None:
            axes.axhline(spec.level, color=INK, linewidth=0.8, zorder=1)
        span = max(x) - min(x)
        room = max(1.0 if span >= 1 else 0.2 * span, 0.02 * span) or 1.0
        right = 1.4 if spec.paper else 0.4  # the paper's numbers stand to the right of their marks
        axes.set(title=panel, xlabel=spec.xlabel, xlim=(min(x) - 0.4 * room, max(x) + right * room))
        axes.set_xticks(x, [spec.tick.replace("{x}", show(place)) for place in x])
    if spec.zero:
        for axes in grid.flat:  # when all is drawn, as panels may share the scale
            axes.set_ylim(0, None)
    for axes, panel in zip(grid.flat, panels, strict=False):
        lines = {series.label for series in spec.series if series.panel == panel}
        _mark_numbers(axes, [mark for mark in marks if mark.series in lines])
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for row in grid:
        row[0].set_ylabel(spec.ylabel)
    legend_below(figure, grid[0][0], columns=5, extra=[paper_mark()] if spec.paper else [])
    return figure


def _placed(mark: PaperMark, drawn: Mapping[str, Sequence[tuple[float, Interval]]]) -> PaperMark:
    """A number of the paper where it is drawn: a multiple of another series stands above that series' mean."""
    if not mark.over:
        return mark
    mean = next((mean.value for place, mean in drawn[mark.over] if place == float(mark.x)), math.nan)
    return replace(mark, y=mark.y * mean, label=mark.label or f"× {mark.y:g}")


def _line(axes: Axes, index: int, colour: str, points: Sequence[tuple[float, Interval]], label: str) -> None:
    means = [mean for _, mean in points]
    axes.errorbar(
        [place for place, _ in points],
        [mean.value for mean in means],
        yerr=_errors(means),
        color=colour,
        marker=MARKERS[index % len(MARKERS)],
        linestyle=("-", "--")[index % 2],
        markerfacecolor=colour if index % 2 == 0 else "none",
        label=label,
    )


def _in_legend(series: Series, here: Sequence[Series]) -> str:
    """The label up to its first comma, if that tells the lines of a panel apart; without the panel's name."""
    label = series.label.removesuffix(f", {series.panel}")
    short = label.split(",")[0]
    return short if sum(other.label.split(",")[0] == short for other in here) == 1 else label


#: Panels side by side in a figure of lines.
MOST_COLUMNS = 3


def _mark_numbers(axes: Axes, marks: Sequence[PaperMark]) -> None:
    """The paper's numbers beside their marks; those that are too near for lines of their own share one."""
    room, groups = 0.045 * axes.get_ylim()[1], list[list[PaperMark]]()
    for mark in sorted(marks, key=lambda m: m.y):
        if groups and mark.y <= groups[-1][-1].y + room:
            groups[-1].append(mark)
        else:
            groups.append([mark])
    for group in groups:
        words = ", ".join(dict.fromkeys(mark.label if mark.over else f"{mark.y:g}" for mark in group))
        place = (float(group[-1].x), group[-1].y)
        axes.annotate(words, place, (8, 1), textcoords="offset points", fontsize=7.5)


def _nodes(spec: FigureSpec, study: Study, results: Results) -> Figure:
    del study
    cell = results.cell(spec.of, spec.series[0].where)
    names = [str(node["name"]) for node in cell.runs[0].data["nodes"]]
    figure, grid = canvas(2.6 + 0.62 * len(names), 3.1)
    axes, width = grid[0][0], 0.8 / len(spec.series)
    seen: list[str] = []
    for index, series in enumerate(spec.series):
        means = [_mean(spec, results, series.where, node=name) for name in names]
        places = np.arange(len(names)) + (index - (len(spec.series) - 1) / 2) * width
        noisy = "5e-5" in series.label
        colour = _colour(series.label, seen)
        axes.bar(
            places,
            [m.value for m in means],
            width * 0.92,
            yerr=_errors(means),
            label=series.label,
            facecolor="none" if noisy else colour,
            edgecolor=colour,
            hatch=HATCHES[1] if noisy else "",
            ecolor=INK,
            error_kw={"elinewidth": 0.9},
            linewidth=1,
        )
    axes.set(xlabel=spec.xlabel, ylabel=spec.ylabel, xticks=range(len(names)), xticklabels=names)
    legend_below(
        figure, axes, columns=2, title="queue, bit error rate" if any("e-" in s.label for s in spec.series) else ""
    )
    return figure


def _timeline(spec: FigureSpec, study: Study, results: Results) -> Figure:
    cell = results.cell(spec.of, spec.series[0].where)
    marks = [*spec.paper, *_table_marks(spec, study)]
    figure, grid = canvas(6.6, 0.7 + 1.35 * len(spec.flows), len(spec.flows), 1, sharex=True, sharey=True)
    start, end = measured(cell.runs[0])
    tallest = 0.0
    for index, (axes, flow) in enumerate(zip(grid[:, 0], spec.flows, strict=True)):
        colour = COLOURS[(index + 1) % len(COLOURS)]
        time, bps = goodput_series(cell.runs[0], flow)
        axes.plot(time, bps / 1e6, color=colour, linewidth=0.6, alpha=0.55, label="one run, each second")
        if bps.size:
            tallest = max(tallest, float(bps.max()) / 1e6)
        tallest = max(tallest, _window_means(axes, spec, cell, flow, colour))
        _paper_lines(axes, marks, flow, cell)
        ends = cell.scenario["flows"][index]
        axes.set_title(f"flow {flow}  ({ends['from']} to {ends['to']})", fontsize=8.5, pad=3)
        tallest = max([tallest, *(m.y for m in marks if m.flow == flow)])
    grid[-1, 0].set(xlabel="time [s]", xlim=(start, end), ylim=(0, tallest * 1.3 or 1))
    figure.supylabel("goodput [Mbit/s]", fontsize=9)
    legend_below(figure, grid[0, 0], extra=[_ours_sample(), _paper_line_sample()])
    return figure


def _window_means(axes: Axes, spec: FigureSpec, cell: Cell, flow: str, colour: str) -> float:
    """Our mean over all runs in each window in which the flow runs, with its interval as a band; the tallest."""
    tallest = 0.0
    for name, (start, end) in _windows(cell).items():
        if name not in spec.windows or _begins(cell, flow) >= end:
            continue
        mean = of_mean([evaluate("goodput", run, {"flow": flow, "window": name}) for run in cell.runs])
        axes.plot([start, end], [mean.value] * 2, color=colour, linewidth=2.6, solid_capstyle="butt")
        if mean.n > 1:
            axes.fill_between([start, end], max(mean.low, 0), mean.high, color=colour, alpha=0.3, linewidth=0)
        tallest = max(tallest, mean.value)
    return tallest


def _paper_lines(axes: Axes, marks: Sequence[PaperMark], flow: str, cell: Cell) -> None:
    windows = _windows(cell)
    for mark in marks:
        if mark.flow != flow:
            continue
        start, end = windows[str(mark.x)]
        axes.plot([start, end], [mark.y] * 2, color=INK, linewidth=1.1, linestyle=(0, (2, 2)))
        words = mark.label or f"{mark.y:g}"
        place = axes.get_xaxis_transform()
        axes.text((start + end) / 2, 0.98, f"paper {words}", transform=place, ha="center", va="top", fontsize=7.5)


def _table_marks(spec: FigureSpec, study: Study) -> list[PaperMark]:
    for table in study.tables:
        if table.name == spec.table:
            return [PaperMark(y=value, x=column, flow=row.flow) for row, column, value, _ in table.cells()]
    return []


def _windows(cell: Cell) -> dict[str, tuple[float, float]]:
    return {w["name"]: (float(w["from_s"]), float(w["to_s"])) for w in cell.scenario["windows"]}


def _begins(cell: Cell, flow: str) -> float:
    return next(float(f["start_s"]) for f in cell.scenario["flows"] if f["id"] == flow)


def _ours_sample() -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=COLOURS[1], linewidth=2.6, label="mean of all runs, 95 % interval")


def _paper_line_sample() -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=INK, linewidth=1.1, linestyle=(0, (2, 2)), label="printed in the paper")


def _rates(spec: FigureSpec, study: Study, results: Results) -> Figure:
    """Totals over error rates, one panel a series; where they span decades the scale is logarithmic."""
    values = [float(value) for value in _axis(spec, study)]
    figure, grid = canvas(7.2, 3.4, 1, len(spec.series))
    for axes, series in zip(grid[0], spec.series, strict=True):
        seen: list[float] = []
        for index, window in enumerate(spec.windows):
            colour = COLOURS[index + 1]
            means = [_mean(spec, results, {**series.where, spec.x: v}, window=window) for v in _axis(spec, study)]
            seen += [m.value for m in means]
            axes.errorbar(
                values, [m.value for m in means], yerr=_errors(means), color=colour, marker=MARKERS[index], label=window
            )
            for mark in spec.paper:
                if mark.series == series.label and mark.flow == window:
                    seen.append(mark.y)
                    axes.plot(float(mark.x), mark.y, **{**paper_style(), "markeredgecolor": colour, "zorder": 6})
        axes.set(title=series.label, xlabel=spec.xlabel)
        axes.set_xticks(values, [show(v) for v in values])
        axes.margins(x=0.12)
        if min(seen) < max(seen) / 20:
            axes.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=0.5)
            axes.set_yticks([0, 1e-3, 1e-2, 1e-1, 1], ["0", "0.001", "0.01", "0.1", "1"])
            axes.minorticks_off()
        axes.set_ylim(0, max(seen) * 1.25)
    grid[0][0].set_ylabel(spec.ylabel)
    legend_below(figure, grid[0][0], columns=5, extra=[paper_mark()])
    return figure


#: Below this goodput [Mbit/s] a table is drawn on a linear scale: a 0 has a place of its own there.
LINEAR_BELOW = 1e-3


def draw_table(table: PaperTable, verdicts: Mapping[str, Verdict]) -> Figure:
    """A table as a plot: our mean and interval, the band of each claim, the paper's number.

    The scale is logarithmic, and linear below `LINEAR_BELOW`.
    """
    cells = [
        (f"{row.name.split(' (')[0]}, {column}", value, verdicts[claim])
        for row, column, value, claim in table.cells()
        if claim in verdicts
    ]
    with styled():
        figure, grid = canvas(6.6, 0.9 + 0.24 * len(cells))
        axes = grid[0][0]
        axes.set_xscale("symlog", linthresh=LINEAR_BELOW, linscale=0.8)
        for line, (_, paper, verdict) in enumerate(cells):
            _table_line(axes, line, paper, verdict)
        axes.axvline(LINEAR_BELOW, color=FAINT, linewidth=0.8, zorder=0)
        axes.set(xlim=(-LINEAR_BELOW / 6, 3), ylim=(len(cells) - 0.4, -0.6), xlabel=f"goodput [{table.unit}]")
        axes.set_xticks([0, 5e-4, 1e-3, 1e-2, 1e-1, 1], ["0", "0.0005", "0.001", "0.01", "0.1", "1"])
        axes.minorticks_off()
        axes.set_yticks(range(len(cells)), [name for name, _, _ in cells], fontsize=7.5)
        axes.grid(visible=True, axis="x")
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        figure.legend(handles=_table_samples(), loc="outside lower center", ncols=5)
        _titled(figure, table.title)
    return figure


def _table_line(axes: Axes, line: int, paper: float, verdict: Verdict) -> None:
    rule = verdict.claim.check[0].accept
    if rule.kind == "range":
        low, high = rule.low or 0.0, rule.high or 3.0
        axes.barh(line, high - low, left=low, height=0.62, color=FAINT, linewidth=0)
    found = verdict.deciding
    if found is not None:
        colour, marker = _verdict_look(verdict.holds)
        interval = found.outcome.interval
        if found.n > 1:
            ends = [max(interval.low, 0.0), max(interval.high, 0.0)]
            axes.plot(ends, [line + 0.12] * 2, color=colour, linewidth=1.6, solid_capstyle="butt")
        axes.plot(interval.value, line + 0.12, marker=marker, color=colour, markersize=5, linestyle="none")
    axes.plot(paper, line - 0.16, **paper_style())


def _verdict_look(holds: bool | None) -> tuple[str, str]:
    return {True: (COLOURS[1], "o"), False: (COLOURS[0], "X"), None: (COLOURS[7], "s")}[holds]


def _table_samples() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    words = {True: "holds", False: "does not hold", None: "open"}
    samples = []
    for holds, word in words.items():
        colour, marker = _verdict_look(holds)
        samples.append(Line2D([], [], color=colour, marker=marker, label=word))
    return [*samples, Patch(color=FAINT, label="band"), paper_mark()]


Grid = tuple[list[str], list[list[str]]]


def numbers(spec: FigureSpec, study: Study, results: Results) -> Grid | None:
    """What a figure shows, as heads and rows of a table; None for figures over time (their means stand in tables)."""
    if spec.kind in ("timeline", "cwnd", "sequence", "throughput"):
        return None
    if spec.kind == "bars":
        rows = [[mark, _text(mean), printed] for mark, mean, printed in transfers.bar_means(spec, study, results)]
        return ["", "ours", "paper"], rows
    if spec.kind == "nodes":
        cell = results.cell(spec.of, spec.series[0].where)
        names = [str(node["name"]) for node in cell.runs[0].data["nodes"]]
        rows = [[s.label, *(_text(_mean(spec, results, s.where, node=name)) for name in names)] for s in spec.series]
        return ["", *(f"node {name}" for name in names)], rows
    if spec.kind == "effects":
        return effects.numbers(spec, study, results)
    if spec.kind == "lines":
        return _numbers_of_lines(spec, study, results)
    values = _axis(spec, study)
    rows = []
    for series in spec.series:
        for window in spec.windows or ("",):
            more = {"window": window} if window else {}
            means = [_mean(spec, results, {**series.where, spec.x: v}, **more) for v in values]
            rows.append([", ".join(x for x in (series.label, window) if x), *(_text(m) for m in means)])
    return ["", *(f"{spec.x} {show(v)}" for v in values)], rows


def _numbers_of_lines(spec: FigureSpec, study: Study, results: Results) -> Grid:
    lines = {series.label: dict(spec.points(series, study.experiments)) for series in spec.series}
    places = sorted({place for line in lines.values() for place in line})
    rows = [
        [label, *(_text(of_mean(results.sample(line[place]))) if place in line else "" for place in places)]
        for label, line in lines.items()
    ]
    return ["", *(f"{spec.x} {show(place)}" for place in places)], rows


def _text(mean: Interval) -> str:
    return f"{mean.value:.4g} ± {mean.half:.2g}" if mean.n > 1 else f"{mean.value:.4g}"


__all__ = ["Series", "draw", "draw_table", "numbers"]
