"""Measure ns-2 over moving nodes: one CSV row per motion file, routing protocol and seed.

    python studies/validation/ns2_motion.py AODV --seeds 10      # -> studies/validation/ns2-motion-aodv.csv

Runs `benches/ns2/motion.tcl` over the files of `studies/validation/motion`: 50 nodes by random waypoint in
1500 m x 300 m, ten NewReno flows. All is counted from 10 s to 200 s. Routing messages are counted as nodes send them
(`own`) and pass them on (`passed`); drops by the layer and the reason of ns-2's trace and the kind of packet. Rows
that are there already are kept. Needs ns-2.35 (`apt install ns2`) and nothing but the standard library.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "benches" / "ns2" / "motion.tcl"
START, STOP = 10.0, 200.0
FILES = ("rwp50_101", "rwp50_102", "rwp50_103", "rwp50_104", "rwp50_105")
FRAMES = ("RTS", "CTS", "ACK", "tcp", "ack", "broadcast", "other")
MESSAGES = ("rreq_own", "rreq_passed", "rrep_own", "rrep_passed", "rerr_own", "rerr_passed")
AODV = {"REQUEST": "rreq", "REPLY": "rrep", "ERROR": "rerr"}
HOPS = re.compile(r"\[0x2 (\d+) ")
DSR = re.compile(r" (\d+) \[(\d+) \d+\] \[(\d+) [^\]]*\] \[(\d+) [^\]]*\]$")


class Counts:
    """What a trace says of one run."""

    def __init__(self) -> None:
        self.frames: Counter[str] = Counter()
        self.messages: Counter[str] = Counter()
        self.drops: Counter[str] = Counter()
        self.flows: dict[int, dict[str, float]] = {}

    def read(self, lines: Iterable[str]) -> Counts:
        """Take every line; returns itself."""
        for line in lines:
            kind = line[:2]
            if kind in ("s ", "f ", "D "):
                part = line.split(None, 10)
                if START <= float(part[1]) <= STOP:
                    self._packet(kind[0], part, line.rstrip())
            elif line.startswith("flow "):
                _, index, key, value = line.split()
                self.flows.setdefault(int(index), {})[key] = float(value)
        return self

    def _packet(self, kind: str, part: list[str], line: str) -> None:
        level, reason, what = part[3], part[4], part[6]
        if kind == "D":
            # Within the MAC only what was given up is a loss; collisions are tried again.
            if level != "MAC" or reason == "RET":
                self.drops[f"{level}-{reason}-{what}"] += 1
        elif level == "MAC":
            broadcast = part[9] == "ffffffff"
            name = what if what in FRAMES else "other"
            self.frames["broadcast" if broadcast else name] += 1
        elif level == "RTR" and what == "AODV":
            self._aodv(kind, line)
        elif level == "RTR" and what == "DSR":
            self._dsr(line)

    def _aodv(self, kind: str, line: str) -> None:
        name = AODV.get(line[line.rfind("(") + 1 : -1])
        if name is None:
            return
        hops = HOPS.search(line) if name == "rreq" else None
        passed = kind == "f" or (hops is not None and hops[1] != "1")
        self.messages[f"{name}_{'passed' if passed else 'own'}"] += 1

    def _dsr(self, line: str) -> None:
        found = DSR.search(line)
        if found is None:
            return
        own = "passed" if line[0] == "f" else "own"
        request, reply, error = (flag != "0" for flag in found.groups()[1:])
        # An error that rides on a request is no message of its own.
        for name, there in (("rreq", request), ("rrep", reply), ("rerr", error and not request)):
            self.messages[f"{name}_{own}"] += there


def one_run(motion: str, routing: str, seed: int) -> dict[str, object]:
    """The CSV row of one run; its trace is read while it is written."""
    files = HERE / "motion"
    command = [
        *("ns", str(SCRIPT), "motion", str(files / f"{motion}.tcl"), "flows", str(files / f"{motion}.flows")),
        *("routing", routing, "seed", str(seed), "trace", "-"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        counts = Counts().read(process.stdout or ())
    if process.returncode != 0:
        raise RuntimeError(f"ns-2 ended with status {process.returncode}: {' '.join(command)}")
    flows = [counts.flows[index] for index in sorted(counts.flows)]
    return {
        "motion": motion, "routing": routing, "seed": seed,
        "goodput_kbps": round(sum(flow["goodput_kbps"] for flow in flows), 3),
        "flow_goodputs_kbps": " ".join(f"{flow['goodput_kbps']:.3f}" for flow in flows),
        "frames_per_s": round(sum(counts.frames.values()) / (STOP - START), 3),
        **{f"frames_{name.lower() if name != 'ack' else 'tcp_ack'}": counts.frames[name] for name in FRAMES},
        **{name: counts.messages[name] for name in MESSAGES},
        "retransmissions": int(sum(flow["retransmissions"] for flow in flows)),
        "timeouts": int(sum(flow["timeouts"] for flow in flows)),
        "drops": " ".join(f"{key}:{n}" for key, n in sorted(counts.drops.items())),
    }  # fmt: skip


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("routing", choices=["AODV", "DSR"])
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    target = HERE / f"ns2-motion-{options.routing.lower()}.csv"
    rows: list[dict[str, object]] = []
    if target.exists():
        with target.open(newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    known = {(row["motion"], str(row["seed"])) for row in rows}
    # Seed by seed, so that every file has some rows early.
    for seed in range(1, options.seeds + 1):
        for motion in FILES:
            if (motion, str(seed)) in known:
                continue
            rows.append(one_run(motion, options.routing, seed))
            print(motion, seed, rows[-1]["goodput_kbps"], flush=True)
            rows.sort(key=lambda row: (str(row["motion"]), int(str(row["seed"]))))
            with target.open("w", newline="") as file:
                file.write(f"# ns-2.35, {options.routing}, random waypoint, written by ns2_motion.py; see there.\n")
                writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
