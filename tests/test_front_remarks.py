"""What runs and comparisons point out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop.analysis.findings import remarks
from multihop.measures.stats import jain
from multihop.measures.summary import value
from multihop.out.answer import verdicts
from multihop.out.comparison import pointed_out
from multihop.record.comparison import better
from multihop.running.plan import Arm, Task, warnings
from multihop.scenario.scenario import load


def ledgers(*, sent: int, before: int = 0, measured: int = 0, **dropped: int) -> dict[str, Any]:
    """The ledgers of a flow: packets that were sent in the whole run, and that arrived before and in its measured
    part."""
    reasons = {reason.replace("_", "-"): n for reason, n in dropped.items()}
    whole = {"created": sent, "delivered": before + measured, "dropped": reasons}
    return {"ledger": whole, "ledger_measured": {"delivered": measured}}


class Fake:
    """Records that say what a test has them say."""

    def __init__(self, flows: list[dict[str, Any]], nodes: list[dict[str, Any]] | None = None, runs: int = 1) -> None:
        base = {"kind": "bulk", "transport": "tcp", "sent_packets": 9, "timeouts": 0, "fast_retransmits": 0}
        base |= {"windows": [], "completion_s": None, "delivery_ratio": 0.5, "delivered_bytes": 1000, **ledgers(sent=9)}
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


def test_flows_of_one_kind_are_told_in_one_sentence() -> None:
    late = {"timeouts": 9, "fast_retransmits": 2}
    text = remarks(Fake([{**late, "timeouts": 9 + n, "goodput_bps": 1e5} for n in range(7)]))  # type: ignore[arg-type]
    assert text == [
        "Flows 1, 2, 3, 4, 5 and 2 more find their losses by timeout more often than by duplicate ACKs "
        "(9 to 15 against 2 a run)."
    ]
    assert "Flow 1 finds its losses by timeout more often than by duplicate ACKs (9 against 2 a run)." in said(late)
    poor = said({"goodput_bps": 1e6}, {"goodput_bps": 1e3}, {"goodput_bps": 3e3})
    assert "Flows 2 and 3 are starved: they got 1 to 3 kbit/s, less than 10 % of the mean of their kind." in poor
    broken = said({"broken_bytes": 3e3}, {"broken_bytes": 3e3})
    assert "Flows 1 and 2 are broken: 3 kB that their sources were told had arrived" in broken


def test_what_a_starved_flow_got_is_of_the_runs_in_which_it_starved() -> None:
    records = Fake([{"goodput_bps": 1e5}, {"goodput_bps": 1e3}], runs=2)
    fair = Fake([{"goodput_bps": 1e5}, {"goodput_bps": 9e4}])
    records.runs = [*records.runs, *fair.runs]
    text = " ".join(remarks(records))  # type: ignore[arg-type]  # as much of records as is read
    assert "Flow 2 is starved in 2 of 3 runs: it got 1 kbit/s, less than 10 %" in text


def test_a_flow_whose_datagrams_arrive_is_not_starved() -> None:
    large, small = ({"kind": "cbr", "transport": "udp", "goodput_bps": rate} for rate in (1e7, 5e5))
    assert "Flow 2 is starved" in said(large, small)
    assert "starved" not in said(large, {**small, "delivery_ratio": 0.97})


def test_flows_of_other_kinds_starve_nobody() -> None:
    assert "starved" not in said({"goodput_bps": 1e7}, {"goodput_bps": 6e4, "kind": "cbr", "transport": "udp"})


NONE = {"goodput_bps": 0.0, "delivered_bytes": 0}
NOTHING = "Flow 1 delivered nothing in the measured time"


@pytest.mark.parametrize(
    ("flow", "why"),
    [
        ({"sent_packets": 0, **ledgers(sent=0)}, "no packet was sent: look at start, stop and route"),
        ({"sent_packets": 0, **ledgers(sent=6, retry_limit_data=6)}, "packets were sent, and none arrived"),
        ({"sent_packets": 9, **ledgers(sent=9, no_route=1)}, "packets were sent, and none arrived"),
        ({"sent_packets": 0, **ledgers(sent=5, no_route=5)}, "there was no route for its packets"),
        ({"sent_packets": 9, **ledgers(sent=9, measured=3)}, "packets arrived, and none with new data"),
        (
            {"sent_packets": 0, **ledgers(sent=9, before=3, measured=2)},
            "packets had arrived before it; in it no data was sent",
        ),
        (
            {"sent_packets": 4, **ledgers(sent=9, before=3)},
            "packets had arrived before it; in it none arrived with new data",
        ),
    ],
)
def test_why_a_flow_delivered_nothing(flow: dict[str, Any], why: str) -> None:
    assert f"{NOTHING} ({why})." in said({**NONE, **flow})


def test_runs_that_a_mean_time_leaves_out_are_named() -> None:
    records = Fake([{"goodput_bps": 1.0, "resume_s": 0.5}, {"goodput_bps": 1.0, "completion_s": 3.0}], runs=2)
    records.runs = [*records.runs, *Fake([{"goodput_bps": 1.0}, {"goodput_bps": 1.0}]).runs]
    resumed, completed = remarks(records)  # type: ignore[arg-type]  # as much of records as is read
    others = "is that of the other runs."
    gone = "got nothing more after what had gone returned"
    assert resumed == f"Flow 1 {gone} in 1 of 3 runs: the mean time to resume {others}"
    assert completed == f"Flow 2 did not complete in 1 of 3 runs: the mean time of completion {others}"
    records.runs = records.runs[2:]
    assert not remarks(records)  # type: ignore[arg-type]  # as much of records as is read


def test_a_file_that_was_complete_before_the_return_misses_nothing() -> None:
    records = Fake([{"goodput_bps": 1.0, "resume_s": 0.5, "completion_s": 9.0}], runs=2)
    records.runs = [*records.runs, *Fake([{"goodput_bps": 1.0, "completion_s": 3.0}]).runs]
    assert not remarks(records)  # type: ignore[arg-type]  # as much of records as is read


def test_a_flow_that_was_complete_before_is_no_remark() -> None:
    assert "nothing" not in said({**NONE, "completion_s": 0.5})


def test_runs_with_other_reasons_are_told_apart() -> None:
    records = Fake([{**NONE, **ledgers(sent=0)}], runs=2)
    records.runs = [*records.runs, *Fake([NONE]).runs, *Fake([{"goodput_bps": 1.0}]).runs]
    unsent, lost = remarks(records)  # type: ignore[arg-type]  # as much of records as is read
    assert unsent == f"{NOTHING} in 2 of 4 runs (no packet was sent: look at start, stop and route)."
    assert lost == f"{NOTHING} in 1 of 4 runs (packets were sent, and none arrived)."


ONE = """\
[run]
duration = "4 s"

