"""The shipped reproduction of the persistent queue."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from multihop.study import Study, find, load, names
from multihop.study.select import select

ROOT = Path(__file__).parents[1] / "studies" / "reproductions"


@pytest.fixture(scope="module")
def ohzahata() -> Study:
    return load((ROOT / "ohzahata.toml").read_text(), "ohzahata.toml", lambda part: (ROOT / part).read_text())


def test_all_99_claims_are_there(ohzahata: Study) -> None:
    claims = ohzahata.claims
    assert len({claim.id for claim in claims}) == 99
    assert sum(not claim.counted for claim in claims) == 10
    assert {claim.tier: sum(c.tier == claim.tier for c in claims) for claim in claims} == {
        "must": 13,
        "should": 84,
        "info": 2,
    }
    for table in range(1, 5):
        assert sum(c.id.startswith(f"OZ-T{table}-") for c in claims) == 14


def test_every_figure_and_table_is_there(ohzahata: Study) -> None:
    wanted = [*(f"fig{n}" for n in range(3, 14)), *(f"table{n}" for n in range(1, 5))]
    assert [part for part in ohzahata.parts if part in wanted] == wanted
    for part in wanted:
        assert select(ohzahata, part).points()


def test_the_columns_of_the_tables_add_up_but_for_the_one_that_does_not(ohzahata: Study) -> None:
    wrong = []
    for table in ohzahata.tables:
        *flows, total = table.row
        for index, column in enumerate(table.columns):
            parts = sum(row.cells[index].paper or 0.0 for row in flows)
            if not math.isclose(parts, total.cells[index].paper or 0.0, abs_tol=0.005):
                wrong.append((table.name, column))
    assert wrong == [("table2", "500-600 s")]


def test_the_shipped_study_is_found(ohzahata: Study) -> None:
    assert "ohzahata" in names()
    assert len(find("ohzahata").claims) == len(ohzahata.claims)
