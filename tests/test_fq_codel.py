"""FQ-CoDel over a wire: shares of flows, and what a flow that sends little waits."""

from __future__ import annotations

from typing import Any

import pytest

import multihop


def shared(delays: list[str], technique: str, window: str = "newreno", **more: Any) -> Any:
    """One transfer for each delay, all through one wire of 10 Mb/s and 1 ms; the flows' figures from 10 s on."""
    gate, far = str(len(delays)), str(len(delays) + 1)
    ways = [
        {"from": str(n), "to": gate, "rate": "100 Mbps", "delay": delay, "queue": 1000}
        for n, delay in enumerate(delays)
    ]
    bulk = [{"kind": "bulk", "from": str(n), "to": far, "start": f"{20 * n} ms"} for n in range(len(delays))]
    network = {
        "profile": "rfc",
        "run": {"duration": "60 s"},
        "measure": {"warm-up": "10 s"},
        "topology": {"kind": "chain", "hops": int(far), "spacing": "10 km"},
        "wire": [*ways, {"from": gate, "to": far, "rate": "10 Mbps", "delay": "1 ms", "queue": 1000}],
        "tcp": {"window": window, "loss": "sack", "max-window": 2000, "byte-counting": 2},
        "flow": [*bulk, *more.get("flow", [])],
    }
    return multihop.load(network).run(runs=1, techniques=technique).flows


def jain(goodputs: Any) -> float:
    """Jain's index."""
    return float(sum(goodputs) ** 2 / (len(goodputs) * sum(one**2 for one in goodputs)))


@pytest.mark.parametrize("window", ["newreno", "cubic"])
def test_equal_flows_have_equal_shares(window: str) -> None:
    flows = shared(["49 ms"] * 4, "fq-codel:5ms", window)
    assert jain(flows["goodput_bps"]) >= 0.99
    assert sum(flows["goodput_bps"]) > 8e6


def test_a_long_way_takes_little_of_a_share() -> None:
    """Round trips of 20 and 200 ms. Without it the near flow takes most."""
    delays = ["9 ms", "99 ms"]
    assert jain(shared(delays, "fq-codel:5ms", "cubic")["goodput_bps"]) >= 0.95
    assert jain(shared(delays, "queue:100", "newreno")["goodput_bps"]) < 0.8


def test_a_flow_that_sends_little_waits_for_the_packet_on_the_wire_alone() -> None:
    """64 kb/s beside four transfers. Behind CoDel alone it waits for what waits."""
    stream = {"kind": "cbr", "from": "4", "to": "5", "packet": "200 B", "rate": "64 kbps", "start": "5 s"}
    delays = {
        technique: float(shared(["49 ms"] * 4, technique, flow=[stream])["delay_p95_s"].iloc[-1])
        for technique in ("fq-codel:5ms", "codel:5ms")
    }
    assert 0.001 < delays["fq-codel:5ms"] < 0.001 + 2 * 1540 * 8 / 10e6
    assert delays["codel:5ms"] > 0.010


def test_over_seven_hops_it_takes_the_queues_of_tcp_from_a_stream() -> None:
    """FIFO queues of 50 packets and FQ-CoDel with the values of Wi-Fi, at each node of a chain."""
    network = {
        "run": {"duration": "100 s"},
        "measure": {"warm-up": "20 s"},
        "topology": {"kind": "chain", "hops": 7, "spacing": "200 m"},
        "tcp": {"max-window": 64, "initial-ssthresh": 64},
        "flow": [
            {"kind": "bulk", "from": "0", "to": "7"},
            {"kind": "cbr", "from": "0", "to": "7", "packet": "100 B", "rate": "4 kbps", "transport": "udp"},
        ],
    }
    found = {one: multihop.load(network).run(runs=3, techniques=one).flows for one in ("fifo", "fq-codel")}
    mean = {one: flows.groupby("flow").mean(numeric_only=True) for one, flows in found.items()}
    fifo, fair = mean["fifo"], mean["fq-codel"]
    assert fair["delay_mean_s"].iloc[1] < 0.8 * fifo["delay_mean_s"].iloc[1]
    assert fair["goodput_bps"].iloc[0] > 0.85 * fifo["goodput_bps"].iloc[0]
