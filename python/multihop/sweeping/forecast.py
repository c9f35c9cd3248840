"""What a sweep will cost: processor time and disk, from the runs that have finished at like points."""

from __future__ import annotations

from collections.abc import Sequence

from multihop.record.record import Record
from multihop.running.plan import Arm

BLOCK = 4096
"""Disk is given out in blocks of so many bytes."""


class Forecast:
    """Learns what a run takes at each cell, and foresees it where none has finished: from the nearest cells."""

    def __init__(self, techniques: int) -> None:
        self._techniques = techniques
        self._index: dict[tuple[str, tuple[str, ...]], int] = {}
        self._seconds: dict[int, tuple[int, float]] = {}
        self._bytes, self._records = 0, 0

    def place(self, cell: int, arm: Arm) -> None:
        """Says which runs are of a cell."""
        self._index[(arm.resolved.hash, arm.task.techniques)] = cell

    def learn(self, record: Record) -> None:
        """Takes the cost of a finished run."""
        manifest = record.manifest
        cell = self._index.get((manifest.scenario.hash, manifest.techniques))
        if cell is not None:
            runs, seconds = self._seconds.get(cell, (0, 0.0))
            self._seconds[cell] = (runs + 1, seconds + manifest.wall_s)
        self._bytes += sum(-(-file.bytes // BLOCK) * BLOCK for file in manifest.files.values()) + BLOCK
        self._records += 1

    @property
    def known(self) -> int:
        """Runs from which it has learned."""
        return self._records

    def run_s(self, cell: int) -> float:
        """Processor time that a run of this cell takes [s]; 0 where nothing is known at all."""
        if not self._seconds:
            return 0.0
        # cells of one technique lie so many apart: those of the same technique come first
        arm = cell % self._techniques
        nearest = min(self._seconds, key=lambda other: (other % self._techniques != arm, abs(other - cell), other))
        runs, seconds = self._seconds[nearest]
        return seconds / runs

    def seconds(self, missing: Sequence[float]) -> float:
        """Processor time of so many missing runs of each cell [s]."""
        return sum(runs * self.run_s(cell) for cell, runs in enumerate(missing) if runs)

    def disk(self, runs: int) -> float:
        """Disk that so many runs take [bytes]."""
        return runs * self._bytes / self._records if self._records else 0.0
