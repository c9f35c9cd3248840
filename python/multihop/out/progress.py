"""Progress of a batch on standard error: runs, how far they are, and how long they take.

Where no person is watching, as in a file, it is a line now and then.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.status import Status

from multihop.running.run import State
from multihop.terminal.console import err
from multihop.text import plural

PATIENCE_S = 1.0
"""Whatever is done sooner needs no bar [s]."""
LINE_S = 30.0
"""How often a line is written where no bar can be drawn [s]."""


class Bar:
    """A watcher of a batch that shows a bar once the batch has taken a second, or lines; a context manager."""

    def __init__(self) -> None:
        self._drawn = sys.stderr.isatty()
        self._line_at = 0.0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._runs, self._simulated_s = 0, 0.0
        self._start = 0.0

    def warn(self, message: str) -> None:
        """Said at once, before the runs begin."""
        err().print(f"warning: {escape(message)}", style="yellow")

    def begin(self, runs: int, simulated_s: float) -> None:
        """Runs are about to start."""
        self._runs, self._simulated_s, self._start = runs, simulated_s, time.monotonic()
        self._line_at = self._start + LINE_S

    def update(self, state: State) -> None:
        """Draws how far the runs are, or writes it."""
        now = time.monotonic()
        if now - self._start < PATIENCE_S or (not self._drawn and now < self._line_at):
            return
        stored = f", {state.stored} from the store" if state.stored else ""
        # what the store had need not be simulated: it counts as done
        per_run = self._simulated_s / max(1, self._runs)
        done = state.simulated_s + per_run * state.stored
        text = f"{state.finished} of {plural(self._runs, 'run')}{stored}"
        if not self._drawn:
            self._line_at = now + LINE_S
            share = done / self._simulated_s if self._simulated_s else 1.0
            err().print(
                f"{text}; {share * 100:.0f} % simulated after {now - self._start:.0f} s", style="dim", soft_wrap=True
            )
            return
        if self._bar is None:
            self._open()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=text, completed=done)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _open(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:.0f} % simulated"),  # short: what is left must fit beside it in 80 columns
            TimeRemainingColumn(compact=True),
            console=err(),
            transient=True,
        )
        self._task = self._bar.add_task(plural(self._runs, "run"), total=self._simulated_s)
        self._bar.start()


class Steps:
    """Shows which step of a long command is under way; a context manager."""

    def __init__(self) -> None:
        self._status: Status | None = None

    def step(self, text: str) -> None:
        """Something else is being done now."""
        if not sys.stderr.isatty():
            err().print(text, style="dim")
        elif self._status is None:
            self._status = Status(text, console=err())
            self._status.start()
        else:
            self._status.update(text)

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        if self._status is not None:
            self._status.stop()
