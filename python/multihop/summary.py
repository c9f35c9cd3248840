"""From runs to figures: what is summed over flows, averaged over runs, and how it is called.

All figures are of the measured time, in SI units under the names of the public document. Only the ledger that is
checked for balance is of the whole run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multihop.errors import InputError
from multihop.stats import estimate, jain

Run = Mapping[str, Any]
Flow = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """How a figure of the flows becomes one of the network."""

    name: str
    """As in `flows[]` of the public document, with its unit."""
    together: Callable[[list[float]], float]
    """Over the flows that have a value."""
    more_is_better: bool
    """Which direction is the better one."""


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


FIGURES = {
    figure.name: figure
    for figure in (
        Figure("goodput_bps", sum, more_is_better=True),
        Figure("delivered_bytes", sum, more_is_better=True),
        Figure("sent_packets", sum, more_is_better=False),
        Figure("retransmissions", sum, more_is_better=False),
        Figure("timeouts", sum, more_is_better=False),
        Figure("fast_retransmits", sum, more_is_better=False),
        Figure("rtt_mean_s", _mean, more_is_better=False),
        Figure("delay_mean_s", _mean, more_is_better=False),
        Figure("delay_p50_s", _mean, more_is_better=False),
        Figure("delay_p95_s", _mean, more_is_better=False),
        Figure("completion_s", max, more_is_better=False),
    )
}
"""Figures of a flow. Over the network, counts and rates are summed, times averaged; completion is the last one's."""

TCP_ONLY = ("retransmissions", "timeouts", "fast_retransmits")
"""Figures that a UDP flow has not: it sends nothing again."""

NETWORK = ("jain", "frames", "dropped")
"""Figures of the whole network only: Jain's index of the goodputs, frames sent on the air, packets dropped."""


def value(run: Run, figure: str, flow: str | None = None, window: str | None = None) -> float:
    """A figure of one run: of one flow, or over all; with `window` the goodput in it. NaN if there is none."""
    if figure in NETWORK and flow is None and window is None:
        return _network(run, figure)
    if figure not in FIGURES:
        raise InputError(f"there is no figure `{figure}`; there are: {', '.join([*FIGURES, *NETWORK])}")
    if window is not None and figure != "goodput_bps":
        raise InputError("windows are measured for goodput_bps only")
    flows = [f for f in run["flows"] if flow is None or f["id"] == flow]
    if flow is not None and not flows:
        raise InputError(f"there is no flow `{flow}`; there are: {', '.join(f['id'] for f in run['flows'])}")
    if figure in TCP_ONLY:
        flows = [f for f in flows if f.get("transport") != "udp"]
    if window is None:
        found = [f.get(figure) for f in flows]
    else:
        found = [w["goodput_bps"] for f in flows for w in f.get("windows", ()) if w["name"] == window]
    known = [float(x) for x in found if x is not None]
    return FIGURES[figure].together(known) if known else math.nan


def dropped(run: Run) -> dict[str, int]:
    """Packets dropped in the whole network by cause, within the measured time like all figures."""
    causes: dict[str, int] = dict(run["ledger_measured"]["dropped"])
    return causes


def balance(ledger: Mapping[str, Any]) -> int:
    """Created + copied - delivered - dropped - absorbed - inside: packets that the ledger fails to account for, 0."""
    out = (
        ledger["delivered"] + sum(ledger["dropped"].values()) + sum(ledger["absorbed"].values()) + ledger["in_network"]
    )
    return int(ledger["created"] + ledger["copied"] - out)


def balanced(run: Run) -> bool:
    """Whether the ledger of the network and of every flow balances."""
    return all(
        balance(ledger) == 0 for ledger in (run["ledger"], *(f["ledger"] for f in run["flows"] if "ledger" in f))
    )


def summarise(runs: Sequence[Run]) -> dict[str, Any]:
    """Mean and 95 % interval of each figure: over all flows, under `flows` per flow, under `windows` per window."""
    if not runs:
        return {"runs": 0, "flows": [], "windows": []}
    first = runs[0]
    names = [w["name"] for w in first["flows"][0].get("windows", ())] if first["flows"] else []
    causes = sorted({cause for run in runs for cause in dropped(run)})
    network: dict[str, Any] = {figure: _estimate(runs, figure) for figure in (*FIGURES, "jain", "frames")}
    network["dropped"] = {cause: estimate(dropped(run).get(cause, 0) for run in runs).json() for cause in causes}
    flows = []
    for flow in first["flows"]:
        entry = {key: flow[key] for key in ("id", "from", "to", "kind", "transport") if key in flow}
        entry |= {figure: _estimate(runs, figure, flow["id"]) for figure in FIGURES}
        entry["windows"] = [_window(runs, window, flow["id"]) for window in flow.get("windows", ())]
        flows.append(entry)
    windows = [_window(runs, w, None) for w in first["flows"][0]["windows"]] if names else []
    return {"runs": len(runs), **network, "flows": flows, "windows": windows}


def _estimate(runs: Iterable[Run], figure: str, flow: str | None = None) -> dict[str, Any]:
    return estimate(value(run, figure, flow) for run in runs).json()


def _window(runs: Iterable[Run], window: Mapping[str, Any], flow: str | None) -> dict[str, Any]:
    place = {key: window[key] for key in ("name", "from_s", "to_s")}
    return {
        **place,
        "goodput_bps": estimate(value(run, "goodput_bps", flow, window["name"]) for run in runs).json(),
    }


def _network(run: Run, figure: str) -> float:
    if figure == "jain":
        return jain([f["goodput_bps"] for f in run["flows"]]) if run["flows"] else math.nan
    if figure == "frames":
        return float(run["frames"])
    return float(sum(dropped(run).values()))
