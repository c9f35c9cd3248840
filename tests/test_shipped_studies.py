"""What is asked of every shipped study: the tests that its claims name are there, and it does not warn of itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from multihop.running.plan import Arm, warnings
from multihop.study import find, names, points
from multihop.study.outcome import task_of

ROOT = Path(__file__).parents[1]
NAMED = sorted({test for name in names() for claim in find(name).claims for test in claim.tests})


def is_test(named: str) -> bool:
    """Whether the file has a test of that name, which the runner of its language finds."""
    path, _, name = named.partition("::")
    file = ROOT / path
    if not file.is_file():
        return False
    text = file.read_text(encoding="utf-8")
    if path.endswith(".py"):
        return name.startswith("test_") and re.search(rf"^def {name}\(", text, re.MULTILINE) is not None
    attributes = r"(?:\s*(?:#\[[^\n]*\]|//[^\n]*)\n)*"
    found = re.search(rf"#\[test\]\n{attributes}\s*fn {name}\(", text)
    return found is not None and "#[ignore" not in found.group()


@pytest.mark.parametrize("named", NAMED)
def test_a_test_that_a_claim_names_is_there(named: str) -> None:
    assert is_test(named)


def test_what_is_no_test_is_found_out() -> None:
    assert len(NAMED) > 20
    assert is_test("tests/test_shipped_studies.py::test_what_is_no_test_is_found_out")
    assert not is_test("tests/test_shipped_studies.py::is_test")
    assert not is_test("tests/nowhere.rs::a")
    path = "crates/sim/tests/suite/contention.rs"
    assert is_test(f"{path}::a_tcp_ack_dies_in_the_acknowledgement_of_a_neighbours_exchange")
    assert not is_test(f"{path}::heard_at")


@pytest.mark.parametrize("name", names())
def test_a_shipped_study_does_not_warn_of_itself(name: str) -> None:
    study = find(name)
    arms = [
        Arm.of(task_of(study, points(each)[0], quick)) for each in study.experiments.values() for quick in (False, True)
    ]
    for reading in study.readings:
        seen = {m.experiment for c in study.claims if reading.looks_at(c) for k in c.check for m in k.value}
        firsts = [{p.technique: p for p in reversed(points(study.experiments[each]))} for each in seen if reading.set]
        for first in firsts:
            arms += [Arm.of(task_of(study, p, False, reading.set, reading.name)) for p in first.values()]
    assert warnings(arms) == set()


def test_a_reading_whose_setting_means_nothing_anywhere_is_told_so() -> None:
    study = find("hamadani")
    [first, *_] = points(study.experiments["away"])
    arms = [Arm.of(task_of(study, first, False, ["air.rician-k=3 dB"], "rice"))]
    assert any("rician-k" in said for said in warnings(arms))
    fading = ["air.rician-k=3 dB", "air.fading=rician", "air.propagation=free-space", "air.receive-threshold=1.92e-8 W",
              "air.sense-threshold=1.92e-8 W"]  # fmt: skip
    assert warnings([*arms, Arm.of(task_of(study, first, False, fading, "rice"))]) == set()
