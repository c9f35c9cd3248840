"""What both harnesses share: a scenario that runs in milliseconds, and the command line in this process."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from multihop.cli import main

TINY = """\
summary = "two hops, a transfer and its answers, half a second"
run.duration = "600 ms"
measure.warm-up = "100 ms"
measure.sample = "50 ms"
topology = { kind = "chain", hops = 2, spacing = "200 m" }
routing.kind = "static"
air.packet-error-rate = 0.1
[[flow]]
kind = "bulk"
from = "0"
to = "2"
"""
VARYING = ("wall_s", "setup_s", "runs_from_store", "capture")
"""Fields in which two runs of the same may differ: times of the machine, where a run came from and whether that one
wrote captures."""


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Works in that folder, with the store of that folder."""
    before = Path.cwd()
    home = os.environ.pop("MULTIHOP_HOME", None)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        if home is not None:
            os.environ["MULTIHOP_HOME"] = home


def call(arguments: Sequence[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command, run in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as leave:
            code = leave.code if isinstance(leave.code, int) else int(leave.code is not None)
    return code, out.getvalue(), err.getvalue()


def results(text: str) -> dict[str, Any]:
    """A JSON document without what may differ between two runs of the same: wall time, and where it came from."""

    def clean(item: Any) -> Any:
        if isinstance(item, dict):
            return {key: clean(value) for key, value in item.items() if key not in VARYING}
        return [clean(value) for value in item] if isinstance(item, list) else item

    found: dict[str, Any] = clean(json.loads(text))
    return found
