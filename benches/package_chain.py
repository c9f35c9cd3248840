"""Child of side_by_side.py: one bulk transfer over a chain through the installed package.

python package_chain.py HOPS SECONDS SEED
"""

from __future__ import annotations

import sys

from multihop import _engine

SCENARIO = """
profile = "ns2"
run = {{ duration = "{seconds} s", seed = {seed} }}
measure = {{ sample = "0 s" }}
topology = {{ kind = "chain", hops = {hops}, spacing = "200 m" }}
routing = {{ kind = "static" }}
[[flow]]
kind = "bulk"
from = "0"
to = "{hops}"
"""


def main() -> None:
    """Run it and print the run's JSON document."""
    hops, seconds, seed = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    text = SCENARIO.format(hops=hops, seconds=f"{seconds:g}", seed=seed)
    batch = _engine.start([(_engine.resolve(text, "chain", [], []), 1, None)], 1)
    while not batch.finished:  # it is, once its last run has been taken
        batch.wait(60.0)
        for _, run in batch.take():
            print(run.json)


if __name__ == "__main__":
    main()
