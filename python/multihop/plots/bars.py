"""Bars: goodput, drops and airtime, each technique beside the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from multihop.measures.notation import plus_minus
from multihop.measures.stats import Estimate, estimate
from multihop.measures.summary import value
from multihop.text import plural, printable

from .choice import Choice, flows_of, name_of, rate_unit
from .style import (
    COLOURS,
    HATCHES,
    INK,
    MOST_ROWS,
    PAPER,
    SMALL_LETTERS,
    canvas,
    crown,
    head,
    legend_below,
    panels,
    slant,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from multihop.record.record import Records

MOST_NODES = 24
"""So many nodes have a bar; of more, those with most."""
MOST_PANELS = 12
"""So many panels of flows are drawn; `--flow` draws any other."""
COLUMNS = 3
"""Panels of flows side by side."""


def goodput(arms: Sequence[Records], choice: Choice) -> Figure:
    """Goodput of each flow with 95 % intervals: a bar for each flow, or a panel for each if techniques are compared."""
    flows = flows_of(arms, choice)
    runs = _of_runs(arms) + (", 95 % interval" if len(arms[0]) > 1 else "")
    return _compared(arms, flows, runs) if len(arms) > 1 else _alone(arms[0], flows, runs)


def _of_runs(arms: Sequence[Records]) -> str:
    """Of how many runs a figure shows the mean."""
    return f"mean of {len(arms[0])} runs" if len(arms[0]) > 1 else "one run"


def _alone(arm: Records, flows: Sequence[str], runs: str) -> Figure:
    """One technique: a bar for each flow, and what all get together in the title."""
    means = [estimate(value(run, "goodput_bps", flow) for run in arm.runs) for flow in flows]
    unit, scale = rate_unit(max(e.mean for e in means))
    figure, grid = canvas(min(9.5, max(3.4, 1.8 + 0.45 * len(flows))), 3.2)
    axes, names = grid[0][0], [f"flow {printable(flow)}" for flow in flows]
    axes.bar(range(len(flows)), [e.mean / scale for e in means], 0.7, color=COLOURS[1], edgecolor=PAPER)
    axes.errorbar(range(len(flows)), [e.mean / scale for e in means], yerr=_halves(means, scale), fmt="none", color=INK)
    axes.set(xticks=range(len(flows)), xticklabels=names, ylabel=f"goodput [{unit}]", ylim=(0, None))
    axes.set_xlim(-0.8, len(flows) - 0.2)
    slant(figure, axes, names)
    together = estimate(value(run, "goodput_bps") for run in arm.runs)
    several = f"; all {len(flows)} flows together: {plus_minus(together, scale)} {unit}" if len(flows) > 1 else ""
    head(figure, axes, f"{name_of(arm)}, {arm.label}: goodput, {runs}{several}")
    return figure


def _compared(arms: Sequence[Records], flows: Sequence[str], runs: str) -> Figure:
    """Several techniques: a line for each with its name; a panel with its own scale for all flows together, and for
    each."""
    ends = {str(f["id"]): f"{f['from']} → {f['to']}" for f in arms[0].runs[0]["flows"]}
    groups: list[tuple[str, str | None]] = [(f"flow {flow}: {ends[flow]}", flow) for flow in flows]
    if len(flows) > 1:
        groups.insert(0, (f"all {len(flows)} flows together", None))
    more = len(groups) - MOST_PANELS
    groups = groups[:MOST_PANELS]
    columns = min(COLUMNS, len(groups))
    rows = -(-len(groups) // columns)
    names = [printable(arm.label) for arm in arms]
    wide = min(3.2, max(map(len, names)) / SMALL_LETTERS)
    size = (min(9.6, 0.5 + wide + (2.3 if columns > 1 else 4.0) * columns), 0.7 + rows * (0.65 + 0.22 * len(arms)))
    figure, grid = canvas(*size, rows, columns, sharey=True)
    for axes, (name, flow) in zip(grid.flat, groups, strict=False):
        means = [estimate(value(run, "goodput_bps", flow) for run in arm.runs) for arm in arms]
        _lines(axes, names, means)
        nothing = "" if max(e.mean for e in means) > 0 else " (nothing arrives)"
        head(figure, axes, f"{printable(name)}{nothing}", size[0] / columns - wide / columns)
    for axes in list(grid.flat)[len(groups) :]:
        axes.set_visible(False)
    left = f"; {plural(more, 'more flow')}: --flow" if more > 0 else ""
    crown(figure, f"{name_of(arms[0])}: goodput, {runs}; dotted: {arms[0].label}{left}")
    return figure


def _lines(axes: Axes, names: Sequence[str], means: Sequence[Estimate]) -> None:
    """A bar for each technique, the baseline grey and its mean dotted."""
    unit, scale = rate_unit(max(e.mean for e in means))
    places, found = range(len(means)), [e.mean / scale for e in means]
    axes.barh(places, found, 0.72, color=[COLOURS[7], *(COLOURS[1] for _ in found[1:])], edgecolor=PAPER)
    axes.errorbar(found, places, xerr=_halves(means, scale), fmt="none", color=INK)
    axes.axvline(found[0], color=INK, linewidth=0.8, linestyle=":")
    axes.set(yticks=places, yticklabels=names, xlabel=f"{unit}", ylim=(len(means) - 0.5, -0.5))
    axes.set_xlim(0, None if max(found) > 0 else 1)
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")


def _halves(means: Sequence[Estimate], scale: float) -> list[list[float]]:
    """Lengths of the error bars: goodput is never below zero, whatever the interval says; of one run, there is none."""
    return [[min(e.half, e.mean) / scale for e in means], [e.half / scale for e in means]]


def drops(arms: Sequence[Records], choice: Choice) -> Figure:
    """Where packets died: mean number a run at each node, stacked by cause; one panel a technique."""
    flow = flows_of(arms, choice)[0] if choice.flow is not None else None
    tables = [_drop_table(arm, flow) for arm in arms]
    causes = list(dict.fromkeys(cause for table in tables for cause in table))
    every = [str(node["name"]) for node in arms[0].runs[0]["nodes"]]
    weight = {name: max(sum(of.get(name, 0.0) for of in table.values()) for table in tables) for name in every}
    names = _most([name for name in every if weight[name]] or every, weight)
    what = f"packets dropped{f' of flow {flow}' if flow else ''}, {_of_runs(arms)}"
    figure, shown = panels(len(arms), _wide(arms, names), 1.9)
    tallest = 0.0
    for axes, arm, table in zip(shown, arms, tables, strict=True):
        layers = {cause: [table.get(cause, {}).get(name, 0.0) for name in names] for cause in causes}
        colours = {cause: (COLOURS[i % len(COLOURS)], HATCHES[i % len(HATCHES)]) for i, cause in enumerate(causes)}
        tallest = max(tallest, _stack(axes, layers, colours))
        died = estimate(sum(d["n"] for d in run["drops"] if flow in (None, d["flow"])) for run in arm.runs)
        said = f"{plus_minus(died)} {'packet' if died.mean == 1 else 'packets'} a run"
        _title(figure, axes, arms, arm, what, said, _wide(arms, names))
    for axes in shown:
        axes.label_outer()
    for axes in shown[-_columns(arms) :]:
        axes.set_xlabel(
            "node that dropped" if len(names) == len(every) else "node that dropped (others: none or fewer)"
        )
    _named(figure, shown, names, arms)
    shown[0].set_ylim(0, tallest * 1.05 or 1)
    figure.supylabel("packets a run", fontsize=9)
    crown(figure, f"{name_of(arms[0])}: {what}" if len(arms) > 1 else "")
    if causes:
        legend_below(figure, shown[0])
    return figure


def airtime(arms: Sequence[Records], choice: Choice) -> Figure:
    """What each node's radio did: sending, hearing others, or nothing; mean over runs, one panel a technique."""
    del choice
    spans = [float(arm.scenario["measure"]["to_s"]) - float(arm.scenario["measure"]["from_s"]) for arm in arms]
    tables = [
        {
            part: _share(arm, key, span)
            for part, key in (("sending", "airtime_tx_s"), ("hearing others", "airtime_busy_s"))
        }
        for arm, span in zip(arms, spans, strict=True)
    ]
    every = [str(node["name"]) for node in arms[0].runs[0]["nodes"]]
    names = _most(every, {name: max(table["sending"][name] for table in tables) for name in every})
    what = f"airtime of each radio, {_of_runs(arms)}"
    figure, shown = panels(len(arms), _wide(arms, names), 1.9)
    for axes, arm, table in zip(shown, arms, tables, strict=True):
        layers = {part: [shares[name] for name in names] for part, shares in table.items()}
        _stack(axes, layers, {"sending": (COLOURS[1], ""), "hearing others": (COLOURS[5], "////")})
        busiest = max(names, key=table["sending"].__getitem__)
        most = f"{printable(busiest)} sends most, {table['sending'][busiest]:.0f} % of the time"
        _title(figure, axes, arms, arm, what, most, _wide(arms, names))
    for axes in shown:
        axes.label_outer()
    for axes in shown[-_columns(arms) :]:
        axes.set_xlabel(
            "node" if len(names) == len(every) else f"the {len(names)} of {len(every)} nodes that send most"
        )
    _named(figure, shown, names, arms)
    shown[0].set_ylim(0, 100)
    figure.supylabel("share of time [%]", fontsize=9)
    crown(figure, f"{name_of(arms[0])}: {what}" if len(arms) > 1 else "")
    legend_below(figure, shown[0])
    return figure


