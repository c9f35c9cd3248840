"""Goodput and round trips over time: the lines are what the record's series say, and bins have a sensible width."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import multihop
from conftest import Cli
from multihop.plots.over_time import BINS, bin_width
from multihop.plots.record import draw
from multihop.store.store import Store

STEPPED = """\
run.duration = "12 s"
measure.sample = "100 ms"
topology = { kind = "chain", hops = 1 }
[[flow]]
name = "early"
kind = "cbr"
rate = "200 kbps"
packet = "500 B"
from = "0"
to = "1"
stop = "6 s"
[[flow]]
name = "late"
kind = "bulk"
from = "0"
to = "1"
start = "6 s"
"""


@pytest.mark.parametrize("span", [0.5, 3, 10, 60, 300, 4000])
@pytest.mark.parametrize("interval", [0.01, 0.1, 1, 7])
def test_a_bin_holds_whole_samples_and_there_are_not_too_many(span: float, interval: float) -> None:
    width = bin_width(span, interval)
    assert width / interval == pytest.approx(round(width / interval))
    assert width >= interval
    assert span / width <= BINS * 1.5


def test_the_lines_are_the_goodput_of_each_flow_in_time(cli: Cli, here: Path) -> None:
    (here / "stepped.toml").write_text(STEPPED, encoding="utf-8")
    assert cli("run", "stepped.toml", "--runs", "1").code == 0
    arms = Store.open().find(None)
    [axes] = [axes for axes in draw("goodput-time", arms).axes if axes.get_visible()]
    early, late = axes.get_lines()
    assert (early.get_label(), late.get_label()) == ("flow early", "flow late")
    x, y = (np.asarray(early.get_xdata(), float), np.asarray(early.get_ydata(), float))
    assert axes.get_ylabel() == "goodput [Mbit/s]"
    assert np.nanmean(y[(x > 1) & (x < 5)]) == pytest.approx(0.2, rel=0.05)
    assert np.nanmax(y[x > 7]) == 0
    x, y = (np.asarray(late.get_xdata(), float), np.asarray(late.get_ydata(), float))
    assert x.min() >= 5.9, "before it begins it has no line"
    assert float(np.nanmean(y)) == pytest.approx(float(arms[0].values("goodput_bps", "late")[0]) / 1e6, rel=0.05)


def test_round_trips_are_of_tcp_alone_and_plot_writes_both(cli: Cli, here: Path) -> None:
    (here / "stepped.toml").write_text(STEPPED, encoding="utf-8")
    assert cli("run", "stepped.toml", "--runs", "1").code == 0
    [axes] = [axes for axes in draw("rtt-time", Store.open().find(None)).axes if axes.get_visible()]
    [line] = axes.get_lines()
    assert line.get_label() == "flow late"
    assert 0 < float(np.nanmax(np.asarray(line.get_ydata(), float))) < 1000
    for kind in ("goodput-time", "rtt-time"):
        assert cli("plot", kind, "--out", f"{kind}.png").code == 0
        assert (here / f"{kind}.png").stat().st_size > 5000
    refused = cli("plot", "rtt-time", "--flow", "early")
    assert refused.code == 2
    assert "does not run over TCP" in refused.err
    assert cli("plot", "goodput-time", "--flow", "late", "--time", "7:9").code == 0


def test_without_series_the_figure_says_what_is_missing(cli: Cli, here: Path) -> None:
    (here / "stepped.toml").write_text(STEPPED.replace('"100 ms"', '"0 s"'), encoding="utf-8")
    assert cli("run", "stepped.toml", "--runs", "1").code == 0
    refused = cli("plot", "goodput-time")
    assert refused.code == 2
    assert "measure.sample" in refused.err


def test_goodput_of_all_flows_is_over_the_time_in_which_there_was_one(here: Path) -> None:
    (here / "stepped.toml").write_text(STEPPED, encoding="utf-8")
    records = multihop.load("stepped.toml").run(runs=1)
    early, late = (float(records.values("goodput_bps", flow)[0]) for flow in ("early", "late"))
    assert early == pytest.approx(200e3, rel=0.01)
    # one after the other: together they have the mean of both, not the sum
    assert float(records.values("goodput_bps")[0]) == pytest.approx((early + late) / 2, rel=0.01)
    assert float(records.summary()["goodput_bps"]["mean"]) == pytest.approx((early + late) / 2, rel=0.01)
