"""One hop, hidden stations and chains of today's Wi-Fi beside cells that were measured elsewhere.

    python benches/wifi.py CELLS.csv [--only WORD] [--runs N] [--json FILE]

A cell is a network of stations under the profile `ns3-wifi`. The columns of the CSV that are read: `id`, `scenario`
(sat, hidden, chain, dist or edca), `standard`, `mcs_or_mbps`, `width_mhz`, `streams`, `gi_ns`, `ampdu` (max or none),
`amsdu_bytes`, `rts`, `stations`, `hops`, `distance_m`, `transport`, `window_segments`, `rate_control`, `error_model`,
`bar_after_missed_ba`, `voip_ac`, `measured_s`, `goodput_kbps`, `goodput_sd`, `seeds`, `data_ppdu_per_s` and
`mean_ampdu`.
What is not modelled here is left out, and named at the end.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path
from typing import Any

from cells import asked, beside, keep

import multihop

READ = (
    *("id", "scenario", "standard", "mcs_or_mbps", "width_mhz", "streams", "gi_ns", "ampdu", "amsdu_bytes", "rts"),
    *("stations", "hops", "distance_m", "transport", "window_segments", "rate_control", "error_model"),
    *("bar_after_missed_ba", "voip_ac"),
    *("measured_s", "seeds", "goodput_kbps", "goodput_sd", "data_ppdu_per_s", "mean_ampdu"),
)
GENERATIONS = ("11n", "11ac", "11ax")
FASTEST = {"11a": 54, "11n": 7, "11ac": 9, "11ax": 11}
"""Of rates that a rule chooses the fastest [Mb/s or MCS]."""
RULES = {"const": "fixed", "ideal": "ideal", "minstrel": "minstrel-ht"}
LEGACY = {"minstrel": "minstrel"}
"""The same names of 802.11a and g."""
VOICE = {"VO": "CS6", "BE": "CS0"}
"""DSCP of the datagrams of voice."""
WARM_UPS = {"sat": 0.3, "hidden": 0.3, "dist": 0.7, "edca": 0.5}
"""How long runs warm up; chains for half of the measured time [s]."""
UNLIMITED = 4000
"""A receiver's window of so many segments limits nothing."""
QUEUES = {"sat": 300, "hidden": 300, "dist": 300, "chain": 100, "edca": 100}
QUEUE_OF_AX = 800


def reason(cell: dict[str, str]) -> str:
    """Why a cell is left out; nothing if it is not."""
    if cell["scenario"] not in QUEUES:
        return f"scenario {cell['scenario']}"
    if cell["rate_control"] not in RULES:
        return f"rate control {cell['rate_control']}"
    return ""


def fastest(cell: dict[str, str]) -> int:
    """The MCS of the data frames, of 802.11a and g their rate [Mb/s]: where a rule chooses, the fastest."""
    return FASTEST[cell["standard"]] if cell["mcs_or_mbps"] == "auto" else int(cell["mcs_or_mbps"])


def mac(cell: dict[str, str]) -> dict[str, Any]:
    """How frames are sent."""
    rule = cell["rate_control"]
    section: dict[str, Any] = {"standard": f"802.{cell['standard']}", "rate-control": RULES[rule]}
    if cell["standard"] in GENERATIONS:
        section |= {
            "mcs": fastest(cell),
            "streams": int(cell["streams"]),
            "width": f"{cell['width_mhz']} MHz",
            "guard-interval": f"{int(cell['gi_ns']) / 1000:g} us",
            "aggregation": {
                "on": cell["ampdu"] == "max",
                "amsdu-length": f"{int(cell['amsdu_bytes'] or 0)} B",
                "after-missed": "request" if cell["bar_after_missed_ba"] == "1" else "retry",
            },
        }
    else:
        section |= {"data-rate": f"{fastest(cell)} Mbps", "rate-control": LEGACY.get(rule, RULES[rule])}
    if cell["standard"] == "11g":
        section["slot"] = "20 us"  # no access point that turns short slots on
    if cell["rts"] == "1":
        section["rts-threshold"] = "0 B"
    if cell["scenario"] == "edca":
        section["edca"] = {"on": True, "map": "ns3", "best-effort": {"txop": "0 s"}}
    return section


