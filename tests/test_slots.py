"""What a slotted link leaves a flow: slots a packet, counted by hand, and never less than a run gets."""

from __future__ import annotations

from typing import Any

import pytest

import multihop
from multihop import _engine
from multihop.ceiling.reach import Reach, Way

CALM = {"frn.hold-off": 3}
UDP = {"flow.1.kind": '"cbr"', "flow.1.rate": '"600 kbps"', "flow.1.packet": '"1000 B"'}
"""More than any path carries."""


def ways(scenario: str, **sets: Any) -> list[Way]:
    return Reach(multihop.load(scenario).resolve(set=sets)).ways()


def chain(hops: int) -> dict[str, Any]:
    return {"topology.hops": hops, "flow.1.to": f'"{hops}"'}


@pytest.mark.parametrize(
    ("hops", "sets", "slots"),
    [
        (1, {}, 4),  # a data packet and its FRN ACK, a TCP ACK and its FRN ACK
        (2, {}, 6),  # the relay receives, sends on and hears the echo, of both
        (4, {}, 6),
        (4, {"tcp.ack-every": 2}, 4.5),
        (4, UDP, 3),
        (1, UDP, 2),
        (1, {**UDP, **CALM}, 3),
        (4, {"frn.combine": "true"}, 4),  # a relay beside an end gets an FRN ACK alone
        (2, {"frn.combine": "true"}, 5),
        (4, {"frn.combine": "true", "frn.slot": '"5 ms"'}, 6),  # too short for both in one frame
        (4, {"frn.hold-off": 9}, 9),
        (4, {"frn.max-retransmissions": 0, "frn.lifetime": 0}, 4),
    ],
)
def test_slots_are_those_that_the_busiest_node_needs(hops: int, sets: dict[str, Any], slots: float) -> None:
    [way] = ways("frn-chain", **chain(hops), **sets)
    assert way.slots
    assert way.slots.count == pytest.approx(slots)
    assert way.ceiling_bps == pytest.approx(8000 / (slots * way.slots.length_s))


def test_a_relay_that_can_be_gone_around_does_not_bind() -> None:
    straight, down, across = ways("frn-mesh")
    assert {way.slots.count for way in (straight, across) if way.slots} == {6}
    assert down.slots
    # 13 to 18: there is no other shortest way than straight down, but others if sideward neighbours may be taken
    around = ways("frn-mesh", **{"frn.next-hop": '"all"'})
    assert [way.slots.count for way in around if way.slots] == [4, 4, 4]


@pytest.mark.parametrize("name", [name for name in _engine.shipped("scenarios") if name.startswith("frn")])
@pytest.mark.parametrize("sets", [{}, CALM, {**CALM, "frn.combine": "true"}, {**CALM, "frn.retry-to": 17}], ids=str)
def test_no_run_of_a_shipped_scenario_gets_more(name: str, sets: dict[str, Any]) -> None:
    short = {**sets, "run.duration": "120 s"}
    run = multihop.load(name).run(runs=1, set=short).runs[0]
    for flow, way in zip(run["flows"], ways(name, **short), strict=True):
        assert 0 <= flow["goodput_bps"] < way.ceiling_bps


@pytest.mark.parametrize("hops", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", [{}, UDP], ids=["tcp", "udp"])
@pytest.mark.parametrize("sets", [{}, CALM, {**CALM, "frn.combine": "true"}], ids=["plain", "calm", "combined"])
def test_chains_stay_below_it_and_a_hop_comes_near(hops: int, kind: dict[str, Any], sets: dict[str, Any]) -> None:
    told = {**chain(hops), **kind, **sets, "run.duration": "120 s"}
    [way] = ways("frn-chain", **told)
    goodput = multihop.load("frn-chain").run(runs=1, set=told).values("goodput_bps")[0]
    assert goodput <= way.ceiling_bps * (1 + 1e-9)
    if hops == 1 and kind:
        assert goodput > 0.99 * way.ceiling_bps


def test_it_is_said_in_slots() -> None:
    [way] = ways("frn-chain")
    assert "has 4 hops: a packet and its acknowledgement take 6 slots of 10 ms of a relay" in way.words()
    assert ". So it can get at most about 133.3 kbit/s, if it is alone. " in way.words()
    [way] = ways("frn-chain", **chain(1), **UDP)
    assert way.words().endswith(
        "has one hop: a packet takes 2 slots of 10 ms of either end. So it can get at most about 400 kbit/s, if it is "
        "alone."
    )
    [way] = ways("frn-chain", **{"frn.hold-off": 9})
    assert "its source begins with a packet every 9 slots of 10 ms" in way.words()
