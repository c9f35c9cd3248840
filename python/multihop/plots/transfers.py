"""Figures of transfers: how long each took, and the window and sequence numbers of one run over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.study.cwnd import lasting, start_of
from multihop.study.interval import Interval, of_mean
from multihop.study.metrics import goodput_series
from multihop.text import printable

from .style import COLOURS, FAINT, INK, ROUTES, canvas, legend_below, paper_mark, paper_style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from multihop.study.drawing import FigureSpec
    from multihop.study.model import Study
    from multihop.study.results import Results
    from multihop.study.view import RunView


def bars(spec: FigureSpec, study: Study, results: Results) -> Figure:
    """One bar a series, in the colour of its panel, with its interval and the paper's number.

    A point, if the scale does not begin at zero.
    """
    means = bar_means(spec, study, results)
    figure, grid = canvas(6.8, 0.9 + 0.26 * len(means))
    axes, panels = grid[0][0], list(dict.fromkeys(series.panel for series in spec.series))
    told = all(series.panel in series.label for series in spec.series)  # a legend would say it once more
    for line, (series, (_, mean, printed)) in enumerate(zip(spec.series, means, strict=True)):
        known = series.panel in [s.panel for s in spec.series[:line]]
        half = [[max(mean.value - max(mean.low, 0.0), 0.0)], [mean.high - mean.value]] if mean.n > 1 else None
        label = None if known or told else series.panel
        colour = COLOURS[panels.index(series.panel) + 1]
        if spec.zero:
            axes.barh(line, mean.value, 0.7, xerr=half, color=colour, ecolor=INK, label=label)
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
    _legend(figure, [axes for axes, _ in panels])
    return figure


def sequence(spec: FigureSpec, study: Study, results: Results) -> Figure:
    """Sequence numbers of the first run over time, sent and acknowledged; one panel a series."""
    del study
    figure, panels = _panels(spec, results)
    for axes, frame in panels:
        una, nxt = frame["una"] / 1e6, frame["nxt"] / 1e6
        axes.step(frame["since_s"], una, where="post", color=COLOURS[1], linewidth=1.8, label="acknowledged")
        # on top, and thin: the two lie within a window of each other
        axes.step(frame["since_s"], nxt, where="post", color=COLOURS[0], linewidth=0.6, label="next to send")
    panels[0][0].set(ylabel="sequence number [MB]", xlim=(0, None), ylim=(0, None))
    _legend(figure, [axes for axes, _ in panels])
    return figure


def throughput(spec: FigureSpec, study: Study, results: Results) -> Figure:
    """The packets that arrive in each sample of a part of the first run, and when none does; one row a series.

    The part is `from` to `to` [s]; of a run that has ended by then, as many seconds before its end.
    """
    del study
    figure, grid = canvas(6.8, 0.9 + 1.0 * len(spec.series), len(spec.series), 1, sharex=True, sharey=True)
    for axes, series in zip(grid[:, 0], spec.series, strict=True):
        run = results.cell(spec.source(series), series.where).runs[0]
        first, last = part_of(run, float(spec.arguments["from"]), float(spec.arguments["to"]))
        time, arrived = goodput_series(run, spec.arguments["flow"], "arrived")
        shown = (time > first) & (time <= last)
        width = float(np.min(np.diff(time))) if time.size > 1 else last - first
        axes.bar(time[shown] - width, arrived[shown] / width, width, align="edge", color=COLOURS[1], linewidth=0)
        for end in time[shown & (arrived == 0)]:
            axes.axvspan(end - width, end, color=FAINT, linewidth=0, zorder=0, label="nothing arrives")
        axes.set_xlim(first, last)
        axes.set_title(series.label, fontsize=9)
    grid[0, 0].set_ylim(0, None)  # when all is drawn, as they share it
    figure.supylabel("packets that arrive [1/s]", fontsize=9)
    grid[-1, 0].set_xlabel("time [s]")
    _legend(figure, list(grid[:, 0]))
    return figure


def part_of(run: RunView, first: float, last: float) -> tuple[float, float]:
    """The part of a run to show [s], moved to its end if it ends before."""
    end = float(run.scenario["duration_s"])
    return (first, last) if last <= end else (max(0.0, end - (last - first)), end)


def _panels(spec: FigureSpec, results: Results) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """Panels side by side on the same scales, and the samples of each while its transfer lasts."""
    flow, count = spec.arguments["flow"], len(spec.series)
    figure, grid = canvas(3.5 * count, 2.7, 1, count, sharex=True, sharey=True)
    found = []
    for axes, series in zip(grid[0], spec.series, strict=True):
        run = results.cell(spec.source(series), series.where).runs[0]
        frame = lasting(run, flow)
        start = start_of(run, flow)
        axes.set_title(series.label, pad=15)
        axes.set_xlabel("time [s]")
        frame = frame.assign(since_s=frame["time_s"] - start)
        end = float(frame["since_s"].max()) if len(frame) else 0.0
        _happenings(axes, run, start, end)
        _routes(axes, run, flow, start, end)
        found.append((axes, frame))
    return figure, found


def _happenings(axes: Axes, run: RunView, start: float, end: float) -> None:
    """What the scenario lets happen during the transfer: a shade while a link or node is away, a line at each change of
    a rate."""
    down: dict[str, float] = {}
    away: dict[tuple[float, float], str] = {}
    for event in run.scenario.get("events", ()):
        at, (what, _, kind) = float(event["at_s"]) - start, str(event["what"]).rpartition(" ")
        if kind == "down":
            down.setdefault(what, at)
        elif kind == "up" and what in down:
            away.setdefault((down.pop(what), at), what)
        elif " at " in str(event["what"]) and 0 < at <= end:
            axes.axvline(at, color=INK, linewidth=0.6, linestyle=":", zorder=0, label="the link's rate changes")
    for what, since in down.items():
        away.setdefault((since, end), what)
    for (since, until), what in away.items():  # both directions of a link are one
        axes.axvspan(since, until, color=FAINT, linewidth=0, zorder=0, label=f"{printable(what)} down")


def _routes(axes: Axes, run: RunView, flow: str, start: float, end: float) -> None:
    """Above the panel: routes between the ends of the flow that come and go."""
    routes = run.series("routes")
    times = routes["time_s"] - start
    routes = routes.assign(since_s=times)[(routes["flow"] == flow) & (times >= 0) & (times <= end)]
    for kind, (marker, colour) in ROUTES.items():
        since = routes.loc[routes["found"] == kind, "since_s"]
        if len(since):
            style: dict[str, Any] = {"marker": marker, "color": colour, "markersize": 4, "linestyle": "none"}
            place: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
            height = 1.02 if kind == "found" else 1.06  # they often come at one instant
            axes.plot(since, [height] * len(since), label=f"route {kind}", **style, **place)


def _legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """One legend for all panels, each thing in it once; none if nothing has a name."""
    known: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            known.setdefault(label, handle)
    if known:
        figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=4)


KINDS = {"bars": bars, "cwnd": cwnd, "sequence": sequence, "throughput": throughput}
"""The figures by the `kind` of a study file."""
