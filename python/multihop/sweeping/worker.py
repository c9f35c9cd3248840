"""What a worker of a cluster does: makes a batch of runs with its own engine, and sends back what they left.

Nothing here reads or writes a file: the scenario comes as one text that says every value, and the results go to the
client, which alone writes to the store. They travel as the bytes of a record's files: the worker encodes them once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from multihop import _engine
from multihop.record.tables import encoded

WAIT_S = 1.0
"""How long the engine is waited for at a time [s]."""


@dataclass(frozen=True, slots=True)
class Order:
    """Runs of one resolved scenario that a worker is to make."""

    cell: int
    """Position of the cell in the client's list."""
    scenario: str
    """A scenario file that says every value."""
    hash: str
    """Hash of all values, as the client has it."""
    runs: tuple[int, ...]
    """Run numbers."""


@dataclass(frozen=True, slots=True)
class Made:
    """A finished run."""

    cell: int
    run: int
    files: dict[str, bytes]
    """The files of its record that hold what it left, as they are kept."""


class OtherBuildError(Exception):
    """A worker has another engine than the client: its runs would be other runs."""


def _address() -> str:
    """The address of the worker that this runs in."""
    import distributed

    return str(distributed.get_worker().address)


def build() -> str:
    """The engine build of the process that this runs in."""
    return _engine.BUILD


def compute(orders: Sequence[Order], wanted: str) -> list[Made]:
    """Makes all runs of a batch, one after the other, on the worker's own thread; raises OtherBuildError."""
    if wanted != _engine.BUILD:
        raise OtherBuildError(_address(), _engine.BUILD[:12])
    found = []
    for order in orders:
        resolved = _engine.resolve(order.scenario, "sweep", [], [])
        if resolved.hash != order.hash:
            raise OtherBuildError(_address(), f"{_engine.BUILD[:12]} (the scenario resolves to other values)")
        batch = _engine.start([(resolved, run, None) for run in order.runs], 1)
        try:
            while not batch.finished:
                batch.wait(WAIT_S)
                for index, run in batch.take():
                    data = json.loads(run.json)
                    found.append(Made(order.cell, order.runs[index], encoded(data, run.series)))
        finally:
            batch.cancel()
    return found
