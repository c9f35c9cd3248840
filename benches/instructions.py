"""Instructions per frame of the engine, or per node and slot, held against the committed figures.

    python benches/instructions.py [--check] [--record CASE]...

Chains of 1, 3 and 7 hops with one bulk transfer, and a static grid of 20 x 20 nodes with 40 of them; per slot and node,
the slotted link over four hops: all slots counted, those in which nobody sends too, with TCP and all else above it.
The engine that is installed is counted, so nothing has to be built; a wheel's takes 6 to 9 % fewer, as it does not
check for overflow. valgrind counts, so that the figures depend neither on the day nor on what else runs; start-up is
counted by a twin of nearly no simulated time and taken off. `--check` fails if a case takes over 3 % more than
`instructions.json` says.
Another compiler makes other code: with another version of it the figures are shown and nothing fails.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys

from peers import BENCHES, ROOT, MissingError, package_command, run, valgrind_instructions

COMMITTED = BENCHES / "instructions.json"
TOLERANCE = 0.03
SECONDS = {"1": 100.0, "3": 100.0, "7": 100.0, "grid": 5.0, "frn-chain": 1000.0}
"""Simulated seconds of each case."""
NODE_SLOTS_A_SECOND = {"frn-chain": 5 * 100}
"""Nodes times slots, where that is counted: slots of 10 ms."""


def count(case: str) -> float:
    """Instructions per frame of one case, or per node and slot."""
    seconds = SECONDS[case]
    scenario = str(ROOT / "scenarios" / f"{case}.toml") if case in NODE_SLOTS_A_SECOND else case
    twin, whole = package_command(scenario, 0, 1), package_command(scenario, seconds, 1)
    if case in NODE_SLOTS_A_SECOND:
        units = NODE_SLOTS_A_SECOND[case] * seconds
    else:
        units = run(whole).values["frames"] - run(twin).values["frames"]
    return (valgrind_instructions(whole) - valgrind_instructions(twin)) / units


def named(case: str) -> str:
    """The case as a line of the output begins."""
    return case if not case.isdigit() else f"{case} hop{'s' if case != '1' else ''}"


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
        same = compiler() == committed["rustc"]
        counted = {case: count(case) for case in SECONDS}
    except MissingError as missing:
        print(f"instructions per frame are not counted: {missing}", file=sys.stderr)
        return 0
    figures, failed = committed["counts"], False
    for case, found in counted.items():
        change = found / figures[case] - 1 if case in figures else 0.0
        failed |= change > TOLERANCE
        unit = "node-slot" if case in NODE_SLOTS_A_SECOND else "frame"
        known = figures.get(case, found)
        print(f"{named(case):9} {found:7.0f} instructions a {unit}, {change:+6.1%} of {known:.0f}")
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
