"""The engine as it is installed, a release build, gives the bits that the tests in Rust hold a debug build to."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from multihop import _engine

SNAPSHOTS = Path(__file__).parents[1] / "crates/sim/tests/suite/snapshots"


def snapshot(name: str) -> list[str]:
    """The lines that a test in Rust wrote, below their head."""
    text = (SNAPSHOTS / f"suite__determinism__{name}.snap").read_text(encoding="utf-8")
    return text.split("---\n", 2)[2].splitlines()


def test_a_release_build_gives_the_golden_fingerprints() -> None:
    runs: list[dict[str, Any]] = [json.loads(line) for line in snapshot("golden_settings")]
    scenarios = _engine.shipped("scenarios")
    resolved = [_engine.resolve(scenarios[run["scenario"]], run["name"], [], run["set"]) for run in runs]
    batch = _engine.start([(one, 1, None) for one in resolved], os.cpu_count() or 1)
    found: dict[int, dict[str, Any]] = {}
    while not batch.finished:
        batch.wait(60.0)
        found |= {index: json.loads(run.json) for index, run in batch.take()}
    lines = [f"{found[i]['fingerprint']} {found[i]['frames_whole_run']} {run['name']}" for i, run in enumerate(runs)]
    assert lines == snapshot("golden")
