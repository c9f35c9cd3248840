"""From runs to figures: what is summed over flows, averaged over runs, and how it is called.

All figures are of the measured time, in SI units under the names of the public document. Only the ledger that is
checked for balance is of the whole run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from multihop.errors import InputError
from multihop.measures.figures import DERIVED, FLOW, RUN, everywhere
from multihop.measures.stats import estimate, jain
from multihop.scenario.places import flow_called

Run = Mapping[str, Any]
Flow = Mapping[str, Any]


COMPLETION = "completion_s"
"""What a transfer that has an end is judged by: its goodput over a time that is given says little."""


def is_file(flow: Flow) -> bool:
    """Whether a flow carries a file, which ends."""
    return flow.get("kind") == "file"


def value(run: Run, figure: str, flow: str | None = None, window: str | None = None) -> float:
    """A figure of one run: of one flow, or over all; with `window` the goodput in it. NaN if there is none."""
    if flow is None and window is None and (figure in DERIVED or figure in RUN):
        known = _network(run, figure)
        if figure not in FLOW or not math.isnan(known):
            return known  # records of before have some figures of flows only
    if figure not in FLOW:
        raise InputError(f"there is no figure `{figure}`; there are: {', '.join(everywhere())}")
    if window is not None and figure != "goodput_bps":
        raise InputError("windows are measured for goodput_bps only")
    flows = run["flows"] if flow is None else [run["flows"][place_of(flow, run["flows"])]]
    if owners := FLOW[figure].transports:
        flows = [f for f in flows if f.get("transport", "tcp") in owners]
    if figure == COMPLETION and any(is_file(f) and FLOW[figure].read(f) is None for f in flows):
        return math.nan  # a flow that has not ended may be the last
    if window is None:
        return FLOW[figure].combine(FLOW[figure].read(f) for f in flows)
    found = [w["goodput_bps"] for f in flows for w in f.get("windows", ()) if w["name"] == window]
    return FLOW[figure].combine(float(x) for x in found)


_PLACES: dict[str, int] = {}
"""Where a flow of this name stood last: in runs of one scenario it stands there always."""


def place_of(flow: str, flows: Sequence[Flow]) -> int:
    """The place of a flow among those of a run, without going through them for each; raises InputError."""
    place = _PLACES.get(flow, len(flows))
    if place < len(flows) and flows[place]["id"] == flow:
        return place
    places = {str(f["id"]): i for i, f in enumerate(flows)}
    _PLACES.update(places)
    if flow in places:
        return places[flow]
    name = flow_called(flow, list(places))
    if name is None:
        raise InputError(f"there is no flow `{flow}`; there are: {', '.join(places)}")
    return places[name]


def dropped(run: Run) -> dict[str, int]:
    """Packets dropped in the whole network by cause, within the measured time like all figures."""
    causes: dict[str, int] = dict(run["ledger_measured"]["dropped"])
    return causes


def causes(run: Run) -> dict[str, int]:
    """The same drops by what was behind them, as `explain` has it: `contention (rts)`, not `retry-limit-rts`."""
    found: dict[str, int] = {}
    for drop in run["drops"]:
        found[str(drop["cause"])] = found.get(str(drop["cause"]), 0) + int(drop["n"])
    return found


def kinds(run: Run) -> list[list[Flow]]:
    """The flows of a run by kind and transport: only those of one kind can be held against each other."""
    found: dict[tuple[str, str], list[Flow]] = {}
    for flow in run["flows"]:
        found.setdefault((str(flow["kind"]), str(flow["transport"])), []).append(flow)
    return list(found.values())


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
    network: dict[str, Any] = {figure: _estimate(runs, figure) for figure in everywhere() if figure != "dropped"}
    network["dropped"] = {cause: estimate(dropped(run).get(cause, 0) for run in runs).json() for cause in causes}
    flows = []
    for flow in first["flows"]:
        entry = {key: flow[key] for key in ("id", "from", "to", "kind", "transport") if key in flow}
        entry |= {figure: _estimate(runs, figure, flow["id"]) for figure in FLOW}
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
        largest = max(kinds(run), key=len, default=[])  # of equally many, the first in the file
        enough = len(largest) > 1 or len(run["flows"]) == 1
        return jain([f["goodput_bps"] for f in largest]) if enough else math.nan
    if figure == "dropped":
        return float(sum(dropped(run).values()))
    found = RUN[figure].read(run)
    return math.nan if found is None else found
