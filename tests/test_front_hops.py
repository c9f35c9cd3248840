"""Paths that are longer than a packet may go."""

from __future__ import annotations

from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.analysis.findings import remarks
from multihop.ceiling.reach import Reach

LONG = {
    "profile": "rfc",
    "run": {"duration": "6 s"},
    "topology": {"kind": "chain", "hops": 70},
    "flow": [{"from": "0", "to": "70", "kind": "cbr", "rate": "512 bps", "packet": "64 B"}],
}
"""Seventy hops, a small datagram a second."""


def test_a_path_that_is_longer_than_the_hop_limit_is_told_before_and_after(here: Path, cli: Cli) -> None:
    scenario = multihop.load(LONG)
    [way] = Reach(scenario.resolve()).ways()
    assert way.ceiling_bps == 0
    assert (
        "gets nothing: its path has 70 hops, and `routing.hop-limit` is 64. Its packets expire on the way."
        in way.words()
    )
    records = scenario.run(runs=1)
    assert float(records.flows["delivered_bytes"][0]) == 0
    assert any(
        "expired: they had gone 64 hops (`routing.hop-limit`) without arriving" in said for said in remarks(records)
    )


@pytest.mark.parametrize("limit", [70, 255])
def test_a_higher_hop_limit_carries_them(limit: int) -> None:
    scenario = multihop.load({**LONG, "routing": {"hop-limit": limit}})
    assert Reach(scenario.resolve()).ways()[0].ceiling_bps > 0
    records = scenario.run(runs=1)
    assert float(records.flows["delivered_bytes"][0]) > 0
    assert not any("expired" in said for said in remarks(records))


def test_a_lower_hop_limit_counts_for_every_routing() -> None:
    for kind in ("static", "dsdv", "aodv", "dsr"):
        short = {
            "run": {"duration": "40 s"},
            "topology": {"kind": "chain", "hops": 4},
            "flow": [{"from": "0", "to": "4"}],
        }
        delivered = {
            limit: float(
                multihop.load({**short, "routing": {"kind": kind, "hop-limit": limit}})
                .run(runs=1)
                .flows["delivered_bytes"][0]
            )
            for limit in (3, 4)
        }
        assert delivered[3] == 0, kind
        assert delivered[4] > 0, kind
