"""What is said of a network before it runs: links that noise lets nothing over."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import multihop
from multihop.ceiling.reach import Reach

CARDS = {"profile": "linux24", "flow": [{"from": "0", "to": "1"}], "run": {"duration": "10 s"}}
"""802.11b cards, which decode 1 Mb/s over 566 m and 11 Mb/s over 160 m."""


def far(metres: int, **more: Any) -> Reach:
    topology = {"kind": "chain", "hops": 1, "spacing": f"{metres} m"}
    return Reach(multihop.load({**CARDS, "topology": topology, **more}).resolve())


def test_a_link_that_noise_lets_nothing_over_is_named_and_promises_nothing() -> None:
    reach = far(500)
    [way], [warning] = reach.ways(), reach.stuck()
    assert way.ceiling_bps == 0
    assert "the link from 0 to 1 never delivers: at 11 Mb/s noise damages all of its data frames" in way.words()
    assert "a `mac.data-rate` of 1 Mb/s, a rate chosen frame by frame (`-t arf`), shorter hops" in warning
    result = multihop.load({**CARDS, "topology": {"kind": "chain", "hops": 1, "spacing": "500 m"}}).run(runs=1)
    assert float(result.flows["delivered_bytes"][0]) == 0


def test_on_disks_signals_are_as_weak_as_the_threshold() -> None:
    """Noise judges them there: nothing comes through at MCS 7, and what rate control finds stays under its ceiling."""

    def network(rule: str) -> multihop.Scenario:
        return multihop.load(
            {
                "profile": "openwrt",
                "air": {"propagation": "disk"},
                "mac": {"rate-control": rule},
                "topology": {"kind": "chain", "hops": 1, "spacing": "60 m"},
                "run": {"duration": "4 s"},
                "measure": {"warm-up": "1 s"},
                "flow": [{"from": "0", "to": "1"}],
            }
        )

    fixed = network("fixed")
    [way] = Reach(fixed.resolve()).ways()
    assert way.ceiling_bps == 0
    assert way.stuck.endswith("a higher `air.receive-threshold` would help")
    assert float(fixed.run(runs=1).flows["goodput_bps"][0]) == 0
    for rule in ("minstrel-ht", "arf", "ideal"):
        scenario = network(rule)
        [way] = Reach(scenario.resolve()).ways()
        share = float(scenario.run(runs=1).flows["goodput_bps"][0]) / way.ceiling_bps
        assert 0.7 < share < 1.01, rule


@pytest.mark.parametrize("mac", [{"data-rate": "1 Mbps"}, {"rate-control": "arf"}])
def test_a_link_that_a_slower_rate_carries_has_a_ceiling(mac: dict[str, Any]) -> None:
    reach = far(500, mac=mac)
    assert not reach.stuck()
    assert reach.ways()[0].ceiling_bps > 0


def test_a_link_that_noise_thins_is_said_to_lose_frames() -> None:
    [way] = far(390).ways()
    assert way.ceiling_bps > 0
    assert 0.05 < way.loss < 0.999
    assert f"loses {way.loss * 100:.0f} % of frames" in way.words()


def test_a_short_link_loses_nothing() -> None:
    [way] = far(150).ways()
    assert way.loss == 0
    assert "loses" not in way.words()


LOSSY = {
    "topology": {
        "kind": "links",
        "link": [
            {"from": "gate", "to": "farm", "loss": 0.7},
            {"from": "gate", "to": "barn", "loss": 0.1},
            {"from": "barn", "to": "farm", "loss": 0.1},
        ],
    },
    "flow": [{"from": "gate", "to": "farm"}],
    "run": {"duration": "20 s"},
}
"""A short cut that loses most frames, and a way around it."""


def by(metric: str) -> multihop.Scenario:
    return multihop.load({**LOSSY, "routing": {"static": {"metric": metric}}})


def test_static_routes_go_around_a_lossy_link_and_check_says_the_other_path() -> None:
    [way] = Reach(multihop.load(LOSSY).resolve()).ways()
    assert way.path == ("gate", "barn", "farm")
    assert way.taken is not None
    assert way.taken.etx == pytest.approx(2 / 0.81, abs=1e-5)
    assert (
        'By ETX it goes gate barn farm, ETX 2.469; by hops (`routing.static.metric` = "hops") it would go gate farm, '
        "ETX 11.11." in way.words()
    )
    delivered = {metric: float(by(metric).run(runs=1).flows["delivered_bytes"][0]) for metric in ("etx", "hops")}
    assert delivered["etx"] > 1_000_000
    assert delivered["hops"] < 100_000


def test_by_hops_the_short_cut_is_taken_and_the_way_around_it_is_said() -> None:
    [way] = Reach(by("hops").resolve()).ways()
    assert way.path == ("gate", "farm")
    assert way.words().endswith('(`routing.static.metric` = "etx") it would go gate barn farm, ETX 2.469.')


def test_routing_that_finds_its_own_paths_is_not_told_of_metrics() -> None:
    [way] = Reach(multihop.load({**LOSSY, "routing": {"kind": "aodv"}}).resolve()).ways()
    assert way.path == ("gate", "farm")
    assert way.other is None


def test_a_link_of_one_direction_is_no_way() -> None:
    links = [{"from": "a", "to": "c", "one-way": True}, {"from": "a", "to": "b"}, {"from": "b", "to": "c"}]
    there = {"topology": {"kind": "links", "link": links}, "run": {"duration": "5 s"}}
    for ends in ({"from": "a", "to": "c"}, {"from": "c", "to": "a"}):
        scenario = multihop.load({**there, "flow": [ends]})
        [way] = Reach(scenario.resolve()).ways()
        assert set(way.path) == {"a", "b", "c"}
        assert float(scenario.run(runs=1).flows["delivered_bytes"][0]) > 0


def test_a_wire_is_a_link_without_air() -> None:
    reach = Reach(multihop.load("wire").resolve())
    [way] = reach.ways()
    assert way.ceiling_bps == pytest.approx(10e6 * 1460 / 1500)
    assert way.wired == (("0", "1"),)
    assert not way.shared
    assert "one hop, over a wire" in way.words()
    assert reach.parts() == [["0", "1"]]
    assert not reach.stuck()


def test_a_path_over_air_and_wire_has_the_ceiling_of_its_slower_part() -> None:
    def mixed(rate: str) -> Reach:
        wire = {"from": "0", "to": "2", "rate": rate}
        chain = {"kind": "chain", "hops": 5, "spacing": "200 m"}
        return Reach(
            multihop.load(
                {"profile": "ns2", "topology": chain, "flow": [{"from": "0", "to": "5"}], "wire": [wire]}
            ).resolve()
        )

    fast, slow = (mixed(rate).ways()[0] for rate in ("1 Gbps", "100 kbps"))
    assert fast.path == ("0", "2", "3", "4", "5")
    assert len(fast.shared) == 3
    assert "4 hops, 1 of them over a wire" in fast.words()
    assert slow.ceiling_bps < 100e3 < fast.ceiling_bps < 4e6


MESH: dict[str, Any] = {
    "profile": "openwrt",
    "flow": [{"from": "0", "to": "1"}],
    "air": {"receive-threshold": "-92 dBm", "sense-threshold": "-92 dBm"},
    "run": {"duration": "6 s"},
    "measure": {"warm-up": "2 s"},
}
"""Routers of 802.11n that hear all that is 2 dB over the noise: up to MCS 15, 144 Mb/s with a short guard interval."""


@pytest.mark.parametrize("rule", ["minstrel-ht", "ideal", "snr", "arf"])
@pytest.mark.parametrize(("metres", "least", "most"), [(50, 0.7, 145), (205, 0.6, 130), (300, 0.6, 90), (700, 0.4, 45)])
def test_a_ceiling_is_that_of_the_rate_which_the_link_carries(
    rule: str, metres: int, least: float, most: float
) -> None:
    topology = {"kind": "chain", "hops": 1, "spacing": f"{metres} m"}
    kinds = {"kind": "cbr", "rate": "200 Mbps", "transport": "udp"}
    flow = [{**MESH["flow"][0], **kinds}]
    scenario = multihop.load({**MESH, "topology": topology, "flow": flow, "mac": {"rate-control": rule}})
    [way] = Reach(scenario.resolve()).ways()
    [rate] = way.rates
    assert rate is not None
    assert 0.6 * rate < way.ceiling_bps < rate <= most * 1e6
    assert f"has one hop at {rate / 1e6:.4g} Mb/s: it can get" in way.words()
    got = scenario.run(runs=1).values("goodput_bps")[0]
    assert least * way.ceiling_bps < got < 1.01 * way.ceiling_bps


def test_a_path_of_unlike_hops_has_the_ceiling_of_their_rates() -> None:
    places = [{"name": str(i), "x": f"{x} m"} for i, x in enumerate([0, 60, 560])]
    topology = {"kind": "explicit", "node": places}
    mesh = {**MESH, "flow": [{"from": "0", "to": "2"}], "topology": topology}
    [way] = Reach(multihop.load(mesh).resolve()).ways()
    assert way.path == ("0", "2"), "the fewest hops, and the slowest"
    [direct] = way.rates
    assert direct is not None
    near = {**mesh, "air": {"receive-threshold": "-86.5 dBm", "sense-threshold": "-92 dBm"}}
    [way] = Reach(multihop.load(near).resolve()).ways()
    first, second = way.rates
    assert first is not None
    assert second is not None
    assert direct < second < first / 2
    assert way.ceiling_bps < 1 / (1 / first + 1 / second)
    assert f"the slowest at {second / 1e6:.4g} Mb/s: 1 to 2" in way.words()
    got = multihop.load(near).run(runs=1).values("goodput_bps")[0]
    assert 0.3 * way.ceiling_bps < got < way.ceiling_bps


def test_a_link_has_the_rate_of_a_path_over_it() -> None:
    reach = Reach(multihop.load("mesh-11n").resolve())
    for way in reach.ways():
        rates = [reach.links[hop].rate_bps for hop in itertools.pairwise(way.path)]
        assert rates == way.rates


def test_no_flow_of_the_street_of_802_11n_exceeds_its_ceiling() -> None:
    scenario = multihop.load("mesh-11n")
    reach = Reach(scenario.resolve())
    flows = scenario.run(runs=1, set={"run.duration": "8 s", "measure.warm-up": "2 s"}).flows
    for way, got in zip(reach.ways(), flows["goodput_bps"], strict=True):
        assert 0 < got < way.ceiling_bps < 110e6
        assert min(rate for rate in way.rates if rate is not None) < 144e6
