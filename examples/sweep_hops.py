"""Sweep the length of the path: what does each further hop cost, and what does a small window give back?"""

import multihop
from multihop.measures.stats import estimate

scenario = multihop.load("chain")
print("hops   window 40   window 4     MAC frames/s at window 40")
for hops in (1, 2, 3, 5, 7):
    path = {"topology.hops": hops, "flow.1.to": str(hops), "run.duration": "180 s"}
    cells = []
    for techniques in ([], ["small-window:4"]):
        records = scenario.run(runs=4, techniques=techniques, set=path)
        goodput = estimate(records.values("goodput_bps") / 1e3)
        cells.append(f"{goodput.mean:6.0f} ± {goodput.half:<3.0f}")
        if not techniques:
            frames = estimate(run["frames"] / 80 for run in records.runs)  # the transfer begins at 100 s
    print(f"{hops:4}  {'  '.join(cells)}  {frames.mean:8.0f}")
