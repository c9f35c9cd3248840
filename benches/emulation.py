"""TCP of Linux over the emulated air beside our TCP over the simulated one: `chain`, 1 to 7 hops, one bulk transfer.

    sudo -E python benches/emulation.py   # reno, cubic and bbr, 1 to 7 hops, two each: 12 minutes
    sudo -E python benches/emulation.py 1,3 reno --runs 1 --seconds 5

The table goes to standard output. Our TCP is set up as Linux has it, as far as it has a key for that; it has no BBR.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

from multihop.emulating.commands import Command, served
from multihop.emulating.emulate import Wish, emulate
from multihop.running.run import Task, execute
from multihop.scenario.scenario import load
from multihop.store.store import Store

TRANSFER = Path(__file__).parents[1] / "tests" / "transfer.py"
AS_LINUX = (
    "tcp.loss=sack",
    "tcp.initial-window=10",
    "tcp.max-window=1000",
    "tcp.initial-ssthresh=1000",
    "tcp.segment=1460 B",
    "tcp.min-rto=200 ms",
    "tcp.initial-rto=1 s",
    "tcp.tick=1 ms",
    "tcp.handshake=syn",
    "tcp.ack-every=2",
    "tcp.ack-delay=40 ms",
)
"""Initial window of RFC 6928, first slow start until a loss, delayed ACKs of 40 ms, least timeout of 200 ms.

Segments of 1460 B and 40 B of headers are as long on the air as those of Linux: 1448 B, 40 B, and 12 B for timestamps.
"""
WINDOWS = {"reno": "newreno", "cubic": "cubic"}
"""What our TCP calls the congestion control of Linux."""
SIMULATED = 10
"""Simulated runs of each row."""


def emulated(hops: int, control: str, seconds: float, store: Store) -> dict[str, Any]:
    """One emulation: the flow's figures and the lag."""
    words = (sys.executable, str(TRANSFER), "send", f"{{node:{hops}}}", "5000", f"{seconds:g}", control)
    commands = [*served([f"{hops}: {sys.executable} {TRANSFER} receive 5000"]), Command("0", words)]
    done = emulate(Wish(load("chain"), commands, sets=(f"topology.hops={hops}",)), store, output=sys.stderr)
    run = done.records[0].data
    flow = run["flows"][0]
    # Programs start and end in the time of the emulation as well: over the time of sending it is as in a simulation.
    return {**flow, "goodput_bps": flow["goodput_bps"] * run["sim_s"] / seconds, **done.said}


def simulated(hops: int, control: str, seconds: float, store: Store) -> list[dict[str, Any]]:
    """Our TCP on the same scenario for as long; nothing where it has no such congestion control."""
    if control not in WINDOWS:
        return []
    time = (f"run.duration={seconds:g} s", "measure.warm-up=0 s", "flow.1.start=0 s")
    sets = (f"topology.hops={hops}", f"tcp.window={WINDOWS[control]}", *time, *AS_LINUX)
    [records] = execute([Task(load("chain"), (), sets, None, range(1, SIMULATED + 1))], store=store)
    return [record.data["flows"][0] for record in records]


def row(hops: int, control: str, real: list[dict[str, Any]], ours: list[dict[str, Any]]) -> str:
    """A line of the table."""

    def of(flows: list[dict[str, Any]], name: str, scale: float = 1.0) -> str:
        return f"{scale * mean(float(flow[name] or 0.0) for flow in flows):.0f}" if flows else "–"

    cells = [str(hops), control]
    for name, scale in (("goodput_bps", 1e-3), ("retransmissions", 1.0), ("timeouts", 1.0), ("rtt_mean_s", 1e3)):
        cells += [of(real, name, scale), of(ours, name, scale)]
    cells.append(f"{max(flow['lag_p99_us'] for flow in real):.0f}")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("hops", nargs="?", default="1,2,3,4,5,6,7")
    parser.add_argument("controls", nargs="?", default="reno,cubic,bbr")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=15.0)
    asked = parser.parse_args()
    print("| hops | | goodput kbit/s | ours | retransmissions | ours | timeouts | ours | RTT ms | ours | lag p99 us |")
    print("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(folder)
        for control in asked.controls.split(","):
            for hops in map(int, asked.hops.split(",")):
                real = [emulated(hops, control, asked.seconds, store) for _ in range(asked.runs)]
                print(row(hops, control, real, simulated(hops, control, asked.seconds, store)), flush=True)


if __name__ == "__main__":
    main()
