"""The tests that studies name as what holds a rule to its paper: each is there, and is a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from multihop.study import find, names

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
    assert is_test("tests/test_named_tests.py::test_what_is_no_test_is_found_out")
    assert not is_test("tests/test_named_tests.py::is_test")
    assert not is_test("tests/nowhere.rs::a")
    path = "crates/sim/tests/suite/contention.rs"
    assert is_test(f"{path}::a_tcp_ack_dies_in_the_acknowledgement_of_a_neighbours_exchange")
    assert not is_test(f"{path}::heard_at")
