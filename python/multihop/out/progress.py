"""Progress of a batch: a bar with simulated time and what is left, on standard error, if someone is watching."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from multihop.out.console import err
from multihop.text import plural

PATIENCE_S = 1.0
"""Whatever is done sooner needs no bar [s]."""


class Bar:
    """A watcher of a batch that shows a bar once the batch has taken a second; a context manager."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._wanted = not quiet and sys.stderr.isatty()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._durations: Sequence[float] = ()
        self._stored = 0
        self._start = 0.0

    def begin(self, durations: Sequence[float], stored: int) -> None:
        """Jobs are about to start."""
        self._durations, self._stored, self._start = durations, stored, time.monotonic()

    def update(self, fractions: Sequence[float]) -> None:
        """Draws how far the jobs are."""
        if not self._wanted or time.monotonic() - self._start < PATIENCE_S:
            return
        if self._bar is None:
            self._open()
        if self._bar is not None and self._task is not None:
            simulated = sum(d * f for d, f in zip(self._durations, fractions, strict=True))
            finished = sum(f >= 1.0 for f in fractions)
            self._bar.update(self._task, completed=simulated, finished=finished)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _open(self) -> None:
        total = sum(self._durations)
        runs = plural(len(self._durations), "run")
        stored = f", {self._stored} from the store" if self._stored else ""
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f} s simulated, {task.fields[finished]} finished"),
            TimeRemainingColumn(compact=True),
            console=err(),
            transient=True,
        )
        self._task = self._bar.add_task(f"{runs}{stored}", total=total, finished=0)
        self._bar.start()
