"""Bars: goodput, drops and airtime, each technique beside the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.stats import Estimate, estimate
from multihop.summary import value
from multihop.text import plural, printable

from .choice import Choice, flows_of, name_of, rate_unit
from .style import COLOURS, HATCHES, INK, PAPER, canvas, head, legend_below, panels, slant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multihop.record import Records

MANY_BARS = 100
"""Of more bars than this none has an edge or a hatch."""
MOST_BESIDE = 6
"""So many techniques stand beside each other; more stand below each other, with their names."""


def goodput(arms: Sequence[Records], choice: Choice) -> Figure:
    """Goodput of each flow, one bar a technique, with 95 % intervals."""
    flows = flows_of(arms, choice)
    groups: list[tuple[str, str | None]] = [(f"flow {printable(flow)}", flow) for flow in flows]
    if len(flows) > 1:
        groups.append(("all", None))
    means = [[estimate(value(run, "goodput_bps", flow) for run in arm.runs) for _, flow in groups] for arm in arms]
    unit, scale = rate_unit(max(e.mean for row in means for e in row))
    if len(arms) > MOST_BESIDE:
        return _across(arms, [name for name, _ in groups], means, unit, scale)
    figure, grid = canvas(max(3.4, 1.6 + 0.55 * len(groups) * len(arms)), 3.2)
    axes, width = grid[0][0], 0.8 / len(arms)
    for index, (arm, row) in enumerate(zip(arms, means, strict=True)):
        places = np.arange(len(groups)) + (index - (len(arms) - 1) / 2) * width
        axes.bar(
            places,
            [e.mean / scale for e in row],
            width * 0.92,
            # goodput is never below zero, whatever the interval says; of one run, there is none
            yerr=[[min(e.half, e.mean) / scale for e in row], [e.half / scale for e in row]],
            label=arm.label,
            color=COLOURS[index % len(COLOURS)],
            hatch=HATCHES[index % len(HATCHES)],
            edgecolor=PAPER,
            ecolor=INK,
        )
    axes.set(xticks=range(len(groups)), xticklabels=[name for name, _ in groups], ylabel=f"goodput [{unit}]")
    slant(figure, axes, [name for name, _ in groups])
    runs = f"mean of {len(arms[0])} runs, 95 % interval" if len(arms[0]) > 1 else "one run"
    head(figure, axes, f"{name_of(arms[0])}: {runs}")
    legend_below(figure, axes)
    return figure


def _across(
    arms: Sequence[Records], names: Sequence[str], means: Sequence[Sequence[Estimate]], unit: str, scale: float
) -> Figure:
    """Many techniques: a line for each with its name, a panel for each flow."""
    figure, grid = canvas(min(9.5, 2.6 + 2.0 * len(names)), 1.0 + 0.26 * len(arms), 1, len(names), sharey=True)
    places = np.arange(len(arms))
    for column, (axes, name) in enumerate(zip(grid[0], names, strict=True)):
        found = [row[column] for row in means]
        axes.barh(places, [e.mean / scale for e in found], 0.72, color=COLOURS[1], edgecolor=PAPER)
        low = [min(e.half, e.mean) / scale for e in found]
        ends = [low, [e.half / scale for e in found]]
        axes.errorbar([e.mean / scale for e in found], places, xerr=ends, fmt="none", ecolor=INK, capsize=2)
        axes.set(yticks=places, yticklabels=[arm.label for arm in arms], xlabel=f"{unit}", ylim=(len(arms) - 0.5, -0.5))
        axes.set_xlim(0, None)
        axes.grid(visible=True, axis="x")
        axes.grid(visible=False, axis="y")
        axes.set_title(name)
    runs = f"mean of {len(arms[0])} runs, 95 % interval" if len(arms[0]) > 1 else "one run"
    figure.suptitle(f"{name_of(arms[0])}: goodput, {runs}")
    return figure


def drops(arms: Sequence[Records], choice: Choice) -> Figure:
    """Where packets died: mean number a run at each node, stacked by cause; one panel a technique."""
    flow = flows_of(arms, choice)[0] if choice.flow is not None else None
    tables = [_drop_table(arm, flow) for arm in arms]
    causes = list(dict.fromkeys(cause for table in tables for cause in table))
    names = [str(node["name"]) for node in arms[0].runs[0]["nodes"]]
    nodes = [printable(name) for name in names]
    width = min(7.5, max(3.4, 1.2 + 0.42 * len(nodes)))
    figure, shown = panels(len(arms), width, 1.9)
    tallest = 0.0
    for axes, arm, table in zip(shown, arms, tables, strict=True):
        bottom = np.zeros(len(nodes))
        for index, cause in enumerate(causes):
            heights = np.array([table.get(cause, {}).get(name, 0.0) for name in names])
            axes.bar(
                nodes,
                heights,
                bottom=bottom,
                label=cause,
                color=COLOURS[index % len(COLOURS)],
                **_skin(index, len(nodes)),
            )
            bottom += heights
        tallest = max(tallest, float(bottom.max()))
        died = plural(float(f"{bottom.sum():.4g}"), "packet")
        axes.set_ylabel("packets a run")
        head(figure, axes, f"{name_of(arm)}, {arm.label}: {died} a run", width)
        if len(nodes) > 20:
            axes.set_xticks(axes.get_xticks()[:: len(nodes) // 10])
        slant(figure, axes, nodes)
    for axes in shown:
        axes.label_outer()
    shown[-1].set(xlabel="node that dropped", ylim=(0, tallest * 1.05 or 1))
    if causes:
        legend_below(figure, shown[0])
    return figure


def _skin(index: int, bars: int) -> dict[str, Any]:
    """Hatch and edge of one of several parts of a bar; many bars would vanish under their edges."""
    if bars > MANY_BARS:
        return {"linewidth": 0, "width": 1.0}
    return {"hatch": HATCHES[index % len(HATCHES)], "edgecolor": PAPER, "width": 0.75}


def airtime(arms: Sequence[Records], choice: Choice) -> Figure:
    """What each node's radio did: sending, hearing others, or nothing; mean over runs, one panel a technique."""
    del choice
    names = [str(node["name"]) for node in arms[0].runs[0]["nodes"]]
    nodes = [printable(name) for name in names]
    width = min(7.5, max(3.4, 1.2 + 0.42 * len(nodes)))
    figure, shown = panels(len(arms), width, 1.9)
    for axes, arm in zip(shown, arms, strict=True):
        frame = arm.nodes.groupby("name", observed=True, sort=False).mean(numeric_only=True)
        measure = arm.scenario["measure"]
        span = float(measure["to_s"]) - float(measure["from_s"])
        parts = {"sending": frame["airtime_tx_s"], "hearing others": frame["airtime_busy_s"]}
        bottom = np.zeros(len(nodes))
        for index, (label, seconds) in enumerate(parts.items()):
            heights = np.array([float(seconds[name]) for name in names]) / span * 100
            axes.bar(
                nodes,
                heights,
                bottom=bottom,
                label=label,
                color=COLOURS[(1, 5)[index]],
                **_skin(index, len(nodes)),
            )
            bottom += heights
        axes.set(ylabel="share of time [%]", ylim=(0, 100))
        head(figure, axes, f"{name_of(arm)}, {arm.label}", width)
        if len(nodes) > 20:
            axes.set_xticks(axes.get_xticks()[:: len(nodes) // 10])
        slant(figure, axes, nodes)
    shown[-1].set_xlabel("node")
    legend_below(figure, shown[0])
    return figure


def _drop_table(arm: Records, flow: str | None) -> dict[str, dict[str, float]]:
    """Mean drops a run in the measured time, by cause and node, the most frequent cause first."""
    totals: dict[str, Counter[str]] = {}
    for run in arm.runs:
        for drop in run["drops"]:
            if flow in (None, drop["flow"]):
                totals.setdefault(str(drop["cause"]), Counter())[str(drop["node"])] += drop["n"]
    ranked = sorted(totals.items(), key=lambda item: -item[1].total())
    return {cause: {node: n / len(arm) for node, n in nodes.items()} for cause, nodes in ranked}
