"""Airtime fairness: a gateway with a fast and a slow neighbour, without it and with it."""

from __future__ import annotations

from typing import Any

import pytest

import multihop


def gateway(mac: dict[str, Any], slow: str, load: str) -> multihop.Scenario:
    """A node in the middle that sends streams to both sides, to the right at a slow rate."""
    stream = {"kind": "cbr", "from": "1", "packet": "1460 B", "rate": load, "transport": "udp"}
    network = {
        "run": {"duration": "20 s"},
        "measure": {"warm-up": "2 s"},
        "topology": {"kind": "chain", "hops": 2, "spacing": "50 m"},
        "mac": mac,
        "flow": [{**stream, "to": "0"}, {**stream, "to": "2", "start": "1234 us", "packet": "1459 B"}],
        "event": [{"at": "0 s", "kind": "rate", "from": "1", "to": "2", "rate": slow}],
    }
    return multihop.load(network)


def shares(network: multihop.Scenario, technique: str, runs: int = 1) -> list[float]:
    """Mean goodput of the fast and the slow stream [Mb/s]."""
    flows = network.run(runs=runs, techniques=technique).flows
    return [float(bps) / 1e6 for bps in flows.groupby("flow", sort=False)["goodput_bps"].mean()]


def test_the_fast_neighbour_gets_its_share_of_time_back() -> None:
    """11 and 1 Mb/s, no RTS: turns by packets give both what the slow one gets; turns by time as their frames take."""
    network = gateway({"data-rate": "11 Mbps", "rts-threshold": "3000 B"}, "1 Mbps", "8 Mbps")
    fast, slow = shares(network, "drr")
    assert fast == pytest.approx(slow, rel=0.02)
    fair_fast, fair_slow = shares(network, "airtime-fairness")
    # preamble, 1460 bytes with 64 of headers, SIFS, an Ack at 1 Mb/s [us]
    airtime = {rate: 192 + 1524 * 8 / rate + 10 + 304 for rate in (11, 1)}
    assert fair_fast / fair_slow == pytest.approx(airtime[1] / airtime[11], rel=0.03)
    assert fair_fast > 4 * fast


def test_it_changes_nothing_where_there_is_one_neighbour() -> None:
    """Next hops take turns: with one there is nothing to share."""
    network = multihop.load("udp-chain")
    settings = {"run.duration": "30 s", "queue.limit": 50}
    alone = network.run(runs=1, techniques="fq-codel", set=settings).flows["goodput_bps"]
    fair = network.run(runs=1, techniques="airtime-fairness", set=settings).flows["goodput_bps"]
    assert list(fair) == pytest.approx(list(alone), rel=0.02)


def access_point(load: dict[str, str], losses: dict[str, float]) -> multihop.Scenario:
    """An access point of 802.11n that sends streams to stations near and far, whose links lose MPDUs besides."""
    stream = {"kind": "cbr", "from": "access", "packet": "1472 B", "transport": "udp"}
    network = {
        "profile": "openwrt",
        "run": {"duration": "12 s"},
        "measure": {"warm-up": "2 s"},
        "topology": {
            "kind": "explicit",
            "node": [{"name": "access", "x": "0 m"}, {"name": "near", "x": "10 m"}, {"name": "far", "x": "-700 m"}],
        },
        "air": {"receive-threshold": "-90 dBm", "sense-threshold": "-90 dBm", "interference-floor": "-110 dBm"},
        "mac": {"standard": "802.11n", "aggregation": {"window": 64}},
        "flow": [{**stream, "to": to, "rate": rate} for to, rate in load.items()],
        "event": [
            {"at": "0 s", "kind": "link-loss", "from": "access", "to": to, "loss": loss} for to, loss in losses.items()
        ],
    }
    return multihop.load(network)


@pytest.mark.parametrize("losses", [{}, {"far": 0.3}, {"near": 0.3, "far": 0.3}])
def test_a_lossy_neighbour_with_aggregates_has_no_more_than_its_turn(losses: dict[str, float]) -> None:
    """The share of what a station gets alone is its share of the time: equal to 5 %, whatever is sent again."""
    load = {"near": "150 Mbps", "far": "50 Mbps"}
    alone = [shares(access_point({to: rate}, losses), "fq-codel", 6)[0] for to, rate in load.items()]
    together = shares(access_point(load, losses), "airtime-fairness", 6)
    near, far = (both / one for both, one in zip(together, alone, strict=True))
    assert near / (near + far) == pytest.approx(0.5, rel=0.05)
    assert near + far > 0.85
    packets = shares(access_point(load, losses), "fq-codel")
    assert packets[0] / alone[0] < 0.1, "turns by packets leave the fast one next to nothing"
