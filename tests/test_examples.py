"""The examples print what stands beside them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from test_docs import console

EXAMPLES = [example.name for example in console.examples()]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_what_stands_beside_it(name: str, here: Path) -> None:
    example = console.ROOT / "examples" / name
    done = subprocess.run([sys.executable, str(example)], cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = example.with_suffix(".out").read_text(encoding="utf-8")
    assert console.loose(done.stdout).rstrip() == console.loose(expected).rstrip(), (
        "run `python docs/console.py examples`"
    )