def _share(arm: Records, figure: str, span: float) -> dict[str, float]:
    """A time of each node [% of the measured time], mean over runs."""
    sums: Counter[str] = Counter()
    for run in arm.runs:
        for node in run["nodes"]:
            sums[str(node["name"])] += node[figure]
    return {name: 100 * time / span / len(arm) for name, time in sums.items()}


def _most(names: Sequence[str], weight: Mapping[str, float]) -> list[str]:
    """As many of them as have room, in their order: those with most."""
    kept = sorted(names, key=lambda name: -weight[name])[:MOST_NODES]
    return [name for name in names if name in set(kept)]


def _stack(axes: Axes, layers: Mapping[str, Sequence[float]], looks: Mapping[str, tuple[str, str]]) -> float:
    """Bars on each other, a layer for each name; returns the height of the tallest."""
    bottom = np.zeros(max(map(len, layers.values()), default=0))
    for name, heights in layers.items():
        colour, hatch = looks[name]
        places = range(len(bottom))
        axes.bar(places, heights, 0.75, bottom, label=name, color=colour, hatch=hatch, edgecolor=PAPER)
        bottom += np.asarray(heights)
    return float(bottom.max()) if bottom.size else 0.0


def _title(
    figure: Figure, axes: Axes, arms: Sequence[Records], arm: Records, what: str, said: str, width: float
) -> None:
    """What a panel shows: of several techniques, the figure's title has what all have in common."""
    head(
        figure, axes, f"{arm.label}: {said}" if len(arms) > 1 else f"{name_of(arm)}, {arm.label}: {what}: {said}", width
    )


