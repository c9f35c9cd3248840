"""How runs differ: the distribution of a flow's goodput over runs, for each technique."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from multihop.errors import InputError
from multihop.measures.summary import value
from multihop.text import plural, printable

from .choice import Choice, flows_of, name_of, rate_unit
from .style import COLOURS, INK, PAPER, canvas, head, legend_below

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multihop.record.record import Records

LEAST_RUNS = 3
"""Fewer runs have no distribution."""
STYLES = ("-", "--", "-.", ":")


def cdf(arms: Sequence[Records], choice: Choice) -> Figure:
    """Share of runs with at most so much goodput; a line for each technique."""
    found, what, unit = _values(arms, choice)
    figure, grid = canvas(5.6, 3.4)
    axes = grid[0][0]
    for index, (arm, values) in enumerate(zip(arms, found, strict=True)):
        ordered = np.sort(values)
        share = np.arange(1, len(ordered) + 1) / len(ordered)
        xs, ys = np.concatenate(([ordered[0]], ordered)), np.concatenate(([0.0], share))
        style = STYLES[index // len(COLOURS) % len(STYLES)]
        axes.step(xs, ys, where="post", color=COLOURS[index % len(COLOURS)], linestyle=style, label=arm.label)
    axes.set(xlabel=f"goodput [{unit}]", ylabel="share of runs", ylim=(0, 1.02), xlim=_span(found))
    head(figure, axes, f"{name_of(arms[0])}: goodput of {what}, {plural(len(arms[0]), 'run')} each")
    legend_below(figure, axes, columns=2)
    return figure


def box(arms: Sequence[Records], choice: Choice) -> Figure:
    """Median, quartiles and every run's goodput; a line for each technique."""
    found, what, unit = _values(arms, choice)
    figure, grid = canvas(6.4, 1.1 + 0.36 * len(arms))
    axes = grid[0][0]
    places = list(range(len(arms)))
    for place, values in zip(places, found, strict=True):
        low, first, median, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
        axes.plot([low, high], [place, place], color=INK, linewidth=0.9)
        axes.barh(place, third - first, 0.5, left=first, facecolor=PAPER, edgecolor=INK, zorder=2)
        axes.plot([median, median], [place - 0.25, place + 0.25], color=COLOURS[0], linewidth=1.8, zorder=3)
        axes.plot(values, np.full(len(values), place), "o", color=COLOURS[1], markersize=3, alpha=0.7, zorder=3)
    axes.set(yticks=places, yticklabels=[printable(arm.label) for arm in arms], xlabel=f"goodput [{unit}]")
    axes.set(ylim=(len(arms) - 0.5, -0.5), xlim=_span(found))
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    head(figure, axes, f"{name_of(arms[0])}: goodput of {what}; line: median, box: quartiles, dots: runs", 4.2)
    return figure


def _span(found: Sequence[np.ndarray]) -> tuple[float, float]:
    """From 0 where the values reach down to it; else what they span, for it is the spread that is looked at."""
    low, high = min(float(v.min()) for v in found), max(float(v.max()) for v in found)
    room = 0.05 * (high - low or high or 1.0)
    return (low - room if low > 0.5 * high else 0.0, high + room)


def _values(arms: Sequence[Records], choice: Choice) -> tuple[list[np.ndarray], str, str]:
    """Goodput run by run, of one flow or of all together, in a unit that suits."""
    if min(map(len, arms)) < LEAST_RUNS:
        few = min(map(len, arms))
        raise InputError(f"a distribution needs at least {LEAST_RUNS} runs, not {few}: give --runs")
    flow = flows_of(arms, choice)[0] if choice.flow is not None else None
    found = [np.array([value(run, "goodput_bps", flow) for run in arm.runs]) for arm in arms]
    unit, scale = rate_unit(max(float(values.max()) for values in found))
    return [values / scale for values in found], f"flow {flow}" if flow else "all flows together", unit
