"""A few rounds of what `tests/torture` does at length; MULTIHOP_TORTURE sets their number."""

from __future__ import annotations

import os
from pathlib import Path

from torture.damage import damage
from torture.kills import kills

ROUNDS = int(os.environ.get("MULTIHOP_TORTURE", "0"))


def test_a_changed_file_is_said_or_makes_no_difference_and_is_healed(tmp_path: Path) -> None:
    counts = damage(ROUNDS or 40, tmp_path, seed=7)
    assert counts["was said"] > counts["made no difference"]


def test_a_killed_process_loses_nothing_and_leaves_nothing_half(tmp_path: Path) -> None:
    counts = kills(ROUNDS or 12, tmp_path, seed=7)
    assert counts["killed"] > 0
