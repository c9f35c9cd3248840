"""What docs/results/published.md says of measured networks, held against new runs."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
SHORT: dict[str, Any] = {"run.duration": "9 s", "measure.warm-up": "4 s"}


@cache
def published() -> ModuleType:
    sys.path.insert(0, str(DOCS))
    return importlib.import_module("published")


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published(), "KEPT", tmp_path)


def over_hops(name: str, *hops: int) -> list[float]:
    more = {} if name.startswith("802.11a") else SHORT
    return [published().chain(name, h, 1, more).mean for h in hops]


def stations(name: str) -> list[float]:
    return [one.mean for one in published().cell(name, 1, SHORT)]


def test_a_testbed_of_802_11a() -> None:
    """UDP at 6 Mb/s over one radio: the first hop to 3 %, then 1/h, as all hear each other; two: flat."""
    measured = published().MEASURED
    one = over_hops("802.11a, one radio", 1, 2, 3)
    assert one[0] == pytest.approx(measured["802.11a, one radio"][1], rel=0.03)
    assert one[1:] == pytest.approx([one[0] / 2, one[0] / 3], rel=0.05)
    two = over_hops("802.11a, two radios", 1, 3, 5)
    assert two == pytest.approx([measured["802.11a, two radios"][5]] * 3, rel=0.06)


@pytest.mark.long
def test_one_radio_falls_as_the_hops_and_two_stay_flat() -> None:
    shared = over_hops("one radio, all in reach", 1, 2, 3, 4, 5)
    assert [shared[0] / each for each in shared] == pytest.approx([1, 2, 3, 4, 5], rel=0.06)
    apart = over_hops("one radio", 3, 5)
    assert apart[0] < shared[2]
    assert apart[1] < shared[4]
    two = over_hops("two radios, five channels", 1, 3, 5)
    assert two == pytest.approx([two[0]] * 3, rel=0.03)


@pytest.mark.long
def test_a_slow_station_costs_the_fast_ones() -> None:
    free, anomaly, packed, fifo, fair = map(stations, published().CELLS)
    assert anomaly[0] < free[0] / 2, "frames in turn"
    assert anomaly[2] > anomaly[0] / 2
    assert packed[0] > 4 * anomaly[0], "equal shares of the air"
    assert fifo[0] == pytest.approx(fifo[2], rel=0.25), "packets in turn"
    assert fair[0] > 1.8 * fifo[0]
    assert fair[2] < 0.7 * fifo[2]
