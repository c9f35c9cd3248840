"""Run a network of one's own: who gets what, and which node carries the load?"""

from pathlib import Path

import multihop

scenario = multihop.load(Path(__file__).with_name("village.toml"))

# Before anything runs: every value, and the layer that it came from.
resolved = scenario.resolve(set={"tcp.max-window": 8})
print(f"scenario {resolved.hash[:12]}")

records = scenario.run(runs=4)
for flow in ("far", "near"):
    goodput = records.values("goodput_bps", flow) / 1e3
    print(f"{flow}: {goodput.mean():.0f} kbit/s, from {goodput.min():.0f} to {goodput.max():.0f}")

print()
nodes = records.nodes.groupby("node", sort=False)[["frames_data", "rts_failures", "airtime_tx_s", "queue_mean"]].mean()
print(nodes.round(1).to_string())
