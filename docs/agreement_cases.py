"""The cases that were measured in ns-2 and ns-3, and the same as multihop tasks; used by agreement.py.

What was measured stands in studies/validation: `ns2-cases.toml` and `ns3-cases.toml` say the parameters of
`benches/ns2/chain.tcl` and `benches/ns3/chain.cc`, the CSV files have one row a run.
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop.record.record import Record, Records
from multihop.running.run import Task
from multihop.scenario.scenario import Scenario

MEASURED = Path(__file__).resolve().parents[1] / "studies" / "validation"
SUITES = {
    "ns-2": ("chain", "aodv", "dsr", "tcp", "air", "flows", "red", "star", "old", "pair"),
    "ns-3": ("static", "flows", "space"),
}
TECHNIQUES = {"Tahoe": ["tahoe"], "Reno": ["reno"], "Newreno": [], "Sack1": ["sack"]}
FEWEST = 3
"""Runs of another simulator below which a case is not compared."""
START = 100.0
RED = {"thresh_": "min-threshold", "maxthresh_": "max-threshold", "q_weight_": "weight"}
"""The keys of ns-2's RED that cases set, and ours."""
CBR_HEADERS = 28
"""Bytes of UDP and IP that ns-2 counts into the size of a CBR packet."""

TEXT = """
profile = "{profile}"
[run]
duration = "{stop:g} s"
[measure]
warm-up = "100 s"
sample = "{stop:g} s"
[topology]
kind = "explicit"
node = [{nodes}]
[mac]
data-rate = "2 Mbps"
[tcp]
max-window = {window}
segment = "{segment} B"
{flows}
"""


@dataclass(frozen=True)
class Case:
    """One case of the reference measurements, on one number of hops."""

    peer: str
    suite: str
    name: str
    hops: str
    rows: tuple[Mapping[str, str], ...]
    parameters: Mapping[str, Any]

    @property
    def by_median(self) -> bool:
        """Whether medians are compared: of ns-3, and where a route or the whole transfer may be lost for long."""
        return self.peer == "ns-3" or self.name == "dsdv" or "5e-5" in self.name

    @property
    def seconds(self) -> float:
        """Length of the transfers."""
        return (200.0 if self.peer == "ns-3" else float(self.parameters.get("duration", 300))) - START

    @property
    def flows(self) -> list[str]:
        """`FROM>TO:KIND[,KEY=VALUE...]`, each."""
        p = self.parameters
        given = str(p.get("flow") or p.get("flows", "").replace(",", " ")).split()
        last = len(str(p["x"]).split()) - 1 if "x" in p else int(self.hops or 0)
        return [flow if ":" in flow else f"{flow}:tcp" for flow in given or [f"0>{last}"]]

    def shown(self, flow: int) -> bool:
        """Whether a flow is part of the goodput: CBR is not where TCP runs beside it."""
        kinds = [one.split(":")[1][:3] for one in self.flows]
        return kinds[flow] == "tcp" or "tcp" not in kinds

    def task(self) -> Task:
        """The same in multihop."""
        p = self.parameters
        segment = int(p.get("segment", 1460))
        text = TEXT.format(
            profile="ns3" if self.peer == "ns-3" else "ns2-21b8" if self.suite == "old" else "ns2",
            stop=START + self.seconds,
            nodes=", ".join(self.nodes),
            window=p.get("window", 40),
            segment=segment,
            flows="\n".join(_flow(flow, segment) for flow in self.flows),
        )
        techniques = [*TECHNIQUES[str(p.get("tcp", "Newreno"))]] + (["sack"] if p.get("sack") else [])
        techniques += ["delayed-ack"] if p.get("delack") else []
        techniques += ["drr"] if p.get("queue") == "Queue/DRR" else []
        techniques += ["dsr", "priority-queue"] if p.get("routing") == "dsr" else []
        name = f"{self.peer} {self.suite} {self.name} {self.hops}"
        runs = tuple(range(1, len(self.rows) + 1))
        return Task(Scenario(name, text, name), tuple(techniques), tuple(_sets(self)), None, runs)

    @property
    def nodes(self) -> list[str]:
        """Its nodes, as a scenario has them."""
        p = self.parameters
        spacing = float(p.get("spacing", 200))
        xs = str(p["x"]).split() if "x" in p else [f"{i * spacing:g}" for i in range(int(self.hops) + 1)]
        ys = str(p["y"]).split() if "y" in p else ["0"] * len(xs)
        places = enumerate(zip(xs, ys, strict=True))
        return [f'{{ name = "{i}", x = "{x} m", y = "{y} m" }}' for i, (x, y) in places]


