"""What a packet costs more in a queue than in one that is first in, first out: instructions and time.

    python benches/queue_cost.py [--rounds N]

One bulk transfer over one hop. CoDel's target is 1000 s, so that it looks at each packet and drops none: the packets,
and so all else, are the same in every case. What differs is divided by the packets that entered an interface queue.
valgrind counts the instructions of 20 s. Time is of 10,000 s, the fastest of a few interleaved rounds, since other work
on the machine only adds to it.
"""

from __future__ import annotations

import argparse
import json
import sys

from peers import PEERS, MissingError, build_engine, output_of, valgrind_instructions

COUNTED, TIMED = 20.0, 10_000.0
"""Simulated seconds."""
FLOWS = ("queue.service=fq", "queue.class-by=flow")
CODEL = ("queue.aqm=codel", "queue.codel.target=1000 s", "queue.codel.interval=1000 s")
CASES: dict[str, tuple[str, ...]] = {
    "first in, first out": (),
    "one queue a flow": FLOWS,
    "CoDel": CODEL,
    "FQ-CoDel": (*FLOWS, *CODEL, "queue.aqm-by=class", "queue.overflow=head-of-fattest"),
}
"""Settings of each case; the first is what the others are held against."""


def measured(seconds: float, name: str) -> tuple[str, float, float]:
    """The fingerprint of a run, its packets, and the CPU time [s] that it took."""
    text, cpu = output_of([*PEERS[0].command(1, seconds, 1), *CASES[name]])
    document = json.loads(text)
    return document["fingerprint"], float(document["ledger"]["created"]), cpu


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds of the timed runs (7)")
    options = parser.parse_args()
    try:
        build_engine()
        counted = {name: measured(COUNTED, name)[:2] for name in CASES}
        instructions = {
            name: valgrind_instructions([*PEERS[0].command(1, COUNTED, 1), *settings])
            for name, settings in CASES.items()
        }
    except MissingError as missing:
        print(f"the cost of a packet is not measured: {missing}", file=sys.stderr)
        return 0
    if len(set(counted.values())) > 1:
        print("not the same packets in every case", file=sys.stderr)
        return 1
    rounds = [{name: measured(TIMED, name) for name in CASES} for _ in range(options.rounds)]
    seconds = {name: min(each[name][2] for each in rounds) for name in CASES}
    usual = next(iter(CASES))
    (_, few), (_, many, _) = counted[usual], rounds[0][usual]
    whole = (instructions[usual] / few, seconds[usual] / many * 1e9)
    print(f"{usual}: {whole[0]:.0f} instructions and {whole[1]:.0f} ns a packet in all")
    for name in list(CASES)[1:]:
        more = (instructions[name] - instructions[usual]) / few
        longer = (seconds[name] - seconds[usual]) / many * 1e9
        print(f"{name}: {more:.0f} instructions and {longer:.0f} ns more")
    return 0


if __name__ == "__main__":
    sys.exit(main())
