"""What `import multihop` offers besides runs: check, explain, plot, reproduce; and keys that are refused at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop import InputError
from small_study import SMALL


def test_the_module_lists_what_it_offers_and_no_more() -> None:
    assert dir(multihop) == sorted(multihop.__all__)
    assert {"check", "explain", "load", "plot", "reproduce", "Scenario"} <= {*dir(multihop)}
    for name in dir(multihop):
        assert getattr(multihop, name) is not None


@pytest.mark.parametrize(
    ("changes", "key", "near"),
    [
        ({"tpc": {"max-window": 4}}, "tpc", "did you mean `tcp`?"),
        ({"tcp": {"max_window": 4}}, "tcp.max_window", "did you mean `max-window`?"),
        ({"queue": {"red": {"max_p": 1}}}, "queue.red.max_p", "did you mean `max-p`?"),
        ({"flow": [{"from": "0", "to": "1", "strat": "1 s"}]}, "flow.strat", "did you mean `start`?"),
        ({"topology": {"kind": "chain", "hosp": 3}}, "topology.hosp", "did you mean `hops`?"),
    ],
)
def test_unknown_keys_are_refused_at_once(tiny: str, changes: dict[str, Any], key: str, near: str) -> None:
    with pytest.raises(InputError, match=f"unknown key `{key}`") as said:
        multihop.load(tiny).with_(**changes)
    assert near in str(said.value)
    with pytest.raises(InputError, match=f"unknown key `{key}`"):
        multihop.load(changes)


def test_what_scenarios_have_is_taken(tiny: str) -> None:
    changed = multihop.load(tiny).with_(tcp={"max-window": 4, "dcr": {"round-trips": 2}}, profile="rfc", summary="mine")
    assert "max-window" in changed.text
    own = {
        "node": [{"names": ["0"], "mac": {"cw-min": 31}}],
        "event": [{"kind": "node-down", "at": "1 s", "node": "0"}],
    }
    assert multihop.load(tiny).with_(**own).text


def test_each_object_says_what_it_is_in_one_short_line(tiny: str) -> None:
    scenario = multihop.load(tiny)
    records = scenario.run(runs=1)
    comparison = scenario.compare("none,drr", runs=1)
    for shown in (scenario, multihop.load("chain"), records, records[0], comparison):
        assert "\n" not in repr(shown)
        assert len(repr(shown)) < 100, repr(shown)
        assert " object at " not in repr(shown)
    assert repr(multihop.load("chain")) == "<Scenario chain: One TCP transfer over seven hops>"
    assert repr(records).endswith(f"{tiny} none: 1 run>")
    assert repr(records[0]) == f"<Record {records[0].key[:12]} none: run 1, seed {records[0].seed}>"


def test_a_flow_and_a_node_have_one_name_in_all_tables(tiny: str) -> None:
    records = multihop.load(tiny).run(runs=1)
    for name in ("flows", "windows", "losses", "ledger"):
        assert "flow" in getattr(records, name).columns
        assert "id" not in getattr(records, name).columns
    assert "node" in records.nodes.columns
    assert set(records.flows.columns) == {*records.table("flows").columns} - {"technique"}


def test_run_and_compare_read_techniques_alike(tiny: str) -> None:
    scenario = multihop.load(tiny)
    assert scenario.run(runs=1, techniques="none").id == scenario.compare("none,drr", runs=1).baseline.id
    assert scenario.run(runs=1, techniques="drr+sack").techniques == ["drr", "sack"]
    assert scenario.run(runs=1, techniques=["drr", "sack"]).techniques == ["drr", "sack"]
    assert scenario.run(runs=1, techniques="multipath:2").techniques == ["multipath:2"]
    with pytest.raises(InputError, match=r"`run` takes one technique.*To compare them: `multihop compare"):
        scenario.run(runs=1, techniques="none,drr")


def test_check_says_what_the_command_says(cli: Cli, tiny: str) -> None:
    told = json.loads(cli("check", tiny, "-t", "drr", "--set", "tcp.max-window=4", "--json").out)
    found = multihop.check(tiny, "drr", {"tcp.max-window": 4})
    assert json.loads(json.dumps(found)) == told
    assert multihop.check(multihop.load(tiny))["flows"][0]["words"].startswith("Flow 1 (")
    with pytest.raises(InputError):
        multihop.check({"topology": {"kind": "chain", "hosp": 2}})


def test_explain_tells_each_flow_in_sentences(cli: Cli, tiny: str) -> None:
    records = multihop.load(tiny).run(runs=2)
    stories = multihop.explain(records)
    assert [story.id for story in stories] == ["1", "2"]
    assert str(stories[0]).startswith("From 1 to 4 s, flow 1 (")
    assert multihop.explain()[0] == stories[0]
    assert multihop.explain(records.id[:12], flow=2)[0] == stories[1]
    assert multihop.explain(records, run=1)[0].runs == 1
    said = " ".join(cli("explain").out.split())
    assert all(" ".join(str(story).split()) in said for story in stories)
    with pytest.raises(InputError, match="there is no flow `9`"):
        multihop.explain(records, flow=9)


def test_plot_draws_records_comparisons_and_maps(tiny: str, here: Path) -> None:
    scenario = multihop.load(tiny)
    comparison = scenario.compare("none,drr", runs=2)
    assert multihop.plot("goodput", comparison, "bars.svg").axes
    assert multihop.plot("goodput", comparison.arms[1], Path("one.png")).axes
    assert multihop.plot("cwnd", flow=2, run=1, time=(2, 3)).axes
    assert multihop.plot("map", scenario, "map.pdf").axes
    assert {path.name for path in here.iterdir()} >= {"bars.svg", "one.png", "map.pdf"}
    for kind, shown in (("pie", None), ("map", 7), ("rate", None)):
        with pytest.raises(InputError):
            multihop.plot(kind, shown)  # type: ignore[arg-type]


def test_plot_says_which_figure_is_for_which_transport(tiny: str) -> None:
    multihop.load(tiny).run(runs=1)
    with pytest.raises(InputError, match=r"for ATP flows only, and this record has none\. For TCP use `plot cwnd`"):
        multihop.plot("rate")
    multihop.load(tiny).run(runs=1, techniques="atp")
    with pytest.raises(InputError, match=r"for TCP flows only, and this record has none\. For ATP use `plot rate`"):
        multihop.plot("cwnd")


def test_reproduce_runs_a_study_of_ones_own(here: Path) -> None:
    (here / "small.toml").write_text(SMALL, encoding="utf-8")
    outcome = multihop.reproduce("small.toml", quick=True, out="made")
    assert (here / "made" / "report.html").is_file()
    assert len(outcome.points()) == 12
    assert repr(outcome) == "<Outcome small: 0 claims, 36 runs>"
    assert outcome.document()["points"][0]["experiment"] == "paths"
    with pytest.raises(InputError, match="there is no study `smal`"):
        multihop.reproduce("smal")


def test_import_reads_what_the_command_reads(cli: Cli, here: Path) -> None:
    (here / "roofs.csv").write_text("name,lat,lon\ngate,47.37,8.2032\nbarn,47.3712,8.2045\nmill,47.3725,8.2056\n")
    assert cli("import", "roofs.csv", "--flow", "gate:mill").code == 0
    scenario = multihop.import_("roofs.csv", flows=["gate:mill"])
    written = (here / "roofs.toml").read_text()
    assert written.endswith(scenario.text)
    assert multihop.import_(here / "roofs.csv", range_m=180).text != scenario.text
    assert len(scenario.run(runs=1, set={"run.duration": "5 s", "measure.warm-up": "1 s"})) == 1
    for wrong in ({"cables": "glass"}, {"flows": ["gate:moon"]}, {"gateway": "moon"}, {"range_m": -1.0}, {"many": 0}):
        with pytest.raises(InputError):
            multihop.import_("roofs.csv", **wrong)
    with pytest.raises(InputError):
        multihop.import_()
    with pytest.raises(InputError):
        multihop.import_("missing.csv")
