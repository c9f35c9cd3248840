"""Measure the ns-3 side of the validation: run the cases of `ns3-cases.toml`, write one CSV row per run.

    NS3_DIR=.../ns3 python studies/validation/ns3_measure.py static     # -> studies/validation/ns3-static.csv

A suite is a table of `ns3-cases.toml`; each of its cases is a list of parameters of `benches/ns3/chain.cc`,
crossed with `hops` and `seeds`. Needs the PyPI package `ns3` 3.44 (its C++ headers and libraries: unzip the wheel,
name the folder in NS3_DIR) and g++. A run of 100 s costs 5 to 12 s of CPU time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

from ns2_measure import case_runs, complete

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "benches"))
START, STOP = 100.0, 200.0
COUNTS = ("rts", "cts", "cts_heard", "given_up", "sent", "retransmissions")


def one_run(program: str, run: dict[str, str]) -> dict[str, object]:
    """Run ns-3 once; its figures as a CSV row."""
    options = {"routing": "static", "start": START, "stop": STOP} | {k: v for k, v in run.items() if k != "case"}
    command = [program, *(f"--{key}={value}" for key, value in options.items())]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    flows, values = [], {}
    for line in output.splitlines():
        key, _, value = line.rpartition(" ")
        if key.startswith("flow "):
            flows.append(float(value))
        else:
            values[key] = int(value)
    return {
        **{key: run[key] for key in ("case", "hops", "seed")},
        "goodput_kbps": round(sum(flows), 3),
        "flow_goodputs_kbps": " ".join(f"{value:.3f}" for value in flows),
        "frames_per_s": round(values["frames"] / (STOP - START), 3),
        **{key: values[key] for key in COUNTS},
    }


def measure(name: str, program: str, jobs: int, head: str, again: list[str]) -> None:
    """A suite of `ns3-cases.toml`."""
    suite = tomllib.loads((HERE / "ns3-cases.toml").read_text(encoding="utf-8"))[name]
    about = suite.pop("about")
    complete(
        HERE / f"ns3-{name}.csv",
        f"# {about}\n# {head}\n",
        list(case_runs(suite)),
        partial(one_run, program),
        jobs,
        again,
    )


def main() -> int:
    """Command line."""
    from peers import MissingError, ns3_command  # beside this file only through the path above

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="+", help="suites of ns3-cases.toml to run")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default 1)")
    parser.add_argument("--again", action="append", default=[], metavar="CASE", help="measure this case anew")
    parser.add_argument("--measured", default="", help="a line for the head of the CSV: date, package version")
    options = parser.parse_args()
    try:
        program = ns3_command(1, 0, 1)[0]
    except MissingError as missing:
        parser.error(str(missing))
    for name in options.suite:
        measure(name, program, options.jobs, options.measured, options.again)
    return 0


if __name__ == "__main__":
    sys.exit(main())
