"""Which flow, run and series a figure of records shows, and how it calls them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multihop.errors import InputError
from multihop.scenario.places import flow_called
from multihop.text import plural

if TYPE_CHECKING:
    from multihop.record.record import Record, Records

MOST_POINTS = 20_000
"""Points of a series that are drawn; beyond this, it is thinned evenly."""
MOST_SETTINGS = 4
"""So many settings stand in a title, the rest is counted."""


@dataclass(frozen=True)
class Choice:
    """What a figure of a single run or flow shows: by default run 1 and the first flow."""

    flow: str | None = None
    run: int | None = None
    span: tuple[float, float] | None = None
    """From when to when [s]."""


def flows_of(arms: Sequence[Records], choice: Choice) -> list[str]:
    """The flows to show: the one that was chosen, or all; raises InputError if there is none."""
    ids = [str(flow["id"]) for flow in arms[0].runs[0]["flows"]]
    if not ids:
        raise InputError("this figure shows flows, and this record has none")
    if choice.flow is None:
        return ids
    flow = flow_called(choice.flow, ids)
    if flow is None:
        raise InputError(f"there is no flow `{choice.flow}`; there are: {', '.join(ids)}")
    return [flow]


INSTEAD = {
    "atp": "For TCP use `plot cwnd` or `plot time-sequence`",
    "tcp": "For ATP use `plot rate`, for all flows `plot goodput`",
}
"""Which figures show flows over other transports than one."""


def over(arms: Sequence[Records], transport: str) -> list[Records]:
    """The techniques under which some flow runs over this transport; raises InputError if none does."""
    found = [arm for arm in arms if any(flow["transport"] == transport for flow in arm.runs[0]["flows"])]
    if not found:
        raise _none_over(transport)
    return found


def _none_over(transport: str) -> InputError:
    name = transport.upper()
    return InputError(f"this figure is for {name} flows only, and this record has none. {INSTEAD[transport]}")


def one_of(arm: Records, choice: Choice, transport: str = "tcp") -> tuple[Record, str]:
    """The run and the flow over this transport that a figure of one run shows."""
    found = [record for record in arm if choice.run in (None, record.run)]
    if not found:
        raise InputError(f"there is no run {choice.run}; there are: {', '.join(str(r.run) for r in arm)}")
    flows = [str(f["id"]) for f in found[0].data["flows"] if f["transport"] == transport]
    if choice.flow is None and not flows:
        raise _none_over(transport)
    every = [str(f["id"]) for f in found[0].data["flows"]]
    flow = flows[0] if choice.flow is None else flow_called(choice.flow, every)
    if flow is None or flow not in flows:
        raise InputError(f"there is no {transport.upper()} flow `{choice.flow}`; there are: {', '.join(flows)}")
    return found[0], flow


def series_of(record: Record, series: str, flow: str, *, needed: bool = True) -> Any:
    """A series of one flow, thinned; None if it was not kept and is not needed."""
    if not needed and series not in record.series_names:
        return None
    frame = record.series(series)
    frame = frame[frame["flow"] == flow]
    return frame.iloc[:: max(1, len(frame) // MOST_POINTS)]


def span_of(arms: Sequence[Records], choice: Choice, transport: str = "tcp") -> tuple[float, float]:
    """The part that was chosen, or from the start of the flow to the end of the run [s]; raises InputError for a part
    in which the flow is not there.
    """
    _, flow = one_of(arms[0], choice, transport)
    begin = next(float(f["start_s"]) for f in arms[0].scenario["flows"] if str(f["id"]) == flow)
    end = float(arms[0].scenario["duration_s"])
    if choice.span:
        low, high = choice.span
        if high <= begin or low >= end:
            raise InputError(
                f"--time {low:g}:{high:g}: flow {flow} begins at {begin:g} s, and the run ends at {end:g} s"
            )
        return choice.span
    return (begin, end) if begin < end else (0.0, end)


def name_of(arm: Records) -> str:
    """The scenario; if it was altered by hand, with the settings, of many with the first and the number of others."""
    told = arm.settings[:MOST_SETTINGS]
    if len(arm.settings) > MOST_SETTINGS:
        told = [*told, plural(len(arm.settings) - MOST_SETTINGS, "more setting")]
    return f"{arm.name} with {', '.join(told)}" if told else arm.name


def rate_unit(largest: float) -> tuple[str, float]:
    return ("Mbit/s", 1e6) if largest >= 1e6 else ("kbit/s", 1e3)
