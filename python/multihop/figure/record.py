"""Figures of records for `multihop plot` and the report: one function a kind, drawn from the record alone.

Each takes the arms of a comparison (or one set of runs), a flow where it needs one, and a run number where it
shows a single run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.errors import InputError, RecordError
from multihop.stats import estimate
from multihop.summary import value
from multihop.text import plural, printable

from .style import COLOURS, HATCHES, INK, PAPER, canvas, head, legend_below, slant, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from multihop.record import Record, Records

#: How losses are marked: the marker, its colour beside other lines, and the height of its row over the tallest line.
LOSS_LOOKS = {"dup-acks": ("|", COLOURS[6], 1.08), "timeout": ("x", COLOURS[3], 1.18)}
#: Events that are named in a figure; more are only marked.
MOST_WORDS = 8
#: How routes that come and go between the ends of the flow are marked.
ROUTE_LOOKS = {"lost": ("v", COLOURS[3], 1.3), "found": ("^", COLOURS[2], 1.3)}
#: Points of a series that are drawn; beyond this, it is thinned evenly.
MOST_POINTS = 20_000


@dataclass(frozen=True)
class Choice:
    """What a figure of a single run or flow shows: by default run 1 and the first flow."""

    flow: str | None = None
    run: int | None = None


def draw(kind: str, arms: Sequence[Records], choice: Choice | None = None) -> Figure:
    """The figure of a kind in `KINDS`; raises InputError for what the records have not."""
    if kind not in KINDS:
        raise InputError(f"there is no figure `{kind}`; there are: {', '.join(KINDS)}")
    if not arms or not all(len(arm) for arm in arms):
        raise RecordError("no run has finished: there is nothing to draw")
    with styled():
        return KINDS[kind].function(arms, choice or Choice())


def goodput(arms: Sequence[Records], choice: Choice) -> Figure:
    """Goodput of each flow, one bar a technique, with 95 % intervals."""
    flows = [choice.flow] if choice.flow else [str(f["id"]) for f in arms[0].runs[0]["flows"]]
    if not flows:
        raise InputError("this figure shows flows, and the scenario has none")
    groups: list[tuple[str, str | None]] = [(f"flow {printable(flow)}", flow) for flow in flows]
    if len(flows) > 1:
        groups.append(("all", None))
    means = [[estimate(value(run, "goodput_bps", flow) for run in arm.runs) for _, flow in groups] for arm in arms]
    unit, scale = _rate_unit(max(e.mean for row in means for e in row))
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
    head(figure, axes, f"{_name(arms[0])}: {runs}")
    legend_below(figure, axes)
    return figure


def cwnd(arms: Sequence[Records], choice: Choice) -> Figure:
    """Congestion window and slow-start threshold over time, with the losses that TCP met; one panel a technique."""
    figure, grid = canvas(6.8, 0.8 + 1.9 * len(arms), len(arms), 1, sharex=True, sharey=True)
    tallest = 0.0
    for axes, arm in zip(grid[:, 0], arms, strict=True):
        record, flow = _one(arm, choice)
        tcp = _of_flow(record, "tcp", flow)
        axes.step(tcp["time_s"], tcp["snd_cwnd"], where="post", color=COLOURS[1], linewidth=0.9, label="cwnd")
        threshold = tcp["snd_ssthresh"].where(tcp["snd_ssthresh"] < 1e6)
        axes.step(
            tcp["time_s"], threshold, where="post", color=COLOURS[0], linestyle="--", linewidth=0.9, label="ssthresh"
        )
        tallest = max(tallest, float(tcp["snd_cwnd"].max()))
        axes.set_ylabel("segments")
        head(figure, axes, f"{_name(arm)}, {arm.label}: flow {flow}, run {record.run}")
    rows = 1.25
    for axes, arm in zip(grid[:, 0], arms, strict=True):
        _ticks(axes, "losses", "believed", LOSS_LOOKS, *_one(arm, choice), height=tallest)
        if _ticks(axes, "routes", "found", ROUTE_LOOKS, *_one(arm, choice), height=tallest):
            rows = 1.42
        _event_marks(axes, arm)
    grid[-1, 0].set(xlabel="time [s]", ylim=(0, tallest * rows), xlim=_span(arms, choice))
    # the panels need not have the same kinds of marks
    known = set(grid[0, 0].get_legend_handles_labels()[1])
    parts = [axes.get_legend_handles_labels() for axes in grid[1:, 0]]
    found = {label: handle for part in parts for handle, label in zip(*part, strict=True)}
    legend_below(figure, grid[0, 0], extra=[handle for label, handle in found.items() if label not in known])
    return figure


def time_sequence(arms: Sequence[Records], choice: Choice) -> Figure:
    """Sequence numbers over time: sent up to, acknowledged up to, and where TCP noticed losses."""
    figure, grid = canvas(6.8, 3.6)
    axes = grid[0][0]
    for index, arm in enumerate(arms):
        record, flow = _one(arm, choice)
        tcp = _of_flow(record, "tcp", flow)
        colour = COLOURS[(index + 1) % len(COLOURS)]
        axes.step(tcp["time_s"], tcp["una"] / 1e6, where="post", color=colour, label=f"acknowledged, {arm.label}")
        axes.step(
            tcp["time_s"], tcp["nxt"] / 1e6, where="post", color=colour, linewidth=0.5, label=f"sent, {arm.label}"
        )
        losses = _of_flow(record, "losses", flow, needed=False)
        for believed, (marker, _, _) in LOSS_LOOKS.items():
            chosen = losses[losses["believed"] == believed] if losses is not None else None
            if chosen is not None and len(chosen):
                # thin marks: hundreds of them must leave the line to be seen
                axes.plot(
                    chosen["time_s"],
                    chosen["seq"] / 1e6,
                    marker,
                    color=INK,
                    markeredgewidth=0.6,
                    markersize=6,
                    label=f"loss noticed by {believed}, {arm.label}",
                )
    _event_marks(axes, arms[0])
    record, flow = _one(arms[0], choice)
    axes.set(xlabel="time [s]", ylabel="sequence number [MB]", xlim=_span(arms, choice), ylim=(0, None))
    head(figure, axes, f"{_name(arms[0])}: flow {flow}, run {record.run}")
    legend_below(figure, axes, columns=2)
    return figure


def drops(arms: Sequence[Records], choice: Choice) -> Figure:
    """Where packets died: mean number a run at each node, stacked by cause; one panel a technique."""
    tables = [_drop_table(arm, choice.flow) for arm in arms]
    causes = list(dict.fromkeys(cause for table in tables for cause in table))
    names = [str(node["name"]) for node in arms[0].runs[0]["nodes"]]
    nodes = [printable(name) for name in names]
    width = min(7.5, max(3.4, 1.2 + 0.42 * len(nodes)))
    figure, grid = canvas(width, 0.9 + 1.9 * len(arms), len(arms), 1, sharex=True, sharey=True)
    tallest = 0.0
    for axes, arm, table in zip(grid[:, 0], arms, tables, strict=True):
        bottom = np.zeros(len(nodes))
        for index, cause in enumerate(causes):
            heights = np.array([table.get(cause, {}).get(name, 0.0) for name in names])
            axes.bar(
                nodes,
                heights,
                0.75,
                bottom=bottom,
                label=cause,
                color=COLOURS[index % len(COLOURS)],
                hatch=HATCHES[index % len(HATCHES)],
                edgecolor=PAPER,
            )
            bottom += heights
        tallest = max(tallest, float(bottom.max()))
        died = plural(float(f"{bottom.sum():.4g}"), "packet")
        axes.set_ylabel("packets a run")
        head(figure, axes, f"{_name(arm)}, {arm.label}: {died} a run")
        if len(nodes) > 20:
            axes.set_xticks(axes.get_xticks()[:: len(nodes) // 10])
        slant(figure, axes, nodes)
    grid[-1, 0].set(xlabel="node that dropped", ylim=(0, tallest * 1.05 or 1))
    if causes:
        legend_below(figure, grid[0, 0])
    return figure


def airtime(arms: Sequence[Records], choice: Choice) -> Figure:
    """What each node's radio did: sending, hearing others, or nothing; mean over runs, one panel a technique."""
    del choice
    names = [str(node["name"]) for node in arms[0].runs[0]["nodes"]]
    nodes = [printable(name) for name in names]
    width = min(7.5, max(3.4, 1.2 + 0.42 * len(nodes)))
    figure, grid = canvas(width, 0.9 + 1.9 * len(arms), len(arms), 1, sharex=True, sharey=True)
    for axes, arm in zip(grid[:, 0], arms, strict=True):
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
                0.75,
                bottom=bottom,
                label=label,
                color=COLOURS[(1, 5)[index]],
                hatch=HATCHES[index],
                edgecolor=PAPER,
            )
            bottom += heights
        axes.set(ylabel="share of time [%]", ylim=(0, 100))
        head(figure, axes, f"{_name(arm)}, {arm.label}")
        if len(nodes) > 20:
            axes.set_xticks(axes.get_xticks()[:: len(nodes) // 10])
        slant(figure, axes, nodes)
    grid[-1, 0].set_xlabel("node")
    legend_below(figure, grid[0, 0])
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


def _ticks(
    axes: Axes,
    series: str,
    column: str,
    looks: dict[str, tuple[str, str, float]],
    record: Record,
    flow: str,
    height: float,
) -> bool:
    """Marks what a series tells of a flow, each kind in its row over the lines; says whether there is anything."""
    rows = _of_flow(record, series, flow, needed=False)
    if rows is None or not len(rows):
        return False
    what = "loss noticed by" if series == "losses" else "route"
    for kind, (marker, colour, row) in looks.items():
        times = rows.loc[rows[column] == kind, "time_s"]
        if len(times):
            style: dict[str, Any] = {"marker": marker, "color": colour, "markersize": 5, "linestyle": "none"}
            axes.plot(times, np.full(len(times), height * row), label=f"{what} {kind}", **style)
    return True


def _event_marks(axes: Axes, arm: Records) -> None:
    """A line at each instant at which the scenario lets something happen, with what it is."""
    events: dict[float, str] = {}
    for event in arm.scenario.get("events", ()):  # both directions of a link are one event
        events.setdefault(float(event["at_s"]), printable(str(event["what"])))
    for at, what in events.items():
        axes.axvline(at, color=INK, linewidth=0.7, linestyle=":")
        if len(events) <= MOST_WORDS:
            axes.annotate(
                what, (at, 0.02), xycoords=("data", "axes fraction"), rotation=90, fontsize=6, ha="right", va="bottom"
            )


def _one(arm: Records, choice: Choice) -> tuple[Record, str]:
    """The run and the flow that a figure of one run shows."""
    found = [record for record in arm if choice.run in (None, record.run)]
    if not found:
        raise InputError(f"there is no run {choice.run}; there are: {', '.join(str(r.run) for r in arm)}")
    flows = [str(f["id"]) for f in found[0].data["flows"] if f["transport"] == "tcp"]
    if choice.flow is None and not flows:
        raise InputError("this figure shows a TCP flow, and the scenario has none")
    flow = choice.flow or flows[0]
    if flow not in flows:
        raise InputError(f"there is no TCP flow `{flow}`; there are: {', '.join(flows)}")
    return found[0], flow


def _of_flow(record: Record, series: str, flow: str, *, needed: bool = True) -> Any:
    """A series of one flow, thinned; None if it was not kept and is not needed."""
    if not needed and series not in record.series_names:
        return None
    frame = record.series(series)
    frame = frame[frame["flow"] == flow]
    return frame.iloc[:: max(1, len(frame) // MOST_POINTS)]


def _span(arms: Sequence[Records], choice: Choice) -> tuple[float, float]:
    """From the start of the flow to the end of the run, with a little room [s]."""
    _, flow = _one(arms[0], choice)
    begin = next(float(f["start_s"]) for f in arms[0].scenario["flows"] if str(f["id"]) == flow)
    end = float(arms[0].scenario["duration_s"])
    return (begin, end) if begin < end else (0.0, end)


def _name(arm: Records) -> str:
    """The scenario; if it was altered by hand, with the settings or their number."""
    settings = arm.settings
    if not settings:
        return arm.name
    return f"{arm.name} with {settings[0] if len(settings) == 1 else plural(len(settings), 'setting')}"


def _rate_unit(largest: float) -> tuple[str, float]:
    return ("Mbit/s", 1e6) if largest >= 1e6 else ("kbit/s", 1e3)


@dataclass(frozen=True)
class Kind:
    """A kind of figure: who draws it and what it shows."""

    function: Callable[[Sequence[Records], Choice], Figure]
    summary: str


KINDS: dict[str, Kind] = {
    "goodput": Kind(goodput, "goodput of each flow and technique, with 95 % intervals"),
    "cwnd": Kind(cwnd, "congestion window and slow-start threshold of one flow in one run"),
    "time-sequence": Kind(time_sequence, "sequence numbers sent and acknowledged by one flow in one run"),
    "drops": Kind(drops, "packets dropped at each node, stacked by cause"),
    "airtime": Kind(airtime, "what each node's radio did"),
}
