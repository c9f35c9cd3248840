"""TCP event by event: what its sender sent, sent again, heard, and how far its window reached meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .choice import MOST_POINTS, Choice, series_of
from .style import COLOURS, FAINT, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

    from multihop.record.record import Record

EVENTS = "events"
"""The series that has them; `measure.events` says how many of a sender."""
MEGA = 1e6
STRIPE = {"sent": (COLOURS[5], 0.7), "retransmitted": (COLOURS[0], 1.6), "sack": (COLOURS[6], 0.9)}
"""What stands from one sequence number to another: colour and width of its line."""
WORDS = {"sent": "sent", "retransmitted": "sent again", "sack": "acknowledged apart (SACK)"}
MANY = 100
"""Marks of one kind from which on they are small."""
MOST_NAMED = 12
"""Losses whose truth is written beside them; more only have its colour."""
TRUTH_PT = 6
"""Size of these words [pt]."""
BELOW = ((4, -4), (-4, -4))
"""Where such words may stand, from the mark [pt]: first below its right, where a line that only rises is not."""
ABOVE = ((4, 4), (-4, 4))
"""Where they stand if the mark is at the lower end of the picture."""
LOW_PT = 13
"""It is, if so little is below it [pt]."""
MARK_PT = 2.7
"""Half of what a mark takes [pt]."""


def events_of(record: Record, flow: str, choice: Choice) -> pd.DataFrame | None:
    """The events of a flow in the time to show; None if none were kept, or more than can be drawn."""
    if EVENTS not in record.series_names:
        return None
    frame = record.series(EVENTS)
    frame = frame[frame["flow"] == flow]
    if choice.span:
        low, high = choice.span
        frame = frame[(frame["time_s"] >= low) & (frame["time_s"] <= high)]
    return frame if 0 < len(frame) <= MOST_POINTS else None


def kept_until(record: Record, flow: str) -> float | None:
    """When the series ends because as many events were kept as were asked for [s]; None if it has all."""
    if EVENTS not in record.series_names:
        return None
    frame = record.series(EVENTS)
    times = frame.loc[frame["flow"] == flow, "time_s"]
    full = len(times) >= int(record.scenario["values"]["measure.events"]["value"])
    return float(times.iloc[-1]) if full and len(times) else None


def to_the_end(record: Record, flow: str, events: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    """The events, and the last once more where what is shown ends: until then nothing has changed. As they are if no
    more of them were kept."""
    if kept_until(record, flow) is not None or events.empty:
        return events
    end = float(record.scenario["duration_s"])
    last = events.iloc[[-1]].assign(time_s=min(end, choice.span[1]) if choice.span else end)
    return pd.concat([events, last], ignore_index=True)


def bound_of(segment: float, events: pd.DataFrame, largest: float) -> Any:
    """The most that may be under way after each event [segments]: `max-window`, or less if the receiver said so.

    `segment`: payload of a full segment [B]."""
    if "peer_window" not in events:  # a series of an earlier version
        return largest
    return np.minimum(largest, events["peer_window"] / segment)


def heard(axes: Axes, events: pd.DataFrame, height: float) -> None:
    """Under the window, what the sender heard and did about losses."""
    looks = {
        "dup-ack": ("|", COLOURS[3], 0.02),
        "retransmitted": ("^", COLOURS[0], 0.07),
        "sack": ("|", COLOURS[6], 0.045),
    }
    names = {"dup-ack": "duplicate ACK", **WORDS}
    for kind, (marker, colour, level) in looks.items():
        times = events.loc[events["kind"] == kind, "time_s"]
        if len(times):
            size = 4 if len(times) < MANY else 2
            style: dict[str, Any] = {"color": colour, "markersize": size, "linestyle": "none", "label": names[kind]}
            axes.plot(times, np.full(len(times), level * height), marker=marker, **style)


def sequence(axes: Axes, segment: float, events: pd.DataFrame, largest: float) -> None:
    """Each segment as a stripe, the line of what is acknowledged, and that to which the window reaches.

    `segment`: payload of a full segment [B]; `largest`: bound of the window [segments]."""
    acks = events[events["kind"] == "ack"]
    una = acks["end"] / MEGA
    window = np.minimum(acks["snd_cwnd"], bound_of(segment, acks, largest)) * segment / MEGA
    axes.fill_between(acks["time_s"], una, una + window, step="post", color=FAINT, linewidth=0, label="window")
    axes.step(acks["time_s"], una + window, where="post", color=INK, linewidth=0.6, linestyle="-.", label="its bound")
    axes.step(acks["time_s"], una, where="post", color=COLOURS[1], linewidth=1.1, label="acknowledged")
    for kind, (colour, width) in STRIPE.items():
        rows = events[events["kind"] == kind]
        if len(rows):
            ends = (rows["seq"] / MEGA, rows["end"] / MEGA)
            label = "_" if kind == "retransmitted" else WORDS[kind]  # whose mark is in the legend
            axes.vlines(rows["time_s"], *ends, color=colour, linewidth=width, label=label)
    sent_again = events[events["kind"] == "retransmitted"]  # one stripe may be lower than a point, as a lone probe's
    size = 3 if len(sent_again) < MANY else 1.5
    look: dict[str, Any] = {"color": STRIPE["retransmitted"][0], "markersize": size, "label": WORDS["retransmitted"]}
    if len(sent_again):
        axes.plot(sent_again["time_s"], sent_again["seq"] / MEGA, "^", **look)
    again = events[events["kind"] == "dup-ack"]
    if len(again):
        style: dict[str, Any] = {"color": COLOURS[3], "markersize": 4, "linestyle": "none", "label": "duplicate ACK"}
        axes.plot(again["time_s"], again["seq"] / MEGA, marker="_", **style)


def losses_of(record: Record, flow: str, choice: Choice) -> pd.DataFrame | None:
    """What the sender took for lost in the time to show; None if that was not kept."""
    losses: pd.DataFrame | None = series_of(record, "losses", flow, needed=False)
    if losses is None or choice.span is None:
        return losses
    low, high = choice.span
    return losses[(losses["time_s"] >= low) & (losses["time_s"] <= high)]


def named(record: Record, flow: str, choice: Choice) -> bool:
    """Whether the truth of each loss is written beside it: there are some, and not too many."""
    losses = losses_of(record, flow, choice)
    return losses is not None and 0 < len(losses) <= MOST_NAMED


def truths(axes: Axes, record: Record, flow: str, choice: Choice) -> None:
    """What had really happened to each segment that TCP thought lost, beside its mark, where there is room beside marks
    and the words before; the axes must have their final places and limits."""
    shown = losses_of(record, flow, choice)
    if shown is None or not named(record, flow, choice):
        return
    inside = axes.get_window_extent()
    places = list(zip(shown["time_s"], shown["seq"] / MEGA, strict=True))
    taken = [_around(axes, *place) for place in places]
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.4, "alpha": 0.85}
    for place, truth in zip(places, shown["truth"].astype(str), strict=True):
        low = axes.transData.transform(place)[1] - inside.y0 < LOW_PT * axes.figure.dpi / 72
        for across, up in ABOVE if low else BELOW:
            look: dict[str, Any] = {"fontsize": TRUTH_PT, "clip_on": True, "bbox": paper, "zorder": 3.5}
            look |= {"ha": "left" if across > 0 else "right", "va": "bottom" if up > 0 else "top"}
            words = axes.annotate(truth, place, (across, up), textcoords="offset points", **look)
            box = words.get_window_extent().expanded(1.2, 1.1)  # letters are up to a tenth wider at other resolutions
            over = max(0.0, box.x1 - inside.x1)  # at the right end they begin below the mark, not beside it
            words.set_position((across - over * 72 / axes.figure.dpi, up))
            box = box.translated(-over, 0)
            if box.x0 >= inside.x0 and box.count_overlaps(taken) == 0:
                taken.append(box)
                break
            words.remove()


def _around(axes: Axes, x: float, y: float) -> Bbox:
    """What the mark of a loss takes."""
    from matplotlib.transforms import Bbox

    across, up = axes.transData.transform((x, y))
    half = MARK_PT * axes.figure.dpi / 72
    return Bbox.from_extents(across - half, up - half, across + half, up + half)
