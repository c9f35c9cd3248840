"""The figures that claims and plots are made of: each reads one number from the record of one run.

| metric | arguments | unit | meaning |
|---|---|---|---|
| goodput | flow, [window] | Mbit/s | payload delivered in order; flow `all` is the sum |
| packets-per-slot | flow | | segments delivered in order in a slot of the link (`frn.slot`); flow `all` is the sum |
| share | flow, window | 1 | that flow's part of the sum of all flows |
| jain | window | 1 | Jain's fairness index over the flows that run in that window |
| mac-data | node | Mbit/s | data frames that a node sent, control frames not counted; node `all` is the sum |
| rtt | flow | ms | mean round-trip time as the sender measured it |
| bins-without-delivery | flow | bins | samples of the measured time in which nothing was delivered in order |
| bins-without-arrival | flow | bins | samples of the measured time in which no new packet arrived, in order or not |
| dip | flow, from, to, window | 1 | lowest goodput sample from `from` to `to` (s), over the mean of the window |
| drops | cause, [flow], [node] | packets | packets dropped for causes that begin so in the measured time |
| give-ups | node | packets | packets that a node's MAC gave up in the measured time; node `all` is the sum |
| drop-share | by, among | % | lost to `contention` or `congestion`, of the `packets` made or of what all `hops` queue |
| killed | node, by | packets | given up at a node after most attempts met a station: its name, `hidden`, `all` |
| failed-attempts | limit | attempts | failed attempts of all nodes against the `short` or the `long` retry limit |
| losses | [truth], [flow] | events | TCP loss events, all or those whose truth begins so |
| counter | counter | count | a counter of the engine, `queue.kept` |
| acted | | count | how often the techniques that count say they acted |
| energy-per-megabit | flow | J/Mbit | energy of all radios for each megabit of a flow's payload that was delivered |
| frame-bytes | node | B | mean size of the data frames that a node sent, MAC header and FCS included |
| cwnd-share | flow, level, [from] | 1 | share of a transfer, from so many seconds on, with at least that window |
| cwnd-variation | flow, [from] | 1 | standard deviation of the window over its mean, during a transfer |
| cwnd-return | flow, after | segments | the window with which a transfer goes on after that time (s) |
| cwnd-recovery | flow, after, level | s | time from then until the window of a transfer that goes on is so large |
| cwnd-kept | flow, before, after | 1 | the window with which it goes on, over that before |
| cwnd-resumed | flow, before, after | 1 | the window at the first segment sent after that time, over that before |
| route-lost | flow, after | s | time from then until a route between the ends of the flow is lost |

Besides these, every figure of `multihop.measures.figures` is a metric under its name without the unit, like
`delay-p95` or `queue-busy`: of a flow or a node, `all` combines them as the figure says; of the run, it has no
argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multihop.measures.figures import FLOW, NODE, RUN, Figure
from multihop.measures.stats import jain
from multihop.scenario.link import is_slotted
from multihop.scenario.quantity import BYTES, SECONDS, number, value_for

from . import contention, cwnd
from .view import Arguments, MetricError, RunView, alone, flow_of, node_of


@dataclass(frozen=True)
class Metric:
    """A metric's function, its arguments (all of them, and those without which it has no meaning), its unit."""

    function: Callable[[RunView, Arguments], float]
    arguments: tuple[str, ...]
    required: tuple[str, ...]
    unit: str


def evaluate(metric: str, run: RunView, arguments: Arguments) -> float:
    """The metric's value in one run."""
    return named(metric).function(run, arguments)


def named(name: str) -> Metric:
    """The metric of that name; raises KeyError if there is none."""
    return OWN[name] if name in OWN else metrics()[name]


def metrics() -> dict[str, Metric]:
    """All metrics by name: those of the figures, and those that are made here."""
    own = (figure for figure in RUN.values() if figure.name not in FLOW)
    figures = (*FLOW.values(), *NODE.values(), *own)
    return {**{figure.metric: _of_figure(figure) for figure in figures}, **OWN}


def _of_figure(figure: Figure) -> Metric:
    """A figure as a metric."""

    def read(run: RunView, arguments: Arguments) -> float:
        together = RUN[figure.name] if figure.of == "flow" and figure.name in RUN else figure
        if together.of == "run" and arguments.get("flow", "all") == "all":  # the engine has made it of all flows
            return together.combine([together.read(run.data)]) / together.scale
        if figure.of == "run":
            entries: list[Mapping[str, Any]] = [run.data]
        else:
            entries = (_flows if figure.of == "flow" else _nodes)(run, arguments[figure.of])
        return figure.combine(figure.read(entry) for entry in entries) / figure.scale

    arguments = () if figure.of == "run" else (figure.of,)
    return Metric(read, arguments, arguments, figure.unit)


