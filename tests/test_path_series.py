"""The series `path`: what senders know of the path, whichever TCP they are."""

from __future__ import annotations

import math

import pytest

import multihop
from conftest import Cli

WIRE = {"run.duration": "12 s", "measure.warm-up": "2 s"}
TCPS = ("none", "cubic", "rack-tlp", "vegas", "prr", "pacing", "bbr", "bbr-draft")
PACED = ("pacing", "bbr", "bbr-draft")
FULL = 10e6 * 1460 / 1500
"""Goodput of a full wire of 10 Mb/s [bit/s]."""
LEAST = 2 * 20e-3
"""Least round-trip time of the wire without any packet on it [s]."""


@pytest.mark.parametrize("technique", TCPS)
def test_every_sender_says_what_it_knows_of_the_path(technique: str) -> None:
    [record] = multihop.load("wire").run(runs=1, techniques=technique, set=WIRE)
    path, tcp = record.series("path"), record.series("tcp")
    assert path["time_s"].tolist() == tcp["time_s"].tolist()
    assert path["send_bps"].notna().any() == (technique in PACED)
    assert path["min_rtt_s"].between(LEAST, LEAST + 2e-3).all()
    assert (path["phase"] > 0).all() == technique.startswith("bbr")
    late = path["delivery_bps"][path["time_s"] > 2]
    assert late.notna().all()
    if technique.startswith("bbr"):
        assert late.between(0.95 * FULL, 1.01 * FULL).all()
        return
    # what ACKs told of adds up to what is acknowledged, but for what SACK told of
    told = path["delivery_bps"].sum() * (path["time_s"].iloc[1] - path["time_s"].iloc[0]) / 8
    assert told == pytest.approx(tcp["una"].iloc[-1], abs=200 * 1460)
    assert late.mean() == pytest.approx(FULL, rel=0.05)


def test_a_flow_that_has_not_begun_has_delivered_nothing() -> None:
    [record] = multihop.load("wire").run(runs=1, set={**WIRE, "flow.1.start": "5 s"})
    path = record.series("path")
    before = path[path["time_s"] < 5]
    assert (before["delivery_bps"] == 0).all()
    assert before["min_rtt_s"].isna().all()
    assert path["delivery_bps"].max() > 0.9 * FULL


def test_datagrams_have_no_such_series() -> None:
    [record] = multihop.load("udp-chain").run(runs=1, set={"run.duration": "5 s", "measure.warm-up": "1 s"})
    assert "path" not in record.series_names


def test_it_is_printed_for_plain_tcp(cli: Cli, tiny: str) -> None:
    head, first, *_ = cli("run", tiny, "-n", "1", "-t", "cubic", "--csv", "path").out.splitlines()
    assert head == "technique,run,flow,time_s,send_bps,delivery_bps,min_rtt_s,phase"
    row = dict(zip(head.split(","), first.split(","), strict=True))
    assert row["send_bps"] == ""
    assert math.isfinite(float(row["delivery_bps"]))
