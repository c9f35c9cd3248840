"""Storing finished runs while others go on, so that whatever ends the process finds them in the store."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from importlib.abc import MetaPathFinder
from types import TracebackType
from typing import Any

from multihop import _engine
from multihop.record.record import Record
from multihop.record.tables import encoded
from multihop.running.interrupts import Stop
from multihop.running.plan import Job
from multihop.store.writer import Writer

TICK_S = 0.1
"""How often it is looked whether something is stored [s]."""
HURRY_S = 3.0
"""After Ctrl-C, time to store what has finished [s]."""
WRITERS = 6
"""Threads that store records."""
MOST_UNWRITTEN = 4 * WRITERS
"""Finished runs that wait for the disk before no more is taken from the engine."""
FIRST_UNWRITTEN = 2
"""The same before the first is stored: loading pyarrow takes long beside an engine that has all processors."""


class Shelf:
    """Stores finished runs on threads: most of it is waiting for the disk, and waiting together is shared."""

    def __init__(self, writer: Writer, *, lean: bool, heard: Callable[[Record], None] | None) -> None:
        self._writer, self._lean, self._heard = writer, lean, heard
        self._threads = ThreadPoolExecutor(WRITERS, "multihop-store")
        self._pending: set[Future[Record]] = set()
        self._ready: Future[None] | None = None
        self.kept = 0
        """How many runs have become records."""

    @property
    def full(self) -> bool:
        """Whether enough runs wait for the disk; few are enough until one is there, so that storing gets its share."""
        return len(self._pending) >= (MOST_UNWRITTEN if self.kept else FIRST_UNWRITTEN)

    def prepare(self) -> None:
        """Loads what storing needs while the first run is under way, so that it need not wait for that."""
        if self._ready is None:
            self._ready = self._threads.submit(_load)

    def put(self, job: Job, run: _engine.Run) -> None:
        """Takes a finished run."""
        self._pending.add(self._threads.submit(self._keep, job, run))

    def wait(self, seconds: float) -> None:
        """Waits until one run more is stored, at most so long."""
        wait(self._pending, timeout=seconds, return_when="FIRST_COMPLETED")

    def check(self) -> None:
        """Reports the records that have been stored since the last call; raises what went wrong while storing."""
        done = {f for f in self._pending if f.done()}
        self._pending -= done
        failed = [e for f in done if (e := f.exception()) is not None]
        self.kept += len(done) - len(failed)
        if self._heard:
            for record in (f.result() for f in done if f.exception() is None):
                self._heard(record)
        if failed:
            raise failed[0]

    def close(self, stop: Stop) -> None:
        """Waits for all runs to be stored; once the user is in a hurry, only for those begun within a few seconds."""
        patience = HURRY_S
        while patience > 0 and wait(self._pending, timeout=TICK_S).not_done:
            if stop:
                patience -= TICK_S
        self._pending = {f for f in self._pending if not f.cancel()}
        wait(self._pending)
        self.check()

    def __enter__(self) -> Shelf:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        self._threads.shutdown(cancel_futures=True)

    def _keep(self, job: Job, run: _engine.Run) -> Record:
        if self._ready is not None:
            self._ready.result()
        data: dict[str, Any] = json.loads(run.json)
        arm = job.arms[0]
        record = self._writer.put(job.identity, arm.resolved, arm.task.scenario.name, data, encoded(data, run.series))
        for arm in job.arms:
            arm.have.append(record.lean() if self._lean else record)
        return record.lean()


def _load() -> None:
    """Loads pyarrow without pandas, which takes it longer than many a run, and which storing runs does not need.

    pyarrow looks for pandas at its first array. What turns a table into a frame looks again.
    """
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa
        import pyarrow.parquet

        pa.array([0])
    finally:
        sys.meta_path.remove(finder)


class _NoPandas(MetaPathFinder):
    """Says to the thread that made it that there is no pandas."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> None:
        if fullname == "pandas" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError("pandas is not needed yet", name=fullname)