def _flows(run: RunView, name: str) -> list[Mapping[str, Any]]:
    flows: list[Mapping[str, Any]] = list(run.data["flows"])
    if not name:
        return flows
    if name == "all":
        return alone(flows, "id", "flow")
    return [flow_of(run, name)]


def _goodput_of(flow: Mapping[str, Any], window: str) -> float:
    if not window:
        return float(flow["goodput_bps"]) / 1e6
    for entry in flow["windows"]:
        if entry["name"] == window:
            return float(entry["goodput_bps"]) / 1e6
    raise MetricError(f"no window `{window}` in flow `{flow['id']}`")


def _goodput(run: RunView, arguments: Arguments) -> float:
    together = run.data.get("goodput_bps")  # records of before have none
    if together is not None and not arguments["flow"] and not arguments.get("window", ""):
        return float(together) / 1e6  # flows that are not there at once do not add up
    return sum(_goodput_of(f, arguments.get("window", "")) for f in _flows(run, arguments["flow"]))


def _packets_per_slot(run: RunView, arguments: Arguments) -> float:
    values = run.scenario["values"]
    if not is_slotted(values) or "tcp.segment" not in values:
        raise MetricError('the scenario has no slots: set link.kind = "frn"')
    window = arguments.get("window", "")
    segments = sum(
        _goodput_of(flow, window) * 1e6 / 8 / number(value_for(run.scenario, flow["id"], "tcp.segment"), BYTES)
        for flow in _flows(run, arguments["flow"])
    )
    return segments * number(values["frn.slot"]["value"], SECONDS)


def _share(run: RunView, arguments: Arguments) -> float:
    if arguments.get("window", ""):
        total, mine = _goodput(run, {**arguments, "flow": ""}), _goodput(run, arguments)
    else:  # each flow has a time of its own, and bytes add up
        total, mine = (sum(int(f["delivered_bytes"]) for f in _flows(run, of)) for of in ("", arguments["flow"]))
    return mine / total if total > 0 else 0.0


def _jain(run: RunView, arguments: Arguments) -> float:
    return jain([_goodput_of(flow, arguments["window"]) for flow in _flows(run, "")])


def _nodes(run: RunView, name: str) -> list[Mapping[str, Any]]:
    nodes: list[Mapping[str, Any]] = list(run.data["nodes"])
    if name == "all":
        return alone(nodes, "name", "node")
    return [node_of(run, name)]


def _mac_data(run: RunView, arguments: Arguments) -> float:
    start, end = measured(run)
    return sum(float(node["data_bits"]) for node in _nodes(run, arguments["node"])) / (end - start) / 1e6


def _frame_bytes(run: RunView, arguments: Arguments) -> float:
    node = node_of(run, arguments["node"])
    sent = node["frames"]["data"]
    return float(node["data_bits"]) / 8 / sent if sent else math.nan


def _give_ups(run: RunView, arguments: Arguments) -> float:
    return float(sum(n["given_up_rts"] + n["given_up_data"] for n in _nodes(run, arguments["node"])))


def _energy_per_megabit(run: RunView, arguments: Arguments) -> float:
    start, end = measured(run)
    delivered = _goodput(run, arguments) * (end - start)
    joules = run.data["energy_j"]
    return math.nan if joules is None or not delivered else float(joules) / delivered


def _rtt(run: RunView, arguments: Arguments) -> float:
    value = flow_of(run, arguments["flow"])["rtt_mean_s"]
    return math.nan if value is None else float(value) * 1e3


def measured(run: RunView) -> tuple[float, float]:
    """Beginning and end of the measured time [s]."""
    measure = run.scenario["measure"]
    return float(measure["from_s"]), float(measure["to_s"])


