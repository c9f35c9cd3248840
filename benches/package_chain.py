"""Child of side_by_side.py and instructions.py: a scenario through the installed package.

python package_chain.py CASE SECONDS SEED

CASE is a number of hops, for one bulk transfer over a chain; `grid`, for 20 x 20 nodes with a transfer along every row
and every column; or the file of a scenario, which is measured from the start and without series.
"""

from __future__ import annotations

import sys
from pathlib import Path

from multihop import _engine

SIDE = 20
NS2 = """
profile = "ns2"
measure = { sample = "0 s" }
routing = { kind = "static" }
mac = { kind = "dcf", data-rate = "2 Mbps" }
tcp = { max-window = 40 }
"""


def flow(source: int, destination: int) -> str:
    """A bulk transfer."""
    return f'[[flow]]\nkind = "bulk"\nfrom = "{source}"\nto = "{destination}"\n'


def chain(hops: int) -> str:
    """One transfer from end to end."""
    return f'{NS2}topology = {{ kind = "chain", hops = {hops}, spacing = "200 m" }}\n{flow(0, hops)}'


def grid() -> str:
    """A transfer along every row and every column."""
    topology = f'{{ kind = "grid", columns = {SIDE}, rows = {SIDE}, spacing = "200 m" }}'
    rows = [flow(row * SIDE, row * SIDE + SIDE - 1) for row in range(SIDE)]
    columns = [flow(column, (SIDE - 1) * SIDE + column) for column in range(SIDE)]
    return f"{NS2}topology = {topology}\n{''.join(rows + columns)}"


def main() -> None:
    """Run it and print the run's JSON document."""
    case, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    sets = [f'run.duration="{seconds:g} s"', f"run.seed={seed}"]
    if case.endswith(".toml"):
        text = Path(case).read_text(encoding="utf-8")
        sets += ['measure.sample="0 s"', 'measure.warm-up="0 s"']
    else:
        text = grid() if case == "grid" else chain(int(case))
    batch = _engine.start([(_engine.resolve(text, "bench", [], sets), 1, None)], 1)
    while not batch.finished:  # it is, once its last run has been taken
        batch.wait(60.0)
        for _, run in batch.take():
            print(run.json)


if __name__ == "__main__":
    main()
