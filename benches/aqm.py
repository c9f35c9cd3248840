"""Queue managements on a wired link against ns-3: goodput and mean waiting time of each cell of a reference file.

    python benches/aqm.py REFERENCE.csv [--only TEXT] [--runs N] [--json FILE]

A cell's id says what it is: ns3-CC-bulk-RATEm-DELAYms-qPACKETS-DISCIPLINE-fFLOWS-ecnE. So many TCP flows share a link
with that discipline for 40 s, and begin 20 ms after each other. From 5 s on a stream of 200-byte packets at 64 kb/s
runs beside them. Each further run has flows that begin 0.1 ms further apart, and a stream that begins 1 ms later. The
waiting time is that in the discipline: the device below it holds one packet beside the one that it sends.

TCP is as ns-3's, as far as there are keys: SACK, timestamps, proportional rate reduction, HyStart of CUBIC that waits
until the smoothed round trip has doubled, the first segment acknowledged at once, a retransmission timer that only the
first partial ACK of a recovery restarts. The columns that are read: `id`, `goodput_mbps`, `mean_sojourn_ms`,
`cbr_mean_ms`; of a file with several runs also `goodput_sd` and `sojourn_sd`. benches/ns3/wire.cc is the program for
ns-3.
Prints each cell, and names those that differ: goodput by more than 5 %, waiting time by more than 1 ms and 10 %.
"""

from __future__ import annotations

import csv
import re
import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cells import asked, beside, keep

import multihop

CELL = re.compile(r"ns3-Tcp(\w+)-bulk-(\d+)m-(\d+)ms-q(\d+)-(\w+)-f(\d+)-ecn(\d)")
WINDOWS = {"LinuxReno": "newreno", "Cubic": "cubic"}
"""Congestion controls of ns-3, and their window rules here."""
PACKET = 1502
"""Bytes of a full segment on the link."""
SECONDS = 40
APART = 20.0
"""Milliseconds between the starts of two flows."""
CODEL = {"target": 5.0, "root": "newton"}
PIE = {"target": 15.0}
"""Targets [ms] of ns-3's disciplines, and how CoDel takes its root."""
DISCIPLINES: dict[str, dict[str, Any]] = {
    "Fifo": {},
    "CoDel": {"aqm": "codel", "codel": CODEL},
    "FqCoDel": {
        "service": "fq",
        "class-by": "flow",
        "aqm": "codel",
        "aqm-by": "class",
        "overflow": "head-of-fattest",
        "quantum": f"{PACKET} B",  # the largest packet of the device: one of them is a turn
        "codel": CODEL,
    },
    "Pie": {"aqm": "pie", "pie": PIE},
}
"""Disciplines of ns-3 with their defaults there. They mark if TCP uses ECN."""
FIGURES = ("goodput_mbps", "mean_sojourn_ms", "cbr_mean_ms")
SPREADS = {"goodput_mbps": "goodput_sd", "mean_sojourn_ms": "sojourn_sd", "cbr_mean_ms": "cbr_sd"}


def queue(discipline: str, packet_ms: float) -> dict[str, Any]:
    """The section of a discipline. What waits in the device waits here in the queue: the target is that much longer."""
    section = dict(DISCIPLINES[discipline])
    for name in ("codel", "pie"):
        if name in section:
            section[name] = {**section[name], "target": f"{section[name]['target'] + packet_ms:.4f} ms"}
    return section


def scenario(cell: re.Match[str] | None, run: int = 0) -> dict[str, Any]:
    """The network of a cell: the link's device has one packet, the discipline the others."""
    if cell is None:
        raise ValueError(f"not the id of a cell: {CELL.pattern}")
    control, rate, delay, packets, discipline, flows, ecn = cell.groups()
    starts = [f"{(APART + 0.1 * run) * flow:.4f} ms" for flow in range(int(flows))]
    bulk = [{"kind": "bulk", "from": "0", "to": "1", "start": start} for start in starts]
    stream = {"kind": "cbr", "from": "0", "to": "1", "packet": "200 B", "rate": "64 kbps", "start": f"{5000 + run} ms"}
    return {
        "profile": "rfc",
        "run": {"duration": f"{SECONDS} s"},
        "topology": {"kind": "chain", "hops": 1, "spacing": "10 km"},
        "wire": [
            {
                "from": "0",
                "to": "1",
                "rate": f"{rate} Mbps",
                "delay": f"{delay} ms",
                "queue": int(packets) + 1,
                "overhead": "2 B",  # of PPP
            }
        ],
        "queue": queue(discipline, PACKET * 8e-3 / float(rate)),
        "tcp": {
            "window": WINDOWS[control],
            "loss": "sack",
            "recovery": "prr",
            "byte-counting": 1000,
            "whole-window": True,
            "rtt-samples": "every",
            "cubic": {"rules": "linux"},
            "slow-start": "hystart" if control == "Cubic" else "standard",
            "hystart": {"growth": 1.0, "most": "1 s", "train": 1.0, "rtt": "smoothed"},
            "timestamps": True,
            "rto-restart": "ns3",
            "keep-sacked": True,
            "segment": "1448 B",
            "max-window": 40_000,
            "initial-window": 10,
            "min-rto": "200 ms",
            "ack-every": 2,
            "quick-acks": 1,
            "ack-delay": "40 ms",
            "ecn": ecn == "1",
        },
        "flow": [*bulk, stream],
    }


