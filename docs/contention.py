"""Writes docs/results/contention.md: what techniques against contention do in four networks, measured here and now.

    python docs/contention.py            run what is not in the store, and write the page
    python docs/contention.py --runs 2   with fewer runs

Figures are means over the runs, paired by seed. Nothing on the page is typed but its words.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import multihop
from multihop import _engine
from multihop.measures.summary import causes, value
from multihop.record.comparison import Comparison, Row

PAGE = Path(__file__).parent / "results" / "contention.md"
TECHNIQUES = [
    "none", "placebo", "tcp-dcr", "e-dcr", "dcr-double-retry", "adaptive-retry", "k-sack", "adtcp", "delayed-ack",
    "delayed-ack:3", "delayed-ack:4", "dynamic-delayed-ack", "small-window", "small-segment", "vertical-flow-control",
    "horizontal-flow-control", "no-cts", "link-red", "link-red:ecn=true", "adaptive-pacing", "atcp", "modified-atcp",
    "snoop", "eln", "snoop-eln", "i-tcp", "split-tcp", "atp",
]  # fmt: skip
"""In the order of the page; what is not shipped is left out."""
NETWORKS = {
    "chain": "one flow over seven hops, 200 s",
    "cross-8": "two flows of eight hops that cross, 180 s",
    "random": "five flows in a mesh of 30 nodes on a square kilometre, 180 s",
    "ham7": "one flow over the six hops of the contention paper's chain, here with DSR, 300 s",
}
SETTINGS = {"ham7": {"routing.kind": "dsr"}}
"""What is set beside a network's own file."""
HEAD = """\
# Techniques against contention

<!-- Written by docs/contention.py: do not edit. -->

Over several hops of one channel, packets die in the MAC's retry limits far more often than in full queues (see [Where
packets went](../guide/explain.md)). Here is what becomes of four networks under each technique that was made against
it, alone: means of {runs} runs each, paired by seed. A change is in **bold** where its 95 % interval excludes zero
and it is at least 1 %. The placebo changes nothing but random draws, and makes smaller changes too. Energy is all
nodes' together, by an ORiNOCO card's data sheet, in which listening costs two thirds of sending: a network that
delivers more in the same time needs about the same, and less for each megabit. *Given up* are packets that the MAC
lost to contention, *no room* those that found a queue full. A row that is the baseline's to the last digit is of a
technique that never acted: no queue overflows here, so flow control has nothing to do (it has in `seok5`).

With DSR a station that contends is taken for one that is gone: where the MAC gives up less, routes stay.
Both kinds of ATCP take every loss for one of the radio unless a packet was marked: they never yield to contention.

Each table is what `multihop compare NAME -t none,placebo,…` says in full, with intervals; `multihop list techniques`
says what each one is. What the proposal of the contention paper makes of its own network is in
[`multihop reproduce hamadani`](../guide/reproduce.md).
"""
COLUMNS = ["technique", "goodput kbit/s", "change", "Jain", "delay ms", "energy J", "J/Mbit", "given up", "no room"]


def compared(network: str, runs: int) -> Comparison:
    """One network under all techniques that are shipped."""
    known = _engine.shipped("techniques")
    lists = [name for name in TECHNIQUES if name.split(":")[0] in known]
    return multihop.load(network).compare(lists, runs=runs, set=SETTINGS.get(network, {}))


def table(comparison: Comparison) -> list[str]:
    """One network's table, a row for each technique."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" + "|---:" * (len(COLUMNS) - 1) + "|"]
    several = len(comparison.baseline.runs[0]["flows"]) > 1
    for arm in comparison.arms:
        row = comparison.row(arm, "goodput_bps")

        def mean(figure: str, scale: float = 1.0, arm: multihop.Records = arm) -> float:
            found = [value(run, figure) for run in arm.runs]
            return sum(found) / len(found) / scale

        def lost(begin: str, arm: multihop.Records = arm) -> float:
            counts = [n for run in arm.runs for cause, n in causes(run).items() if cause.startswith(begin)]
            return sum(counts) / len(arm.runs)

        cells = [
            f"`{arm.label}`",
            f"{mean('goodput_bps', 1e3):.1f}",
            "" if arm is comparison.baseline else change(row),
            f"{mean('jain'):.2f}" if several else "",
            f"{mean('delay_mean_s', 1e-3):.0f}",
            f"{mean('energy_j'):.0f}",
            f"{mean('energy_per_bit_j', 1e-6):.1f}",
            f"{lost('contention'):.0f}",
            f"{lost('queue full'):.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def change(row: Row) -> str:
    """`**+9.4 %**` where it is settled and matters."""
    if row.relative is None:
        return ""
    words = f"{100 * row.relative.mean:+.1f} %"
    return f"**{words}**" if row.pair.verdict in ("higher", "lower") and row.matters else words


def page(runs: int) -> str:
    """The whole page."""
    parts = [HEAD.format(runs=runs)]
    for network, what in NETWORKS.items():
        began = time.monotonic()
        comparison = compared(network, runs)
        sys.stderr.write(f"{network}: {time.monotonic() - began:.0f} s\n")
        name = f"[`{network}`](../reference/scenarios.md#{network})"
        parts += [f"## {network}\n", f"{name}: {what}.\n", "\n".join(table(comparison)) + "\n"]
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="runs of each technique (10)")
    options = parser.parse_args(arguments)
    PAGE.write_text(page(options.runs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
