"""What `sweep` prints: what it will cost, and a table with one line a point."""

from __future__ import annotations

import io
import itertools
import math
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.text import Text

from multihop.files.output import write_whole
from multihop.measures.figures import Figure, everywhere
from multihop.measures.notation import percent, plus_minus
from multihop.measures.stats import estimate
from multihop.out.fit import Column, Fitting, Line
from multihop.sweeping.result import Sweep
from multihop.sweeping.run import Cost
from multihop.terminal.console import err
from multihop.text import amount, plural

MOST_LINES = 60
"""More points than this are left to the table, the pictures and `query`."""
LINE_S = 30.0
"""How often a line is written where no bar can be drawn [s]."""


def duration(seconds: float) -> str:
    """A time as people say it: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{max(1.0, seconds):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Bar:
    """Shows the cost of a sweep, then how far it is; a context manager."""

    def __init__(self) -> None:
        self._drawn = sys.stderr.isatty()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._line_at = time.monotonic() + LINE_S
        self._said: set[str] = set()

    def warn(self, message: str) -> None:
        """Said once, before the runs begin."""
        if message not in self._said:
            self._said.add(message)
            err().print(f"warning: {escape(message)}", style="yellow")

    def cost(self, cost: Cost) -> None:
        """Said before the runs begin."""
        there = cost.runs - cost.missing
        stored = f", {there} of them in the store" if there else ""
        text = f"{plural(cost.cells, 'point')}, {plural(cost.runs, 'run')}{stored}"
        if cost.missing and not cost.from_runs:
            text += "; what the rest takes is known after the first runs"
        elif cost.missing:
            text += (
                f"; the rest takes about {duration(cost.seconds)} of processor time, "
                f"{duration(cost.seconds / cost.processors)} on {plural(cost.processors, 'processor')}, and "
                f"{amount(cost.disk)} of disk (from {plural(cost.from_runs, 'finished run')})"
            )
        err().print(text, style="dim")

    def update(self, finished: int, runs: int, stored: int, left_s: float, workers: int) -> None:
        """Draws how far the runs are, or writes it now and then."""
        kept = f", {stored} from the store" if stored else ""
        on = f" on {plural(workers, 'worker')}" if workers else ""
        text = f"{finished} of {plural(runs, 'run')}{kept}{on}"
        left = f"about {duration(left_s)} left" if finished < runs else ""
        if not self._drawn:
            if time.monotonic() >= self._line_at:
                self._line_at = time.monotonic() + LINE_S
                err().print(f"{text}; {left}" if left else text, style="dim", soft_wrap=True)
            return
        if self._bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
            self._bar = Progress(*columns, console=err(), transient=True)
            self._task = self._bar.add_task(text, total=runs, left=left)
            self._bar.start()
        if self._task is not None:
            self._bar.update(self._task, description=text, completed=finished, total=runs, left=left)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()


def sweep_view(sweep: Sweep, names: Sequence[str]) -> Group:
    """One line a point and technique: mean and 95 % interval of some figures, and the gain over the first technique."""
    figures, table = [everywhere()[name] for name in names], sweep.table()
    keys = sweep.columns()
    heads = [Column(column.head, words=True) for column in keys]
    many = len(techniques := sweep.techniques()) > 1
    heads += [Column("technique", words=True)] if many else []
    heads += [Column("runs")]
    for figure in figures:
        heads += [Column(figure.head), *([Column(f"against {techniques[0]}")] if many else [])]
    gains = [sweep.gains(techniques[0], name, table) for name in names]
    lines = [
        Line(
            [
                *(
                    f"{column.of[text]:g}" if column.numeric else str(column.of[text])
                    for column, text in zip(keys, values, strict=True)
                ),
                *([records.label] if many else []),
                str(len(records)),
                *itertools.chain.from_iterable(
                    (_cell(rows[figure.column], figure), *([percent(gain[i]) if gain[i] else ""] if many else []))
                    for figure, gain in zip(figures, gains, strict=True)
                ),
            ]
        )
        for i, (values, records, rows) in enumerate(zip(sweep.values, sweep.records, sweep.by_cell(table), strict=True))
        if i < MOST_LINES
    ]
    parts: list[RenderableType] = [Text(f"{sweep.scenario} over {', '.join(sweep.keys)}", style="bold"), Text("")]
    parts += [Fitting(heads, lines)]
    if len(sweep.records) > MOST_LINES:
        parts.append(Text(f"… and {len(sweep.records) - MOST_LINES} lines more: --table FILE.csv has all"))
    return Group(*parts)


def _cell(values: Iterable[float], figure: Figure) -> str:
    found = estimate(values)
    return "" if math.isnan(found.mean) else plus_minus(found, figure.scale)


def write_table(sweep: Sweep, path: Path) -> None:
    """Writes the table as Parquet, with the unit of each column in its metadata, or as CSV; raises InputError."""
    frame = sweep.table()
    if path.suffix == ".csv":
        write_whole(path, frame.to_csv(index=False).encode())
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = pa.Table.from_pandas(frame, preserve_index=False)
    units = {column.name: column.unit for column in sweep.columns()}
    fields = [
        field.with_metadata({"unit": units[field.name]}) if units.get(field.name) else field for field in content.schema
    ]
    buffer = io.BytesIO()
    pq.write_table(content.cast(pa.schema(fields, content.schema.metadata)), buffer, compression="zstd")
    write_whole(path, buffer.getvalue())