def _sets(case: Case) -> Iterator[str]:
    """Single values that a case changes."""
    p = case.parameters
    if case.peer == "ns-3":
        yield 'mac.rts-threshold="0 B"'
    if case.suite == "old":  # what ns-2.35 cannot be given, or was not
        yield from ("mac.immediate-access=never", "mac.early-reset=false", "tcp.rto-back-off=rfc6298")
        yield from ("tcp.halving=whole-threshold", "mac.long-retry-limit=5")
    if "ber" in p:
        yield f"air.bit-error-rate={p['ber']}"
    if "rts" in p:
        yield f'mac.rts-threshold="{p["rts"]} B"'
    for key in ("data-rate", "basic-rate"):
        if key in p:
            yield f'mac.{key}="{str(p[key]).removesuffix("Mb")} Mbps"'
    if "range" in p:  # two-ray ground beyond its cross-over: power falls with the fourth power of the distance
        yield f'air.receive-threshold="{3.652e-10 * (250 / float(p["range"])) ** 4:.6e} W"'
    if "energy" in p:
        powers = zip(("transmit", "receive", "idle"), str(p["energy"]).split(), strict=True)
        yield from ('energy.accounting="ns2"', *(f'energy.{state}="{watts} W"' for state, watts in powers))
    if p.get("queue") == "Queue/RED":
        yield "queue.aqm=red"
        words = str(p["queue-set"]).split()
        given = dict(zip(words[::2], words[1::2], strict=True))
        yield from (f"queue.red.{mine}={given[theirs]}" for theirs, mine in RED.items())
    if case.name in ("dsdv", "aodv"):
        yield f"routing.kind={case.name}"
    elif case.name.endswith(", dsdv"):  # chain.tcl's `static`: no settling, and no neighbour is ever given up
        yield from ("routing.kind=dsdv", 'routing.dsdv.settling="0 s"', "routing.dsdv.allowed-loss=1000000")


def _flow(spec: str, segment: int) -> str:
    words = spec.split(",")
    ends, kind = words[0].split(":")
    source, sink = ends.split(">")
    its = dict(word.split("=") for word in words[1:])
    lines = ["[[flow]]", f'from = "{source}"', f'to = "{sink}"', f'start = "{START:g} s"']
    if kind == "cbr":
        size = int(its.get("size", segment))
        # ns-2 makes a packet of `size` bytes, headers and all, every size / rate
        rate = round(1e6 * float(its.get("rate", "2Mb").removesuffix("Mb")) * (size - CBR_HEADERS) / size)
        lines += ['kind = "cbr"', f'rate = "{rate} bps"', f'packet = "{size - CBR_HEADERS} B"']
    return "\n".join(lines)


def cases(peer: str) -> Iterator[Case]:
    """All cases that were measured with a simulator."""
    short = peer.replace("-", "")
    stated = tomllib.loads((MEASURED / f"{short}-cases.toml").read_text(encoding="utf-8"))
    for suite in SUITES[peer]:
        common = {key: value for key, value in stated[suite].items() if key != "case"}
        parameters = {case["case"]: common | case for case in stated[suite]["case"]}
        path = MEASURED / f"{short}-{suite}.csv"
        rows = rows_of(path) if path.exists() else []
        for name, hops in dict.fromkeys((row["case"], row["hops"]) for row in rows):
            mine = tuple(row for row in rows if (row["case"], row["hops"]) == (name, hops))
            # a receiver out of reach is no measurement, and one or two runs are none yet
            if len(mine) >= FEWEST and any(float(one["goodput_kbps"]) for one in mine):
                yield Case(peer, suite, name, hops, mine, parameters[name])