def goodput_series(
    run: RunView, flow: str, column: str = "bps"
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Times [s], each the end of a sample's interval, and goodput [bit/s] of one flow, or another column."""
    frame = run.series("goodput")
    frame = frame[frame["flow"] == flow]
    return frame["time_s"].to_numpy(dtype=np.float64), frame[column].to_numpy(dtype=np.float64)


def _samples(run: RunView, flow: str, start: float, end: float, column: str = "bps") -> npt.NDArray[np.float64]:
    """Goodput samples [bit/s] of one flow whose interval lies within start..end; or those of another column."""
    time, found = goodput_series(run, flow, column)
    return found[(time > start + 1e-9) & (time <= end + 1e-9)]


def _without_delivery(run: RunView, arguments: Arguments) -> float:
    flow_of(run, arguments["flow"])
    return float(np.count_nonzero(_samples(run, arguments["flow"], *measured(run)) == 0))


def _without_arrival(run: RunView, arguments: Arguments) -> float:
    flow_of(run, arguments["flow"])
    return float(np.count_nonzero(_samples(run, arguments["flow"], *measured(run), "arrived") == 0))


def _dip(run: RunView, arguments: Arguments) -> float:
    flow_of(run, arguments["flow"])
    mean = _goodput(run, arguments)
    bins = _samples(run, arguments["flow"], float(arguments["from"]), float(arguments["to"]))
    return float(bins.min()) / 1e6 / mean if bins.size and mean > 0 else math.nan


def _drops(run: RunView, arguments: Arguments) -> float:
    wanted = {}
    if flow := arguments.get("flow"):
        wanted["flow"] = flow_of(run, flow)["id"]
    if node := arguments.get("node"):
        wanted["node"] = node_of(run, node)["name"]
    its = [drop for drop in run.data["drops"] if drop["reason"].startswith(arguments["cause"])]
    return float(sum(drop["n"] for drop in its if all(drop[key] == name for key, name in wanted.items())))


def _losses(run: RunView, arguments: Arguments) -> float:
    flows = _flows(run, arguments.get("flow", ""))
    return float(sum(e["n"] for f in flows for e in f["losses"] if e["truth"].startswith(arguments.get("truth", ""))))


def _counter(run: RunView, arguments: Arguments) -> float:
    return float(run.data["counters"].get(arguments["counter"], 0))


def _acted(run: RunView, arguments: Arguments) -> float:
    del arguments
    return float(sum(technique["acted"] or 0 for technique in run.data["techniques"]))


OWN: dict[str, Metric] = {
    "goodput": Metric(_goodput, ("flow", "window"), ("flow",), "Mbit/s"),
    "packets-per-slot": Metric(_packets_per_slot, ("flow", "window"), ("flow",), "packets a slot"),
    "share": Metric(_share, ("flow", "window"), ("flow", "window"), ""),
    "jain": Metric(_jain, ("window",), ("window",), ""),
    "mac-data": Metric(_mac_data, ("node",), ("node",), "Mbit/s"),
    "rtt": Metric(_rtt, ("flow",), ("flow",), "ms"),
    "bins-without-delivery": Metric(_without_delivery, ("flow",), ("flow",), "bins"),
    "bins-without-arrival": Metric(_without_arrival, ("flow",), ("flow",), "bins"),
    "dip": Metric(_dip, ("flow", "from", "to", "window"), ("flow", "from", "to", "window"), ""),
    "drops": Metric(_drops, ("cause", "flow", "node"), ("cause",), "packets"),
    "give-ups": Metric(_give_ups, ("node",), ("node",), "packets"),
    "drop-share": Metric(contention.drop_share, ("by", "among"), ("by", "among"), "%"),
    "killed": Metric(contention.killed, ("node", "by"), ("node", "by"), "packets"),
    "failed-attempts": Metric(contention.failed_attempts, ("limit",), ("limit",), "attempts"),
    "losses": Metric(_losses, ("truth", "flow"), (), "events"),
    "counter": Metric(_counter, ("counter",), ("counter",), ""),
    "acted": Metric(_acted, (), (), ""),
    "energy-per-megabit": Metric(_energy_per_megabit, ("flow",), ("flow",), "J/Mbit"),
    "frame-bytes": Metric(_frame_bytes, ("node",), ("node",), "B"),
    "cwnd-share": Metric(cwnd.share_at, ("flow", "level", "from"), ("flow", "level"), ""),
    "cwnd-variation": Metric(cwnd.variation, ("flow", "from"), ("flow",), ""),
    "cwnd-return": Metric(cwnd.at_return, ("flow", "after"), ("flow", "after"), "segments"),
    "cwnd-recovery": Metric(cwnd.recovery, ("flow", "after", "level"), ("flow", "after", "level"), "s"),
    "cwnd-kept": Metric(cwnd.kept, ("flow", "before", "after"), ("flow", "before", "after"), ""),
    "cwnd-resumed": Metric(cwnd.resumed, ("flow", "before", "after"), ("flow", "before", "after"), ""),
    "route-lost": Metric(cwnd.route_lost, ("flow", "after"), ("flow", "after"), "s"),
}
