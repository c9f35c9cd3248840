"""The set-ups of other simulators on the page for those who come from them: what should be seen is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

import multihop
from test_docs import ROOT, console


@pytest.fixture
def page(here: Path) -> list[str]:
    """The commands of the page; its files lie in the working folder."""
    lines = (ROOT / "docs" / "guide" / "coming-from.md").read_text(encoding="utf-8").split("\n")
    return [command for block in console.blocks(lines, here) for command, _ in block.steps()]


def goodput(name: str, window: str, **options: object) -> list[float]:
    """Goodput of the only flow in a window, in each of three runs [kbit/s]."""
    windows = multihop.load(name).run(runs=3, **options).windows  # type: ignore[arg-type]
    return [bps / 1e3 for bps in windows[windows["window"] == window]["goodput_bps"]]


def test_two_nodes_of_ns2_meet_and_part(page: list[str]) -> None:
    assert any("simple-wireless.toml" in command for command in page)
    assert goodput("simple-wireless.toml", "apart") == [0, 0, 0]
    assert min(goodput("simple-wireless.toml", "near")) > 500
    assert goodput("simple-wireless.toml", "gone") == [0, 0, 0]


def test_a_packet_crosses_the_grid_of_ns3(page: list[str]) -> None:
    assert sum("adhoc-grid.toml" in command for command in page) == 2
    near = multihop.load("adhoc-grid.toml").run(runs=3).flows
    far = multihop.load("adhoc-grid.toml").run(runs=3, set={"topology.spacing": "1000 m"}).flows
    assert list(near["sent_packets"]) == list(far["sent_packets"]) == [1, 1, 1]
    assert list(near["delivered_bytes"]) == [1000, 1000, 1000]
    assert list(near["hops_mean"]) == [8, 8, 8]
    assert list(far["delivered_bytes"]) == [0, 0, 0]


def test_relays_of_inet_pass_by(page: list[str]) -> None:
    assert sum("passing-relays.toml" in command for command in page) == 2
    fixed = {"set": {"routing.kind": "static"}}
    assert min(goodput("passing-relays.toml", "R1 near", **fixed)) > 300
    assert goodput("passing-relays.toml", "R1 gone", **fixed) == [0, 0, 0]
    assert min(goodput("passing-relays.toml", "R1 gone")) > 200
