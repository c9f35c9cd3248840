"""The Python side: scenarios from dicts, tidy tables, and errors that name the argument."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import multihop
from conftest import Cli
from multihop.ceiling.reach import Reach
from multihop.errors import InputError
from multihop.measures.notation import seconds
from multihop.out.check import network_words
from multihop.record.frames import KEYS, TABLES
from multihop.scenario.scenario import written
from multihop.text import span

LAB: dict[str, Any] = {
    "summary": 'two hops, "quoted"',
    "run": {"duration": "4 s"},
    "measure": {"warm-up": "1 s", "window": [{"name": "end", "from": "3 s", "to": "4 s"}]},
    "topology": {"kind": "chain", "hops": 2, "spacing": "200 m"},
    "flow": [{"name": "web", "from": "0", "to": "2"}, {"from": "2", "to": "0"}],
}


def test_a_scenario_may_be_a_dict() -> None:
    lab = multihop.load(LAB)
    import tomllib

    assert tomllib.loads(written(LAB)) == LAB
    assert lab.run(runs=1).scenario["summary"] == LAB["summary"]
    assert multihop.load({**LAB, "air": {"bit-error-rate": 1e-5}}).resolve().hash != lab.resolve().hash


def test_a_store_is_opened_by_its_folder(tmp_path: Path) -> None:
    lab = multihop.load(LAB)
    store = multihop.Store.open(str(tmp_path / "kept"))
    lab.run(runs=1, store=store)
    assert len(store.ids()) == 1
    with pytest.raises(InputError, match=r"`store` must be a store, like Store.open\('kept'\), not str"):
        lab.run(runs=1, store="kept")  # type: ignore[arg-type]


def test_a_scenario_may_be_changed_by_section() -> None:
    lab = multihop.load(LAB)
    changed = lab.with_(run={"seed": 3}, tcp={"max-window": 4})
    text = changed.resolve().toml()
    assert 'duration = "4 s"' in text
    assert "max-window = 4" in text
    assert changed.resolve().hash == lab.resolve(set={"tcp.max-window": 4}, seed=3).hash
    assert lab.resolve().hash != changed.resolve().hash


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.run(runs="3"), "`runs` must be a whole number, not str"),
        (lambda s: s.run(runs=True), "`runs` must be a whole number, not bool"),
        (lambda s: s.run(techniques=[1]), "`techniques` must be like"),
        (lambda s: s.run(techniques=5), "`techniques` must be like"),
        (lambda s: s.run(set=[1]), "`set` must be like"),
        (lambda s: s.run(set=7), "`set` must be like"),
        (lambda s: s.compare("none"), "at least two"),
        (
            lambda _: multihop.load(5),  # type: ignore[arg-type]
            "`source` must be a name, a path or a dict, not int",
        ),
        (lambda _: multihop.load({"run": {"duration": object()}}), "`run.duration` is a object"),
        (lambda _: multihop.load({"rum": {}}).resolve(), "rum"),
    ],
)
def test_errors_name_the_argument(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        call(multihop.load(LAB))


def test_a_flow_is_given_by_name_or_number() -> None:
    records = multihop.load(LAB).run(runs=2)
    assert (records.values("goodput_bps", flow=2) == records.values("goodput_bps", flow="2")).all()
    assert len(records.values("goodput_bps", flow="web")) == 2
    with pytest.raises(InputError, match="there is no flow `7`; there are: web, 2"):
        records.values("goodput_bps", flow=7)


def test_a_comparison_takes_the_text_of_the_command_line() -> None:
    comparison = multihop.load(LAB).compare("none,drr+sack", runs=2)
    assert [arm.label for arm in comparison.arms] == ["none", "drr+sack"]
    table = comparison.table()
    assert list(table.columns[:3]) == ["technique", "flow", "figure"]
    row = table[(table["figure"] == "goodput_bps") & table["flow"].isna()].iloc[0]
    assert row["difference"] == pytest.approx(row["mean"] - row["baseline"])
    assert row["low"] <= row["difference"] <= row["high"]
    assert set(comparison.table("flows")["technique"]) == {"none", "drr+sack"}


@pytest.mark.parametrize("name", [*TABLES, "tcp", "goodput"])
def test_every_table_is_tidy_with_the_same_keys_first(name: str) -> None:
    table = multihop.load(LAB).run(runs=2).table(name)
    assert isinstance(table, pd.DataFrame)
    keys = [column for column in table.columns if column in KEYS]
    assert list(table.columns[: len(keys)]) == keys == [key for key in KEYS if key in keys]
    assert "technique" in keys
    assert not {"id", "name"} & {*table.columns}


def test_the_summary_table_is_the_summary() -> None:
    records = multihop.load(LAB).run(runs=3)
    table, summary = records.table("summary"), records.summary()
    row = table[(table["flow"] == "web") & (table["figure"] == "goodput_bps")].iloc[0]
    told = next(flow for flow in summary["flows"] if flow["id"] == "web")["goodput_bps"]
    assert row["mean"] == pytest.approx(told["mean"])
    assert [row["low"], row["high"]] == pytest.approx(told["ci95"])
    with pytest.raises(InputError, match="did you mean `flows`"):
        records.table("flow")


def test_any_table_is_printed_as_csv(cli: Cli, tiny: str) -> None:
    for command, name, heads in (
        (("run", tiny, "-n", "2"), "flows", ["technique", "run", "flow"]),
        (("compare", tiny, "-t", "none,drr", "-n", "2"), "comparison", ["technique", "flow", "figure"]),
        (("compare", tiny, "-t", "none,drr", "-n", "2"), "drops", ["technique", "run", "flow", "node"]),
        (("explain", "--flow", "1"), "losses", ["technique", "run", "flow"]),
    ):
        done = cli(*command, "--csv", name)
        assert done.code == 0
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert rows
        assert list(rows[0])[: len(heads)] == heads
    assert {
        row["flow"] for row in csv.DictReader(io.StringIO(cli("explain", "--flow", "1", "--csv", "flows").out))
    } == {"1"}
    assert "there is no table `foo`" in cli("explain", "--csv", "foo").err


def test_new_writes_no_file_of_another_kind(cli: Cli) -> None:
    done = cli("new", "y.txt")
    assert done.code == 2
    assert "write y.toml" in done.err


def test_a_figure_with_a_unit_ends_in_it_and_the_page_says_what_quantiles_are() -> None:
    """In SI, whatever the tables on the screen show it in."""
    from multihop.measures.figures import FLOW, NODE

    endings = {"kbit/s": "_bps", "kbit": "_bits", "kB": "_bytes", "ms": "_s", "s": "_s", "J": "_j"}
    figures = [*FLOW.values(), *NODE.values()]
    assert {f.column for f in figures if f.unit in endings and not f.column.endswith(endings[f.unit])} == set()
    assert {f.unit for f in figures} <= {*endings, "", "packets", "%"}
    page = " ".join((Path(__file__).parent.parent / "docs/guide/python.md").read_text(encoding="utf-8").split())
    assert (
        "Quantiles of delays (`delay_p50_s`, `delay_p95_s`) are read from a histogram: they are right to within" in page
    )
    assert "all figures in SI units" not in page


def test_whole_numbers_of_numpy_are_numbers_of_runs(here: Path) -> None:
    assert len(multihop.load(LAB).run(runs=np.int64(2))) == 2  # type: ignore[arg-type]
    with pytest.raises(InputError, match="whole number, not float64"):
        multihop.load(LAB).run(runs=np.float64(2.0))  # type: ignore[arg-type]


def test_what_compare_returns_can_be_named(here: Path) -> None:
    comparison: multihop.Comparison = multihop.load(LAB).compare("none,drr", runs=1)
    assert isinstance(comparison, multihop.Comparison)


def test_check_of_nodes_that_move_is_of_the_first_instant() -> None:
    moving = {
        **LAB,
        "mobility": {"kind": "random-walk", "max-speed": "5 m/s", "area": {"width": "400 m", "height": "9 m"}},
    }
    said = [network_words(Reach(multihop.load(scenario).resolve())) for scenario in (LAB, moving)]
    assert ["Nodes move: links, hidden pairs, paths and ceilings are those at 0 s." in lines for lines in said] == [
        False,
        True,
    ]


def test_check_says_that_events_are_not_in_what_it_says() -> None:
    """A link that is cut from the start, as by a hill between two places, is in the path all the same."""
    cut = [{"kind": kind, "at": at, "from": "0", "to": "1"} for kind, at in (("link-up", "2 s"), ("link-down", "0 s"))]
    told = [network_words(Reach(multihop.load({**LAB, **more}).resolve())) for more in ({}, {"event": cut})]
    said = "Events from 0 s on: links, hidden pairs, paths and ceilings are those without them."
    assert [said in lines for lines in told] == [False, True]


def test_short_times_are_told_in_microseconds() -> None:
    assert [span(0.0, high) for high in (1e-6, 0.5, 100.0)] == ["0–1 us", "0–0.5 s", "0–100 s"]
    assert span(100.0, 300.0, " to ") == "100 to 300 s"
    assert [seconds(s) for s in (0.0, 1e-6, 0.0005, 0.001, 12.5)] == ["0 s", "1 us", "500 us", "0.001 s", "12.5 s"]
