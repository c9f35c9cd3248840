"""The page of agreement over a wire has each cell, with a reason where it differs. Managements drop as ns-3's do."""

from __future__ import annotations

import csv
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = runpy.run_path(str(ROOT / "docs" / "agreement_tcp.py"))


def facts(name: str) -> list[dict[str, str]]:
    with (SCRIPT["FACTS"] / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


OPEN = facts("ns3-queues-open.csv")


def test_each_cell_is_on_the_page_and_each_reason_is_of_one_that_differs() -> None:
    page = SCRIPT["PAGE"].read_text(encoding="utf-8")
    for names, why in (
        ([row["cell"] for row in facts("linux-tcp.csv")], SCRIPT["WHY"]),
        ([row["id"] for row in facts("ns3-queues.csv")], SCRIPT["WHY_QUEUES"]),
    ):
        differ = [name for name in names if f"* `{name}`:" in page]
        assert all(f"| `{name}` |" in page for name in names)
        assert sorted(why) == sorted(differ), "each cell that differs has a reason, and no other has"


@pytest.mark.parametrize("row", OPEN, ids=[f"{row['discipline']}-{row['offered_mbps']}" for row in OPEN])
def test_without_tcp_a_management_drops_what_ns3_drops(row: dict[str, str]) -> None:
    here = SCRIPT["aqm"].open_loop(row["discipline"], row["offered_mbps"])
    assert here["drops"] == pytest.approx(float(row["drops"]), rel=0.01)
    assert here["mean_sojourn_ms"] == pytest.approx(float(row["mean_sojourn_ms"]), rel=0.035)
