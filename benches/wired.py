"""TCP over a wired link beside cells that were measured elsewhere: goodput, mean window, retransmissions.

    python benches/wired.py CELLS.csv [--only WORD] [--runs N] [--json FILE]

A cell is one bulk transfer between two nodes. The columns of the CSV that are read: `cell` (its name), `cc` (reno,
cubic, bbr), `rate_mbps`, `owd_ms` (one-way delay), `queue` (packets, the one being sent included), `loss` (of data),
`kind` (only `bulk` is run), `ecn` (only 0 is), `goodput_mbps`, `cwnd_mean` (segments) and `retrans_at_link`. A transfer
lasts 60 s. The sender is that of the profile `linux`.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path
from typing import Any

from cells import asked, beside, keep

import multihop

WINDOWS = {"reno": "newreno", "cubic": "cubic", "bbr": "bbr"}
READ = (
    *("cell", "cc", "rate_mbps", "owd_ms", "queue", "loss", "kind", "ecn"),
    *("goodput_mbps", "cwnd_mean", "retrans_at_link"),
)
QUICK = 400
"""Segments that a kernel's receiver with a fixed buffer acknowledges one by one at first: its ACKs say 270 to 600."""
OPTIONS = 12
"""Bytes of the timestamps that a kernel's packets have and these do not."""


def scenario(cell: dict[str, str]) -> dict[str, Any]:
    """The scenario of a cell."""
    window = WINDOWS[cell["cc"]]
    tcp = {"window": window, "max-window": 10_000, "quick-acks": QUICK}
    if window != "cubic":
        tcp["slow-start"] = "standard"
    wire = {
        "from": "0",
        "to": "1",
        "rate": f"{cell['rate_mbps']} Mbps",
        "delay": f"{cell['owd_ms']} ms",
        "queue": int(cell["queue"]),
        "loss": float(cell["loss"]),
        "overhead": f"{OPTIONS} B",
    }
    return {
        "profile": "linux",
        "run": {"duration": "60 s"},
        "measure": {"warm-up": "0 s", "sample": "50 ms"},
        "topology": {"kind": "chain", "hops": 1, "spacing": "10 km"},
        "wire": [wire],
        "tcp": tcp,
        "flow": [{"kind": "bulk", "from": "0", "to": "1"}],
    }


def cells(path: Path, only: str) -> list[dict[str, str]]:
    """The bulk cells of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        missing = [name for name in READ if name not in (rows.fieldnames or ())]
        if missing:
            sys.exit(f"{path}: no column {', '.join(missing)}; the columns that are read are {', '.join(READ)}")
        return [row for row in rows if row["kind"] == "bulk" and row["ecn"] == "0" and only in row["cell"]]


def measure(cell: dict[str, str], runs: int, folder: Path) -> dict[str, Any]:
    """What the cell gives here, means over the runs, beside what the file says."""
    records = multihop.load(scenario(cell)).run(runs=runs, store=multihop.Store(folder))
    flows = [record.flows.iloc[0] for record in records]
    windows = [record.series("tcp")["snd_cwnd"].mean() for record in records]
    here = {
        "goodput_mbps": sum(float(flow["goodput_bps"]) for flow in flows) / runs / 1e6,
        "cwnd_mean": float(sum(windows)) / runs,
        "retransmissions": sum(float(flow["retransmissions"]) for flow in flows) / runs,
        "timeouts": sum(float(flow["timeouts"]) for flow in flows) / runs,
    }
    there = {
        "goodput_mbps": cell["goodput_mbps"],
        "cwnd_mean": cell["cwnd_mean"],
        "retransmissions": cell["retrans_at_link"],
    }
    return {"cell": cell["cell"], "here": here, "there": {name: float(value) for name, value in there.items()}}


def line(row: dict[str, Any]) -> str:
    """One row of the table."""
    here, there = row["here"], row["there"]

    figures = "  ".join(beside(here[name], there[name]) for name in ("goodput_mbps", "cwnd_mean", "retransmissions"))
    return f"{row['cell']:34}  {figures}  {here['timeouts']:6.1f}"


def main() -> int:
    """Command line."""
    options = asked(__doc__, runs=3)
    print(
        f"{'cell':34}  {'goodput [Mb/s]: here, there':30}  {'window [segments]':30}  {'retransmissions':30}  timeouts"
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for cell in cells(options.cells, options.only):
            rows.append(measure(cell, options.runs, Path(folder)))
            print(line(rows[-1]), flush=True)
    keep(options.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