def _columns(arms: Sequence[Records]) -> int:
    return 1 if len(arms) <= MOST_ROWS else 2


def _wide(arms: Sequence[Records], names: Sequence[str]) -> float:
    """Width of a panel with a bar for each node [in]."""
    return min(7.5 if _columns(arms) == 1 else 4.8, max(3.4, 1.2 + 0.42 * len(names)))


def _named(figure: Figure, shown: Sequence[Axes], names: Sequence[str], arms: Sequence[Records]) -> None:
    """The nodes' names under the bars, which all panels share."""
    words = [printable(name) for name in names]
    for axes in shown:
        axes.set_xticks(range(len(words)), words)
        slant(figure, axes, words, 1 / _columns(arms))


def _drop_table(arm: Records, flow: str | None) -> dict[str, dict[str, float]]:
    """Mean drops a run in the measured time, by cause and node, the most frequent cause first."""
    totals: dict[str, Counter[str]] = {}
    for run in arm.runs:
        for drop in run["drops"]:
            if flow in (None, drop["flow"]):
                totals.setdefault(str(drop["cause"]), Counter())[str(drop["node"])] += drop["n"]
    ranked = sorted(totals.items(), key=lambda item: -item[1].total())
    return {cause: {node: n / len(arm) for node, n in nodes.items()} for cause, nodes in ranked}
