"""Speed beside ns-2 over moving nodes: the same motion file, the same flows, AODV, CPU time.

    python benches/motion.py [FILE.tcl]... [--rounds N]

Without files: 50 nodes with ten flows, and 200 nodes with twenty, 200 s each. Goodput and MAC frames per second are
counted from 10 s on, so that the work can be compared; CPU time is that of the whole process, start-up included, which
is little here. Rounds are interleaved, medians are shown.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from peers import BENCHES, ROOT, MissingError, build_engine, engine_command, run

FILES = (ROOT / "studies/validation/motion/rwp50_101.tcl", BENCHES / "motion/rwp200_101.tcl")
FIELDS = {50: (1500, 300), 200: (3000, 1200)}
"""Width and height \\[m\\] by the number of nodes."""
SECONDS, FROM = 200.0, 10.0


def ns2_command(file: Path, seed: int, *more: str) -> list[str]:
    """ns-2 over a motion file."""
    nodes = sum(" set X_ " in line for line in file.read_text().splitlines() if not line.startswith("$ns_"))
    width, height = FIELDS[nodes]
    options = {"motion": file, "flows": file.with_suffix(".flows"), "nodes": nodes, "width": width, "height": height}
    words = [str(word) for pair in options.items() for word in pair]
    return ["ns", str(BENCHES / "ns2" / "motion.tcl"), *words, "routing", "AODV", "seed", str(seed), *more]


def ns2_frames(file: Path, seed: int) -> float:
    """MAC frames per second, counted in the trace of a run of its own (same seed, same run)."""
    command = ns2_command(file, seed, "trace", "-")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        lines = child.stdout or ()
        sent = (line.split(" ", 2)[1] for line in lines if line[:2] == "s " and " MAC " in line)
        return sum(float(at) >= FROM for at in sent) / (SECONDS - FROM)


def compare(file: Path, rounds: int, seed: int) -> None:
    """Prints one line for each simulator."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(run([*engine_command(str(file), SECONDS, seed), f"measure.warm-up={FROM} s"]))
        theirs.append(run(ns2_command(file, seed)))
    frames = ours[0].values["frames"] / (SECONDS - FROM)
    print(f"{file.stem}: goodput kbit/s, frames/s, CPU s")
    costs = [statistics.median(outcome.cpu_s for outcome in outcomes) for outcomes in (ours, theirs)]
    print(f"  multihop  {ours[0].values['goodput_kbps']:7.0f} {frames:7.0f} {costs[0]:7.2f}")
    rate = ns2_frames(file, seed)
    print(f"  ns-2      {theirs[0].values['goodput_kbps']:7.0f} {rate:7.0f} {costs[1]:7.2f}", end="")
    per_frame = (costs[1] / rate) / (costs[0] / frames)
    print(f"  {costs[1] / costs[0]:.1f} times, {per_frame:.1f} times a frame")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=FILES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        build_engine()
        for file in options.files:
            compare(file, options.rounds, options.seed)
    except (MissingError, FileNotFoundError) as missing:
        print(f"not measured: {missing}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
