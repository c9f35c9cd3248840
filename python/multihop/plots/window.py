"""TCP over time: its window with the bounds that hold it, its sequence numbers, and what its losses were in truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.analysis.causes import KINDS, group_of, kind_of
from multihop.analysis.repairs import detector
from multihop.scenario.quantity import BYTES, number, value_for

from .choice import Choice, name_of, one_of, over, series_of, span_of
from .events import bound_of, events_of, heard, losses_of, named, sequence, to_the_end, truths
from .fonts import quiet
from .instants import marked
from .phases import ROOM, strip
from .style import COLOURS, FAINT, INK, LEGEND_ROW, MOST_ROWS, ROUTES, crown, head, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from multihop.record.record import Record, Records

BELIEVED = {"dup-acks": "|", "timeout": "x"}
"""The mark of a loss, by how TCP noticed it."""
DETECTORS = ("SACK", "RACK")
"""What notices losses without a timeout, where that is not duplicate ACKs."""
COLUMNS, ROWS = 2, 4
"""Columns of the legend, and rows of it that the height of a figure allows for."""
TRUTHS = {
    "congestion": COLOURS[2],
    "contention": COLOURS[0],
    "channel": COLOURS[4],
    "lifetime": COLOURS[6],
    "routing": COLOURS[3],
    "lost acknowledgement": COLOURS[5],
    "no loss": COLOURS[7],
}
"""The colour of a loss, by the class of what had happened in truth; all others have the colour of the text."""


def cwnd(arms: Sequence[Records], choice: Choice) -> Figure:
    """Congestion window, threshold and the bound of the window over time, and the phases of BBR; a panel for each
    technique with a flow over TCP."""
    arms = over(arms, "tcp")
    figure, shown = panels(len(arms), _width(arms), 1.7)
    tallest, rows, room = 1.0, 1.3, 1.0
    for axes, arm in zip(shown, arms, strict=True):
        tallest = max(tallest, _one_window(axes, arm, choice))
    for axes, arm in zip(shown, arms, strict=True):
        record, flow = one_of(arm, choice)
        _marks(axes, record, flow, choice, height=tallest)
        if (events := events_of(record, flow, choice)) is not None:
            heard(axes, events, tallest)
        span = span_of(arms, choice)
        if _routes(axes, record, flow, span, height=1.3 * tallest):
            rows = 1.42
        if strip(axes, record, flow, choice):
            room = ROOM
        axes.set(ylabel="segments", xlim=span)
    _headed(figure, shown, arms, choice, "congestion window")
    shown[0].set_ylim(0, tallest * rows / room)  # which all share
    return _finished(figure, shown)


def _one_window(axes: Axes, arm: Records, choice: Choice) -> float:
    """Draws a window, after every event if they were kept, else as it was sampled; returns the largest in use."""
    record, flow = one_of(arm, choice)
    largest = _bound(record, flow)
    tcp = events_of(record, flow, choice)
    tcp = tcp if tcp is None else to_the_end(record, flow, tcp, choice)
    tcp = series_of(record, "tcp", flow) if tcp is None else tcp
    bound = bound_of(_segment(record, flow), tcp, largest)
    window = np.minimum(tcp["snd_cwnd"], bound)
    if (tcp["snd_cwnd"] > bound).any():
        style: dict[str, Any] = {"color": COLOURS[5], "linewidth": 0.9}
        axes.step(tcp["time_s"], tcp["snd_cwnd"], where="post", label="cwnd beyond the bound (unused)", **style)
    axes.step(tcp["time_s"], window, where="post", color=COLOURS[1], linewidth=1.0, label="window in use")
    threshold = tcp["snd_ssthresh"].where(tcp["snd_ssthresh"] < 1e6)
    look: dict[str, Any] = {"color": COLOURS[0], "linestyle": "--", "linewidth": 0.8}
    axes.step(tcp["time_s"], threshold, where="post", label="ssthresh", **look)
    highest = float(window.max()) if len(window) else 1.0
    if float(np.min(bound)) <= 1.6 * highest:  # a bound far above says nothing, and would flatten the rest
        dashes: dict[str, Any] = {"color": INK, "linewidth": 0.8, "linestyle": "-."}
        label = "bound of the window (tcp.max-window)"
        axes.step(tcp["time_s"], np.broadcast_to(bound, len(tcp)), where="post", label=label, **dashes)
    return highest


def time_sequence(arms: Sequence[Records], choice: Choice) -> Figure:
    """Sequence numbers over time: sent, acknowledged, and where losses were noticed; a panel for each technique with a
    flow over TCP."""
    arms = over(arms, "tcp")
    figure, shown = panels(len(arms), _width(arms), 2.2)
    for axes, arm in zip(shown, arms, strict=True):
        record, flow = one_of(arm, choice)
        events = events_of(record, flow, choice)
        if events is None:
            _sampled(axes, record, flow)
        else:
            sequence(axes, _segment(record, flow), events, _bound(record, flow))
        _marks(axes, record, flow, choice, height=None)
        axes.set(ylabel="sequence number [MB]", xlim=span_of(arms, choice))
    _headed(figure, shown, arms, choice, "sequence numbers")
    shown[0].set_ylim(*_range(shown, choice))  # once all are drawn: they share it
    _finished(figure, shown)
    if any(named(*one_of(arm, choice), choice) for arm in arms):
        with quiet():
            figure.draw_without_rendering()  # what is written has room or not by the final places of the axes
    for axes, arm in zip(shown, arms, strict=True):
        truths(axes, *one_of(arm, choice), choice)
    return figure


def _sampled(axes: Axes, record: Record, flow: str) -> None:
    tcp = series_of(record, "tcp", flow)
    una, nxt = tcp["una"] / 1e6, tcp["nxt"] / 1e6
    axes.fill_between(tcp["time_s"], una, nxt, step="post", color=FAINT, label="under way")
    axes.step(tcp["time_s"], una, where="post", color=COLOURS[1], linewidth=1.1, label="acknowledged")
    axes.step(tcp["time_s"], nxt, where="post", color=COLOURS[5], linewidth=0.9, label="sent")


def _range(shown: Sequence[Axes], choice: Choice) -> tuple[float, float | None]:
    """From 0; of a part of the time, from the first to the last number acknowledged, sent or thought lost in it."""
    if choice.span is None:
        return 0, None
    low, high = choice.span
    seen: list[float] = []
    for axes in shown:
        for line in axes.get_lines():
            label = str(line.get_label())
            if label in ("acknowledged", "sent", "its bound") or label.partition(":")[0] in (*BELIEVED, *DETECTORS):
                times, values = (np.asarray(data, float) for data in line.get_data())
                seen += [float(v) for t, v in zip(times, values, strict=True) if low <= t <= high]
    margin = 0.05 * (max(seen) - min(seen) or 1e-3) if seen else 0.0  # where nothing moved, a line in the middle
    return (min(seen) - margin, max(seen) + margin) if seen else (0, None)


def _headed(figure: Figure, shown: Sequence[Axes], arms: Sequence[Records], choice: Choice, what: str) -> None:
    """What happens in the time shown, above each panel, and over it the title; the figure grows by what that takes."""
    span, width, most = span_of(arms, choice), _width(arms), 0.0
    for axes, arm in zip(shown, arms, strict=True):
        record, flow = one_of(arm, choice)
        high = marked(axes, arm, span, width)
        several = len(arms) > 1  # what all have in common stands above all
        name = f"{arm.label}: " if several else f"{name_of(arm)}, {arm.label}: {what} of "
        head(figure, axes, f"{name}flow {flow}, run {record.run}", width, above=high)
        most = max(most, high)
    crown(figure, f"{name_of(arms[0])}: {what}" if len(arms) > 1 else "")
    rows = len(shown) if len(shown) <= MOST_ROWS else -(-len(shown) // 2)
    figure.set_figheight(figure.get_figheight() + rows * most / 72)


def _width(arms: Sequence[Records]) -> float:
    """Width of a panel [in]: two columns of them still fit a page."""
    return 6.8 if len(arms) <= MOST_ROWS else 5.0


def _finished(figure: Figure, shown: Sequence[Axes]) -> Figure:
    """With one legend for all panels, each thing in it once."""
    for axes in shown:
        axes.label_outer()
    for axes in shown[-2:] if len(shown) > MOST_ROWS else shown[-1:]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("time [s]")
    known: dict[str, Any] = {}
    for axes in shown:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            known.setdefault(label, handle)
    rows = -(-len(known) // COLUMNS)
    figure.set_figheight(figure.get_figheight() + LEGEND_ROW * max(0, rows - ROWS))
    figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=COLUMNS)
    return figure


def _bound(record: Record, flow: str) -> float:
    """The most segments that a flow may have under way: its own `max-window`, or that of all."""
    return float(value_for(record.scenario, flow, "tcp.max-window"))


def _segment(record: Record, flow: str) -> float:
    """Payload of a flow's full segment [B]."""
    return number(value_for(record.scenario, flow, "tcp.segment"), BYTES)


