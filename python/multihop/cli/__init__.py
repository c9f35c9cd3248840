"""The command line: one file per command, composed in `app`."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from types import FrameType

from multihop.cli import bash

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and leaves the process with its exit code, from its first moment on without a traceback."""
    try:
        run = _load()
        if bash.completing():
            bash.complete(lambda: run(arguments))
        else:
            run(arguments)
    except KeyboardInterrupt:
        _leave()


def _load() -> Callable[[Sequence[str] | None], None]:
    """Imports the commands. Nothing is under way yet: Ctrl-C just ends it."""
    try:
        before = signal.signal(signal.SIGINT, _leave)
    except ValueError:  # not the main thread, which alone gets signals
        before = None
    try:
        from multihop.cli.app import main as run
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, _interrupt if before is signal.default_int_handler else before)
    return run


def _interrupt(_number: int, frame: FrameType | None) -> None:
    """As Python does it; but what is raised within its importing may be swallowed there, and Ctrl-C would be lost."""
    if frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        _leave()
    raise KeyboardInterrupt


def _leave(_number: int = 0, _frame: FrameType | None = None) -> None:
    os.write(2, b"multihop: stopped\n")
    os._exit(130)
