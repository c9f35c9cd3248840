"""How large an emulation may be: 100 nodes with 33 flows in real time, and 50 000 packets a second through the process.

    sudo -E python benches/emulation_scale.py             # both: 1 minute
    sudo -E python benches/emulation_scale.py flows --rows 5 --seconds 5
    sudo -E python benches/emulation_scale.py packets --rate 20000

`flows`: rows of three nodes that do not hear each other, and a TCP transfer of Linux over each; one node more: 100.
`packets`: datagrams of 64 bytes from one node to another over a wire, so that the radio does not limit them.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from multihop.emulating.commands import Command, served
from multihop.emulating.emulate import Wish, emulate
from multihop.scenario.scenario import load
from multihop.store.store import Store

TRANSFER = [sys.executable, str(Path(__file__).parents[1] / "tests" / "transfer.py")]
FLOWS = """
summary = "Rows of three nodes, each with a flow over two hops"
flow = [{flows}]

[run]
duration = "600 s"

[topology]
kind = "explicit"
node = [{nodes}]
"""
WIRE = """
summary = "Two nodes at the ends of a wire"

[run]
duration = "600 s"

[topology]
kind = "explicit"
node = [{ name = "0", x = "0 m" }, { name = "1", x = "10 km" }]

[[wire]]
from = "0"
to = "1"
rate = "1 Gbps"
delay = "1 ms"
queue = 10000

[[flow]]
kind = "cbr"
from = "0"
to = "1"
rate = "8 kbps"
packet = "36 B"
"""


def processor_s() -> float:
    """Time of the processor that this process has used, the thread of the network included [s]."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def emulated(text: str, commands: Sequence[Command], folder: Path) -> tuple[dict[str, Any], str, float]:
    """Figures of a run, what its programs said, and how much of a processor the network took."""
    file = folder / "scale.toml"
    file.write_text(text, encoding="utf-8")
    before = processor_s()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        done = emulate(Wish(load(str(file)), commands), Store.open(folder / "store"), output=output)
        output.seek(0)
        said = output.read()
    run = done.records[0].data
    return run, said, (processor_s() - before) / run["sim_s"]


def lag(run: dict[str, Any]) -> str:
    """How late the events were."""
    said = run["emulation"]
    valid = "valid" if said["valid"] else "not valid"
    late = f"lag p50 {said['lag_p50_us']:.0f} us, p99 {said['lag_p99_us']:.0f} us, longest {said['lag_max_us']:.0f} us"
    return f"{late}, {valid}; load of the machine {os.getloadavg()[0]:.1f}"


def flows(rows: int, seconds: float, folder: Path) -> str:
    """So many rows of three nodes and one node more."""
    places = [f'{{ name = "{row}{end}", x = "{at} m", y = "{row} km" }}' for row in range(rows) for end, at in ENDS]
    places.append(f'{{ name = "alone", x = "0 m", y = "{rows} km" }}')
    ends = [f'{{ from = "{row}a", to = "{row}c" }}' for row in range(rows)]
    text = FLOWS.format(nodes=", ".join(places), flows=", ".join(ends))
    commands = served([f"{row}c: {' '.join(TRANSFER)} receive 5000" for row in range(rows)])
    for row in range(rows):
        words = (*TRANSFER, "send", f"{{node:{row}c}}", "5000", f"{seconds:g}", "reno")
        commands.append(Command(f"{row}a", words, start_s=rows * 0.15))  # once the servers are there
    run, _, processor = emulated(text, commands, folder)
    kbps = [flow["goodput_bps"] * run["sim_s"] / seconds / 1e3 for flow in run["flows"]]
    return (
        f"{len(places)} nodes, {rows} flows, {run['sim_s']:.1f} s: goodput median {median(kbps):.0f} kbit/s, least "
        f"{min(kbps):.0f}, most {max(kbps):.0f}; {run['emulation']['events'] / run['sim_s']:.0f} events a second, "
        f"{100 * processor:.0f} % of a processor; {lag(run)}"
    )


SENDERS = 2
"""Programs that send the datagrams: one alone may be too slow."""
ENDS = (("a", 0), ("b", 200), ("c", 400))
"""The nodes of a row and their places [m]."""


def packets(rate: float, seconds: float, folder: Path) -> str:
    """So many datagrams a second over a wire."""
    commands = served([f"1: {' '.join(TRANSFER)} drain 5000"])
    words = (*TRANSFER, "flood", "{node:1}", "5000", f"{rate / SENDERS:g}", f"{seconds:g}")
    commands += [Command("0", words, start_s=1.0)] * SENDERS
    run, said, processor = emulated(WIRE, commands, folder)
    floods = re.findall(r"flooded ([0-9]+) in ([0-9.]+)", said)
    sent, took = sum(int(number) for number, _ in floods), max(float(seconds) for _, seconds in floods)
    drained = sum(map(int, re.findall(r"drained ([0-9]+)", said)))
    counts = run["emulation"]
    return (
        f"{sent / took:.0f} packets a second: {sent} sent, {counts['read']} read by the process, "
        f"{counts['written']} written, {drained} received; {100 * processor * run['sim_s'] / took:.0f} % of a "
        f"processor; {lag(run)}"
    )


def main() -> None:
    """Prints a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="?", choices=["flows", "packets", "both"], default="both")
    parser.add_argument("--rows", type=int, default=33)
    parser.add_argument("--rate", type=float, default=50_000.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.what != "packets":
            print(flows(asked.rows, asked.seconds, Path(folder)), flush=True)
        if asked.what != "flows":
            print(packets(asked.rate, asked.seconds, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
