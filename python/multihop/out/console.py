"""Where things are printed: results on standard output, everything else on standard error."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console

PIPE_WIDTH = 160
"""Width when no terminal says how wide it is: wide enough that no table is cut."""


def out() -> Console:
    """The console for results."""
    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def err() -> Console:
    """The console for progress, warnings and errors."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def document(content: dict[str, Any]) -> None:
    """Prints one JSON document: strict JSON, null where a number is not known."""
    from multihop.document import dumps

    sys.stdout.write(dumps(content) + "\n")