def places(cell: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where stations stand, and what they hear of each other: sections `topology` and `air`."""
    errors = {"ofdm-errors": "table" if cell["error_model"] == "table" else "nist"}
    near = {"propagation-delay": "0 us"}
    disk = {"propagation": "disk", "range": "250 m", "sense-range": "250 m", "interference-range": "250 m"}
    if cell["scenario"] == "sat":
        level = {"receive-threshold": "-50 dBm", "sense-threshold": "-50 dBm"}
        return {"kind": "star", "leaves": int(cell["stations"] or 1), "radius": "100 m"}, {
            **errors,
            **near,
            **disk,
            **level,
        }
    if cell["scenario"] == "hidden":
        level = {"receive-threshold": "16 dBm", "sense-threshold": "16 dBm"}
        return {"kind": "chain", "hops": 2, "spacing": "200 m"}, {**errors, **near, **disk, **level}
    if cell["scenario"] == "dist":
        fall = {"propagation": "log-distance", "path-loss-exponent": 3.0, "frequency": "5147 MHz"}
        level = {"tx-power": "16 dBm", "receive-threshold": "-82 dBm", "sense-threshold": "-82 dBm"}
        place = {"kind": "chain", "hops": 1, "spacing": f"{cell['distance_m']} m"}
        return place, {**errors, **near, **fall, **level}
    return {"kind": "chain", "hops": int(cell["hops"]), "spacing": "200 m"}, errors


def flows(cell: dict[str, str]) -> list[dict[str, Any]]:
    """What is sent: more datagrams than any station can, or one TCP transfer."""
    if cell["scenario"] == "edca":
        forth, back = {"from": "0", "to": cell["hops"]}, {"from": cell["hops"], "to": "0"}
        voice = {"kind": "cbr", "rate": "68.8 kbps", "packet": "172 B", "dscp": VOICE[cell["voip_ac"]]}
        bulk = [] if cell["id"].endswith("alone") else [{"kind": "bulk", **forth}]
        # At one instant both ends would meet in the middle each time.
        calls = [{**voice, **way, "start": f"{100 + 5 * i} ms"} for i, way in enumerate((forth, back, forth, back))]
        return bulk + calls
    if cell["scenario"] == "chain":
        way = {"from": "0", "to": cell["hops"]}
        if cell["transport"] != "udp":
            return [{"kind": "bulk", **way}]
        ways = [way]
    elif cell["scenario"] == "dist":
        ways = [{"from": "0", "to": "1"}]
    elif cell["scenario"] == "hidden":
        ways = [{"from": "0", "to": "1"}, {"from": "2", "to": "1"}]
    else:
        ways = [{"from": str(station), "to": "0"} for station in range(1, int(cell["stations"] or 1) + 1)]
    rate = phy_rate(cell) * min(1.0, 3.0 / len(ways))
    return [{"kind": "cbr", **way, "rate": f"{rate:.3f} Mbps", "packet": "1472 B"} for way in ways]


def phy_rate(cell: dict[str, str]) -> float:
    """More than a station's data frames carry [Mb/s]: 5 bits a subcarrier and code rate 5/6 are the most at MCS 7."""
    if cell["standard"] not in GENERATIONS:
        return float(fastest(cell))
    bits = (0.5, 1, 1.5, 2, 3, 4, 4.5, 5, 6, 20 / 3, 7.5, 25 / 3)[fastest(cell)]
    return bits * int(cell["width_mhz"]) * int(cell["streams"])


def seconds(cell: dict[str, str]) -> float:
    """How long ours is measured: a frame of 28 packets more or less would be 2 % of the 0.3 s of some cells.

    Minstrel-HT over many rates has not settled by then: it is measured as long as theirs.
    """
    least = 0.0 if cell["scenario"] == "chain" or cell["rate_control"] == "minstrel" else 2.0
    return max(float(cell["measured_s"]), least)


def scenario(cell: dict[str, str]) -> dict[str, Any]:
    """The scenario of a cell."""
    topology, air = places(cell)
    warm_up = WARM_UPS.get(cell["scenario"], float(cell["measured_s"]) / 2)
    window = cell["window_segments"]
    tcp = {
        "window": "cubic" if cell["transport"] == "cubic" else "newreno",
        "max-window": int(window) if window else UNLIMITED,
        "min-rto": "0.2 s",
        "ack-every": 1,
    }
    packets = QUEUE_OF_AX if cell["standard"] == "11ax" else QUEUES[cell["scenario"]]
    return {
        "profile": "ns3-wifi",
        "run": {"duration": f"{warm_up + seconds(cell)} s"},
        "measure": {"warm-up": f"{warm_up} s", "sample": "0 s"},
        "topology": topology,
        "air": air,
        "mac": mac(cell),
        "queue": {"limit": packets},
        "tcp": tcp,
        "flow": flows(cell),
    }


def cells(path: Path, only: str) -> list[dict[str, str]]:
    """The cells of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        missing = [name for name in READ if name not in (rows.fieldnames or ())]
        if missing:
            sys.exit(f"{path}: no column {', '.join(missing)}; the columns that are read are {', '.join(READ)}")
        return [row for row in rows if only in row["id"]]


def measure(cell: dict[str, str], runs: int, folder: Path) -> dict[str, Any]:
    """What the cell gives here, means over the runs, beside what the file says."""
    records = multihop.load(scenario(cell)).run(runs=runs, store=multihop.Store(folder))
    measured = seconds(cell)
    # Beside voice the TCP transfer alone counts.
    counted_flows = [flow["kind"] == "bulk" or cell["scenario"] != "edca" for flow in flows(cell)]
    goodput = [
        sum(float(flow) for flow, counts in zip(record.flows["goodput_bps"], counted_flows, strict=True) if counts)
        / 1e3
        for record in records
    ]
    ppdus = [sum(float(node["frames"]["data"]) for node in record.data["nodes"]) / measured for record in records]
    counted = [record.data["counters"].get("mac.mpdus", 0) / measured for record in records]
    mpdus = [count or ppdu for count, ppdu in zip(counted, ppdus, strict=True)]

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    here = {
        "goodput_kbps": mean(goodput),
        "data_ppdu_per_s": mean(ppdus),
        "mean_ampdu": mean(mpdus) / mean(ppdus) if mean(ppdus) else 0.0,
    }
    there = {name: float(cell[name]) for name in here}
    interval = 2.4 * float(cell["goodput_sd"] or 0) / float(cell["seeds"]) ** 0.5
    return {"id": cell["id"], "here": here, "there": there, "interval_kbps": interval}


def line(row: dict[str, Any]) -> str:
    """One row of the table."""
    here, there = row["here"], row["there"]
    figures = "  ".join(beside(here[name], there[name]) for name in ("goodput_kbps", "mean_ampdu", "data_ppdu_per_s"))
    within = abs(here["goodput_kbps"] - there["goodput_kbps"]) <= row["interval_kbps"]
    return f"{row['id']:46}  {figures}  {'yes' if within else 'no'}"


def main() -> int:
    """Command line."""
    options = asked(__doc__, runs=2)
    heads = ("goodput [kb/s]: here, there", "mean aggregate", "data frames a second")
    print(f"{'cell':46}  {'  '.join(f'{head:30}' for head in heads)}  within its interval")
    rows, left_out = [], []
    with tempfile.TemporaryDirectory() as folder:
        for cell in cells(options.cells, options.only):
            if why := reason(cell):
                left_out.append(f"{cell['id']} ({why})")
                continue
            rows.append(measure(cell, options.runs, Path(folder)))
            print(line(rows[-1]), flush=True)
    if left_out:
        print(f"left out: {', '.join(left_out)}")
    keep(options.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
