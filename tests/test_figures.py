"""The registry of figures: what it states once is in the output, the tables, the schemas, the metrics and the docs."""

from __future__ import annotations

import math
from typing import Any

import pytest

from multihop import api
from multihop.measures import figures
from multihop.measures.figures import Figure
from multihop.measures.summary import summarise, value
from multihop.out.comparison import comparison_view
from multihop.out.table import records_view
from multihop.record.comparison import Comparison, better
from multihop.record.document import json_schema
from multihop.record.tables import tables
from multihop.study.metrics import evaluate, metrics
from multihop.terminal.console import out
from test_docs import generate

TOYS = Figure(
    "flow",
    "toys_s",
    "toys",
    "Time spent with toys [s].",
    unit="ms",
    scale=1e-3,
    together="max",
    more_is_better=True,
    places={"run": 0, "report": 0, "compare": 9},
)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more figure of a flow, stated in the registry and nowhere else."""
    monkeypatch.setitem(figures.FLOW, "toys_s", TOYS)


def run_of(goodput: float, toys: float) -> dict[str, Any]:
    zero = {figure.name: 0 for figure in figures.FLOW.values()}
    flow = {"id": "1", "from": "0", "to": "1", "kind": "bulk", "transport": "tcp"}
    ledger = {"created": 0, "copied": 0, "delivered": 0, "absorbed": {}, "in_network": 0, "dropped": {}}
    return {
        "run": 1,
        "events": 1,
        "frames": 1,
        "frames_whole_run": 1,
        "flows": [{**flow, **zero, "goodput_bps": goodput, "toys_s": toys, "windows": []}] * 2,
        "nodes": [],
        "ledger": ledger,
        "ledger_measured": ledger,
        "techniques": [],
    }


def test_timers_and_duplicate_acks_are_tcps_alone() -> None:
    """ATP sends again, but by the reports of its receiver."""
    run = run_of(1e6, 0.5)
    run["flows"] = [{**flow, "transport": kind} for flow, kind in zip(run["flows"], ("atp", "udp"), strict=True)]
    assert math.isnan(value(run, "timeouts"))
    assert math.isnan(value(run, "fast_retransmits", "1"))
    assert value(run, "retransmissions") == 0
    run["flows"] = run["flows"][1:]
    assert math.isnan(value(run, "retransmissions"))


@pytest.mark.usefixtures("toys")
def test_one_more_figure_is_everywhere_at_once() -> None:
    run = run_of(1e6, 0.5)
    assert value(run, "toys_s") == 0.5
    assert summarise([run, run])["flows"][0]["toys_s"]["mean"] == 0.5
    assert tables(run, {})["flows"].column("toys_s").to_pylist() == [0.5, 0.5]
    assert "toys_s" in tables({**run, "flows": []}, {})["flows"].column_names
    parts = json_schema("run")["$defs"]
    assert parts["flow"]["properties"]["toys_s"]["description"] == TOYS.meaning
    assert all("toys_s" in parts[part]["required"] for part in ("flow", "flow_summary", "summary"))
    assert metrics()["toys"].unit == "ms"
    assert "| `toys_s` | `toys` ms | the last | Time spent with toys [s]. |" in generate.figures_page()
    assert "Time spent with toys [s]." in generate.json_page()


def test_one_more_figure_is_shown(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Goodput once more, under another name."""
    again = Figure("flow", "goodput_bps", "again", "", unit="Mbit/s", scale=1e6, places={"run": 0, "compare": 9})
    arms = [api.load(tiny).run(2, techniques=[name]) for name in ("none", "drr")]
    monkeypatch.setitem(figures.FLOW, "goodput_bps", again)
    console = out()
    with console.capture() as shown:
        console.print(records_view(arms[0]))
        console.print(comparison_view(Comparison(arms), details=True))
    assert shown.get().count("again Mbit/s") == 4  # in the one; in the other for both flows and each


def test_every_figure_is_a_metric(tiny: str) -> None:
    record = api.load(tiny).run(1)[0]
    for figure in (*figures.FLOW.values(), *figures.NODE.values(), *figures.RUN.values()):
        arguments: dict[str, str] = {} if figure.of == "run" else {figure.of: "all"}
        if figure.metric in ("goodput",):  # in Mbit/s, as papers have it
            continue
        found = evaluate(figure.metric, record, arguments)
        whole = figure.of == "run" or (figure.of == "flow" and figure.name in figures.RUN)
        entries = [record.data] if whole else record.data[f"{figure.of}s"]
        expected = figure.combine(figure.read(entry) for entry in entries) / figure.scale
        assert found == pytest.approx(expected, nan_ok=True), figure.name


def test_a_difference_is_better_as_the_registry_says(tiny: str) -> None:
    arms = [api.load(tiny).run(2, techniques=[name]) for name in ("none", "drr")]
    comparison = Comparison(arms)
    for figure in figures.everywhere().values():
        row = comparison.row(arms[1], figure.name)
        settled = row.adjusted_verdict in ("higher", "lower") and figure.more_is_better is not None
        assert (better(row) is not None) == settled


def test_tables_have_every_figure(tiny: str) -> None:
    record = api.load(tiny).run(1)[0]
    assert {figure.column for figure in figures.FLOW.values()} <= {*record.flows.columns}
    assert {figure.column for figure in figures.NODE.values()} <= {*record.nodes.columns}
    assert record.nodes["frames_data"].dtype.kind == "i"


def test_a_figure_that_no_run_knows_is_not_compared() -> None:
    """There is a time to resume where something returns, and nowhere else."""

    def compared(scenario: str) -> set[str]:
        changed = {"run.duration": "12 s", "measure.warm-up": "0 s"}
        if scenario == "partition":
            changed |= {"event.0.at": "2 s", "event.1.at": "4 s"}
        arms = [api.load(scenario).run(1, techniques=[name], set=changed) for name in ("none", "elfn:1s")]
        return {row.figure for row in Comparison(arms).rows()}

    assert {"resume_s", "outage_lost_bytes"} <= compared("partition")
    assert not {"resume_s", "outage_lost_bytes"} & compared("chain-1hop")
