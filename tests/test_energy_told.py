"""Where `[energy]` stands, `run`, the report and `explain` tell joules and batteries by node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import multihop
from conftest import Cli
from multihop.analysis.energy import by_node, words
from multihop.analysis.findings import remarks
from multihop.measures.summary import value

METERED = """\
run.duration = "20 s"
topology = { kind = "chain", hops = 2 }
energy = { battery = "BATTERY" }
[[flow]]
kind = "cbr"
rate = "200 kbps"
packet = "500 B"
from = "0"
to = "2"
"""


def scenario(here: Path, battery: str) -> str:
    (here / "metered.toml").write_text(METERED.replace("BATTERY", battery), encoding="utf-8")
    return "metered.toml"


def test_run_explain_and_report_have_the_nodes(cli: Cli, here: Path) -> None:
    name = scenario(here, "100 J")
    ran = cli("run", name, "--runs", "2").out
    head = next(line for line in ran.splitlines() if line.startswith("node "))
    assert "energy J" in head
    assert "battery left J" in head
    assert "battery empty" not in head
    nodes = by_node(multihop.load(name).run(runs=2))
    for node in nodes:
        assert node.joules.mean + node.left.mean == pytest.approx(100, abs=0.01)
        assert f"{int(node.left.mean)}." in ran
    told = cli("explain").out.replace("\n", " ")
    assert "The radios of 3 nodes drew" in told
    assert "No battery was empty; the least was left at" in told
    assert cli("report", "--out", "page.html").code == 0
    assert "battery left J" in (here / "page.html").read_text(encoding="utf-8")


def test_an_empty_battery_is_told_with_its_time(cli: Cli, here: Path) -> None:
    name = scenario(here, "10 J")
    ran = cli("run", name, "--runs", "1").out
    assert "battery empty at s" in ran
    told = words(multihop.load(name).run(runs=1))
    assert "3 batteries were empty, first that of" in told


def test_without_the_section_nothing_is_told(cli: Cli, tiny: str) -> None:
    ran = cli("run", tiny, "--runs", "1").out
    assert "energy" not in ran
    assert "radios" not in cli("explain").out


def test_what_routing_sent_is_told_where_it_sends(cli: Cli, tiny: str) -> None:
    assert "Routing sent" not in cli("run", tiny, "--runs", "1").out
    assert "messages (" in cli("run", tiny, "--runs", "1", "-t", "aodv").out


class Counted(list[Any]):
    """A list that knows how often it was gone through."""

    times = 0

    def __iter__(self) -> Iterator[Any]:
        Counted.times += 1
        return super().__iter__()


def test_figures_and_remarks_of_many_flows_do_not_go_through_all_for_each(here: Path) -> None:
    n = 60
    flows = [{"kind": "cbr", "from": "0", "to": "1", "rate": "1 kbps", "packet": "100 B"}] * n
    text = {"topology": {"kind": "chain", "hops": 1}, "flow": flows, "run": {"duration": "3 s"}}
    records = multihop.load(text).run(runs=1)
    [run] = records.runs
    run["flows"] = Counted(run["flows"])
    names = [str(flow["id"]) for flow in run["flows"]]
    Counted.times = 0
    for name in names:
        value(run, "goodput_bps", name)
    assert Counted.times <= 2
    Counted.times = 0
    remarks(records)
    assert Counted.times < n


def test_radios_of_one_node_share_its_battery(cli: Cli, here: Path) -> None:
    """The relay has two radios, which drain its battery together."""
    text = METERED.replace("BATTERY", "20 J") + '[channels]\nplan = "alternate"\nlist = [36, 149]\n'
    (here / "metered.toml").write_text(text, encoding="utf-8")
    records = multihop.load("metered.toml").run(runs=1)
    node = records.runs[0]["nodes"][1]
    assert node["battery_left_j"] == 0
    assert node["battery_spent_s"] < 20
    radios = node["radios"]
    assert [(radio["battery_left_j"], radio["battery_spent_s"]) for radio in radios] == [(None, None)] * 2
    assert sum(radio["energy_j"] for radio in radios) == pytest.approx(node["energy_j"]) == pytest.approx(20, abs=0.01)

    table = records.table("node_radios")
    assert [*zip(table["node"], table["channel"], table["energy_j"], strict=True)] == [
        ("1", radio["channel"], radio["energy_j"]) for radio in radios
    ]
    assert table["battery_left_j"].isna().all()
    ran = cli("run", "metered.toml", "--runs", "1").out
    lines = [line.split() for line in ran.splitlines() if "on channel" in line]
    assert [line[2] for line in lines] == ["36", "149"]
    told = [float(line[3]) for line in lines]
    assert told == pytest.approx([radio["energy_j"] for radio in radios], abs=0.01)