def _marks(axes: Axes, record: Record, flow: str, choice: Choice, height: float | None) -> None:
    """Losses as TCP noticed them, in the colour of what had happened; above all lines, or at their sequence numbers."""
    losses = losses_of(record, flow, choice)
    if losses is None or not len(losses):
        return
    kinds = losses["truth"].astype(str).map(kind_of)
    for believed, marker in BELIEVED.items():
        for truth in KINDS:
            chosen = losses[(losses["believed"] == believed) & (kinds == truth)]
            if not len(chosen):
                continue
            level = {"dup-acks": 1.1, "timeout": 1.2}[believed]
            places = chosen["seq"] / 1e6 if height is None else np.full(len(chosen), height * level)
            axes.plot(
                chosen["time_s"],
                places,
                marker,
                color=TRUTHS.get(group_of(truth), INK),
                markersize=5.5,
                markeredgewidth=0.9,
                label=f"{_noticed(believed, record, flow)}: {truth}",
                zorder=4,
            )


def _noticed(believed: str, record: Record, flow: str) -> str:
    """How TCP noticed a loss."""
    by = detector(record, flow)
    return by if believed == "dup-acks" and by in DETECTORS else believed


def _routes(axes: Axes, record: Record, flow: str, span: tuple[float, float], height: float) -> bool:
    """Marks routes that come and go in the time shown; says whether there are any."""
    routes = series_of(record, "routes", flow, needed=False)
    if routes is not None:
        routes = routes[routes["time_s"].between(*span)]
    if routes is None or not len(routes):
        return False
    for kind, (marker, colour) in ROUTES.items():
        times = routes.loc[routes["found"] == kind, "time_s"]
        if len(times):
            style: dict[str, Any] = {"marker": marker, "color": colour, "markersize": 5, "linestyle": "none"}
            axes.plot(times, np.full(len(times), height), label=f"route {kind}", **style)
    return True
