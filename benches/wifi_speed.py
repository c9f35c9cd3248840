"""Speed beside ns-3 over today's Wi-Fi: frames of many packets, over a chain and among stations that contend.

    python benches/wifi_speed.py [--rounds N] [--times N] [--json FILE] [--record]

802.11n at MCS 7 and 20 MHz, one stream, block ack requests after missing block acks, as ns-3 has them. One NewReno
transfer over four hops, with a window of 8 segments and without a bound, and twenty saturated senders in reach of each
other. Rounds are interleaved, each with a seed of its own. Each runs a few times and the fastest counts, since other
work on the machine only adds time; medians over the rounds are shown. A twin of one simulated second is taken off times
and counts: start-up, agreements and the first windows. Goodput, frames and MPDUs per simulated second stand beside the
times: a ratio means little unless they are alike. Without ns-3 there is nothing to compare, and one line says how to
get it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from peers import BENCHES, TARGET, MissingError, build_engine, ns3_build, output_of
from side_by_side import machine

RECORD = BENCHES / "WIFI.md"
COMMON = """
profile = "ns3-wifi"
measure = { warm-up = "0 s", sample = "0 s" }
mac = { standard = "802.11n", mcs = 7 }
"""
CHAIN = (
    COMMON
    + """
topology = { kind = "chain", hops = 4, spacing = "200 m" }
air = { ofdm-errors = "nist" }
queue = { limit = 100 }
tcp = { window = "newreno", max-window = WINDOW, min-rto = "0.2 s", ack-every = 1 }
flow = [{ kind = "bulk", from = "0", to = "4" }]
"""
)
STATIONS = (
    COMMON
    + """
topology = { kind = "star", leaves = 20, radius = "100 m" }
queue = { limit = 300 }
[air]
ofdm-errors = "nist"
propagation-delay = "0 us"
propagation = "disk"
range = "250 m"
sense-range = "250 m"
interference-range = "250 m"
receive-threshold = "-50 dBm"
sense-threshold = "-50 dBm"
"""
    + "".join(
        f'[[flow]]\nkind = "cbr"\nfrom = "{station}"\nto = "0"\nrate = "9.75 Mbps"\npacket = "1472 B"\n'
        for station in range(1, 21)
    )
)
WARM_UP = 1.0
"""Simulated seconds of the twin."""


@dataclass(frozen=True)
class Network:
    """What both simulate."""

    name: str
    scenario: str
    options: tuple[str, ...]
    """Of the driver for ns-3."""


NETWORKS = (
    *(
        Network(f"TCP over four hops, {name}", CHAIN.replace("WINDOW", window), ("--hops=4", f"--window={window}"))
        for name, window in (("window 8", "8"), ("window unbounded", "4000"))
    ),
    Network("twenty stations contend", STATIONS, ("--stations=20",)),
)


@dataclass
class Cell:
    """What was measured of one simulator on one network."""

    simulator: str
    seconds: float
    command: Callable[[float, int], list[str]]
    cpu_s: list[float] = field(default_factory=list)
    counts: list[dict[str, float]] = field(default_factory=list)

    def measure(self, seed: int, times: int) -> None:
        """One round: a run and its twin, the fastest of so many."""
        before, start = fastest(self.command(WARM_UP, seed), times)
        text, cpu = fastest(self.command(WARM_UP + self.seconds, seed), times)
        self.cpu_s.append((cpu - start) / self.seconds)
        first = counts(before)
        self.counts.append({key: (value - first[key]) / self.seconds for key, value in counts(text).items()})

    def mean(self, what: str) -> float:
        """A count per simulated second, over the rounds."""
        return statistics.fmean(count[what] for count in self.counts)

    @property
    def cpu(self) -> float:
        """CPU seconds per simulated second."""
        return statistics.median(self.cpu_s)

    def values(self) -> dict[str, object]:
        """For `--json`."""
        rates = {f"{what}_per_s": self.mean(what) for what in ("kbit", "frames", "mpdus")}
        return {"simulator": self.simulator, "seconds": self.seconds, "cpu_s_per_simulated_s": self.cpu_s, **rates}


def fastest(command: list[str], times: int) -> tuple[str, float]:
    """What a command prints each time, and the least CPU time [s] of so many runs."""
    return min((output_of(command) for _ in range(times)), key=lambda run: run[1])


def counts(text: str) -> dict[str, float]:
    """Payload [kbit], data frames and their MPDUs of a run, from our JSON document or ns-3's lines of `key value`."""
    if text.startswith("{"):
        run = json.loads(text)
        return {
            "kbit": sum(flow["delivered_bytes"] for flow in run["flows"]) * 8 / 1000,
            "frames": sum(node["frames"]["data"] for node in run["nodes"]),
            "mpdus": run["counters"]["mac.mpdus"],
        }
    found = {key: float(value) for key, _, value in (line.partition(" ") for line in text.splitlines())}
    return {what: found[what] for what in ("kbit", "frames", "mpdus")}


