"""Compare two queues: one that drops what the MAC gives up, one that keeps it.

Run r has the same random streams under both, so the difference is taken run by run.
"""

import multihop

scenario = multihop.load("chain-lossy")
comparison = scenario.compare(["drr", "persistent-queue"], runs=6, set={"run.duration": "200 s"})

for figure, unit, scale in (("goodput_bps", "kbit/s", 1e3), ("delay_mean_s", "s", 1), ("dropped", "packets", 1)):
    row = comparison.row(comparison.arms[1], figure)
    mean, half = row.pair.difference.mean / scale, row.pair.difference.half / scale
    print(f"{figure}: {row.pair.verdict} by {mean:.1f} ± {half:.1f} {unit}")

print()
kept = [run["techniques"][0]["acted"] for run in comparison.arms[1].runs]
print(f"frames kept instead of dropped, run by run: {kept}")