def measured(network: Mapping[str, Any], seed: int = 1) -> dict[str, float]:
    """Goodput of TCP [Mb/s], mean waiting time in the discipline [ms], mean delay of the stream [ms]."""
    result = multihop.load({**network, "run": {**network["run"], "seed": seed}}).run(runs=1)
    flows, nodes = result.flows, result.nodes
    sent = max(1, sum(flows["sent_packets"]))
    held, rate = float(nodes["queue_mean"][0]), float(network["wire"][0]["rate"].split()[0]) * 1e6
    service = (sum(flows["delivered_bytes"]) / sent + 54) * 8 / rate
    in_device = sent * service / SECONDS * PACKET * 8 / rate  # while it sends, if any follow
    return {
        "goodput_mbps": sum(flows["delivered_bytes"][:-1]) * 8 / SECONDS / 1e6,
        "mean_sojourn_ms": 1e3 * max(0.0, held * SECONDS / sent - service - in_device),
        "cbr_mean_ms": 1e3 * float(flows["delay_mean_s"].iloc[-1]),
    }


def open_loop(discipline: str, offered: str) -> dict[str, float]:
    """Drops and mean wait [ms] of datagrams of 1000 bytes at that rate [Mb/s] and of the stream, without TCP."""
    rate, size = 10e6, 1030
    network = scenario(CELL.match(f"ns3-TcpCubic-bulk-10m-50ms-q1000-{discipline}-f1-ecn0"))
    load = {"kind": "cbr", "from": "0", "to": "1", "packet": "1000 B", "rate": f"{offered} Mbps"}
    network["flow"] = [load, network["flow"][-1]]
    network["wire"][0]["overhead"] = "2 B"
    network["queue"] = queue(discipline, size * 8e3 / rate)
    record = next(iter(multihop.load(network).run(runs=1)))
    flows, ledger = record.flows, record.ledger
    got = flows["delivered_bytes"] / [1000, 200]
    waits = flows["delay_mean_s"] - 0.05 - [size * 8 / rate, (size - 800) * 8 / rate]
    return {
        "drops": float(ledger[(ledger["kind"] == "dropped") & ledger["flow"].notna()]["n"].sum()),
        "mean_sojourn_ms": 1e3 * (float((got * waits).sum() / got.sum()) - size * 8 / rate),
    }


def cells(path: Path, only: str) -> list[dict[str, str]]:
    """The cells of a file that can be run."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row, CELL.match(row["id"])) for row in csv.DictReader(file)]
    return [row for row, cell in rows if cell and only in row["id"] and cell[1] in WINDOWS and cell[5] in DISCIPLINES]


def measure(row: Mapping[str, str], runs: int) -> dict[str, Any]:
    """What the cell gives here, means over the runs and spreads of one, beside what the file says."""
    found = [measured(scenario(CELL.match(row["id"]), run), seed=run + 1) for run in range(runs)]
    here = {name: statistics.fmean(one[name] for one in found) for name in FIGURES}
    spread = {name: statistics.stdev(one[name] for one in found) if runs > 1 else 0.0 for name in FIGURES}
    there = {name: float(row[name]) for name in FIGURES}
    there_spread = {name: float(row.get(column) or 0.0) for name, column in SPREADS.items()}
    wait = there["mean_sojourn_ms"]
    near = {
        "goodput_mbps": abs(here["goodput_mbps"] / there["goodput_mbps"] - 1) <= 0.05,
        "mean_sojourn_ms": abs(here["mean_sojourn_ms"] - wait) <= max(1.0, 0.1 * wait),
    }
    differs = [name for name, agrees in near.items() if not agrees]
    return {
        "id": row["id"],
        "here": here,
        "here_sd": spread,
        "there": there,
        "there_sd": there_spread,
        "differs": differs,
    }


def main() -> int:
    """Compares every cell; 1 if any differs."""
    options = asked(__doc__, runs=10)
    heads = ("goodput [Mb/s]: here, there", "wait [ms]", "stream [ms]")
    print(f"{'cell':52}" + "".join(f"  {head:29}" for head in heads))
    rows = []
    for row in cells(options.cells, options.only):
        rows.append(measure(row, options.runs))
        one = rows[-1]
        figures = "  ".join(beside(one["here"][name], one["there"][name]) for name in FIGURES)
        print(f"{one['id']:52}  {figures}", flush=True)
    differ = [f"{row['id']} ({', '.join(row['differs'])})" for row in rows if row["differs"]]
    print("\n".join([f"{len(rows) - len(differ)} of {len(rows)} agree", *differ]))
    keep(options.json, rows)
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
