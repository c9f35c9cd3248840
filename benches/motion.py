"""Speed beside ns-2 over moving nodes: the same motion file, the same flows, AODV, CPU time.

    python benches/motion.py [FILE.tcl]... [--rounds N]

Without files: 50 nodes with ten flows, and 200 nodes with twenty, 200 s each. Goodput and MAC frames per second are
counted from 10 s on, so that the work can be compared; CPU time is that of the whole process, start-up included, which
is little here. Rounds are interleaved, medians are shown.

ns-2 runs without a trace, and with those of MAC and router into /dev/null: only they say how many frames it sent and
why packets died, both of which multihop always counts. Reading them costs more.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from peers import BENCHES, ROOT, MissingError, Outcome, build_engine, engine_command, run

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
    commands = {
        "multihop": [*engine_command(str(file), SECONDS, seed), f"measure.warm-up={FROM} s"],
        "ns-2": ns2_command(file, seed),
        "ns-2, traced": ns2_command(file, seed, "trace", "/dev/null"),
    }
    outcomes: dict[str, list[Outcome]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            outcomes[name].append(run(command))
    ours = outcomes["multihop"][0].values["frames"] / (SECONDS - FROM)
    theirs = ns2_frames(file, seed)
    frames = {"multihop": ours, "ns-2": theirs, "ns-2, traced": theirs}
    costs = {name: statistics.median(outcome.cpu_s for outcome in of) for name, of in outcomes.items()}
    print(f"{file.stem}: goodput kbit/s, frames/s, CPU s")
    for name, cost in costs.items():
        goodput = outcomes[name][0].values["goodput_kbps"]
        per_frame = (cost / frames[name]) / (costs["multihop"] / ours)
        times = f"  {cost / costs['multihop']:.1f} times, {per_frame:.1f} times a frame" if name != "multihop" else ""
        print(f"  {name:12} {goodput:7.0f} {frames[name]:7.0f} {cost:7.2f}{times}")


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
