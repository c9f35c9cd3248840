"""What the sampled congestion window and sequence numbers of a flow say, while its transfer lasts.

The series `tcp` has them every `measure.sample`, so that times are as exact as that is short.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from multihop.scenario.quantity import value_for

from .view import Arguments, RunView, flow_of

if TYPE_CHECKING:
    import pandas as pd


def lasting(run: RunView, flow: str) -> pd.DataFrame:
    """The samples of a flow's TCP from its start until its last byte is acknowledged, or all that there are.

    The window is no larger than the receiver's, at which Linux clamps it.
    """
    frame = run.series("tcp")
    frame = frame[frame["flow"] == flow]
    frame = frame.assign(snd_cwnd=frame["snd_cwnd"].clip(upper=largest(run, flow)))
    end = flow_of(run, flow)["completion_s"]
    if end is None:
        return frame
    return frame[frame["time_s"] <= start_of(run, flow) + float(end)]


def largest(run: RunView, flow: str) -> float:
    """The receive window of a flow [segments]."""
    return float(value_for(run.scenario, flow, "tcp.max-window"))


def start_of(run: RunView, flow: str) -> float:
    """When a flow begins [s]."""
    return next((float(f["start_s"]) for f in run.scenario["flows"] if f["id"] == flow), 0.0)


def share_at(run: RunView, arguments: Arguments) -> float:
    """Share of the samples from `from` seconds after the start on with a window of at least `level` segments."""
    window = _window(run, arguments)
    return float(np.mean(window >= float(arguments["level"]))) if window.size else math.nan


def variation(run: RunView, arguments: Arguments) -> float:
    """Standard deviation of the window over its mean, from `from` seconds after the start on."""
    window = _window(run, arguments)
    return float(np.std(window) / np.mean(window)) if window.size else math.nan


def at_return(run: RunView, arguments: Arguments) -> float:
    """The window with which a transfer goes on: at the first new acknowledgement after the time `after`, or just before
    if that is less. What ends a pause may acknowledge something itself."""
    frame = lasting(run, arguments["flow"])
    index = _first_new(frame, float(arguments["after"]))
    return math.nan if index is None else float(frame["snd_cwnd"].iloc[index - 1 : index + 1].min())


def recovery(run: RunView, arguments: Arguments) -> float:
    """Time [s] from `after` until the window, of a transfer that goes on, reaches `level` segments."""
    frame, after = lasting(run, arguments["flow"]), float(arguments["after"])
    index = _first_new(frame, after)
    if index is None:
        return math.nan
    rest = frame.iloc[index:]
    reached = rest[rest["snd_cwnd"] >= float(arguments["level"])]
    return float(reached["time_s"].iloc[0]) - after if len(reached) else math.nan


def kept(run: RunView, arguments: Arguments) -> float:
    """The window with which a transfer goes on after `after`, over that just before `before`."""
    frame = lasting(run, arguments["flow"])
    earlier = frame[frame["time_s"] < float(arguments["before"])]
    if not len(earlier):
        return math.nan
    return at_return(run, arguments) / float(earlier["snd_cwnd"].iloc[-1])


def resumed(run: RunView, arguments: Arguments) -> float:
    """The window with which a transfer sends for the first time after `after`, over that of its last event before
    `before`; from the events of its TCP (`measure.events`)."""
    frame = run.series("events")
    frame = frame[frame["flow"] == arguments["flow"]]
    earlier = frame[frame["time_s"] < float(arguments["before"])]
    sent = frame[frame["kind"].isin(["sent", "retransmitted"]) & (frame["time_s"] > float(arguments["after"]))]
    if not len(earlier) or not len(sent):
        return math.nan
    return float(sent["snd_cwnd"].iloc[0]) / float(earlier["snd_cwnd"].iloc[-1])


def route_lost(run: RunView, arguments: Arguments) -> float:
    """Time [s] from `after` until the first route between the ends of a flow is lost."""
    frame, after = run.series("routes"), float(arguments["after"])
    lost = frame[(frame["flow"] == arguments["flow"]) & (frame["found"] == "lost") & (frame["time_s"] >= after)]
    return float(lost["time_s"].iloc[0]) - after if len(lost) else math.nan


def _window(run: RunView, arguments: Arguments) -> np.ndarray:
    frame = lasting(run, arguments["flow"])
    begin = start_of(run, arguments["flow"]) + float(arguments.get("from", "0"))
    found: np.ndarray = frame.loc[frame["time_s"] >= begin, "snd_cwnd"].to_numpy(dtype=np.float64)
    return found


def _first_new(frame: pd.DataFrame, after: float) -> int | None:
    """Index of the first sample after that time in which more is acknowledged than in the one before."""
    una, time = frame["una"].to_numpy(), frame["time_s"].to_numpy()
    rising = np.flatnonzero((una[1:] > una[:-1]) & (time[1:] > after))
    return int(rising[0]) + 1 if rising.size else None