[topology]
kind = "chain"
hops = 2

[[flow]]
from = "0"
to = "2"

[[event]]
at = "0 s"
kind = "node-down"
node = "2"
"""
CBR = {"flow.1.kind": "cbr", "flow.1.rate": "100 kbps"}
LATER = {"event.0.at": "0.8 s", "measure.warm-up": "1 s"}


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"flow.1.start": "4 s"}, "no packet was sent: look at start, stop and route"),
        # nothing but requests to connect, which `sent_packets` leaves out
        ({}, "packets were sent, and none arrived"),
        (CBR, "packets were sent, and none arrived"),
        ({"topology.spacing": "300 m"}, "there was no route for its packets"),
        (LATER, "packets had arrived before it; in it none arrived with new data"),
        ({**LATER, **CBR, "flow.1.stop": "0.5 s"}, "packets had arrived before it; in it no data was sent"),
    ],
)
def test_a_run_says_why_nothing_was_delivered(here: Path, settings: dict[str, Any], why: str) -> None:
    (here / "one.toml").write_text(ONE, encoding="utf-8")
    assert f"{NOTHING} ({why})." in remarks(multihop.load("one.toml").run(runs=1, set=settings))


def test_a_flow_that_waits_for_its_timer_in_all_of_the_measured_time(here: Path) -> None:
    records = multihop.load("frn-chain").run(runs=1, set={"run.duration": "30 s"})
    assert f"{NOTHING} (packets had arrived before it; in it no data was sent)." in remarks(records)


def test_timeouts_that_rule() -> None:
    flow = {"goodput_bps": 1.0, "timeouts": 9, "fast_retransmits": 2}
    assert "timeout more often than by duplicate ACKs (9 against 2 a run)" in said(flow)
    assert "timeout" not in said({**flow, "fast_retransmits": 20})


def test_a_queue_that_is_always_full() -> None:
    nodes = [{"name": "a", "queue_mean": 49.0}, {"name": "b", "queue_mean": 20.0}]
    assert "The interface queue of node a is always full (up to 49 of 50" in said({"goodput_bps": 1.0}, nodes=nodes)
    slotted = Fake([{"goodput_bps": 1.0}], nodes)
    slotted.scenario["values"] |= {"link.kind": {"value": "frn"}, "frn.limit": {"value": 20}}  # type: ignore[operator]
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
    told = {row.adjusted_verdict for row in rows}
    assert "goodput of all 2 flows together" in line
    assert ("By flow: flow" in line) == (len(told) > 1)


def test_jains_index_is_among_flows_of_one_kind(here: Path, tiny: str) -> None:
    text = (here / tiny).read_text(encoding="utf-8") + '[[flow]]\nkind="cbr"\nfrom="0"\nto="1"\nrate="10 kbps"\n'
    (here / "three.toml").write_text(text, encoding="utf-8")
    run = multihop.load("three.toml").run(runs=1).runs[0]
    rates = [flow["goodput_bps"] for flow in run["flows"]]
    assert value(run, "jain") == pytest.approx(jain(rates[:2]))
    assert value(run, "jain") != pytest.approx(jain(rates))


FILES = """
profile = "ns2"
run.duration = "SECONDS s"
topology = { kind = "chain", hops = 2 }
[[flow]]
kind = "file"
size = "200 kB"
from = 0
to = 2
"""
OTHERS = """
[[flow]]
kind = "file"
size = "100 kB"
from = 2
to = 0
[[flow]]
kind = "cbr"
rate = "10 kbps"
packet = "200 B"
from = 0
to = 1
"""


def compared(here: Path, text: str, seconds: float) -> Any:
    (here / "files.toml").write_text(text.replace("SECONDS", str(seconds)), encoding="utf-8")
    return multihop.load("files.toml").compare("none,small-window:1", runs=4)


def test_files_are_judged_by_when_they_are_complete(here: Path) -> None:
    comparison = compared(here, FILES, 20)
    assert comparison.rows()[0].figure == "completion_s"
    assert better(comparison.rows()[0]) is False
    [line] = verdicts(comparison)
    assert line.startswith("small-window:1 against none: time to complete +")
    assert " s against " in line
    assert "goodput" not in line


def test_of_several_flows_each_has_its_headline(here: Path) -> None:
    comparison = compared(here, FILES + OTHERS, 20)
    assert [row.figure for row in comparison.rows() if row.flow] == ["completion_s", "completion_s", "goodput_bps"]
    [line] = verdicts(comparison)
    assert "goodput of all 3 flows together" in line
    assert "time to complete all 2 files" in line


def test_files_that_do_not_end_in_time_are_told(here: Path) -> None:
    """150 kB take 1.95 s over two hops, with a window of one 1.98 s."""
    comparison = compared(here, FILES.replace('"200 kB"', '"150 kB"'), 1.965)
    row = comparison.rows()[0]
    assert row.figure == "completion_s"
    assert row.baseline.n == 4
    assert row.other.n == 0
    assert verdicts(comparison) == [
        "small-window:1 against none: nothing to compare in time to complete: complete in 0 of 4 runs against 4."
    ]
    never = compared(here, FILES, 1)
    assert never.headline("1") == "goodput_bps"
    assert "goodput" in verdicts(never)[0]


def test_who_has_not_ended_may_be_the_last() -> None:
    """No time to complete is told for several files of which one did not."""
    done, not_done = ({"id": x, "kind": "file", "completion_s": t} for x, t in (("1", 2.0), ("2", None)))
    bulk = {"id": "3", "kind": "bulk", "completion_s": None}
    assert value({"flows": [done, bulk]}, "completion_s") == 2.0
    assert math.isnan(value({"flows": [done, not_done, bulk]}, "completion_s"))
    assert value({"flows": [done, not_done]}, "completion_s", "1") == 2.0


def test_parameters_of_one_technique_are_not_called_ignored_beside_others() -> None:
    def told(techniques: str, *sets: str) -> set[str]:
        chain = load("chain")
        return warnings([Arm.of(Task(chain, (one,) if one else (), sets)) for one in techniques.split(",")])

    target, queues = "queue.codel.target=15 ms", "queue.queues=8"
    assert told(",codel", target) == set()
    assert told(",fq-codel", target, queues) == set()
    [alone] = told("", target)
    assert alone == (
        '--set queue.codel.target=15 ms: `queue.codel.target` is ignored: it is used only with queue.aqm = "codel"'
    )
    assert {said.split("`")[1] for said in told(",codel", target, queues)} == {"queue.queues"}
    [of_flow] = told("", "flow.1.tcp.count-sacked=true")
    assert of_flow.startswith("--set flow.1.tcp.count-sacked=true: `flow.1.tcp.count-sacked` is ignored")
