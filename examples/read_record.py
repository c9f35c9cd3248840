"""Read a record with pandas: the tables of a run, and its series over time."""

import multihop

records = multihop.load("chain-3hop").run(runs=3, set={"run.duration": "160 s", "air.bit-error-rate": 2e-5})

print("flows, one row a run:")
print(
    records.flows[["run", "goodput_bps", "retransmissions", "timeouts", "rtt_mean_s"]].round(3).to_string(index=False)
)

print("\nwhere packets died, all runs:")
drops = records.series("drops")
print(drops.groupby(["cause", "node"], observed=True).size().rename("packets").reset_index().to_string(index=False))

print("\nwhat TCP believed against what had happened:")
print(records.losses.groupby(["believed", "truth"])["n"].sum().reset_index().to_string(index=False))

print("\nthe congestion window of run 1:")
tcp = records[0].series("tcp")
tcp = tcp[tcp["time_s"] > 100]
print(tcp["snd_cwnd"].describe()[["min", "mean", "max"]].round(1).to_string())
