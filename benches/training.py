"""Runs that a build guided by a profile learns from: each shipped scenario once, a few seconds in all.

    python benches/training.py

It runs them with the package of the Python that calls it. `make wheel` builds an engine that counts which way each
branch goes, calls this, and builds the engine again by those counts.
"""

from __future__ import annotations

from peers import shipped

import multihop

if __name__ == "__main__":
    for file in shipped():
        multihop.load(file).run(runs=1, fresh=True)