def rows_of(path: Path) -> list[dict[str, str]]:
    """Rows of a file of measurements."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


Figures = dict[str, list[float]]
"""Figure to its values, run by run."""
GIVEN_UP = ("given_up_rts_data", "given_up_rts_ack", "given_up_data_data", "given_up_data_ack")


def theirs(case: Case) -> Figures:
    """Figures of the other simulator; goodput of each flow as `flow INDEX`, energy of each node as `node INDEX`."""
    flows = [[float(kbps) for kbps in row["flow_goodputs_kbps"].split()] for row in case.rows]
    figures = _goodputs(case, flows)
    figures["frames"] = [float(row["frames_per_s"]) for row in case.rows]
    figures["retransmissions"] = [float(row["retransmissions"]) for row in case.rows]
    if case.peer == "ns-3":
        figures["rts per cts"] = [_ratio(float(row["rts"]), float(row["cts"])) for row in case.rows]
        figures["given up"] = [float(row["given_up"]) for row in case.rows]
    else:
        figures["rts per cts"] = [_ratio(float(row["rts_per_s"]), float(row["cts_per_s"])) for row in case.rows]
        figures["given up"] = [sum(float(row[column]) for column in GIVEN_UP) for row in case.rows]
        figures["timeouts"] = [float(row["timeouts"]) for row in case.rows]
        energies = [[float(joules) for joules in row.get("node_energy_j", "").split()] for row in case.rows]
        figures |= {f"node {i}": list(its) for i, its in enumerate(zip(*energies, strict=True))}
    return figures


def ours(case: Case, records: Records) -> Figures:
    """The same figures of ours. Against ns-2 goodput of TCP is what was acknowledged: its script reads the sender."""
    runs = records.runs

    def frames(run: Mapping[str, Any], kind: str) -> float:
        return float(sum(node["frames"][kind] for node in run["nodes"]))

    def total(run: Mapping[str, Any], part: str, *keys: str) -> float:
        return float(sum(it[key] for it in run[part] for key in keys))

    rates = [acknowledged_bps(record, case.seconds) if case.peer == "ns-2" else {} for record in records]
    flows = [
        [rate.get(flow["id"], flow["goodput_bps"]) * _headers(case, i) / 1e3 for i, flow in enumerate(run["flows"])]
        for run, rate in zip(runs, rates, strict=True)
    ]
    metered = len(case.nodes) if "energy" in case.parameters else 0
    return _goodputs(case, flows) | {
        "frames": [sum(sum(node["frames"].values()) for node in run["nodes"]) / case.seconds for run in runs],
        "rts per cts": [_ratio(frames(run, "rts"), frames(run, "cts")) for run in runs],
        "given up": [total(run, "nodes", "given_up_rts", "given_up_data") for run in runs],
        "retransmissions": [total(run, "flows", "retransmissions") for run in runs],
        "timeouts": [total(run, "flows", "timeouts") for run in runs],
        **{f"node {i}": [float(run["nodes"][i]["energy_j"]) for run in runs] for i in range(metered)},
    }


def acknowledged_bps(record: Record, seconds: float) -> dict[str, float]:
    """Payload acknowledged to the sender of each flow over TCP by the last sample, per second of so many [bit/s].

    What waits on its way, in segments or in their acknowledgements, is delivered and not acknowledged: up to a window.
    """
    samples = record.series("tcp")
    last = samples[samples["time_s"] == samples["time_s"].max()]
    return {str(flow): 8 * float(una) / seconds for flow, una in zip(last["flow"], last["una"], strict=True)}


MESSAGES = {"rreq": "RREQ", "rrep": "RREP", "rerr": "RERR"}
LOSSES = {
    "RTR/CBK": "link",
    "RTR/NRTE": "no route",
    "RTR/IFQ": "route buffer full",  # of AODV
    "RTR/TOUT": "route buffer",  # of DSR, which says so whether a packet is too old or one too many
    "IFQ/---": "queue full",  # PriQueue
    "IFQ/IFQ": "queue full",  # CMUPriQueue, which DSR needs
    "IFQ/ARP": "address unresolved",
}
"""ns-2's layers and reasons; those that tell of the hop limit of requests are no losses. One reason means a queue of
the router in one layer, and the interface queue in another."""
KINDS = {"tcp": "data", "ack": "ACK", "cbr": "datagrams", "ARP": "ARP"}
OUR_LOSSES = {
    "no-route": "no route",
    "route-buffer-full": "route buffer full",
    "queue-full": "queue full",
    "address-unresolved": "address unresolved",
}
OF_DSR = {"route-buffer-full": "route buffer", "route-timeout": "route buffer"}
OUR_KINDS = {"tcp-data": "data", "tcp-ack": "ACK", "udp": "datagrams", "arp": "ARP", "routing": "messages"}


def their_counts(case: Case) -> Figures:
    """Messages of a routing protocol that searches, by type, and losses by cause and kind, of the other simulator."""
    found: list[Counter[str]] = []
    for row in case.rows:
        counts: Counter[str] = Counter()
        for word in row["routing_messages"].split():
            (name, way), n = word.split(":")[0].rsplit("_", 1), int(word.split(":")[1])
            if name in MESSAGES:  # a request with an error on board is counted as a request
                counts[_message(name, way != "own")] += n
        for word in row["losses"].split():
            key, n = word.rsplit(":", 1)
            layer, reason, kind = key.split("/", 2)
            if layer != "MAC" and reason != "TTL":
                counts[f"{LOSSES.get(f'{layer}/{reason}', reason)}: {KINDS.get(kind, 'messages')}"] += int(n)
        found.append(counts)
    return _columns(found)


def our_counts(case: Case, runs: Sequence[Mapping[str, Any]]) -> Figures:
    """The same of ours."""
    causes = OUR_LOSSES | (OF_DSR if case.parameters.get("routing") == "dsr" else {})
    found: list[Counter[str]] = []
    for run in runs:
        counts: Counter[str] = Counter()
        for key, n in run["counters"].items():
            name, _, way = key.partition(".")[2].partition("-")
            if way in ("originated", "forwarded"):
                counts[_message(name, way == "forwarded")] += n
        for drop in run["drops"]:
            cause = causes.get(drop["reason"], "link" if "retry" in drop["reason"] else drop["reason"])
            cause = "link" if cause == "link-broken" else cause
            counts[f"{cause}: {OUR_KINDS[drop['kind']]}"] += drop["n"]
        found.append(counts)
    return _columns(found)


def _message(name: str, forwarded: bool) -> str:
    # Errors are told apart by nobody: ns-2's trace shows those that pass on what another one told as new ones.
    way = "" if name == "rerr" else " passed on" if forwarded else " made"
    return MESSAGES.get(name, name) + way


def _columns(found: Sequence[Counter[str]]) -> Figures:
    return {key: [float(counts[key]) for counts in found] for key in sorted(set().union(*found))}


def _goodputs(case: Case, flows: Sequence[Sequence[float]]) -> Figures:
    each = {f"flow {i}": [run[i] for run in flows] for i in range(len(case.flows))}
    return {"goodput": [sum(x for i, x in enumerate(run) if case.shown(i)) for run in flows]} | each


def _headers(case: Case, flow: int) -> float:
    """Size of a CBR packet in ns-2 per byte of ours."""
    words = case.flows[flow].split(",")
    if not words[0].endswith(":cbr"):
        return 1.0
    its = dict(word.split("=") for word in words[1:])
    size = int(its.get("size", case.parameters.get("segment", 1460)))
    return size / (size - CBR_HEADERS)


def _ratio(a: float, b: float) -> float:
    return a / b if b else float("nan")
