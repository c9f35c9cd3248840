"""Data frames by rate: a table of `run` and a sentence of `explain`, where rates are chosen, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.analysis.frames_by_rate import RATES, by_mode, by_rate, share, words
from multihop.ceiling.reach import Reach
from multihop.text import plural


def chosen(counts: tuple[int, int, int, int]) -> dict[str, int]:
    return dict(zip(RATES, counts, strict=True))


def test_the_rates_are_those_of_the_engine() -> None:
    assert list(RATES.values()) == ["1 Mb/s", "2 Mb/s", "5.5 Mb/s", "11 Mb/s"]


def test_runs_that_chose_no_rate_are_left_out() -> None:
    found = by_rate([chosen((1, 2, 0, 7)), dict.fromkeys(RATES), chosen((3, 0, 0, 9))])
    assert [n.mean for n in found.values()] == [2, 1, 0, 8]
    assert by_rate([dict.fromkeys(RATES)]) == {}


@pytest.mark.parametrize(
    ("n", "of", "said"),
    [(0, 7, "0 %"), (1, 3, "33 %"), (1, 1000, "under 1 %"), (999, 1000, "over 99 %"), (5, 5, "100 %"), (0, 0, "– %")],
)
def test_a_share_is_neither_nothing_nor_all_if_it_is_not(n: int, of: int, said: str) -> None:
    assert share(n, of) == said.replace("– %", "nan %")


def test_run_has_a_table_and_explain_a_sentence(cli: Cli, here: Path) -> None:
    # the walker leaves the reach of 11 Mb/s at 64 s
    command = ("run", "rate-zones", "-t", "arf", "--runs", "2")
    span = ("--set", "run.duration=80 s", "--set", "measure.warm-up=60 s")
    told = cli(*command, *span)
    assert told.code == 0, told.err
    runs = json.loads(cli(*command, *span, "--json").out)["runs"]
    sums = {rate: sum(int(run[name]) for run in runs) for name, rate in RATES.items()}
    total = sum(sums.values())
    assert min(sums["11 Mb/s"], sums["5.5 Mb/s"]) > 1000
    table = told.out.partition("data frames of all nodes at")[2].partition("packets dropped")[0]
    for rate, n in sums.items():
        [row] = [line for line in table.splitlines() if line.startswith(rate)]
        assert row.endswith(f" {share(n, total)}")
        assert float(row.removeprefix(rate).split()[0]) == pytest.approx(n / 2, rel=0.05)
    said = " ".join(cli("explain").out.split())
    went = f"Of {total} data frames of all nodes, {share(sums['11 Mb/s'], total)} went at 11 Mb/s, "
    assert went + f"{share(sums['5.5 Mb/s'], total)} at 5.5 Mb/s" in said
    one = sum(int(runs[1][name]) for name in RATES)
    assert f"Of {one} data frames of all nodes" in cli("explain", "--run", "2").out


def test_of_a_fixed_rate_nothing_is_said(cli: Cli, tiny: str) -> None:
    assert "data frames of all nodes" not in cli("run", tiny, "--runs", "1").out
    assert "data frames of all nodes" not in cli("explain").out


@pytest.mark.parametrize(
    ("profile", "more", "said"),
    [
        ("rfc", {"mac": {"rate-control": "arf"}}, True),
        ("rfc", {"mac": {"rate-control": "snr"}}, True),
        ("ns2", {"mac": {"rate-control": "arf"}}, True),
        ("rfc", {}, False),
        ("linux24", {"mac": {"rate-control": "arf"}}, False),
    ],
)
def test_where_rate_control_gains_no_range_it_is_said(profile: str, more: dict[str, object], said: bool) -> None:
    chain = {"topology": {"kind": "chain", "hops": 2}, "flow": [{"from": "0", "to": "2"}]}
    warnings = Reach(multihop.load({"profile": profile, **chain, **more}).resolve()).info["warnings"]
    assert any("rate control gains no range" in warning for warning in warnings) == said


def test_the_slotted_link_has_no_rate_control_that_could_gain_range() -> None:
    for technique, said in (("none", True), ("frn", False)):
        resolved = multihop.load("mesh-11n").resolve(technique, {"air.reception": "ns2", "air.noise-errors": False})
        warnings = Reach(resolved).info["warnings"]
        assert any("rate control gains no range" in warning for warning in warnings) == said


SHORT = ("run.duration=3 s", "measure.warm-up=1 s")


def test_frames_are_counted_by_mcs_and_not_at_rates_of_dsss() -> None:
    records = multihop.load("mesh-11n").run(runs=1, set=[*SHORT])
    run = records.runs[0]
    assert {run[name] for name in RATES} == {None}
    nodes = {node["name"]: node for node in run["nodes"]}
    sender = nodes["house-1"]
    assert set(sender["data_by_rate"].values()) == {None}
    by_mode = sender["data_by_mode"]
    assert len(by_mode) > 3
    assert set(by_mode) <= {f"MCS {mcs}{streams}" for mcs in range(8) for streams in ("", ", 2 streams")}
    assert sum(by_mode.values()) == pytest.approx(sender["frames"]["data"], abs=1)  # one may be on the air
    table = records.table("modes")
    assert {(row.mode, row.frames) for row in table[table["node"] == "house-1"].itertuples()} == {*by_mode.items()}
    links = records.table("links")
    own = links[links["from"] == "house-1"]
    assert 0 < own["airtime_s"].sum() < sender["airtime_tx_s"]
    for row in run["mpdus"]:
        assert sum(row["modes"].values()) == row["frames"]


def test_of_aggregates_at_a_fixed_mcs_each_radio_has_its_frames() -> None:
    records = multihop.load("backhaul-11ac").run(runs=1, set=["run.duration=0.5 s", "measure.warm-up=0.1 s"])
    for node in records.runs[0]["nodes"]:
        assert [*node["data_by_mode"]] == ["MCS 7, 2 streams"]
        assert node["data_by_mode"]["MCS 7, 2 streams"] == pytest.approx(node["frames"]["data"], rel=0.05)
    table = records.table("modes")
    relay = table[table["node"] == "2"]
    assert [*relay["channel"]] == [52, 100]
    whole = records.runs[0]["nodes"][2]["data_by_mode"]["MCS 7, 2 streams"]
    assert relay["frames"].sum() == whole


def test_rates_of_802_11a_that_a_rule_chooses_have_their_names() -> None:
    of_a = ("mac.standard=802.11a", "mac.data-rate=54 Mbps", "mac.basic-rate=6 Mbps", "mac.rate-control=minstrel")
    chosen_ones = multihop.load("chain-3hop").run(runs=1, set=[*of_a, "run.duration=5 s", "measure.warm-up=0 s"])
    node = chosen_ones.runs[0]["nodes"][0]
    assert set(node["data_by_rate"].values()) == {None}
    assert set(node["data_by_mode"]) <= {f"{rate} Mb/s" for rate in (6, 9, 12, 18, 24, 36, 48, 54)}
    assert sum(node["data_by_mode"].values()) == pytest.approx(node["frames"]["data"], abs=1)


def test_a_plain_network_has_one_mode() -> None:
    plain = multihop.load("chain-3hop").run(runs=1, set=["run.duration=2 s", "measure.warm-up=0 s"])
    for node in plain.runs[0]["nodes"]:
        sent = node["frames"]["data"]
        assert node["data_by_mode"] == ({"2 Mb/s": sent} if sent else {})
    assert {*plain.table("modes")["mode"]} <= {"2 Mb/s"}
    assert words(plain) == "", "all frames are alike"


def test_where_an_event_sets_the_rate_nothing_is_said_of_modes() -> None:
    event = 'event=[{at="1 s",kind="rate",node="0",rate="1 Mbps"}]'
    run = multihop.load("chain-3hop").run(runs=1, set=["run.duration=2 s", "measure.warm-up=0 s", event])
    assert run.runs[0]["nodes"][0]["data_by_mode"] is None
    assert "0" not in {*run.table("modes")["node"]}


def test_explain_says_by_which_mcs_frames_went(cli: Cli, here: Path) -> None:
    records = multihop.load("mesh-11n").run(runs=1, set=[*SHORT])
    found = by_mode(records.runs)
    said = words(records)
    (most, n), *_ = found.most_common()
    assert said.startswith(f"Of {plural(found.total(), 'data frame')} of all nodes, {share(n, found.total())} went at ")
    assert f" went at {most.replace(', ', ' over ')}, " in said
    assert said.endswith(f" with {len(found) - 5} others.")
    assert said in " ".join(cli("explain", records.id).out.split())
