"""Instructions that a packet costs more in a queue than in one that is first in, first out.

    python benches/queue_cost.py

One bulk transfer over one hop for 20 s. CoDel's target is 1000 s, so that it looks at each packet and drops none: the
packets, and so all else, are the same in every case. valgrind counts. What differs is divided by the packets that
entered an interface queue.
"""

from __future__ import annotations

import json
import subprocess
import sys

from peers import PEERS, MissingError, build_engine, valgrind_instructions

SECONDS = 20.0
FLOWS = ("queue.service=fq", "queue.class-by=flow")
CODEL = ("queue.aqm=codel", "queue.codel.target=1000 s", "queue.codel.interval=1000 s")
CASES: dict[str, tuple[str, ...]] = {
    "one queue a flow": FLOWS,
    "CoDel": CODEL,
    "FQ-CoDel": (*FLOWS, *CODEL, "queue.aqm-by=class", "queue.overflow=head-of-fattest"),
}
"""Settings of each case."""


def created(command: list[str]) -> tuple[str, int]:
    """The fingerprint of a run, and its packets."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    return document["fingerprint"], int(document["ledger"]["created"])


def main() -> int:
    """Command line."""
    try:
        build_engine()
        plain = PEERS[0].command(1, SECONDS, 1)
        usual = valgrind_instructions(plain)
    except MissingError as missing:
        print(f"instructions per packet are not counted: {missing}", file=sys.stderr)
        return 0
    fingerprint, packets = created(plain)
    print(f"first in, first out: {usual / packets:.0f} instructions a packet in all")
    for name, settings in CASES.items():
        command = [*plain, *settings]
        if created(command) != (fingerprint, packets):
            print(f"{name}: not the same packets", file=sys.stderr)
            return 1
        print(f"{name}: {(valgrind_instructions(command) - usual) / packets:.0f} more")
    return 0


if __name__ == "__main__":
    sys.exit(main())