def ours(scenario: Path) -> Callable[[float, int], list[str]]:
    """The Rust engine alone, built as the wheels are."""
    binary = TARGET / "dist" / "examples" / "bench_chain"
    return lambda seconds, seed: [str(binary), str(scenario), str(seconds), str(seed)]


def table(cells: dict[str, list[Cell]]) -> str:
    """Markdown: one line a simulator and network."""
    lines = [
        "| network | simulator | goodput Mbit/s | frames/s | MPDUs/s | CPU per simulated s | times ours | per MPDU |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, pair in cells.items():
        for cell in pair:
            times = f"{cell.cpu / pair[0].cpu:.0f}" if cell is not pair[0] else ""
            lines.append(
                f"| {name} | {cell.simulator} | {cell.mean('kbit') / 1000:.1f} | {cell.mean('frames'):.0f} "
                f"| {cell.mean('mpdus'):.0f} | {cell.cpu * 1e3:.2f} ms | {times} "
                f"| {cell.cpu / cell.mean('mpdus') * 1e9:,.0f} ns |"
            )
    return "\n".join(lines)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds, each with a seed of its own (3)")
    parser.add_argument("--times", type=int, default=3, help="runs of each round, of which the fastest counts (3)")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--record", action="store_true", help=f"write the table to benches/{RECORD.name}")
    options = parser.parse_args()
    try:
        driver = str(ns3_build("wifi"))
    except MissingError as missing:
        print(f"left out: {missing}", file=sys.stderr)
        return 0
    build_engine()
    with tempfile.TemporaryDirectory() as folder:
        cells = {}
        for number, network in enumerate(NETWORKS):
            file = Path(folder) / f"{number}.toml"
            file.write_text(network.scenario, encoding="utf-8")
            theirs = [driver, *network.options]
            cells[network.name] = [
                Cell("multihop engine", 100.0, ours(file)),
                Cell("ns-3", 20.0, lambda seconds, seed, at=theirs: [*at, f"--seconds={seconds}", f"--seed={seed}"]),
            ]
        for seed in range(1, options.rounds + 1):
            for pair in cells.values():
                for cell in pair:
                    cell.measure(seed, options.times)
    rounds = f"{options.rounds} rounds, each the fastest of {options.times}, medians"
    head = f"{datetime.date.today():%Y-%m}; {machine()}; {rounds}; the first second removed"
    print(f"{head}\n\n{table(cells)}")
    if options.json:
        rows = {name: [cell.values() for cell in pair] for name, pair in cells.items()}
        options.json.write_text(json.dumps({"measured": head, "networks": rows}, indent=2) + "\n", encoding="utf-8")
    if options.record:
        note = "Written by `python benches/wifi_speed.py --record`; what is compared is said at its head."
        RECORD.write_text(f"# Speed over today's Wi-Fi\n\n{note}\n\n{head}.\n\n{table(cells)}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
