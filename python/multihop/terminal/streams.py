"""Standard output and standard error as they may be: closed, full, or without letters beyond ASCII."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from pathlib import Path

ERRORS = "multihop-plain"
"""Name of the error handler that writes plain signs for those that an encoding has not."""
PLAIN = {"±": "+-", "–": "-", "—": "-", "×": "x", "→": "->", "…": "...", "•": "*", "∞": "inf", "·": ".", "≤": "<="}
"""What stands for a sign where it cannot be written; `?` for any other."""


def prepare() -> None:
    """Makes both streams safe to write to, whatever the process was started with."""
    codecs.register_error(ERRORS, _plain)
    if sys.stdout is None:  # the shell has closed it: `>&-`
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def unicode_out() -> bool:
    """Whether standard output takes every letter."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def forsake() -> None:
    """Sends what is still to be written nowhere: a later flush must not complain."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
            continue
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(PLAIN.get(c, "?") for c in error.object[error.start : error.end]), error.end
