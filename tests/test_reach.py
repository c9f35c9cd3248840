"""What is said of a network before it runs: links that noise lets nothing over."""

from __future__ import annotations

from typing import Any

import pytest

import multihop
from multihop.reach import Reach

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
