"""CoDel's target against the time that one packet takes of a hop: what `check` and `explain` say."""

from __future__ import annotations

import re

import pytest

import multihop
from conftest import Cli
from multihop.ceiling.hasty import Hasty, words
from multihop.ceiling.reach import Reach

TOLD = "CoDel's target is "


@pytest.mark.parametrize(
    ("scenario", "sets", "hops", "longest"),
    [
        ("chain", ["queue.aqm=codel"], 7, 7.748e-3),
        ("chain", ["queue.aqm=codel", "queue.codel.target=7.7 ms"], 7, 7.748e-3),
        ("chain", ["queue.aqm=codel", "queue.codel.target=7.8 ms"], 0, None),
        ("chain", ["queue.aqm=pie"], 0, None),
        ("wire", ["queue.aqm=codel"], 0, None),
        ("wire", ["queue.aqm=codel", "wire.0.rate=1 Mbps"], 1, 12e-3),  # 1500 bytes
    ],
)
def test_a_target_below_the_time_of_a_packet_is_found(
    scenario: str, sets: list[str], hops: int, longest: float | None
) -> None:
    found = Reach(multihop.load(scenario).resolve([], sets)).hasty()
    assert len(found) == hops
    if longest is not None:
        assert max(hop.packet_s for hop in found) == pytest.approx(longest, rel=1e-9)
        assert {hop.target_s < hop.packet_s for hop in found} == {True}


@pytest.mark.parametrize("technique", ["codel", "fq-codel", "airtime-fairness"])
@pytest.mark.parametrize("scenario", ["chain", "grid", "wire", "ham7", "two-flows"])
def test_what_is_shipped_has_a_target_that_is_long_enough(scenario: str, technique: str) -> None:
    resolved = multihop.load(scenario).resolve([technique])
    assert Reach(resolved).hasty() == []


def test_openwrt_has_a_target_that_is_long_enough() -> None:
    assert Reach(multihop.load("chain").resolve([], ["profile=openwrt"])).hasty() == []


def test_only_the_nodes_with_that_queue_are_named() -> None:
    """The second relay alone has CoDel."""
    scenario = {
        "topology": {"kind": "chain", "hops": 3, "spacing": "200 m"},
        "flow": [{"from": "0", "to": "3"}],
        "node": [{"names": ["2"], "queue": {"aqm": "codel", "codel": {"target": "2 ms"}}}],
    }
    [hop] = Reach(multihop.load(scenario).resolve()).hasty()
    assert (hop.sender, hop.receiver, hop.target_s) == ("2", "3", 2e-3)
    takes = 1e3 * hop.packet_s
    assert words([hop]) == [
        "CoDel's target is 2 ms (`queue.codel.target`), and one packet takes longer than that: "
        f"{takes:.3g} ms over the hop from 2 to 3 (flow 1). CoDel then drops packets that have waited for one other, "
        "and goodput falls. The target must be longer than one packet takes (RFC 8289, section 4.4): "
        f"{2 * takes:.3g} ms leaves room for one that waits."
    ]


def test_a_sentence_for_each_target_names_the_slowest_hop() -> None:
    hops = [Hasty("1", "a", "b", 0.006, 0.005), Hasty("2", "b", "c", 0.008, 0.005), Hasty("2", "c", "d", 0.002, 0.001)]
    short, long = words(hops)
    assert short.startswith(f"{TOLD}1 ms (`queue.codel.target`), and one packet takes longer than that: 2 ms over")
    assert ": 8 ms over the hop from b to c (flow 2), and more than 5 ms over 1 other hop." in long
    assert "16 ms leaves room" in long


def test_check_warns_and_explain_says_so(cli: Cli, tiny: str) -> None:
    hasty = ["--set", "queue.aqm=codel", "--set", "queue.codel.target=1ms"]
    said = " ".join(cli("check", tiny, *hasty).out.split())
    assert f"warning: {TOLD}1 ms" in said
    assert TOLD not in " ".join(cli("check", tiny, "-t", "codel").out.split())
    cli("run", tiny, "-n", "1", *hasty)
    early = sum(f["ledger_measured"]["dropped"].get("early-drop", 0) for f in multihop.records().runs[0]["flows"])
    told = " ".join(cli("explain").out.split())
    assert f"{TOLD}1 ms" in told
    dropped = re.search(r"It dropped (\d+) packets? early here\.", told)
    assert dropped is not None
    assert int(dropped[1]) == early > 0
    cli("run", tiny, "-n", "1")
    assert TOLD not in " ".join(cli("explain").out.split())
