"""Instructions per frame of the engine, held against the committed figures.

    python benches/instructions.py [--check] [--record CASE]...

Chains of 1, 3 and 7 hops with one bulk transfer, and a static grid of 20 x 20 nodes with 40 of them. valgrind
counts, so that the figures depend neither on the day nor on what else runs; start-up is counted by a twin of nearly no
simulated time and taken off. `--check` fails if a case takes more than 3 % more than `instructions.json` says.
Another compiler makes other code: with another version of it the figures are shown and nothing fails.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys

from peers import BENCHES, PEERS, MissingError, build_engine, run, valgrind_instructions

COMMITTED = BENCHES / "instructions.json"
TOLERANCE = 0.03
SECONDS = {"1": 100.0, "3": 100.0, "7": 100.0, "grid": 5.0}
"""Simulated seconds of each case."""


def per_frame(case: str) -> float:
    """Instructions per frame of one case."""
    command = PEERS[0].command
    twin, whole = command(case, 0, 1), command(case, SECONDS[case], 1)
    frames = run(whole).values["frames"] - run(twin).values["frames"]
    return (valgrind_instructions(whole) - valgrind_instructions(twin)) / frames


def compiler() -> str:
    """The Rust compiler's version."""
    if not shutil.which("rustc"):
        raise MissingError("no Rust compiler is here")
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail beyond 3 %% of the committed figures")
    parser.add_argument("--record", action="append", default=[], choices=SECONDS, help="commit this case's figure")
    options = parser.parse_args()
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))
    try:
        build_engine()
        same = compiler() == committed["rustc"]
        counted = {case: per_frame(case) for case in SECONDS}
    except MissingError as missing:
        print(f"instructions per frame are not counted: {missing}", file=sys.stderr)
        return 0
    figures, failed = committed["per_frame"], False
    for case, count in counted.items():
        change = count / figures[case] - 1 if case in figures else 0.0
        failed |= change > TOLERANCE
        name = case if case == "grid" else f"{case} hop{'s' if case != '1' else ''}"
        print(f"{name:7} {count:7.0f} instructions a frame, {change:+6.1%} of {figures.get(case, count):.0f}")
    if options.record:
        figures |= {case: round(counted[case]) for case in options.record}
        COMMITTED.write_text(json.dumps(committed | {"rustc": compiler()}, indent=2) + "\n", encoding="utf-8")
    if not same:
        print(f"the committed figures are of {committed['rustc']}, these of {compiler()}: nothing is judged")
        return 0
    if failed and options.check:
        print(f"more than {TOLERANCE:.0%} above benches/instructions.json", file=sys.stderr)
    return int(failed and options.check)


if __name__ == "__main__":
    sys.exit(main())
