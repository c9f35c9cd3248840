"""What flows get, and how long their round trips take, over time: a line for each flow, in bins of one run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.errors import InputError
from multihop.text import plural

from .choice import Choice, flows_of, name_of, over, rate_unit
from .style import COLOURS, MARKERS, head, legend_below, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multihop.record.record import Record, Records

WIDTH = 6.8
"""Width of a panel [in]."""
BINS = 120
"""About so many bins are drawn, none shorter than the time between two samples."""
MOST_LINES = len(COLOURS)
"""So many flows have a line, in the order of the file; `--flow` shows any."""
MARKS = 12
"""So many marks stand on a line, so that colour does not stand alone."""
STEPS = (1, 2, 5, 10)
"""A bin lasts a power of ten times one of these."""


def goodput_time(arms: Sequence[Records], choice: Choice) -> Figure:
    """Payload delivered in each bin; a panel for each technique."""
    flows = flows_of(arms, choice)[:MOST_LINES]
    lines = [_lines(arm, choice, flows, "goodput", "bps") for arm in arms]
    unit, scale = rate_unit(max((float(np.nanmax(y)) for arm in lines for _, y in arm.values() if len(y)), default=0.0))
    return _drawn(arms, choice, lines, f"goodput [{unit}]", scale)


def rtt_time(arms: Sequence[Records], choice: Choice) -> Figure:
    """The smoothed round-trip time of each TCP sender, as its timeout is made of it; a panel for each technique."""
    arms = over(arms, "tcp")
    transports = {str(flow["id"]): flow["transport"] for flow in arms[0].runs[0]["flows"]}
    chosen = flows_of(arms, choice)
    flows = [flow for flow in chosen if transports[flow] == "tcp"][:MOST_LINES]
    if not flows:
        raise InputError(f"flow {chosen[0]} does not run over TCP, which alone measures round trips")
    lines = [_lines(arm, choice, flows, "tcp", "srtt_s") for arm in arms]
    return _drawn(arms, choice, lines, "smoothed RTT [ms]", 1e-3)


def bin_width(span: float, interval: float) -> float:
    """How long a bin lasts [s]: a round time, whole samples, about `BINS` of them in the span."""
    least = max(span / BINS, interval)
    power = math.pow(10, math.floor(math.log10(least)))
    width = next(step * power for step in STEPS if step * power >= least * (1 - 1e-9))
    return max(1, round(width / interval)) * interval


def _record(arm: Records, choice: Choice) -> Record:
    found = [record for record in arm if choice.run in (None, record.run)]
    if not found:
        raise InputError(f"there is no run {choice.run}; there are: {', '.join(str(r.run) for r in arm)}")
    return found[0]


def _span(arms: Sequence[Records], choice: Choice) -> tuple[float, float]:
    return choice.span or (0.0, float(arms[0].scenario["duration_s"]))


def _lines(arm: Records, choice: Choice, flows: Sequence[str], series: str, column: str) -> dict[str, tuple[Any, Any]]:
    """By flow, the middles of the bins and the mean of the samples in each; bins without any are not drawn."""
    begin, end = _span([arm], choice)
    frame = _record(arm, choice).series(series)
    if not len(frame):
        raise InputError(f"no samples were kept of the series `{series}`: `measure.sample` sets how often one is taken")
    starts = {str(flow["id"]): float(flow["start_s"]) for flow in arm.scenario["flows"]}
    found = {}
    for flow in flows:
        mine = frame[frame["flow"] == flow]
        time, values = np.asarray(mine["time_s"], float), np.asarray(mine[column], float)
        known = (time > max(begin, starts[flow])) & (time <= end) & ~np.isnan(values)
        if known.sum() < 2:
            found[flow] = (np.array([]), np.array([]))
            continue
        width = bin_width(end - begin, float(np.median(np.diff(time))))
        # A sample tells of the time before it.
        bins = np.ceil((time[known] - begin) / width - 1e-9).astype(int) - 1
        count = np.bincount(bins)
        sums = np.bincount(bins, weights=values[known])
        there = np.flatnonzero(count)
        means = np.full(len(count), np.nan)
        means[there] = sums[there] / count[there]
        found[flow] = (begin + (np.arange(len(count)) + 0.5) * width)[there[0] :], means[there[0] :]
    return found


def _drawn(
    arms: Sequence[Records], choice: Choice, lines: Sequence[dict[str, tuple[Any, Any]]], label: str, scale: float
) -> Figure:
    figure, shown = panels(len(arms), WIDTH, 1.9)
    every = len(arms[0].runs[0]["flows"])
    for axes, arm, found in zip(shown, arms, lines, strict=True):
        for colour, mark, (flow, (time, values)) in zip(COLOURS, MARKERS, found.items(), strict=False):
            look: dict[str, Any] = {"color": colour, "linewidth": 1.1, "marker": mark, "markersize": 3.5}
            axes.plot(time, values / scale, **look, markevery=max(1, len(time) // MARKS), label=f"flow {flow}")
        some = "" if choice.flow or len(found) == every else f", {len(found)} of {plural(every, 'flow')}"
        head(figure, axes, f"{name_of(arm)}, {arm.label}: run {_record(arm, choice).run}{some}", WIDTH)
        axes.set(ylabel=label, xlim=_span(arms, choice))
        axes.label_outer()
    shown[0].set_ylim(bottom=0)
    shown[-1].tick_params(labelbottom=True)
    shown[-1].set_xlabel("time [s]")
    legend_below(figure, shown[0])
    return figure
