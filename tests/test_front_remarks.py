"""What runs and comparisons point out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop.out.comparison import pointed_out, verdicts
from multihop.remarks import remarks
from multihop.stats import jain
from multihop.summary import value


class Fake:
    """Records that say what a test has them say."""

    def __init__(self, flows: list[dict[str, Any]], nodes: list[dict[str, Any]] | None = None, runs: int = 1) -> None:
        base = {"kind": "bulk", "transport": "tcp", "sent_packets": 9, "timeouts": 0, "fast_retransmits": 0}
        base |= {"windows": [], "completion_s": None, "delivered_bytes": 1000}
        whole = [{**base, "id": str(i + 1), **flow} for i, flow in enumerate(flows)]
        self.runs = [{"flows": whole, "nodes": nodes or []}] * runs
        spans = [{"id": flow["id"], "start_s": 0.0, "stop_s": 10.0} for flow in whole]
        values = {"queue.limit": {"value": 50}}
        measure = {"from_s": 1.0, "to_s": 10.0}
        self.scenario = {"measure": measure, "windows": [], "flows": spans, "values": values}
        self.label = "none"


def said(*flows: dict[str, Any], nodes: list[dict[str, Any]] | None = None) -> str:
    return " ".join(remarks(Fake(list(flows), nodes)))  # type: ignore[arg-type]  # as much of records as is read


def test_a_starved_flow_is_pointed_out() -> None:
    text = said({"goodput_bps": 1e5}, {"goodput_bps": 1e3, "id": "poor"})
    assert "Flow poor is starved: it got 1 kbit/s, less than 10 % of the mean of its kind." in text
    assert "starved" not in said({"goodput_bps": 1e5}, {"goodput_bps": 2e4})


def test_what_a_starved_flow_got_is_of_the_runs_in_which_it_starved() -> None:
    records = Fake([{"goodput_bps": 1e5}, {"goodput_bps": 1e3}], runs=2)
    fair = Fake([{"goodput_bps": 1e5}, {"goodput_bps": 9e4}])
    records.runs = [*records.runs, *fair.runs]
    text = " ".join(remarks(records))  # type: ignore[arg-type]  # as much of records as is read
    assert "Flow 2 is starved in 2 of 3 runs: it got 1 kbit/s, less than 10 %" in text


def test_flows_of_other_kinds_starve_nobody() -> None:
    assert "starved" not in said({"goodput_bps": 1e7}, {"goodput_bps": 6e4, "kind": "cbr", "transport": "udp"})


def test_a_flow_that_never_started() -> None:
    none = {"goodput_bps": 0.0, "delivered_bytes": 0}
    assert "Flow 1 delivered nothing in the measured time (no packet was sent" in said({**none, "sent_packets": 0})
    assert "packets were sent, and none arrived" in said(none)
    assert "nothing" not in said({**none, "completion_s": 0.5})


def test_timeouts_that_rule() -> None:
    flow = {"goodput_bps": 1.0, "timeouts": 9, "fast_retransmits": 2}
    assert "timeout more often than by duplicate ACKs (9 against 2 a run)" in said(flow)
    assert "timeout" not in said({**flow, "fast_retransmits": 20})


def test_a_queue_that_is_always_full() -> None:
    nodes = [{"name": "a", "queue_mean": 49.0}, {"name": "b", "queue_mean": 20.0}]
    assert "The interface queue of node a is always full (up to 49 of 50" in said({"goodput_bps": 1.0}, nodes=nodes)
    slotted = Fake([{"goodput_bps": 1.0}], nodes)
    slotted.scenario["values"]["frn.limit"] = {"value": 20}  # type: ignore[index]
    text = " ".join(remarks(slotted))  # type: ignore[arg-type]  # as much of records as is read
    assert "! The queues of nodes a and b are always full (up to 49 of 20" in f"! {text}"


def test_run_and_compare_say_it(cli: Cli) -> None:
    short = ("--set", "run.duration=20 s", "--set", "measure.warm-up=5 s", "-n", "1")
    assert "! The interface queues of nodes 0 and 2 are always full" in cli("run", "hidden-terminal", *short).out
    assert "are always full" in cli("compare", "hidden-terminal", "-t", "none,drr", *short).out


def test_what_holds_under_all_is_said_once() -> None:
    arms: Any = [Fake([{"goodput_bps": 0.0, "delivered_bytes": 0}]) for _ in range(2)]
    assert len(pointed_out(arms)) == 1
    arms[1] = Fake([{"goodput_bps": 5.0}])
    arms[1].label = "drr"
    assert pointed_out(arms)[0].startswith("Under none: Flow 1 delivered nothing")


def test_the_verdict_is_by_flow_where_flows_differ(tiny: str) -> None:
    comparison = multihop.load(tiny).compare("none,small-window:1", runs=4)
    [line] = verdicts(comparison)
    rows = [comparison.row(comparison.arms[1], "goodput_bps", flow) for flow in (None, "1", "2")]
    told = {row.pair.verdict for row in rows}
    assert "goodput of all 2 flows together" in line
    assert ("By flow: flow 1 " in line) == (len(told) > 1)


def test_jains_index_is_among_flows_of_one_kind(here: Path, tiny: str) -> None:
    text = (here / tiny).read_text(encoding="utf-8") + '[[flow]]\nkind="cbr"\nfrom="0"\nto="1"\nrate="10 kbps"\n'
    (here / "three.toml").write_text(text, encoding="utf-8")
    run = multihop.load("three.toml").run(runs=1).runs[0]
    rates = [flow["goodput_bps"] for flow in run["flows"]]
    assert value(run, "jain") == pytest.approx(jain(rates[:2]))
    assert value(run, "jain") != pytest.approx(jain(rates))
