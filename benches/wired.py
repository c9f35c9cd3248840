"""TCP over a wired link beside cells that were measured elsewhere.

    python benches/wired.py CELLS.csv [--only WORD] [--runs N] [--json FILE]

A cell is one transfer between two nodes. The columns of the CSV that are read: `cell` (its name), `cc` (reno, cubic,
bbr), `rate_mbps`, `owd_ms` (one-way delay), `queue` (packets, the one being sent included), `loss` (of data), `kind`,
`param`, `param2`, `ecn` (1: TCP has ECN, and the link marks while at least `mark` packets are in it), `goodput_mbps`,
`cwnd_mean` (segments), `retrans_at_link` and `event_ms`. A transfer lasts 60 s. The sender is that of the profile
`linux`. The kinds:

    bulk      nothing else happens
    drop      the next data packet that comes to the link after 20 s is lost
    burst     the next `param` data packets that come to the link after 20 s are lost
    tail      a transfer of 200 segments, of which the last `param` are lost
    outage    the link is cut from 20 s on for `param` s
    reorder   a share of `param` of the data packets is held back for `param2` ms

The time `event` is that from loss to repair: from the first sending of the lost segment to its second. Of a tail
the last segment counts. For an outage it is that from the return of the link to the next byte that the receiver gets.

Prints each cell, and names those that differ: goodput by more than 3 % (5 % where packets are lost or late at random),
mean window by 5 %, retransmissions by 25 % and two, `event` by an eighth, the slack of a kernel's timers.
"""

from __future__ import annotations

import csv
import math
import sys
import tempfile
from pathlib import Path
from typing import Any

from cells import asked, beside, keep

import multihop

WINDOWS = {"reno": "newreno", "cubic": "cubic", "bbr": "bbr"}
FIGURES = {
    "goodput_mbps": "goodput_mbps",
    "cwnd_mean": "cwnd_mean",
    "retransmissions": "retrans_at_link",
    "event_ms": "event_ms",
}
"""Our name of a figure, and that of its column."""
APART = {"goodput_mbps": 0.03, "cwnd_mean": 0.05, "retransmissions": 0.25, "event_ms": 0.125}
"""Share by which a figure may differ."""
AT_RANDOM = 0.05
"""The same for goodput where packets are lost or late at random."""
FEW = 2.0
"""Retransmissions that make no difference."""
READ = (
    "cell",
    "cc",
    "rate_mbps",
    "owd_ms",
    "queue",
    "loss",
    "kind",
    "param",
    "param2",
    "ecn",
    "mark",
    *FIGURES.values(),
)
KINDS = ("bulk", "drop", "burst", "tail", "outage", "reorder")
SEGMENT = 1448
BUFFER = 1340
"""Segments up to which the window of a receiver with a fixed buffer grows: half of 6 MiB (`__tcp_grow_window`)."""
TAIL = 200
"""Segments of a transfer whose last ones are lost."""
AT = 20.0
"""Second at which something happens."""
WATCHED = 14.0
"""Seconds after that in which a lost segment is looked for."""

Cell = dict[str, str]


def scenario(cell: Cell) -> dict[str, Any]:
    """The scenario of a cell, without what happens in it."""
    window = WINDOWS[cell["cc"]]
    tcp = {"window": window, "max-window": 10_000, "receiver": {"buffer": BUFFER}}
    if window != "cubic":
        tcp["slow-start"] = "standard"
    wire: dict[str, Any] = {
        "from": "0",
        "to": "1",
        "rate": f"{cell['rate_mbps']} Mbps",
        "delay": f"{cell['owd_ms']} ms",
        "queue": int(cell["queue"]),
        "loss": float(cell["loss"]),
    }
    queue: dict[str, Any] = {}
    if cell["ecn"] == "1":
        tcp["ecn"] = True
        queue = {"queue": {"aqm": "red", "red": marking(int(cell["mark"]))}}
    if cell["kind"] == "reorder":
        wire |= {"late": float(cell["param"]), "late-by": f"{cell['param2']} ms"}
    return {
        "profile": "linux",
        "run": {"duration": "60 s"},
        "measure": {"warm-up": "0 s", "sample": "50 ms"},
        "topology": {"kind": "chain", "hops": 1, "spacing": "10 km"},
        "wire": [wire],
        "tcp": tcp,
        "flow": [{"kind": "bulk", "from": "0", "to": "1"}],
        "event": outage(cell) if cell["kind"] == "outage" else [],
        **queue,
    }


def marking(packets: int) -> dict[str, Any]:
    """RED as a step: it marks each packet that comes while so many are in the link, the one being sent included."""
    waiting = packets - 1
    return {"min-threshold": waiting - 0.5, "max-threshold": waiting - 0.25, "weight": 1.0, "max-p": 1.0}


def outage(cell: Cell) -> list[dict[str, Any]]:
    """The link is cut, and comes back."""
    ends = {"from": "0", "to": "1"}
    return [
        {"at": f"{AT} s", "kind": "link-down", **ends},
        {"at": f"{AT + float(cell['param'])} s", "kind": "link-up", **ends},
    ]


def loss(at: float, packets: int) -> dict[str, Any]:
    """The next packets with data are lost."""
    return {"at": f"{at:.9f} s", "kind": "packet-loss", "from": "0", "to": "1", "packets": packets}


def losing(cell: Cell, folder: Path) -> dict[str, Any]:
    """The scenario of a cell with what happens in it.

    A packet that comes to the link at that instant is lost as it leaves, after the packets that wait before it.
    """
    stated = scenario(cell)
    if cell["kind"] in ("drop", "burst"):
        windows = run(stated, 1, folder)[0].series("tcp")
        round_trip = float(windows[windows["time_s"] >= AT]["srtt_s"].iloc[0])
        wait = max(0.0, round_trip - 2e-3 * float(cell["owd_ms"]))
        stated["event"] = [loss(AT + wait, int(cell["param"]) if cell["kind"] == "burst" else 1)]
    return stated


