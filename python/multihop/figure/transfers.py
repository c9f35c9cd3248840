"""Figures of transfers: how long each took, and the window and sequence numbers of one run over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multihop.study.cwnd import lasting, start_of
from multihop.study.interval import Interval, of_mean

from .style import COLOURS, INK, canvas, legend_below, paper_mark, paper_style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from multihop.study.drawing import FigureSpec
    from multihop.study.model import Study
    from multihop.study.results import Results


def bars(spec: FigureSpec, study: Study, results: Results) -> Figure:
    """One bar a series, in the colour of its panel, with its interval and the paper's number.

    A point, if the scale does not begin at zero.
    """
    means = bar_means(spec, study, results)
    figure, grid = canvas(6.8, 0.9 + 0.26 * len(means))
    axes, panels = grid[0][0], list(dict.fromkeys(series.panel for series in spec.series))
    for line, (series, (_, mean, printed)) in enumerate(zip(spec.series, means, strict=True)):
        known = series.panel in [s.panel for s in spec.series[:line]]
        half = [[max(mean.value - max(mean.low, 0.0), 0.0)], [mean.high - mean.value]] if mean.n > 1 else None
        label = None if known or not series.panel else series.panel
        colour = COLOURS[panels.index(series.panel) + 1]
        if spec.zero:
            axes.barh(line, mean.value, 0.7, xerr=half, color=colour, label=label)
        else:  # a bar that does not begin at zero lies
            axes.errorbar(mean.value, line, xerr=half, fmt="o", color=colour, label=label)
        if printed:
            axes.plot(float(printed), line, **paper_style())
    if spec.level is not None:
        axes.axvline(spec.level, color=INK, linewidth=0.8, zorder=1)
    axes.set_yticks(range(len(means)), [name for name, _, _ in means], fontsize=8)
    axes.set(xlabel=spec.xlabel, xlim=(0, None) if spec.zero else None, ylim=(len(means) - 0.4, -0.6))
    axes.grid(visible=not spec.zero, axis="x")
    axes.grid(visible=False, axis="y")
    legend_below(figure, axes, extra=[paper_mark()] if spec.paper else [])
    return figure


def bar_means(spec: FigureSpec, study: Study, results: Results) -> list[tuple[str, Interval, str]]:
    """Of each series its label, our mean, and the paper's number as text."""
    found = []
    for series in spec.series:
        ((_, measure),) = spec.points(series, study.experiments)
        printed = next((f"{mark.y:g}" for mark in spec.paper if mark.series == series.label), "")
        found.append((series.label, of_mean(results.sample(measure)), printed))
    return found


def cwnd(spec: FigureSpec, study: Study, results: Results) -> Figure:
    """The congestion window of the first run over time; one panel a series."""
    del study
    figure, panels = _panels(spec, results)
    for axes, frame in panels:
        axes.step(frame["since_s"], frame["snd_cwnd"], where="post", color=COLOURS[1], linewidth=0.9)
    panels[0][0].set(ylabel="congestion window [segments]", xlim=(0, None), ylim=(0, None))
    return figure


def sequence(spec: FigureSpec, study: Study, results: Results) -> Figure:
    """Sequence numbers of the first run over time, sent and acknowledged; one panel a series."""
    del study
    figure, panels = _panels(spec, results)
    for axes, frame in panels:
        axes.step(
            frame["since_s"], frame["nxt"] / 1e6, where="post", color=COLOURS[0], linewidth=0.7, label="next sent"
        )
        axes.step(frame["since_s"], frame["una"] / 1e6, where="post", color=COLOURS[1], label="acknowledged")
    panels[0][0].set(ylabel="sequence number [MB]", xlim=(0, None), ylim=(0, None))
    legend_below(figure, panels[0][0])
    return figure


def _panels(spec: FigureSpec, results: Results) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """Panels side by side on the same scales, and the samples of each while its transfer lasts."""
    flow, count = spec.arguments["flow"], len(spec.series)
    figure, grid = canvas(3.5 * count, 2.7, 1, count, sharex=True, sharey=True)
    found = []
    for axes, series in zip(grid[0], spec.series, strict=True):
        run = results.cell(spec.source(series), series.where).runs[0]
        frame = lasting(run, flow)
        axes.set(title=series.label, xlabel="time [s]")
        found.append((axes, frame.assign(since_s=frame["time_s"] - start_of(run, flow))))
    return figure, found


KINDS = {"bars": bars, "cwnd": cwnd, "sequence": sequence}
"""The figures by the `kind` of a study file."""
