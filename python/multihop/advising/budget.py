"""How much may be simulated: minutes of a clock, or a number of runs, which makes the answer the same each time."""

from __future__ import annotations

import time
from collections.abc import Sequence

from multihop.errors import InputError
from multihop.record.record import Records
from multihop.text import plural

MOST_MINUTES = 24 * 60
MOST_RUNS = 1_000_000
LEAST_RUNS = 30
"""With fewer runs hardly anything can be tried and confirmed."""


class Budget:
    """What may be spent, and what is left."""

    def __init__(self, minutes: float, runs: int | None, at_once: int) -> None:
        if not 0 < minutes <= MOST_MINUTES:
            raise InputError(f"--minutes must lie above 0 and be at most {MOST_MINUTES}, not {minutes:g}")
        if runs is not None and not LEAST_RUNS <= runs <= MOST_RUNS:
            raise InputError(f"--budget-runs must lie between {LEAST_RUNS} and {MOST_RUNS}, not {runs}")
        self._runs, self._at_once = runs, at_once
        self._seconds = 60 * minutes
        self._start = time.monotonic()
        self._run_s = 0.0
        self._known: set[str] = set()

    @property
    def spent(self) -> int:
        """Runs so far, each counted once, whether the store had it or not."""
        return len(self._known)

    @property
    def elapsed_s(self) -> float:
        """Time since it began [s]."""
        return time.monotonic() - self._start

    @property
    def words(self) -> str:
        """`3 minutes`, or `400 runs`."""
        return plural(self._runs, "run") if self._runs else f"{self._seconds / 60:g} min"

    def spend(self, records: Sequence[Records]) -> None:
        """Takes note of runs that were made, and of how long each took."""
        seconds = {record.key: record.manifest.wall_s for some in records for record in some}
        self._known |= seconds.keys()
        if seconds:
            self._run_s = sum(seconds.values()) / len(seconds)

    def left(self, share: float = 1.0) -> int:
        """How many runs still fit into this share of the budget."""
        if self._runs is not None:
            return max(0, int(share * self._runs) - self.spent)
        if self._run_s <= 0:
            return MOST_RUNS
        return max(0, int((share * self._seconds - self.elapsed_s) * self._at_once / self._run_s))
