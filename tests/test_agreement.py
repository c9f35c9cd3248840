"""What ns-2's traces call a loss: docs/agreement_cases.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import multihop


def loaded() -> ModuleType:
    path = Path(__file__).resolve().parents[1] / "docs" / "agreement_cases.py"
    spec = importlib.util.spec_from_file_location("agreement_cases", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["agreement_cases"] = module  # its dataclasses look for it there
    spec.loader.exec_module(module)
    return module


cases = loaded()


def case(**row: str) -> Any:
    given = {"routing_messages": "", "losses": ""} | row
    return cases.Case("ns-2", "dsr", "dsr", "2", (given,), {"routing": "dsr"})


@pytest.mark.parametrize(
    ("loss", "means"),
    [
        ("IFQ/---/tcp", "queue full: data"),
        ("IFQ/IFQ/cbr", "queue full: datagrams"),
        ("RTR/IFQ/tcp", "route buffer full: data"),
        ("RTR/TOUT/ack", "route buffer: ACK"),
        ("RTR/CBK/AODV", "link: messages"),
        ("IFQ/ARP/ack", "address unresolved: ACK"),
    ],
)
def test_a_reason_means_what_its_layer_says(loss: str, means: str) -> None:
    assert cases.their_counts(case(losses=f"{loss}:3 RTR/TTL/AODV:1 MAC/BSY/RTS:9")) == {means: [3.0]}


def test_requests_that_carry_errors_are_counted_once() -> None:
    counts = cases.their_counts(case(routing_messages="rreq_own:5 rreq_with_rerr_own:2 rreq_with_rerr_forwarded:1"))
    assert counts == {"RREQ made": [5.0]}


def test_what_waits_for_a_route_is_lost_to_one_cause_in_both() -> None:
    drops = [{"reason": "route-timeout", "kind": "tcp-ack", "n": 1}, {"reason": "queue-full", "kind": "udp", "n": 2}]
    run: dict[str, Any] = {"counters": {}, "drops": [*drops, drops[0] | {"reason": "route-buffer-full"}]}
    assert cases.our_counts(case(), [run]) == {"route buffer: ACK": [2.0], "queue full: datagrams": [2.0]}


def test_goodput_of_ns2_is_what_the_sender_knows_to_have_arrived(tmp_path: Path) -> None:
    scenario = (
        'profile = "ns2"\n[run]\nduration = "10 s"\n[measure]\nsample = "10 s"\n[topology]\nkind = "chain"\nhops = 2\n'
        '[[flow]]\nname = "bulk"\nfrom = "0"\nto = "2"\nstart = "5 s"\n'
        '[[flow]]\nname = "stream"\nkind = "cbr"\nfrom = "2"\nto = "0"\nrate = "20 kbps"\npacket = "500 B"\n'
    )
    records = multihop.Scenario("two hops", scenario, "two hops").run(runs=1, store=multihop.Store.open(tmp_path))
    acknowledged = cases.acknowledged_bps(records[0], 5.0)
    assert list(acknowledged) == ["bulk"], "a datagram is acknowledged to nobody"
    delivered = next(flow["delivered_bytes"] for flow in records.runs[0]["flows"] if flow["id"] == "bulk")
    assert 0 < acknowledged["bulk"] * 5 / 8 < delivered, "some acknowledgements are on their way at the end"
