"""Data frames by rate: a table of `run` and a sentence of `explain`, where rates are chosen, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import multihop
from conftest import Cli
from multihop.analysis.frames_by_rate import RATES, by_rate, share
from multihop.ceiling.reach import Reach


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
