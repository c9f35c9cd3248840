"""Queue managements on a wired link against ns-3: goodput and mean waiting time of each cell of a reference file.

    python benches/aqm.py REFERENCE.csv [--only TEXT]

A cell's id says what it is: ns3-CC-bulk-RATEm-DELAYms-qPACKETS-DISCIPLINE-fFLOWS-ecnE. So many TCP flows share a link
with that discipline for 40 s. From 5 s on a stream of 200-byte packets at 64 kb/s runs beside them. Waiting times
follow from the mean number of packets at the link (Little's law). TCP is ns-3's: SACK, proportional rate reduction,
whole segments, HyStart for CUBIC, no RACK. Prints each cell, and names those that differ:
goodput by more than 5 %, waiting time by more than 1 ms and 10 %.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import multihop

CELL = re.compile(r"ns3-Tcp(\w+)-bulk-(\d+)m-(\d+)ms-q(\d+)-(\w+)-f(\d+)-ecn(\d)")
WINDOWS = {"LinuxReno": "newreno", "Cubic": "cubic"}
"""Congestion controls of ns-3, and their window rules here."""
DISCIPLINES: dict[str, dict[str, Any]] = {
    "Fifo": {},
    "CoDel": {"aqm": "codel", "codel": {"ecn": False}},
    "FqCoDel": {
        "service": "fq",
        "class-by": "flow",
        "aqm": "codel",
        "aqm-by": "class",
        "overflow": "head-of-fattest",
    },
    "Pie": {"aqm": "pie"},
}
"""Disciplines of ns-3 with their defaults there."""


def scenario(cell: re.Match[str]) -> dict[str, Any]:
    """The network of a cell: the link's device has one packet, the discipline the others."""
    control, rate, delay, packets, discipline, flows, ecn = cell.groups()
    bulk = [{"kind": "bulk", "from": "0", "to": "1", "start": "0 s"} for _ in range(int(flows))]
    stream = {"kind": "cbr", "from": "0", "to": "1", "packet": "200 B", "rate": "64 kbps", "start": "5 s"}
    return {
        "profile": "rfc",
        "run": {"duration": "40 s"},
        "topology": {"kind": "chain", "hops": 1, "spacing": "10 km"},
        "wire": [
            {
                "from": "0",
                "to": "1",
                "rate": f"{rate} Mbps",
                "delay": f"{delay} ms",
                "queue": int(packets) + 1,
                "overhead": "14 B",  # of PPP, and the timestamps of TCP
            }
        ],
        "queue": DISCIPLINES[discipline],
        "tcp": {
            "window": WINDOWS[control],
            "loss": "sack",
            "recovery": "prr",
            "byte-counting": 1000,
            "whole-window": True,
            "rtt-samples": "every",
            "cubic": {"rules": "linux"},
            "slow-start": "hystart" if control == "Cubic" else "standard",
            "segment": "1448 B",
            "max-window": 40_000,
            "initial-window": 10,
            "min-rto": "200 ms",
            "ack-every": 2,
            "ack-delay": "40 ms",
            "ecn": ecn == "1",
        },
        "flow": [*bulk, stream],
    }


def measured(network: Mapping[str, Any]) -> tuple[float, float, float]:
    """Goodput of TCP [Mb/s], mean waiting time at the link [ms], mean delay of the stream [ms]."""
    result = multihop.load(network).run(runs=1)
    flows, nodes = result.flows, result.nodes
    goodput = sum(flows["delivered_bytes"][:-1]) * 8 / 40e6
    sent = sum(flows["sent_packets"])
    held, rate = float(nodes["queue_mean"][0]), float(network["wire"][0]["rate"].split()[0]) * 1e6
    service = (sum(flows["delivered_bytes"]) / max(1, sent) + 54) * 8 / rate
    return goodput, 1e3 * (held * 40 / max(1, sent) - service), 1e3 * float(flows["delay_mean_s"].iloc[-1])


def main() -> int:
    """Compares every cell; 1 if any differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--only", default="", help="cells whose id has this text")
    asked = parser.parse_args()
    differ = []
    print(f"{'cell':58}  goodput Mb/s     waiting ms       stream ms")
    for row in csv.DictReader(asked.reference.read_text(encoding="utf-8").splitlines()):
        cell = CELL.match(row["id"])
        if cell is None or asked.only not in row["id"] or cell[1] not in WINDOWS or cell[5] not in DISCIPLINES:
            continue
        ours = measured(scenario(cell))
        theirs = tuple(float(row[key]) for key in ("goodput_mbps", "mean_sojourn_ms", "cbr_mean_ms"))
        print(f"{row['id']:58}  " + "  ".join(f"{a:6.2f} {b:7.2f}" for a, b in zip(ours, theirs, strict=True)))
        far = abs(ours[1] - theirs[1])
        if abs(ours[0] / theirs[0] - 1) > 0.05 or far > max(1.0, 0.1 * theirs[1]):
            differ.append(row["id"])
    print(f"{len(differ)} differ: {', '.join(differ) or 'none'}")
    return bool(differ)


if __name__ == "__main__":
    raise SystemExit(main())
