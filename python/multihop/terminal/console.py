"""Where things are printed: results on standard output, everything else on standard error."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from multihop.terminal.streams import unicode_out
from multihop.text import printable, whole

if TYPE_CHECKING:
    import pandas as pd

PIPE_WIDTH = 160
"""Width when neither a terminal nor `COLUMNS` says how wide it is."""
LEAST_WIDTH = 40
"""Nothing narrower is believed."""
MOST_WIDTH = 10_000
"""Nothing wider is believed."""


class Printer(Console):
    """A console that prints no control character but its own."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As rich does, the text made printable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))

    def on_broken_pipe(self) -> None:
        """What to do then is the command line's, not rich's, which would leave with 1."""
        raise BrokenPipeError


def out() -> Console:
    """The console for results."""
    return Printer(width=None if sys.stdout.isatty() else _asked() or PIPE_WIDTH, highlight=False)


def _asked() -> int | None:
    """The width that the environment asks for."""
    said = whole(os.environ.get("COLUMNS", ""))
    return min(max(LEAST_WIDTH, said), MOST_WIDTH) if said else None


def err() -> Console:
    """The console for progress, warnings and errors."""
    return Printer(stderr=True, highlight=False, soft_wrap=True)


def document(content: dict[str, Any]) -> None:
    """Prints one JSON document: strict JSON, null where a number is not known."""
    from multihop.record.document import dumps

    sys.stdout.write(dumps(content, ascii_only=not unicode_out()) + "\n")


def table(frame: pd.DataFrame) -> None:
    """Prints a table as CSV, with the letters that the output takes."""
    sys.stdout.write(printable(frame.to_csv(index=False, lineterminator="\n")))


def rows(heads: Sequence[str], lines: Iterable[Sequence[object]]) -> None:
    """Prints rows as CSV, with the letters that the output takes; nothing where a value is not known."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(lines)
    sys.stdout.write(printable(text.getvalue()))


def say(message: str, *, error: bool = False) -> None:
    """One line of plain text."""
    stream = sys.stderr if error else sys.stdout
    stream.write(printable(message) + "\n")