def repaired(record: multihop.Run, after: float, which: int = 0) -> float:
    """Milliseconds from the first sending of a segment that is lost, by default the first, to its second; or nan."""
    drops = record.series("drops")
    lost = drops[(drops["cause"] == "wire loss") & (drops["time_s"] >= after)]
    if not len(lost):
        return math.nan
    events = record.series("events")
    seq = lost["seq"].iloc[which]
    first = events[(events["kind"] == "sent") & (events["seq"] == seq)]
    again = events[(events["kind"] == "retransmitted") & (events["seq"] == seq)]
    if not len(first) or not len(again):
        return math.nan
    return float(again["time_s"].iloc[0] - first["time_s"].iloc[0]) * 1e3


def run(stated: dict[str, Any], runs: int, folder: Path) -> list[multihop.Run]:
    """Runs a scenario."""
    return list(multihop.load(stated).run(runs=runs, store=multihop.Store(folder)))


def event(cell: Cell, runs: int, folder: Path) -> float:
    """Mean time in milliseconds to what the kind of the cell asks for; nan if it asks for none."""
    stated = scenario(cell)
    if cell["kind"] == "outage":
        times = [float(record.flows.iloc[0]["resume_s"]) * 1e3 for record in run(stated, runs, folder)]
    elif cell["kind"] in ("drop", "burst"):
        stated = losing(cell, folder)
        stated["run"] = {"duration": f"{AT + WATCHED} s"}
        stated["measure"] |= {"events": 1_000_000}
        times = [repaired(record, AT) for record in run(stated, runs, folder)]
    elif cell["kind"] == "tail":
        packets, delay = int(cell["param"]), float(cell["owd_ms"]) / 1e3
        stated["flow"][0] |= {"kind": "file", "size": f"{TAIL * SEGMENT} B"}
        whole = run(stated, 1, folder)[0]
        on_wire = 8e-6 / float(cell["rate_mbps"])
        arrival = float(whole.flows.iloc[0]["completion_s"]) - delay - 52 * on_wire
        stated["event"] = [loss(arrival - (packets - 0.5) * 1500 * on_wire, packets)]
        stated["measure"] |= {"events": 1_000_000}
        times = [repaired(record, 0.0, which=-1) for record in run(stated, 1, folder)]
    else:
        return math.nan
    return sum(times) / len(times)


def cells(path: Path, only: str) -> list[Cell]:
    """The cells of a file that can be run."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        missing = [name for name in READ if name not in (rows.fieldnames or ())]
        if missing:
            sys.exit(f"{path}: no column {', '.join(missing)}; the columns that are read are {', '.join(READ)}")
        return [row for row in rows if row["kind"] in KINDS and only in row["cell"]]


def measure(cell: Cell, runs: int, folder: Path) -> dict[str, Any]:
    """What the cell gives here, means over the runs, beside what the file says."""
    here: dict[str, float] = {}
    if cell["kind"] != "tail":
        records = run(losing(cell, folder), runs, folder)
        flows = [record.flows.iloc[0] for record in records]
        windows = [record.series("tcp")["snd_cwnd"].mean() for record in records]
        here = {
            "goodput_mbps": sum(float(flow["goodput_bps"]) for flow in flows) / runs / 1e6,
            "cwnd_mean": float(sum(windows)) / runs,
            "retransmissions": sum(float(flow["retransmissions"]) for flow in flows) / runs,
            "timeouts": sum(float(flow["timeouts"]) for flow in flows) / runs,
        }
    here["event_ms"] = event(cell, runs, folder)
    there = {name: float(cell[column] or math.nan) for name, column in FIGURES.items()}
    return {"cell": cell["cell"], "here": here, "there": there, "differs": differing(cell, here, there)}


def differing(cell: Cell, here: dict[str, float], there: dict[str, float]) -> list[str]:
    """The figures of a cell that differ; one that either side lacks does not."""
    at_random = cell["kind"] == "reorder" or float(cell["loss"]) > 0.0
    found = []
    for name, share in APART.items():
        ours, theirs = here.get(name, math.nan), there[name]
        most = (AT_RANDOM if at_random and name == "goodput_mbps" else share) * theirs
        most = max(most, FEW) if name == "retransmissions" else most
        if abs(ours - theirs) > most:
            found.append(name)
    return found


def line(row: dict[str, Any]) -> str:
    """One row of the table."""
    here, there = row["here"], row["there"]
    figures = "  ".join(
        beside(here[name], there[name]) if not math.isnan(here.get(name, math.nan)) else f"{'':29}" for name in FIGURES
    )
    timeouts = f"{here['timeouts']:6.1f}" if "timeouts" in here else ""
    return f"{row['cell']:34}  {figures}  {timeouts}".rstrip()


def main() -> int:
    """Command line."""
    options = asked(__doc__, runs=3)
    heads = ("goodput [Mb/s]: here, there", "window [segments]", "retransmissions", "event [ms]")
    print(f"{'cell':34}  {'  '.join(f'{head:29}' for head in heads)}  timeouts")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for cell in cells(options.cells, options.only):
            rows.append(measure(cell, options.runs, Path(folder)))
            print(line(rows[-1]), flush=True)
    differ = [f"{row['cell']} ({', '.join(row['differs'])})" for row in rows if row["differs"]]
    print("\n".join([f"{len(rows) - len(differ)} of {len(rows)} agree", *differ]))
    keep(options.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
